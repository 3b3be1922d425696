// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/rxwin.c: one verdict per PSN, and what ACKs say of it. [M37, M42, M43, M44, M47]
 */
#include "lab.h"

static enum mroce_rx_verdict look(struct lab *l, struct mroce_rxwin *w, u32 psn)
{
	u8 syn, arg;

	return mroce_rxwin_check(&l->wp->p, w, psn, &syn, &arg);
}

static void take(struct lab *l, struct mroce_rxwin *w, u32 psn)
{
	CHECK_EQ(look(l, w, psn), MROCE_RX_NEW);
	mroce_rxwin_accept(w, psn);
}

TEST(rxwin_accept__in_order_moves_cum)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;
	u32 i;

	mroce_rxwin_init(&w, 1000, 256);
	for (i = 0; i < 1000; i++) {
		take(&l, &w, 1000 + i);
		CHECK_EQ(w.cum, 1001 + i);
	}
	lab_end(&l);
}

TEST(rxwin_accept__gap_holds_cum)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;

	mroce_rxwin_init(&w, 0, 256);
	take(&l, &w, 1);
	take(&l, &w, 2);
	CHECK_EQ(w.cum, 0);
	CHECK_EQ(w.next, 3);
	take(&l, &w, 0);
	CHECK_EQ(w.cum, 3);
	lab_end(&l);
}

TEST(rxwin_check__accepted_is_a_duplicate)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;

	mroce_rxwin_init(&w, 10, 256);
	take(&l, &w, 10);
	take(&l, &w, 12);
	CHECK_EQ(look(&l, &w, 10), MROCE_RX_ACCEPTED);
	CHECK_EQ(look(&l, &w, 12), MROCE_RX_ACCEPTED);
	CHECK_EQ(look(&l, &w, 11), MROCE_RX_NEW);
	lab_end(&l);
}

TEST(rxwin_check__edges_of_the_window)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;

	mroce_rxwin_init(&w, 1000, 256);
	CHECK_EQ(look(&l, &w, 1255), MROCE_RX_NEW);
	CHECK_EQ(look(&l, &w, 1256), MROCE_RX_OUTSIDE);
	CHECK_EQ(look(&l, &w, 999), MROCE_RX_ACCEPTED);
	CHECK_EQ(look(&l, &w, 1000 - 256), MROCE_RX_ACCEPTED);
	CHECK_EQ(look(&l, &w, 1000 - 257), MROCE_RX_OUTSIDE);
	CHECK_EQ(look(&l, &w, 1000 + 0x80000000u), MROCE_RX_OUTSIDE);
	lab_end(&l);
}

TEST(rxwin_check__wraps)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;
	u32 i;

	mroce_rxwin_init(&w, ~0U - 100, 256);
	for (i = 0; i < 400; i += 2)
		if (look(&l, &w, ~0U - 100 + i) == MROCE_RX_NEW)
			mroce_rxwin_accept(&w, ~0U - 100 + i);
	CHECK_EQ(w.cum, ~0U - 100 + 1);
	for (i = 1; i < 255; i += 2)
		take(&l, &w, ~0U - 100 + i);
	CHECK_EQ(w.cum, ~0U - 100 + 255);
	lab_end(&l);
}

TEST(rxwin_refuse__is_remembered_with_its_argument)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;
	u8 syn = 0, arg = 0;

	mroce_rxwin_init(&w, 5, 256);
	CHECK(mroce_rxwin_refuse(&l.wp->p, &w, 6, MROCE_SYN_RNR, 17));
	CHECK_EQ(mroce_rxwin_check(&l.wp->p, &w, 6, &syn, &arg), MROCE_RX_REFUSED);
	CHECK_EQ(syn, MROCE_SYN_RNR);
	CHECK_EQ(arg, 17);
	CHECK_EQ(w.nrefused, 1);
	mroce_rxwin_free(&l.wp->p, &w);
	lab_end(&l);
}

TEST(rxwin_refuse__holds_cum_until_empty)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;

	mroce_rxwin_init(&w, 5, 256);
	CHECK(mroce_rxwin_refuse(&l.wp->p, &w, 5, MROCE_SYN_RNR, 1));
	take(&l, &w, 6);
	CHECK_EQ(w.cum, 5);
	mroce_rxwin_accept(&w, 5);
	CHECK_EQ(w.cum, 7);
	CHECK_EQ(w.nrefused, 0);
	CHECK_EQ(look(&l, &w, 5), MROCE_RX_ACCEPTED);
	mroce_rxwin_free(&l.wp->p, &w);
	lab_end(&l);
}

TEST(rxwin_refuse__slot_is_clean_for_the_next_lap)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;
	u32 i;

	mroce_rxwin_init(&w, 0, 256);
	CHECK(mroce_rxwin_refuse(&l.wp->p, &w, 0, MROCE_SYN_ACCESS, 0));
	mroce_rxwin_accept(&w, 0);
	for (i = 1; i < 256; i++)
		take(&l, &w, i);
	CHECK_EQ(look(&l, &w, 256), MROCE_RX_NEW);
	mroce_rxwin_free(&l.wp->p, &w);
	lab_end(&l);
}

TEST(rxwin_refuse__no_memory_gives_no_verdict)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;

	mroce_rxwin_init(&w, 0, 256);
	l.w->host[0].alloc_fail = 1000000;
	CHECK(!mroce_rxwin_refuse(&l.wp->p, &w, 0, MROCE_SYN_RNR, 0));
	CHECK_EQ(look(&l, &w, 0), MROCE_RX_NEW);
	CHECK_EQ(w.nrefused, 0);
	lab_end(&l);
}

