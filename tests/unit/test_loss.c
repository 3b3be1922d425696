// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/loss.c: gaps, tolerance, probe, RTO. [M56, M57, M58]
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

static bool lost(const struct lab *l, u32 n)
{
	const struct mroce_sent *sent = mroce_txwin_find(&l->p->tx, first_psn(l) + n);

	CHECK(sent);
	return sent->lost;
}

static void resend(struct lab *l, u32 n)
{
	mroce_txwin_sent(l->p, mroce_txwin_find(&l->p->tx, first_psn(l) + n), l->w->now);
}

static void expire(struct lab *l)
{
	CHECK(l->p->timer.armed);
	l->w->now = l->p->timer.expires;
	mroce_timer_cancel(&l->wp->p.timers, &l->p->timer);
	l->p->timer.fn(&l->p->timer, l->w->now);
}

TEST(loss_detect__a_gap_is_loss)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 5, LEN);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	accept(&l, 3);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 3);
	CHECK(lost(&l, 0) && lost(&l, 1) && lost(&l, 2) && !lost(&l, 4));
	CHECK_EQ(l.p->inflight_bytes, LEN);
	CHECK_EQ(l.conn->lost_pkts, 3);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	lab_end(&l);
}

TEST(loss_detect__in_order_is_no_loss)
{
	struct lab l = lab_conn(NULL);
	u32 i;

	lab_sent(&l, 10, LEN);
	for (i = 0; i < 10; i++) {
		accept(&l, i);
		CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	}
	lab_end(&l);
}

/* [M57] A path that was seen to reorder gets that much time, and no more. */
TEST(loss_detect__tolerates_reordering_that_was_seen)
{
	struct lab l = lab_conn(NULL);

	l.p->loss.reorder = 5 * US;
	lab_sent(&l, 6, LEN);
	l.w->now += 20 * US;
	accept(&l, 2);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	mroce_loss_arm(l.p);
	CHECK_EQ(l.p->timer.expires, l.w->now + 5 * US);
	expire(&l);
	CHECK(lost(&l, 0) && lost(&l, 1) && !lost(&l, 3));
	CHECK_EQ(l.p->loss.probes, 0);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_LOSS_GAP], 2);
	lab_end(&l);
}

TEST(loss_accepted__lateness_is_tolerated_while_it_is_met)
{
	struct lab l = lab_conn(NULL);

	mroce_rtt_sample(&l.p->rtt, 20 * US, l.w->now);
	lab_sent(&l, 3, LEN);
	l.w->now += 20 * US;
	accept(&l, 1);
	l.w->now += 4 * US;
	accept(&l, 0);
	CHECK_EQ(l.p->loss.reorder, 5 * US);
	l.w->now += 20 * MS;
	mroce_loss_detect(l.p, l.w->now);
	CHECK_EQ(l.p->loss.reorder, 5 * US);
	l.w->now += 20 * MS;
	mroce_loss_detect(l.p, l.w->now);
	l.w->now += 20 * MS;
	mroce_loss_detect(l.p, l.w->now);
	CHECK_EQ(l.p->loss.reorder, 0);
	lab_end(&l);
}

/* A steady trickle of news about other packets does not keep the oldest waiting. */
TEST(loss_arm__the_oldest_in_flight_sets_the_clock)
{
	struct lab l = lab_conn(NULL);

	mroce_rtt_sample(&l.p->rtt, 100 * US, l.w->now);
	lab_sent(&l, 1, LEN);
	mroce_loss_arm(l.p);
	l.w->now += 50 * US;
	lab_sent(&l, 1, LEN);
	mroce_loss_arm(l.p);
	CHECK_EQ(l.p->timer.expires, l.w->now - 50 * US + mroce_path_pto(l.p));
	lab_end(&l);
}

