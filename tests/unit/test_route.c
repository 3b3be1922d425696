// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/route.c: the route of a path, its home, changes of routes. [M60, M61, M64]
 */
#include "lab.h"

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

static u32 away(const struct mroce_conn *conn)
{
	u32 i, n = 0;

	for (i = 0; i < conn->npaths; i++)
		n += conn->paths[i]->away;
	return n;
}

/* Rule 9: what was in flight there goes over the living plane; the way home is found when it is back. */
TEST(path_home__is_taken_back_after_two_answers)
{
	struct wqp *a, *b;
	struct world *w = world_new(&(struct world_cfg){ .planes = 2, .npaths = 4 }, test_seed());
	struct mroce_conn *conn;
	struct wmr *mr;
	u64 back;

	qp_pair(w, 0, 1, &a, &b);
	mr = mr_new(b->h, 500000, MROCE_ACC_WRITE, true);
	conn = a->s.conn;
	post_write(a, mr, 0, 20000, 0);
	world_settle(w, 10 * MS);
	world_link(w, 0, 1, 1, 0)->black = true;
	post_write(a, mr, 20000, 200000, 0);
	world_settle(w, 10 * MS);
	CHECK_GT(away(conn), 0);
	CHECK_EQ(host_stat(a->h, MROCE_CNT_PATH_HOME), 0);
	world_run(w, 50 * MS);
	CHECK_GT(away(conn), 0);
	world_link(w, 0, 1, 1, 0)->black = false;
	back = w->now;
	world_until(w, !away(conn), SEC);
	CHECK_LE(w->now - back, 50 * MS);
	CHECK_GT(host_stat(a->h, MROCE_CNT_PATH_HOME), 0);
	post_write(a, mr, 220000, 200000, 0);
	world_settle(w, 10 * MS);
	world_end(w);
}

TEST(path_home__answers_to_other_questions_do_not_count)
{
	struct lab l = lab_conn(&(struct world_cfg){ .planes = 2 });
	struct mroce_probe pr = { .path = 0 };
	int i;

	l.conn->paths[1]->last_ack = l.w->now;
	mroce_path_reroute(l.p, l.w->now);
	CHECK(l.p->away);
	mroce_home_timer(&l.conn->home_timer, l.w->now);
	CHECK(l.p->home_ask);
	pr.seq = cpu_to_be32(l.p->home_seq + 1);
	for (i = 0; i < 3; i++)
		mroce_home_answer(l.conn, &pr);
	CHECK(l.p->away);
	for (i = 0; i < 2; i++) {
		pr.seq = cpu_to_be32(l.p->home_seq);
		mroce_home_answer(l.conn, &pr);
	}
	CHECK(!l.p->away);
	CHECK_EQ(l.p->route.sport, l.p->home.sport);
	lab_end(&l);
}

/* @n Writes of 64 KiB from @a to @b, whose bytes nobody checks: a link that stays full. */
static void keep_busy(struct world *w, struct wqp *a, struct wqp *b, u32 n)
{
	struct wmr *mr;

	w->phantom = true;
	world_until(w, a->s.opened && b->s.opened, SEC);
	mr = mr_new(b->h, 1 << 20, MROCE_ACC_WRITE, true);
	mr->overlap = true;
	while (n--)
		post_write(a, mr, 0, 65536, 0);
}

/* A plane loses what is in flight, then a route event takes it away: all goes out over the other. */
TEST(conn_spread__what_a_lost_plane_had_in_flight_goes_out_at_once)
{
	struct wqp *a, *b;
	struct world *w = world_new(&(struct world_cfg){ .planes = 2, .npaths = 8, .payload = 1024,
			.psn_window = 4096, .msn_window = 4096,
			.link = { .ns_per_kb = 819, .delay = 50 * US } }, test_seed());
	u32 before;

	qp_pair(w, 0, 1, &a, &b);
	keep_busy(w, a, b, 2000);
	world_run(w, 20 * MS);
	world_link(w, 0, 1, 1, 0)->black = true;
	world_link(w, 1, 0, 1, 0)->black = true;
	world_run(w, 100 * US);
	w->host[0].route_payload[0] = 0;
	host_routes_changed(&w->host[0]);
	world_run(w, 5 * MS);
	before = a->completed;
	world_run(w, 20 * MS);
	/* 20 ms at line rate are 380 */
	test_note("a plane is gone: %u messages in 20 ms", a->completed - before);
	CHECK_GE(a->completed - before, 300);
	world_settle(w, 10 * SEC);
	world_end(w);
}

/* Everything is silent for 15 round trips; then it goes on as before, not from nothing. */
TEST(path_reroute__a_short_blackout_is_forgotten)
{
	struct wqp *a, *b;
	struct world *w = world_new(&(struct world_cfg){ .npaths = 4, .payload = 1408,
			.psn_window = 4096, .msn_window = 4096,
			.link = { .ns_per_kb = 819, .delay = 500 * US } }, test_seed());
	u32 before, rate;

	qp_pair(w, 0, 1, &a, &b);
	keep_busy(w, a, b, 4000);
	world_run(w, 40 * MS);
	before = a->completed;
	world_run(w, 20 * MS);
	rate = a->completed - before;
	links_black(w, -1, -1, true);
	world_run(w, 15 * MS);
	links_black(w, -1, -1, false);
	world_run(w, 40 * MS);
	before = a->completed;
	world_run(w, 20 * MS);
	test_note("15 ms of silence: %u messages in 20 ms before, %u after 40 ms", rate,
		  a->completed - before);
	CHECK_GE(a->completed - before, rate * 3 / 4);
	world_settle(w, 10 * SEC);
	world_end(w);
}
