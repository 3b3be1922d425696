// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/select.c: paths in use, choice of a path. [M128]
 */
#include "lab.h"

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

TEST(select_start__a_few_and_one_for_each_egress)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 16 });
	struct lab m = lab_conn(&(struct world_cfg){ .npaths = 16, .planes = 8 });
	struct mroce_path *p;
	u32 seen = 0;

	CHECK_EQ(l.conn->nactive, 4);
	CHECK_EQ(m.conn->nactive, 8);
	list_for_each_entry(p, &m.conn->active, active_link)
		seen |= 1 << p->route.ifindex;
	CHECK_EQ(seen, 0x1fe);
	lab_end(&l);
	lab_end(&m);
}

/* What one path gives the other gets: the connection's window stays. */
TEST(select_grown__a_long_window_is_split)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 16 });
	struct mroce_path *p;
	u32 sum = 0;

	l.p->cc.cwnd = 4 * 320;
	l.p->cc.given = 8 * 320;
	mroce_select_grown(l.p);
	CHECK_EQ(l.conn->nactive, 5);
	CHECK_EQ(l.p->cc.cwnd, 2 * 320);
	CHECK_EQ(l.p->cc.given, 4 * 320);
	CHECK_EQ(list_last_entry(&l.conn->active, struct mroce_path, active_link)->cc.given, 4 * 320);
	list_for_each_entry(p, &l.conn->active, active_link)
		sum += p->cc.cwnd;
	CHECK_EQ(sum, (4 + 3 * 2) * 320);
	l.p->cc.cwnd = 3 * 320;
	mroce_select_grown(l.p);
	CHECK_EQ(l.conn->nactive, 5);
	lab_end(&l);
}

TEST(select_rest__never_the_last)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 2 });

	CHECK_EQ(l.conn->nactive, 2);
	CHECK(mroce_select_rest(l.conn->paths[0]));
	CHECK(!mroce_select_rest(l.conn->paths[0]));
	CHECK(!mroce_select_rest(l.conn->paths[1]));
	CHECK(mroce_path_select(l.conn, 320, l.w->now) == l.conn->paths[1]);
	lab_end(&l);
}

TEST(select_swap__a_resting_path_takes_over)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 8 });

	l.p->cc.cwnd = 3 * 320;
	mroce_select_swap(l.p);
	CHECK(!mroce_path_active(l.p));
	CHECK_EQ(l.conn->nactive, 4);
	CHECK_EQ(list_last_entry(&l.conn->active, struct mroce_path, active_link)->cc.cwnd, 3 * 320);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_PATH_SWAP], 1);
	lab_end(&l);
}

/* The windows of those that may no longer be used go to others while there are any that rest. */
TEST(select_limit__only_the_first_paths_are_used)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 16 });
	struct mroce_path *p;
	u32 i;

	for (i = 0; i < 8; i++) {
		list_first_entry(&l.conn->active, struct mroce_path, active_link)->cc.cwnd = 16 * 320;
		mroce_select_grown(list_first_entry(&l.conn->active, struct mroce_path, active_link));
	}
	CHECK_GT(l.conn->nactive, 4);
	mroce_select_limit(l.conn, 2);
	CHECK_EQ(l.conn->nactive, 2);
	list_for_each_entry(p, &l.conn->active, active_link)
		CHECK_LE(p->index, 1);
	mroce_select_limit(l.conn, 16);
	CHECK_EQ(l.conn->nactive, 4);
	lab_end(&l);
}

TEST(select_limit__one_is_left_though_it_is_suspect)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 8 });

	l.conn->paths[0]->loss.rtos = 1;
	mroce_select_rest(l.conn->paths[0]);
	mroce_select_limit(l.conn, 1);
	CHECK_EQ(l.conn->nactive, 1);
	CHECK(mroce_path_active(l.conn->paths[0]));
	lab_end(&l);
}

/* [M62] Lowered and raised under load and loss: everything arrives, and what was in flight stays there. */
TEST(select_limit__under_load)
{
	struct world *w = world_new(&(struct world_cfg){ .npaths = 16, .link = { .loss = 10000 } },
				    test_seed());
	struct mroce_conn *conn;
	struct wqp *a, *b;
	struct wmr *mr;
	u32 i, used;

	qp_pair(w, 0, 1, &a, &b);
	mr = mr_new(b->h, 800000, MROCE_ACC_WRITE, true);
	conn = a->s.conn;
	for (i = 0; i < 8; i++) {
		post_write(a, mr, i * 100000, 100000, 0);
		world_run(w, 100 * US);
		used = i & 1 ? 16 : 1 + i;
		mroce_select_limit(conn, used);
		CHECK_LE(conn->nactive, used);
	}
	world_settle(w, SEC);
	world_end(w);
}
