// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ring.h: slots, room, retirement and removal, with counters that wrap and counters that lie.
 */
#include "ring.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define N 8U

static struct mroce_uring ring;

static void make_ring(void)
{
	ring.entries = N;
	ring.stride = sizeof(struct mroce_cqe);
	ring.len = MROCE_RING_ENTRIES + N * ring.stride;
	ring.hdr = calloc(1, ring.len);
}

static void free_ring(void)
{
	free(ring.hdr);
}

static struct mroce_cqe *slot(uint32_t c)
{
	return mroce_ring_slot(&ring, c);
}

/* Completions @cons.. of the QPs named in @qps, wr_id counting from 0. */
static void fill(uint32_t cons, const char *qps)
{
	uint32_t i;

	for (i = 0; qps[i]; i++) {
		slot(cons + i)->qp_num = qps[i];
		slot(cons + i)->wr_id = i;
	}
}

static void fits__shapes(void)
{
	uint64_t len = MROCE_RING_ENTRIES + 8 * 64;

	CHECK(mroce_ring_fits(len, 8, 64, 64));
	CHECK(mroce_ring_fits(len, 1, 64, 64));
	CHECK(!mroce_ring_fits(len - 1, 8, 64, 64));
	CHECK(!mroce_ring_fits(len, 0, 64, 64));
	CHECK(!mroce_ring_fits(len, 6, 64, 64));
	CHECK(!mroce_ring_fits(len, 8, 56, 64));
	CHECK(!mroce_ring_fits(len, 4, 68, 64));
}

static void fits__no_overflow(void)
{
	CHECK(!mroce_ring_fits(4096, 0x80000000U, 0xfffffff8U, 64));
	CHECK(!mroce_ring_fits(0, 0x80000000U, 64, 64));
	CHECK(mroce_ring_fits(MROCE_RING_ENTRIES + (1ULL << 31) * 64, 0x80000000U, 64, 64));
}

static void slot__wraps_with_counter(void)
{
	uint32_t c = UINT32_MAX - 20;
	int i;

	make_ring();
	for (i = 0; i < 64; i++, c++) {
		CHECK((char *)slot(c) == (char *)ring.hdr + MROCE_RING_ENTRIES + (c % N) * 64);
		CHECK(slot(c) == slot(c + N));
	}
	CHECK((char *)slot(N - 1) + 64 == (char *)ring.hdr + ring.len);
	free_ring();
}

static void room__full_and_empty(void)
{
	CHECK(mroce_room(0, 0, 5) == 5);
	CHECK(mroce_room(3, 0, 5) == 2);
	CHECK(mroce_room(5, 0, 5) == 0);
	CHECK(mroce_room(0, 0, 0) == 0);
}

static void room__counter_overflow(void)
{
	CHECK(mroce_room(2, UINT32_MAX - 1, 5) == 1);
	CHECK(mroce_room(3, UINT32_MAX - 1, 5) == 0);
	CHECK(mroce_room(UINT32_MAX, UINT32_MAX, 5) == 5);
}

static void room__hostile_counter_means_none(void)
{
	CHECK(mroce_room(10, 11, 8) == 0);
	CHECK(mroce_room(0, 0x80000000U, 8) == 0);
	CHECK(mroce_room(100, 0, 8) == 0);
}

static void retire__moves_past_the_reported(void)
{
	CHECK(mroce_retire(0, 8, 0) == 1);
	CHECK(mroce_retire(0, 8, 7) == 8);
	CHECK(mroce_retire(3, 8, 3) == 4);
}

static void retire__counter_overflow(void)
{
	CHECK(mroce_retire(UINT32_MAX - 2, 2, UINT32_MAX) == 0);
	CHECK(mroce_retire(UINT32_MAX - 2, 2, 1) == 2);
	CHECK(mroce_retire(UINT32_MAX, UINT32_MAX, UINT32_MAX - 1) == UINT32_MAX);
}

