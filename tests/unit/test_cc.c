// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/cc.c: the window of a path. [M123, M125, M126, M127, M128]
 */
#include "lab.h"

#define MSS	(256 + MROCE_DATA_HDR_LEN)

/* The window is kept full, as by a sender with enough to send. */
static void fill(struct lab *l)
{
	while (l->p->inflight_bytes + MSS <= l->p->cc.cwnd || !l->p->inflight_bytes)
		lab_sent(l, 1, MSS);
}

/* One round trip: what is in flight now is accepted, @ce packets of it with a mark. */
static void round_trip(struct lab *l, u32 ce)
{
	u32 end, i;

	fill(l);
	end = l->p->tx.nxt;
	for (i = 0; l->p->tx.una != end; i++) {
		u32 bytes = mroce_txwin_accept(l->p, l->p->tx.una, l->w->now);

		CHECK_EQ(bytes, MSS);
		l->conn->cc->ack(l->p, bytes, 1, i < ce, l->w->now);
		fill(l);
	}
}

static struct lab cc_lab(u32 npaths)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = npaths, .psn_window = 8192 });
	u32 i;

	for (i = 0; i < l.conn->npaths; i++)
		mroce_rtt_sample(&l.conn->paths[i]->rtt, 100 * US, l.w->now);
	return l;
}

/* Beyond slow start, at @pkts packets. */
static void at(struct lab *l, u32 pkts)
{
	l->p->cc.cwnd = pkts * MSS;
	l->p->cc.ssthresh = pkts * MSS;
	l->p->cc.acc = 0;
	l->p->cc.round_end = l->p->tx.nxt;
}

TEST(cc_init__a_few_packets)
{
	struct lab l = cc_lab(1);

	CHECK_GE(l.p->cc.cwnd, MSS);
	CHECK_LE(l.p->cc.cwnd, 16 * MSS);
	CHECK_GT(l.p->cc.ssthresh, l.p->cc.cwnd);
	lab_end(&l);
}

TEST(cc_ack__slow_start_doubles)
{
	struct lab l = cc_lab(1);
	u32 before = l.p->cc.cwnd;

	round_trip(&l, 0);
	CHECK_GE(l.p->cc.cwnd, before * 3 / 2);
	CHECK_LE(l.p->cc.cwnd, before * 2);
	lab_end(&l);
}

TEST(cc_ack__then_a_packet_per_round)
{
	struct lab l = cc_lab(1);

	at(&l, 20);
	round_trip(&l, 0);
	round_trip(&l, 0);
	CHECK_GE(l.p->cc.cwnd, 21 * MSS);
	CHECK_LE(l.p->cc.cwnd, 22 * MSS);
	lab_end(&l);
}

TEST(cc_ack__no_growth_when_the_window_is_not_used)
{
	struct lab l = cc_lab(1);
	u32 i, una;

	at(&l, 20);
	for (i = 0; i < 100; i++) {
		una = l.p->tx.una;
		lab_sent(&l, 1, MSS);
		l.conn->cc->ack(l.p, mroce_txwin_accept(l.p, una, l.w->now), 1, 0, l.w->now);
	}
	CHECK_EQ(l.p->cc.cwnd, 20 * MSS);
	lab_end(&l);
}

/* N paths through one bottleneck grow like one. */
TEST(cc_ack__growth_is_coupled_over_paths)
{
	struct lab l = cc_lab(4);
	u64 before = 0, after = 0;
	u32 i;

	for (i = 0; i < 4; i++) {
		l.p = l.conn->paths[i];
		at(&l, 20);
	}
	for (i = 0; i < 4; i++)
		before += l.conn->paths[i]->cc.cwnd;
	for (i = 0; i < 8; i++) {
		l.p = l.conn->paths[i % 4];
		round_trip(&l, 0);
	}
	for (i = 0; i < 4; i++)
		after += l.conn->paths[i]->cc.cwnd;
	CHECK_LE(after - before, 4 * MSS);
	lab_end(&l);
}

TEST(cc_ack__a_mark_ends_slow_start)
{
	struct lab l = cc_lab(1);

	l.p->cc.cwnd = 40 * MSS;
	round_trip(&l, 1);
	CHECK_LT(l.p->cc.cwnd, 41 * MSS);
	CHECK_LE(l.p->cc.ssthresh, l.p->cc.cwnd);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_CWND_CE], 1);
	lab_end(&l);
}

