// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/path.c: round trips, the timer of a path, its choice and its route.
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
TEST(path_reroute__borrows_the_route_of_a_living_path)
{
	struct lab l = lab_conn(&(struct world_cfg){ .planes = 2 });
	struct mroce_path *other = l.conn->paths[1];

	other->last_ack = l.w->now;
	mroce_path_reroute(l.p, l.w->now);
	CHECK_EQ(l.p->route.sport, other->route.sport);
	CHECK_EQ(l.p->route.ifindex, other->route.ifindex);
	lab_end(&l);
}

TEST(path_reroute__fresh_port_when_none_lives)
{
	struct lab l = lab_conn(NULL);
	u16 sport = l.p->route.sport;
	u32 i;

	mroce_path_reroute(l.p, l.w->now);
	CHECK_NE(l.p->route.sport, sport);
	for (i = 1; i < l.conn->npaths; i++)
		CHECK_NE(l.p->route.sport, l.conn->paths[i]->route.sport);
	lab_end(&l);
}

TEST(path_reroute__next_egress_when_none_lives)
{
	struct lab l = lab_conn(&(struct world_cfg){ .planes = 2, .npaths = 1 });
	u32 seen = 0, i;

	for (i = 0; i < 4; i++) {
		l.p->loss.rtos = 2;
		mroce_path_reroute(l.p, l.w->now);
		seen |= 1 << l.p->route.ifindex;
	}
	CHECK_EQ(seen, 6);
	lab_end(&l);
}

TEST(conn_spread__deals_paths_over_all_routes)
{
	struct lab l = lab_conn(&(struct world_cfg){ .planes = 4, .npaths = 8 });
	u32 count[5] = {}, i;

	for (i = 0; i < l.conn->npaths; i++)
		count[l.conn->paths[i]->route.ifindex]++;
	for (i = 1; i <= 4; i++)
		CHECK_EQ(count[i], 2);
	lab_end(&l);
}

TEST(conn_spread__paths_leave_a_plane_that_is_gone)
{
	struct lab l = lab_conn(&(struct world_cfg){ .planes = 2, .npaths = 4 });
	struct mroce_path *p;
	u8 was[4], epoch[4];
	u32 i;

	for (i = 0; i < 4; i++) {
		was[i] = l.conn->paths[i]->route.ifindex;
		epoch[i] = l.conn->paths[i]->epoch;
	}
	l.w->host[0].route_payload[0] = 0;
	CHECK_EQ(mroce_conn_spread(l.conn, false), 1);
	for (i = 0; i < 4; i++) {
		p = l.conn->paths[i];
		CHECK_EQ(p->route.ifindex, 2);
		CHECK_EQ(p->epoch - epoch[i], was[i] == 1);
	}
	lab_end(&l);
}

TEST(conn_spread__no_route_changes_nothing)
{
	struct lab l = lab_conn(NULL);
	struct mroce_route before = l.p->route;

	l.w->host[0].route_payload[0] = 0;
	CHECK_EQ(mroce_conn_spread(l.conn, false), 0);
	CHECK_EQ(l.p->route.ifindex, before.ifindex);
	CHECK_EQ(l.conn->payload, 256);
	lab_end(&l);
}

/* [M64] */
TEST(conn_spread__payload_is_what_every_route_carries)
{
	struct lab l = lab_conn(&(struct world_cfg){ .planes = 2, .npaths = 4, .payload = 1024 });

	CHECK_EQ(l.conn->payload, 1024);
	l.w->host[0].route_payload[1] = 512;
	mroce_conn_spread(l.conn, false);
	CHECK_EQ(l.conn->payload, 512);
	l.w->host[0].route_payload[1] = 1024;
	mroce_conn_spread(l.conn, false);
	CHECK_EQ(l.conn->payload, 1024);
	lab_end(&l);
}

TEST(path_select__equals_take_turns)
{
	struct lab l = lab_conn(NULL);
	u32 i, seen = 0;

	for (i = 0; i < 4; i++) {
		struct mroce_path *p = mroce_path_select(l.conn, 320, l.w->now);

		CHECK(p);
		seen |= 1 << p->index;
	}
	CHECK_EQ(seen, 15);
	lab_end(&l);
}

TEST(path_select__the_one_that_delivers_first)
{
	struct lab l = lab_conn(NULL);
	u32 i;

	for (i = 0; i < 4; i++)
		mroce_rtt_sample(&l.conn->paths[i]->rtt, i == 2 ? 10 * US : 100 * US, 0);
	CHECK_EQ(mroce_path_select(l.conn, 320, l.w->now)->index, 2);
	CHECK_EQ(mroce_path_select(l.conn, 320, l.w->now)->index, 2);
	lab_end(&l);
}

/* [M124] */
TEST(path_select__none_without_room)
{
	struct lab l = lab_conn(NULL);
	u32 i;

	for (i = 0; i < 4; i++) {
		l.p = l.conn->paths[i];
		lab_sent(&l, 1, l.p->cc.cwnd);
	}
	CHECK(!mroce_path_select(l.conn, 320, l.w->now));
	lab_end(&l);
}

TEST(path_select__not_behind_losses)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 1 });

	lab_sent(&l, 1, 100);
	mroce_txwin_lose(l.p, mroce_txwin_find(&l.p->tx, mroce_isn(l.conn->seed, 0)));
	CHECK(!mroce_path_select(l.conn, 320, l.w->now));
	lab_end(&l);
}

TEST(path_select__suspects_only_when_all_are)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 2 });

	l.conn->paths[0]->loss.rtos = 1;
	CHECK_EQ(mroce_path_select(l.conn, 320, l.w->now)->index, 1);
	CHECK_EQ(mroce_path_select(l.conn, 320, l.w->now)->index, 1);
	l.conn->paths[1]->loss.rtos = 1;
	CHECK(mroce_path_select(l.conn, 320, l.w->now));
	lab_end(&l);
}