/* The answers were only slow: what was not sent again yet is in flight, the window as it was. */
TEST(loss_progress__a_needless_rto_is_undone)
{
	struct lab l = lab_conn(NULL);
	u32 cwnd, echo = mroce_tick(l.w->now);

	lab_sent(&l, 5, LEN);
	l.p->cc.cwnd = 8 * LEN;
	cwnd = l.p->cc.cwnd;
	mroce_loss_arm(l.p);
	expire(&l);
	expire(&l);
	CHECK_EQ(l.conn->lost_pkts, 5);
	CHECK_LT(l.p->cc.cwnd, cwnd);
	resend(&l, 0);
	accept(&l, 0);
	mroce_loss_progress(l.p, echo, l.w->now);
	CHECK_EQ(l.p->cc.cwnd, cwnd);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_RTO_UNDONE], 1);
	/* The tail is still to be probed. */
	CHECK_EQ(l.conn->lost_pkts, 1);
	CHECK_EQ(l.p->inflight_bytes, 3 * LEN);
	lab_end(&l);
}

TEST(loss_progress__a_needed_rto_stands)
{
	struct lab l = lab_conn(NULL);
	u32 cwnd;

	lab_sent(&l, 5, LEN);
	l.p->cc.cwnd = 8 * LEN;
	cwnd = l.p->cc.cwnd;
	mroce_loss_arm(l.p);
	expire(&l);
	expire(&l);
	resend(&l, 0);
	accept(&l, 0);
	mroce_loss_progress(l.p, mroce_tick(l.w->now), l.w->now);
	CHECK_LT(l.p->cc.cwnd, cwnd);
	CHECK_EQ(l.conn->lost_pkts, 4);
	lab_end(&l);
}

/* Order of transmission counts, not of PSNs. */
TEST(loss_detect__lost_retransmission)
{
	struct lab l = lab_conn(NULL);

	l.p->rtt.min = 10 * US;
	lab_sent(&l, 3, LEN);
	accept(&l, 1);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 1);
	resend(&l, 0);
	lab_sent(&l, 1, LEN);
	world_run(l.w, 20 * US);
	accept(&l, 2);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	accept(&l, 3);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 1);
	CHECK(lost(&l, 0));
	lab_end(&l);
}

TEST(loss_detect__early_answer_to_a_retransmission_proves_nothing)
{
	struct lab l = lab_conn(NULL);

	l.p->rtt.min = 100 * US;
	lab_sent(&l, 3, LEN);
	mroce_txwin_lose(l.p, mroce_txwin_find(&l.p->tx, first_psn(&l)));
	resend(&l, 0);
	world_run(l.w, 20 * US);
	accept(&l, 0);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	lab_end(&l);
}

TEST(loss_detect__not_across_epochs)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 2, LEN);
	mroce_path_reroute(l.p, l.w->now);
	lab_sent(&l, 2, LEN);
	accept(&l, 2);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	accept(&l, 3);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	CHECK(!lost(&l, 0) && !lost(&l, 1));
	lab_end(&l);
}

TEST(loss_detect__answers_of_an_old_epoch_prove_nothing)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 3, LEN);
	mroce_path_reroute(l.p, l.w->now);
	accept(&l, 2);
	CHECK_EQ(mroce_loss_detect(l.p, l.w->now), 0);
	lab_end(&l);
}

TEST(path_rto__follows_the_round_trip_and_doubles)
{
	struct lab l = lab_conn(NULL);
	u64 rto;
	int i;

	CHECK_EQ(mroce_path_pto(l.p), 20 * MS);
	CHECK_EQ(mroce_path_rto(l.p), 20 * MS);
	mroce_rtt_sample(&l.p->rtt, 100 * US, 0);
	for (i = 0; i < 100; i++)
		mroce_rtt_sample(&l.p->rtt, 100 * US, 0);
	l.p->loss.unasked = 1;
	CHECK_LE(mroce_path_pto(l.p), 280 * US);
	CHECK_GE(mroce_path_pto(l.p), 250 * US);
	l.p->loss.unasked = 0;
	CHECK_LE(mroce_path_pto(l.p), 230 * US);
	CHECK_GE(mroce_path_pto(l.p), 200 * US);
	rto = mroce_path_rto(l.p);
	CHECK_LE(rto, 850 * US);
	CHECK_GE(rto, 800 * US);
	l.p->loss.rtos = 3;
	CHECK_EQ(mroce_path_rto(l.p), 8 * rto);
	l.p->loss.rtos = 200;
	CHECK_EQ(mroce_path_rto(l.p), MROCE_RTO_MAX);
	lab_end(&l);
}