TEST(rxwin_grow__keeps_verdicts)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;
	u32 i;

	mroce_rxwin_init(&w, 100, 2048);
	for (i = 1; i < 200; i += 3) {
		take(&l, &w, 100 + i);
		CHECK(mroce_rxwin_refuse(&l.wp->p, &w, 100 + i + 1, MROCE_SYN_LATER, 0));
	}
	CHECK_EQ(w.size, 256);
	CHECK_EQ(look(&l, &w, 100 + 1500), MROCE_RX_NEW);
	CHECK_EQ(w.size, 2048);
	for (i = 1; i < 200; i += 3) {
		CHECK_EQ(look(&l, &w, 100 + i - 1), MROCE_RX_NEW);
		CHECK_EQ(look(&l, &w, 100 + i), MROCE_RX_ACCEPTED);
		CHECK_EQ(look(&l, &w, 100 + i + 1), MROCE_RX_REFUSED);
	}
	mroce_rxwin_free(&l.wp->p, &w);
	lab_end(&l);
}

TEST(rxwin_grow__no_memory)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;

	mroce_rxwin_init(&w, 0, 1024);
	l.w->host[0].alloc_fail = 1000000;
	CHECK_EQ(look(&l, &w, 300), MROCE_RX_NOMEM);
	CHECK_EQ(look(&l, &w, 200), MROCE_RX_NEW);
	l.w->host[0].alloc_fail = 0;
	CHECK_EQ(look(&l, &w, 300), MROCE_RX_NEW);
	mroce_rxwin_free(&l.wp->p, &w);
	lab_end(&l);
}

/* Both allocations may fail; the first must not leak then. */
TEST(rxwin_grow__no_memory_for_refusals)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;
	u32 tries;

	mroce_rxwin_init(&w, 0, 8192);
	CHECK(mroce_rxwin_refuse(&l.wp->p, &w, 0, MROCE_SYN_RNR, 0));
	l.w->host[0].alloc_fail = 700000;
	for (tries = 0; tries < 100 && look(&l, &w, 8000) == MROCE_RX_NOMEM; tries++)
		CHECK_EQ(look(&l, &w, 0), MROCE_RX_REFUSED);
	CHECK_GT(tries, 1);
	l.w->host[0].alloc_fail = 0;
	CHECK_EQ(look(&l, &w, 8000), MROCE_RX_NEW);
	CHECK_EQ(look(&l, &w, 0), MROCE_RX_REFUSED);
	mroce_rxwin_free(&l.wp->p, &w);
	lab_end(&l);
}

TEST(rxwin_sack__exactly_what_was_accepted)
{
	struct lab l = lab_new(NULL);
	struct rng r = { .state = test_seed() };
	struct mroce_rxwin w;
	bool accepted[1024] = {};
	u64 sack[4];
	u32 i, base;

	mroce_rxwin_init(&w, 0, 1024);
	for (i = 0; i < 1024; i++) {
		if (rng_below(&r, 3)) {
			take(&l, &w, i);
			accepted[i] = true;
		} else if (rng_below(&r, 2)) {
			CHECK(mroce_rxwin_refuse(&l.wp->p, &w, i, MROCE_SYN_RNR, 0));
		}
	}
	for (base = 0; base + 256 <= 1024; base += 64) {
		mroce_rxwin_sack(&w, base, sack);
		for (i = 0; i < 256; i++)
			CHECK_EQ(sack[i / 64] >> (i % 64) & 1, accepted[base + i]);
	}
	mroce_rxwin_free(&l.wp->p, &w);
	lab_end(&l);
}

TEST(rxwin_sack__before_cum_is_accepted_beyond_next_is_not)
{
	struct lab l = lab_new(NULL);
	struct mroce_rxwin w;
	u64 sack[4];
	u32 i;

	mroce_rxwin_init(&w, 0, 256);
	for (i = 0; i < 100; i++)
		take(&l, &w, i);
	mroce_rxwin_sack(&w, 36, sack);
	CHECK_EQ(sack[0], ~0ULL);
	CHECK_EQ(sack[1] | sack[2] | sack[3], 0);
	lab_end(&l);
}

TEST(rxwin_check__random_against_a_model)
{
	struct lab l = lab_new(NULL);
	struct rng r = { .state = test_seed() };
	struct mroce_rxwin w;
	static u8 model[40000];	/* 0 new, 1 accepted, 2 refused */
	u32 first = ~0U - 5000, cum = 0, i, k;

	memset(model, 0, sizeof(model));
	mroce_rxwin_init(&w, first, 512);
	for (k = 0; k < 60000 && cum < 39000; k++) {
		i = cum + rng_below(&r, rng_below(&r, 10) ? 40 : 512);
		switch (look(&l, &w, first + i)) {
		case MROCE_RX_NEW:
			CHECK_EQ(model[i], 0);
			if (rng_below(&r, 8)) {
				mroce_rxwin_accept(&w, first + i);
				model[i] = 1;
			} else {
				CHECK(mroce_rxwin_refuse(&l.wp->p, &w, first + i, MROCE_SYN_RNR, 3));
				model[i] = 2;
			}
			break;
		case MROCE_RX_ACCEPTED:
			CHECK_EQ(model[i], 1);
			break;
		case MROCE_RX_REFUSED:
			CHECK_EQ(model[i], 2);
			if (!rng_below(&r, 3)) {
				mroce_rxwin_accept(&w, first + i);
				model[i] = 1;
			}
			break;
		default:
			CHECK(!"in the window");
		}
		while (model[cum] == 1)
			cum++;
		CHECK_EQ(w.cum, first + cum);
	}
	CHECK_GT(cum, 6000);
	mroce_rxwin_free(&l.wp->p, &w);
	lab_end(&l);
}
