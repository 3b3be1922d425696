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

TEST(path_state__the_worst_that_applies)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 8 });

	CHECK_EQ(mroce_path_state(l.p), MROCE_PATH_USED);
	CHECK_EQ(mroce_path_state(l.conn->paths[7]), MROCE_PATH_RESTS);
	l.p->loss.rtos = 1;
	CHECK_EQ(mroce_path_state(l.p), MROCE_PATH_SUSPECT);
	l.p->away = true;
	CHECK_EQ(mroce_path_state(l.p), MROCE_PATH_AWAY);
	lab_end(&l);
}

TEST(path_ce_permille__none_before_the_first_mark)
{
	struct lab l = lab_conn(NULL);

	CHECK_EQ(l.p->cc.alpha, MROCE_CC_ALL);
	CHECK_EQ(mroce_path_ce_permille(l.p), 0);
	l.p->ce_seen = 1;
	CHECK_EQ(mroce_path_ce_permille(l.p), 1000);
	l.p->cc.alpha = MROCE_CC_ALL / 4;
	CHECK_EQ(mroce_path_ce_permille(l.p), 250);
	lab_end(&l);
}

/* What paths count and tell is what the counters of the whole say. */
TEST(path_note__adds_up_to_the_counters)
{
	struct world_cfg cfg = {
		.npaths = 8, .link = { .delay = 10 * US, .loss = 50000 },
	};
	struct world *w = world_new(&cfg, test_seed());
	u64 accepted = 0, retx = 0, spurious = 0;
	struct mroce_conn *conn;
	struct wqp *a, *b;
	struct wmr *mr;
	u32 i;

	qp_pair(w, 0, 1, &a, &b);
	mr = mr_new(b->h, 1000000, MROCE_ACC_WRITE, true);
	conn = a->s.conn;
	post_write(a, mr, 0, 1000000, 0);
	world_settle(w, SEC);
	for (i = 0; i < conn->npaths; i++) {
		accepted += conn->paths[i]->accepted;
		retx += conn->paths[i]->retx;
		spurious += conn->paths[i]->spurious;
	}
	CHECK_GT(retx, 0);
	CHECK_EQ(retx, host_stat(a->h, MROCE_CNT_TX_RETX));
	CHECK_EQ(spurious, host_stat(a->h, MROCE_CNT_SPURIOUS));
	CHECK_EQ(accepted, host_stat(a->h, MROCE_CNT_TX_DATA) - retx);
	CHECK_GT(a->h->path_events[MROCE_PATH_EV_LOSS], 0);
	CHECK_EQ(a->h->path_events[MROCE_PATH_EV_LOSS], host_stat(a->h, MROCE_CNT_LOSS_GAP));
	CHECK_EQ(a->h->path_events[MROCE_PATH_EV_PROBE], host_stat(a->h, MROCE_CNT_LOSS_TAIL_PROBE));
	CHECK_EQ(a->h->path_events[MROCE_PATH_EV_USED] - a->h->path_events[MROCE_PATH_EV_RESTS],
		 conn->nactive);
	world_end(w);
}

/* [M58] */
/* [M60, M61] */
/* [M64] */
/* [M124] */