TEST(cc_ack__reduces_by_the_fraction_of_marks)
{
	struct lab l = cc_lab(1);
	u32 i, before;

	for (i = 0; i < 100; i++) {
		at(&l, 100);
		round_trip(&l, 5);
	}
	/* alpha is near 5 % now: a reduction takes half of that. */
	CHECK_LE(l.p->cc.alpha, 1024 * 8 / 100);
	CHECK_GE(l.p->cc.alpha, 1024 * 2 / 100);
	at(&l, 100);
	before = l.p->cc.cwnd;
	round_trip(&l, 5);
	CHECK_LT(l.p->cc.cwnd, before);
	CHECK_GT(l.p->cc.cwnd, before * 90 / 100);
	lab_end(&l);
}

TEST(cc_ack__all_marked_halves)
{
	struct lab l = cc_lab(1);

	at(&l, 100);
	l.p->cc.alpha = 1024;
	round_trip(&l, 99);
	CHECK_LE(l.p->cc.cwnd, 51 * MSS);
	CHECK_GE(l.p->cc.cwnd, 49 * MSS);
	lab_end(&l);
}

TEST(cc_ack__one_reduction_per_round)
{
	struct lab l = cc_lab(1);
	u32 una = l.p->tx.una;

	at(&l, 100);
	l.p->cc.alpha = 1024;
	lab_sent(&l, 20, MSS);
	l.p->cc.round_end = l.p->tx.nxt;
	l.conn->cc->ack(l.p, mroce_txwin_accept(l.p, una, l.w->now), 1, 1, l.w->now);
	l.conn->cc->ack(l.p, mroce_txwin_accept(l.p, una + 1, l.w->now), 1, 1, l.w->now);
	l.conn->cc->ack(l.p, mroce_txwin_accept(l.p, una + 2, l.w->now), 1, 1, l.w->now);
	CHECK_EQ(l.p->cc.cwnd, 50 * MSS);
	lab_end(&l);
}

/* [M128] */
TEST(cc_ack__the_last_path_falls_to_a_fraction_of_a_packet)
{
	struct lab l = cc_lab(1);
	u32 i;

	at(&l, 4);
	l.p->cc.alpha = 1024;
	for (i = 0; i < 50; i++)
		round_trip(&l, 100);
	CHECK_LT(l.p->cc.cwnd, MSS);
	CHECK_GE(l.p->cc.cwnd, MSS / 16);
	for (i = 0; i < 5; i++)
		round_trip(&l, 0);
	CHECK_GE(l.p->cc.cwnd, MSS);
	lab_end(&l);
}

/* The others rest: their windows are not missed. */
TEST(cc_ack__a_path_below_one_packet_rests)
{
	struct lab l = cc_lab(4);
	u32 i;

	CHECK_EQ(l.conn->nactive, 4);
	at(&l, 2);
	l.p->cc.alpha = 1024;
	for (i = 0; i < 5; i++)
		round_trip(&l, 100);
	CHECK(!mroce_path_active(l.p));
	CHECK_EQ(l.conn->nactive, 3);
	lab_end(&l);
}

/* The round trip has long been 400 us. */
static void queue_stands(struct lab *l)
{
	u32 i;

	for (i = 0; i < 100; i++)
		mroce_rtt_sample(&l->p->rtt, 400 * US, l->w->now);
}

TEST(cc_ack__delay_ends_slow_start_and_holds)
{
	struct lab l = cc_lab(1);
	u32 before;

	l.p->cc.cwnd = 40 * MSS;
	queue_stands(&l);
	before = l.p->cc.cwnd;
	round_trip(&l, 0);
	round_trip(&l, 0);
	CHECK_LE(l.p->cc.cwnd, before + MSS);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_CWND_DELAY], 1);
	lab_end(&l);
}

/* What slow start has left in a queue that nobody marks [M127]. */
TEST(cc_ack__a_queue_that_stands_is_given_back)
{
	struct lab l = cc_lab(1);

	at(&l, 100);
	queue_stands(&l);
	round_trip(&l, 0);
	CHECK_LE(l.p->cc.cwnd, 70 * MSS);
	CHECK_GE(l.p->cc.cwnd, 33 * MSS);
	CHECK_LE(l.p->cc.ssthresh, l.p->cc.cwnd);
	lab_end(&l);
}

