// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * qpmap.c: find, remove, growth.
 */
#include "qpmap.h"
#include "tap.h"

#include <stdlib.h>

#define N 5000U

static struct mroce_qpmap map;
static struct mroce_qpmap_entry entries[N];

/* Numbers as the kernel gives them: in sequence, around the end of 24 bits. */
static uint32_t qpn(uint32_t i)
{
	return (0xfff000 + i) & 0xffffff;
}

static void fill(void)
{
	uint32_t i;

	CHECK(mroce_qpmap_init(&map) == 0);
	for (i = 0; i < N; i++) {
		entries[i].qpn = qpn(i);
		mroce_qpmap_add(&map, &entries[i]);
	}
}

static void find__all_after_growth(void)
{
	uint32_t i;

	CALL(fill());
	CHECK(map.mask + 1 >= N && map.count == N);
	for (i = 0; i < N; i++)
		CHECK(mroce_qpmap_find(&map, qpn(i)) == &entries[i]);
	mroce_qpmap_destroy(&map);
}

static void find__absent(void)
{
	CALL(fill());
	CHECK(!mroce_qpmap_find(&map, qpn(N)));
	CHECK(!mroce_qpmap_find(&map, 0xffffffff));
	CHECK(mroce_qpmap_find(&map, qpn(7)) == &entries[7]);
	CHECK(!mroce_qpmap_find(&map, qpn(N)));
	mroce_qpmap_destroy(&map);
}

static void del__forgets_the_last_found(void)
{
	uint32_t i;

	CALL(fill());
	for (i = 0; i < N; i += 2) {
		CHECK(mroce_qpmap_find(&map, qpn(i)) == &entries[i]);
		mroce_qpmap_del(&map, &entries[i]);
		CHECK(!mroce_qpmap_find(&map, qpn(i)));
	}
	CHECK(map.count == N / 2);
	for (i = 1; i < N; i += 2)
		CHECK(mroce_qpmap_find(&map, qpn(i)) == &entries[i]);
	mroce_qpmap_destroy(&map);
}

static void del__stranger_changes_nothing(void)
{
	struct mroce_qpmap_entry stranger = { .qpn = qpn(3) };

	CALL(fill());
	mroce_qpmap_del(&map, &stranger);
	CHECK(map.count == N);
	CHECK(mroce_qpmap_find(&map, qpn(3)) == &entries[3]);
	mroce_qpmap_destroy(&map);
}

static const struct tap_case cases[] = {
	TAP_CASE(find__all_after_growth),
	TAP_CASE(find__absent),
	TAP_CASE(del__forgets_the_last_found),
	TAP_CASE(del__stranger_changes_nothing),
};

TAP_MAIN(cases)