TEST(path_rto__long_routes)
{
	struct lab l = lab_conn(NULL);

	mroce_rtt_sample(&l.p->rtt, 300 * MS, 0);
	CHECK_GE(mroce_path_rto(l.p), 900 * MS);
	CHECK_LE(mroce_path_rto(l.p), MROCE_RTO_MAX);
	lab_end(&l);
}

TEST(loss_arm__only_with_something_in_flight)
{
	struct lab l = lab_conn(NULL);

	mroce_loss_arm(l.p);
	CHECK(!l.p->timer.armed);
	lab_sent(&l, 1, 100);
	mroce_loss_arm(l.p);
	CHECK(l.p->timer.armed);
	CHECK_EQ(l.p->timer.expires, l.w->now + mroce_path_pto(l.p));
	mroce_txwin_accept(l.p, mroce_isn(l.conn->seed, 0), l.w->now);
	mroce_loss_arm(l.p);
	CHECK(!l.p->timer.armed);
	lab_end(&l);
}

TEST(loss_timer__first_a_tail_probe_then_all)
{
	struct lab l = lab_conn(NULL);

	lab_sent(&l, 4, 100);
	mroce_loss_arm(l.p);
	expire(&l);
	CHECK_EQ(l.conn->lost_pkts, 1);
	CHECK(mroce_txwin_find(&l.p->tx, mroce_isn(l.conn->seed, 0) + 3)->probe);
	CHECK_EQ(l.p->loss.probes, 1);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_LOSS_TAIL_PROBE], 1);
	expire(&l);
	CHECK_EQ(l.conn->lost_pkts, 4);
	CHECK_EQ(l.p->loss.rtos, 1);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_LOSS_RTO], 1);
	lab_end(&l);
}

/* [M57] The duplicate that our own probe makes is no sign of reordering; a second one is. */
TEST(loss_duplicates__a_probe_may_make_one)
{
	struct lab l = lab_conn(NULL);

	mroce_rtt_sample(&l.p->rtt, 100 * US, l.w->now);
	lab_sent(&l, 2, LEN);
	mroce_loss_arm(l.p);
	expire(&l);
	mroce_loss_duplicates(l.p, 1, l.w->now);
	CHECK_EQ(l.p->loss.reorder, 0);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_SPURIOUS], 0);
	mroce_loss_duplicates(l.p, 2, l.w->now);
	CHECK_GT(l.p->loss.reorder, 0);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_SPURIOUS], 1);
	lab_end(&l);
}

/* An ACK that was under way when the probe left says that probes come too soon. */
TEST(loss_progress__probes_adapt_to_a_slow_receiver)
{
	struct lab l = lab_conn(NULL);
	u32 before = mroce_tick(l.w->now), i;
	u64 slack = l.conn->probe_slack;

	for (i = 0; i < 2; i++) {
		lab_sent(&l, 1, LEN);
		mroce_loss_arm(l.p);
		expire(&l);
		resend(&l, i);
		l.p->loss.probe_tick = mroce_tick(l.w->now);
		accept(&l, i);
		mroce_loss_progress(l.p, i ? mroce_tick(l.w->now) : before, l.w->now);
		CHECK_EQ(l.conn->probe_slack, i ? slack : 2 * slack);
	}
	lab_end(&l);
}

TEST(loss_timer__silence_changes_the_route)
{
	struct lab l = lab_conn(NULL);
	u16 sport = l.p->route.sport;
	u8 epoch = l.p->epoch;
	int i;

	lab_sent(&l, 1, 100);
	mroce_loss_arm(l.p);
	for (i = 0; i < 3; i++) {
		expire(&l);
		mroce_txwin_sent(l.p, mroce_txwin_find(&l.p->tx, mroce_isn(l.conn->seed, 0)), l.w->now);
		mroce_loss_arm(l.p);
	}
	CHECK_NE(l.p->route.sport, sport);
	CHECK_NE(l.p->epoch, epoch);
	CHECK_GE(l.wp->p.stats[MROCE_CNT_PATH_REROUTE], 1);
	/* The PSN is the same. */
	CHECK_EQ(l.p->tx.nxt, mroce_isn(l.conn->seed, 0) + 1);
	lab_end(&l);
}