/* Marks say more than delay does. */
TEST(cc_ack__a_queue_that_is_marked_is_left_to_the_marks)
{
	struct lab l = cc_lab(1);

	at(&l, 100);
	l.p->cc.alpha = 0;
	queue_stands(&l);
	round_trip(&l, 1);
	CHECK_GE(l.p->cc.cwnd, 96 * MSS);
	lab_end(&l);
}

TEST(cc_ack__delay_that_varies_is_no_queue)
{
	struct lab l = cc_lab(1);
	u32 i;

	at(&l, 100);
	for (i = 0; i < 100; i++)
		mroce_rtt_sample(&l.p->rtt, (i & 1 ? 100 : 700) * US, l.w->now);
	round_trip(&l, 0);
	CHECK_EQ(l.p->cc.cwnd, 100 * MSS);
	lab_end(&l);
}

/*
 * The route takes 400 us, the smallest sample was of a packet that overtook: the delay does not
 * follow the window down, and so was no queue. What was given back comes again; more that overtake
 * do not matter, but many in a row tell that the route is shorter.
 */
TEST(cc_ack__delay_of_packets_that_overtake_is_no_queue)
{
	struct lab l = cc_lab(1);
	u32 i, k;

	at(&l, 100);
	for (i = 0; i < 40; i++) {
		queue_stands(&l);
		round_trip(&l, 0);
		if (i == 5)
			CHECK_LE(l.p->cc.cwnd, 50 * MSS);
	}
	CHECK_GE(l.p->cc.cwnd, 100 * MSS);
	for (i = 0; i < 10; i++) {
		for (k = 0; k < 15; k++)
			mroce_rtt_sample(&l.p->rtt, 100 * US, l.w->now);
		queue_stands(&l);
		round_trip(&l, 0);
	}
	CHECK_GE(l.p->cc.cwnd, 110 * MSS);
	at(&l, 100);
	for (k = 0; k < 16; k++)
		mroce_rtt_sample(&l.p->rtt, 100 * US, l.w->now);
	queue_stands(&l);
	round_trip(&l, 0);
	CHECK_LE(l.p->cc.cwnd, 70 * MSS);
	lab_end(&l);
}

/* Paths that rest learn it too: who takes a window over does not give it back again. */
TEST(cc_ack__the_route_is_learnt_for_paths_that_rest)
{
	struct lab l = cc_lab(8);
	struct mroce_path *rests = l.conn->paths[7];
	u32 i, k;

	CHECK(!mroce_path_active(rests));
	at(&l, 4);
	for (k = 0; k < 8; k++)
		for (i = 0; i < 60; i++)
			mroce_rtt_sample(&l.conn->paths[k]->rtt, 400 * US, l.w->now);
	CHECK_EQ(mroce_rtt_base(&rests->rtt), 100 * US);
	for (i = 0; i < 8; i++)
		round_trip(&l, 0);
	CHECK_GE(mroce_rtt_base(&rests->rtt), 390 * US);
	lab_end(&l);
}

/* A floor is of its slot: afterwards the smallest sample counts again. */
TEST(rtt_floor__ends_with_the_slot)
{
	struct lab l = cc_lab(1);

	queue_stands(&l);
	mroce_rtt_set_floor(&l.p->rtt);
	mroce_rtt_sample(&l.p->rtt, 100 * US, l.w->now);
	CHECK_GE(mroce_rtt_base(&l.p->rtt), 390 * US);
	mroce_rtt_sample(&l.p->rtt, 200 * US, l.w->now + 6 * SEC);
	CHECK_EQ(mroce_rtt_base(&l.p->rtt), 100 * US);
	lab_end(&l);
}

/* The ACKs wait in the other end's queue: it shall not stop us at the window of a short route. */
TEST(cc_ack__delay_does_not_hold_a_small_window)
{
	struct lab l = cc_lab(4);
	u32 i, k;

	for (k = 0; k < 4; k++) {
		l.p = l.conn->paths[k];
		at(&l, 6);
		for (i = 0; i < 60; i++)
			mroce_rtt_sample(&l.p->rtt, 400 * US, l.w->now);
	}
	for (i = 0; i < 8; i++)
		round_trip(&l, 0);
	CHECK_GT(l.p->cc.cwnd, 7 * MSS);
	for (k = 0; k < 3; k++)
		l.conn->paths[k]->cc.cwnd = 12 * MSS;
	at(&l, 6);
	l.p->rtt.min = 100 * US;
	l.p->rtt.floor = 0;
	for (i = 0; i < 3; i++)
		round_trip(&l, 0);
	CHECK_LT(l.p->cc.cwnd, 6 * MSS);
	lab_end(&l);
}

