// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/txwin.c: sent PSNs. [M37, M38, M55]
 */
#include "lab.h"

#define LEN	100

static u32 first_psn(const struct lab *l)
{
	return mroce_isn(l->conn->seed, 0);
}

static u32 accept(struct lab *l, u32 n)
{
	return mroce_txwin_accept(l->p, first_psn(l) + n, l->w->now);
}

/* [M36] */
TEST(txwin_add__psns_ascend_from_the_formula)
{
	struct lab l = lab_conn(NULL);
	u32 i;

	for (i = 0; i < 100; i++) {
		struct mroce_sent *sent = mroce_txwin_add(l.conn, l.p);

		CHECK_EQ(sent->psn, first_psn(&l) + i);
		sent->bytes = LEN;
		mroce_txwin_sent(l.p, sent, l.w->now);
	}
	CHECK_EQ(l.p->inflight_bytes, 100 * LEN);
	CHECK_EQ(l.conn->inflight_bytes, 100 * LEN);
	lab_end(&l);
}

TEST(txwin_room__ends_at_the_window)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 255, LEN);
	CHECK(mroce_txwin_room(&l.p->tx));
	lab_sent(&l, 1, LEN);
	CHECK(!mroce_txwin_room(&l.p->tx));
	accept(&l, 1);
	CHECK(!mroce_txwin_room(&l.p->tx));
	accept(&l, 0);
	CHECK(mroce_txwin_room(&l.p->tx));
	CHECK_EQ(l.p->tx.nxt - l.p->tx.una, 254);
	lab_end(&l);
}

TEST(txwin_add__no_memory)
{
	struct lab l = lab_conn(NULL);

	l.w->host[0].alloc_fail = 1000000;
	CHECK(!mroce_txwin_add(l.conn, l.p));
	CHECK_EQ(l.p->tx.nxt, l.p->tx.una);
	l.w->host[0].alloc_fail = 0;
	lab_sent(&l, 64, LEN);
	l.w->host[0].alloc_fail = 1000000;
	CHECK(!mroce_txwin_add(l.conn, l.p));
	CHECK_EQ(l.p->tx.nxt - l.p->tx.una, 64);
	lab_end(&l);
}

TEST(txwin_undo__gives_the_number_back)
{
	struct lab l = lab_conn(NULL);
	struct mroce_sent *sent = mroce_txwin_add(l.conn, l.p);

	mroce_txwin_undo(l.conn, l.p, sent);
	CHECK_EQ(l.p->tx.nxt, first_psn(&l));
	CHECK(!mroce_txwin_find(&l.p->tx, first_psn(&l)));
	CHECK_EQ(l.conn->sents.in_use, 0);
	lab_end(&l);
}

TEST(txwin_find__only_what_waits)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 3, LEN);
	accept(&l, 1);
	CHECK(mroce_txwin_find(&l.p->tx, first_psn(&l)));
	CHECK(!mroce_txwin_find(&l.p->tx, first_psn(&l) + 1));
	CHECK(!mroce_txwin_find(&l.p->tx, first_psn(&l) + 3));
	CHECK(!mroce_txwin_find(&l.p->tx, first_psn(&l) - 1));
	lab_end(&l);
}

TEST(txwin_accept__counts_each_psn_once)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 3, LEN);
	CHECK_EQ(accept(&l, 1), LEN);
	CHECK_EQ(accept(&l, 1), 0);
	CHECK_EQ(l.p->tx.una, first_psn(&l));
	CHECK_EQ(accept(&l, 0), LEN);
	CHECK_EQ(l.p->tx.una, first_psn(&l) + 2);
	CHECK_EQ(l.p->inflight_bytes, LEN);
	CHECK_EQ(accept(&l, 7), 0);
	lab_end(&l);
}

TEST(txwin_grow__keeps_records)
{
	struct lab l = lab_conn(&(struct world_cfg){ .psn_window = 4096 });
	u32 i;

	lab_sent(&l, 50, LEN);
	for (i = 0; i < 50; i += 2)
		accept(&l, i);
	lab_sent(&l, 3000, LEN);
	for (i = 0; i < 50; i++)
		CHECK_EQ(!mroce_txwin_find(&l.p->tx, first_psn(&l) + i), i % 2 == 0);
	for (i = 0; i < 3050; i++)
		accept(&l, i);
	CHECK_EQ(l.p->tx.una, l.p->tx.nxt);
	CHECK_EQ(l.p->inflight_bytes, 0);
	mroce_txwin_trim(l.p);
	CHECK(!l.p->tx.slots);
	lab_end(&l);
}

/* Order of transmission counts, not of PSNs. */
/* Which of two transmissions arrived is not known when the answer comes too soon for the second. */
TEST(txwin_lose__once)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 2, LEN);
	mroce_txwin_lose(l.p, mroce_txwin_find(&l.p->tx, first_psn(&l)));
	mroce_txwin_lose(l.p, mroce_txwin_find(&l.p->tx, first_psn(&l)));
	CHECK_EQ(l.conn->lost_pkts, 1);
	CHECK_EQ(l.p->inflight_bytes, LEN);
	accept(&l, 0);
	CHECK_EQ(l.conn->lost_pkts, 0);
	CHECK_EQ(l.p->inflight_bytes, LEN);
	lab_end(&l);
}

TEST(txwin_drop__all_records_go)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 40, LEN);
	mroce_txwin_lose(l.p, mroce_txwin_find(&l.p->tx, first_psn(&l) + 5));
	accept(&l, 7);
	mroce_txwin_drop(l.p);
	CHECK_EQ(l.p->inflight_bytes, 0);
	CHECK_EQ(l.conn->inflight_bytes, 0);
	CHECK_EQ(l.conn->lost_pkts, 0);
	CHECK_EQ(l.conn->sents.in_use, 0);
	CHECK(!l.p->tx.slots);
	lab_end(&l);
}

TEST(txwin_trim__not_while_something_waits)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 1, LEN);
	mroce_txwin_trim(l.p);
	CHECK(l.p->tx.slots);
	accept(&l, 0);
	mroce_txwin_trim(l.p);
	CHECK(!l.p->tx.slots);
	lab_sent(&l, 1, LEN);
	CHECK(l.p->tx.slots);
	lab_end(&l);
}
