// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/path.c: round trips.
 */
#include "lab.h"

TEST(rtt_sample__first_and_smoothed)
{
	struct mroce_rtt r = {};

	mroce_rtt_sample(&r, 100, 0);
	CHECK_EQ(r.srtt, 100);
	CHECK_EQ(r.var, 50);
	CHECK_EQ(r.min, 100);
	mroce_rtt_sample(&r, 180, 1);
	CHECK_EQ(r.srtt, 110);
	CHECK_EQ(r.var, (3 * 50 + 80) / 4);
	CHECK_EQ(r.min, 100);
}

TEST(rtt_sample__zero_counts_as_one)
{
	struct mroce_rtt r = {};

	mroce_rtt_sample(&r, 0, 0);
	CHECK_EQ(r.srtt, 1);
}

TEST(rtt_sample__minimum_is_forgotten)
{
	struct mroce_rtt r = {};
	u64 now;

	mroce_rtt_sample(&r, 10, 0);
	for (now = SEC; now < 4 * SEC; now += SEC)
		mroce_rtt_sample(&r, 1000, now);
	CHECK_EQ(r.min, 10);
	for (; now < 12 * SEC; now += SEC)
		mroce_rtt_sample(&r, 1000, now);
	CHECK_EQ(r.min, 1000);
}

TEST(rtt_sample__minimum_follows_down_at_once)
{
	struct mroce_rtt r = {};

	mroce_rtt_sample(&r, 1000, 0);
	mroce_rtt_sample(&r, 10, 1);
	CHECK_EQ(r.min, 10);
}

TEST(path_srtt__of_the_connection_until_it_has_its_own)
{
	struct lab l = lab_conn(NULL);

	CHECK_EQ(mroce_path_srtt(l.p), MROCE_RTT_INIT);
	mroce_rtt_sample(&l.conn->rtt, 70 * US, 0);
	CHECK_EQ(mroce_path_srtt(l.p), 70 * US);
	mroce_rtt_sample(&l.p->rtt, 30 * US, 0);
	CHECK_EQ(mroce_path_srtt(l.p), 30 * US);
	CHECK_EQ(mroce_path_srtt(l.conn->paths[1]), 70 * US);
	lab_end(&l);
}

/* [M58] */
/* [M60, M61] */
/* [M64] */
/* [M124] */