static void retire__never_past_posted_nor_back(void)
{
	CHECK(mroce_retire(4, 8, 8) == 4);
	CHECK(mroce_retire(4, 8, 2) == 4);
	CHECK(mroce_retire(4, 8, 0x80000000U) == 4);
	CHECK(mroce_retire(4, 4, 4) == 4);
	CHECK(mroce_retire(4, 8, 3) == 4);
}

/* Every lap of a ring is full once and empty once, across the overflow of the counters. */
static void laps__full_empty_across_overflow(void)
{
	uint32_t posted = UINT32_MAX - 100, freed = posted;
	int lap, i;

	for (lap = 0; lap < 64; lap++) {
		for (i = 0; mroce_room(posted, freed, N); i++)
			posted++;
		CHECK(i == (int)N);
		for (i = 0; i < (int)N; i++)
			freed = mroce_retire(freed, posted, freed);
		CHECK(freed == posted);
		CHECK(mroce_room(posted, freed, N) == N);
	}
	CHECK(posted < 1000);
}

static void check_drop(uint32_t cons, const char *qps, char drop, const char *ids)
{
	uint32_t n = strlen(qps), left = strlen(ids), to, i;

	make_ring();
	fill(cons, qps);
	to = mroce_ring_drop(&ring, cons, cons + n, drop);
	CHECK(to == cons + n - left);
	for (i = 0; i < left; i++)
		CHECK(slot(to + i)->wr_id == (uint64_t)(ids[i] - '0'));
	free_ring();
}

static void drop__keeps_others_in_order(void)
{
	CALL(check_drop(0, "", 'a', ""));
	CALL(check_drop(0, "b", 'a', "0"));
	CALL(check_drop(0, "a", 'a', ""));
	CALL(check_drop(0, "abab", 'a', "13"));
	CALL(check_drop(0, "aabb", 'a', "23"));
	CALL(check_drop(0, "bbaa", 'a', "01"));
	CALL(check_drop(0, "bacadaea", 'a', "0246"));
	CALL(check_drop(0, "aaaaaaaa", 'a', ""));
	CALL(check_drop(0, "bbbbbbbb", 'a', "01234567"));
}

static void drop__wraps(void)
{
	uint32_t cons;

	for (cons = UINT32_MAX - 12; cons != 12; cons++) {
		CALL(check_drop(cons, "bacadaea", 'a', "0246"));
		CALL(check_drop(cons, "abbab", 'a', "124"));
	}
}

static void drop__hostile_counters_are_bounded(void)
{
	uint32_t prod;

	make_ring();
	for (prod = 0; prod != 1000; prod++) {
		fill(0, "abcdabcd");
		mroce_ring_drop(&ring, 5, prod * 0x01234567U, 'a');
	}
	fill(0, "aaaaaaaa");
	CHECK(mroce_ring_drop(&ring, 1, 0, 'a') == 0);
	free_ring();
}

static void dead__unmapped_ring_is_not(void)
{
	struct mroce_uring none = {};

	CHECK(!mroce_ring_dead(&none));
	make_ring();
	CHECK(!mroce_ring_dead(&ring));
	ring.hdr->dead = 1;
	CHECK(mroce_ring_dead(&ring));
	free_ring();
}

static const struct tap_case cases[] = {
	TAP_CASE(fits__shapes),
	TAP_CASE(fits__no_overflow),
	TAP_CASE(slot__wraps_with_counter),
	TAP_CASE(room__full_and_empty),
	TAP_CASE(room__counter_overflow),
	TAP_CASE(room__hostile_counter_means_none),
	TAP_CASE(retire__moves_past_the_reported),
	TAP_CASE(retire__counter_overflow),
	TAP_CASE(retire__never_past_posted_nor_back),
	TAP_CASE(laps__full_empty_across_overflow),
	TAP_CASE(drop__keeps_others_in_order),
	TAP_CASE(drop__wraps),
	TAP_CASE(drop__hostile_counters_are_bounded),
	TAP_CASE(dead__unmapped_ring_is_not),
};

TAP_MAIN(cases)