TEST(cc_loss__random_loss_does_not_shrink)
{
	struct lab l = cc_lab(1);
	u32 i;

	at(&l, 100);
	for (i = 0; i < 20; i++) {
		l.conn->cc->loss(l.p, 1, l.w->now);
		l.conn->cc->ack(l.p, MSS, 9, 0, l.w->now);
	}
	CHECK_GE(l.p->cc.cwnd, 100 * MSS);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_CWND_LOSS], 0);
	lab_end(&l);
}

/* Delay lowers the bar from 20 to 13 of the last 64; alone it decides nothing. */
TEST(cc_loss__with_delay_shrinks_sooner)
{
	struct lab l = cc_lab(1);

	at(&l, 100);
	queue_stands(&l);
	l.conn->cc->loss(l.p, 12, l.w->now);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_CWND_LOSS], 0);
	l.conn->cc->loss(l.p, 1, l.w->now);
	CHECK_LE(l.p->cc.cwnd, 80 * MSS);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_CWND_LOSS], 1);
	lab_end(&l);
}

TEST(cc_loss__heavy_shrinks)
{
	struct lab l = cc_lab(1);
	u32 i;

	at(&l, 100);
	for (i = 0; i < 40; i++) {
		l.conn->cc->loss(l.p, 1, l.w->now);
		l.conn->cc->ack(l.p, MSS, 1, 0, l.w->now);
	}
	CHECK_LT(l.p->cc.cwnd, 100 * MSS);
	CHECK_GE(l.wp->p.stats[MROCE_CNT_CWND_LOSS], 1);
	lab_end(&l);
}

TEST(cc_undo__gives_back_what_needless_rtos_took)
{
	struct lab l = cc_lab(1);

	at(&l, 100);
	l.conn->cc->rto(l.p, l.w->now);
	l.conn->cc->undo(l.p, l.w->now);
	CHECK_EQ(l.p->cc.cwnd, 100 * MSS);
	CHECK_EQ(l.p->cc.ssthresh, 100 * MSS);
	lab_end(&l);
}

/* The route has become longer: its old minimum must not hold the window for ever. */
TEST(cc_ack__delay_at_a_small_window_is_the_route)
{
	struct lab l = cc_lab(1);
	u32 i;

	at(&l, 3);
	for (i = 0; i < 60; i++)
		mroce_rtt_sample(&l.p->rtt, 10 * MS, l.w->now);
	for (i = 0; i < 8; i++)
		round_trip(&l, 0);
	CHECK_GT(l.p->rtt.min, 5 * MS);
	round_trip(&l, 0);
	round_trip(&l, 0);
	CHECK_GT(l.p->cc.cwnd, 3 * MSS);
	lab_end(&l);
}

TEST(cc_rto__falls_to_almost_nothing_and_remembers)
{
	struct lab l = cc_lab(1);

	at(&l, 100);
	l.conn->cc->rto(l.p, l.w->now);
	CHECK_LE(l.p->cc.cwnd, 4 * MSS);
	CHECK_GE(l.p->cc.cwnd, MSS);
	CHECK_EQ(l.p->cc.ssthresh, 50 * MSS);
	lab_end(&l);
}

TEST(delay_target__quarter_of_the_round_trip_or_eight_packets)
{
	struct lab l = cc_lab(1);

	l.p->cc.cwnd = 1000 * MSS;
	CHECK_EQ(mroce_delay_target(l.p), 25 * US);
	l.p->cc.cwnd = 16 * MSS;
	CHECK_EQ(mroce_delay_target(l.p), 50 * US);
	lab_end(&l);
}

/* The host's own queue holds what goes over all paths. */
TEST(delay_target__eight_packets_of_all_paths)
{
	struct lab l = cc_lab(4);
	u32 i;

	for (i = 0; i < 4; i++)
		l.conn->paths[i]->cc.cwnd = 5 * MSS;
	CHECK_EQ(mroce_delay_target(l.p), 40 * US);
	l.conn->paths[1]->route.ifindex = 9;
	CHECK_EQ(mroce_delay_target(l.p), 50 * US);
	lab_end(&l);
}
