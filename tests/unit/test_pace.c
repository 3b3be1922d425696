// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/pace.c: when a packet may leave. [M128, M131]
 */
#include "lab.h"

#define MSS	(256 + MROCE_DATA_HDR_LEN)
#define WIRE	(MSS + MROCE_WIRE_EXTRA)
#define RTT	(10 * US)

/* A rate at which a full packet takes @ns; hints are rounded, so ask for what it becomes. */
static u16 hint_of(u64 ns)
{
	return mroce_hint_code(WIRE * SEC / ns);
}

static u64 gap_of(u16 hint)
{
	return DIV64_U64_ROUND_UP(WIRE * SEC, mroce_hint_rate(hint));
}

static struct lab pace_lab(u32 npaths)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = npaths, .psn_window = 1024 });
	u32 i;

	for (i = 0; i < npaths; i++) {
		mroce_rtt_sample(&l.conn->paths[i]->rtt, RTT, l.w->now);
		l.conn->paths[i]->cc.cwnd = 1 << 20;
	}
	mroce_rtt_sample(&l.conn->rtt, RTT, l.w->now);
	return l;
}

/* A packet leaves and arrives. */
static void one(struct lab *l)
{
	mroce_pace_sent(l->conn, MSS, l->w->now);
}

/* How many packets leave until @ns later, each at once when it may; time goes on by @step. */
static u32 flow(struct lab *l, u64 ns, u64 step)
{
	u64 until = l->w->now + ns;
	u32 n = 0;

	for (; l->w->now < until; l->w->now += step) {
		l->conn->pace.heard_at = l->w->now;
		while (mroce_pace_room(l->conn, l->w->now)) {
			one(l);
			n++;
		}
	}
	return n;
}

TEST(pace_room__without_a_hint_at_any_time)
{
	struct lab l = pace_lab(4);
	u32 i;

	for (i = 0; i < 1000; i++) {
		CHECK(mroce_pace_room(l.conn, l.w->now));
		one(&l);
	}
	CHECK(!l.conn->pace.timer.armed);
	mroce_pace_hint(l.conn, MROCE_HINT_NONE, l.w->now);
	CHECK(mroce_pace_room(l.conn, l.w->now));
	lab_end(&l);
}

/* One packet in several round trips: exactly so, whatever the rounding. */
TEST(pace_room__a_low_rate_is_kept_without_drift)
{
	struct lab l = pace_lab(1);
	u16 hint = hint_of(777777);
	u64 gap = gap_of(hint);
	u32 n;

	mroce_pace_hint(l.conn, hint, l.w->now);
	n = flow(&l, 1000 * gap, 1000);
	CHECK_GE(n, 999);
	CHECK_LE(n, 1001);
	lab_end(&l);
}

TEST(pace_room__the_timer_is_set_for_the_next_packet)
{
	struct lab l = pace_lab(1);
	u16 hint = hint_of(100 * US);
	u64 was;

	mroce_pace_hint(l.conn, hint, l.w->now);
	l.conn->pace.next_at = l.w->now;
	one(&l);
	CHECK(!mroce_pace_room(l.conn, l.w->now));
	CHECK(l.conn->pace.timer.armed);
	CHECK_EQ(l.conn->pace.timer.expires, l.w->now + gap_of(hint));
	/* However often somebody asks meanwhile. */
	CHECK(!mroce_pace_room(l.conn, l.w->now + US));
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_TX_PACED], 1);
	/* It makes the connection ask again. */
	list_del_init(&l.conn->out_link);
	was = l.conn->pace.timer.expires;
	mroce_peer_timer(&l.wp->p, was - 1);
	CHECK(list_empty(&l.conn->out_link));
	mroce_peer_timer(&l.wp->p, was);
	CHECK(!list_empty(&l.conn->out_link));
	CHECK(mroce_pace_room(l.conn, was));
	lab_end(&l);
}

/* A packet each microsecond: the timer runs ten times less often, and then as many leave. */
TEST(pace_room__a_high_rate_needs_few_timers)
{
	struct lab l = pace_lab(1);
	u16 hint = hint_of(US);
	u32 n;

	mroce_pace_hint(l.conn, hint, l.w->now);
	one(&l);
	l.conn->pace.next_at = l.w->now + gap_of(hint);
	CHECK(!mroce_pace_room(l.conn, l.w->now));
	CHECK_EQ(l.conn->pace.timer.expires, l.w->now + 10 * US);
	n = flow(&l, MS, 10 * US);
	CHECK_GE(n, 985);
	CHECK_LE(n, 1060);
	lab_end(&l);
}

/* Who comes 40 us late loses nothing; who comes a second late may not send a second's worth. */
TEST(pace_room__lateness_is_made_up_for_but_idleness_is_not)
{
	struct lab l = pace_lab(1);
	u16 hint = hint_of(2 * US);
	u32 n;

	mroce_pace_hint(l.conn, hint, l.w->now);
	n = flow(&l, 10 * MS, 40 * US);
	CHECK_GE(n, 4950);
	l.w->now += SEC;
	l.conn->pace.heard_at = l.w->now;
	for (n = 0; mroce_pace_room(l.conn, l.w->now); n++)
		one(&l);
	CHECK_LE(n, 27);
	CHECK_GE(n, 20);
	lab_end(&l);
}

/* The rate times the round trip, a quarter for the queue that is allowed, and two packets. */
TEST(pace_hint__bounds_what_is_in_flight_while_there_is_a_queue)
{
	struct lab l = pace_lab(2);
	u32 i;

	for (i = 0; i < 10; i++)
		mroce_rtt_sample(&l.conn->rtt, 2 * RTT, l.w->now);
	mroce_pace_hint(l.conn, hint_of(2500), l.w->now);
	lab_sent(&l, 5, MSS);
	CHECK(!mroce_pace_full(l.conn));
	CHECK(mroce_pace_room(l.conn, l.w->now));
	lab_sent(&l, 2, MSS);
	CHECK(mroce_pace_full(l.conn));
	CHECK(!mroce_pace_room(l.conn, l.w->now));
	/* An ACK will tell, no timer. */
	CHECK(!l.conn->pace.timer.armed);
	mroce_pace_hint(l.conn, MROCE_HINT_NONE, l.w->now);
	CHECK(mroce_pace_room(l.conn, l.w->now));
	lab_end(&l);
}

/* ACKs with a hint for @ns, each with a round trip of @rtt. */
static void acked(struct lab *l, u16 hint, u64 rtt, u64 ns)
{
	u64 until = l->w->now + ns;

	for (; l->w->now < until; l->w->now += RTT) {
		mroce_rtt_sample(&l->conn->rtt, rtt, l->w->now);
		mroce_rtt_sample(&l->p->rtt, rtt, l->w->now);
		mroce_pace_hint(l->conn, hint, l->w->now);
	}
}

/* A queue that the window leaves may stay for ever; more, for 16 round trips, is the way. */
TEST(pace_hint__delay_that_stays_is_no_queue)
{
	struct lab l = pace_lab(1);
	u16 hint = hint_of(2500);
	u64 window, full;

	mroce_pace_hint(l.conn, hint, l.w->now);
	window = l.conn->pace.window;
	full = RTT * 5 / 4 + 2 * gap_of(hint);
	acked(&l, hint, full, 100 * RTT);
	CHECK_EQ(l.conn->pace.window, window);
	CHECK_EQ(l.p->rtt.min, RTT);
	acked(&l, hint, 10 * RTT, 150 * RTT);
	CHECK_EQ(l.conn->pace.window, window);
	acked(&l, hint, 10 * RTT, 100 * RTT);
	CHECK_GE(l.conn->pace.window, 35 * WIRE);
	CHECK_LE(l.conn->pace.window, 45 * WIRE);
	CHECK_GE(l.p->rtt.min, 8 * RTT);
	/* It fades when it is gone. */
	acked(&l, hint, RTT, 200 * RTT);
	CHECK_LE(l.conn->pace.window, window + 100);
	lab_end(&l);
}

/* A queue that comes and goes is one. */
TEST(pace_hint__delay_that_does_not_stay_is_a_queue)
{
	struct lab l = pace_lab(1);
	u16 hint = hint_of(2500);
	u64 window;
	u32 i;

	mroce_pace_hint(l.conn, hint, l.w->now);
	window = l.conn->pace.window;
	for (i = 0; i < 10; i++) {
		acked(&l, hint, 10 * RTT, 100 * RTT);
		acked(&l, hint, RTT, 30 * RTT);
	}
	CHECK_EQ(l.conn->pace.window, window);
	lab_end(&l);
}

/* The round trip is as short as ever: an ACK that is missing is lost, not late. ACKs are asked for all the same. */
TEST(pace_hint__an_ack_may_be_lost)
{
	struct lab l = pace_lab(2);

	mroce_pace_hint(l.conn, hint_of(2500), l.w->now);
	lab_sent(&l, 7, MSS);
	CHECK(mroce_pace_full(l.conn));
	CHECK(mroce_pace_room(l.conn, l.w->now));
	lab_sent(&l, 6, MSS);
	CHECK(!mroce_pace_room(l.conn, l.w->now));
	lab_end(&l);
}

TEST(pace_hint__of_planes_the_longest_counts)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 2, .planes = 2 });
	u64 near, far;

	mroce_rtt_sample(&l.conn->rtt, RTT, l.w->now);
	mroce_rtt_sample(&l.conn->paths[0]->rtt, RTT, l.w->now);
	mroce_pace_hint(l.conn, hint_of(US), l.w->now);
	near = l.conn->pace.window;
	mroce_rtt_sample(&l.conn->paths[1]->rtt, 50 * RTT, l.w->now);
	mroce_pace_hint(l.conn, hint_of(US), l.w->now);
	far = l.conn->pace.window;
	CHECK_GE(far, 40 * (near - 2 * MSS));
	lab_end(&l);
}

TEST(pace_hint__the_highest_and_a_long_way)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 1 });

	mroce_rtt_sample(&l.conn->rtt, 30 * SEC, l.w->now);
	mroce_pace_hint(l.conn, MROCE_HINT_NONE - 1, l.w->now);
	CHECK_GE(l.conn->pace.rate, 10 * 1000 * 1000000000ULL);
	CHECK_GE(l.conn->pace.window, 370 * 1000 * 1000000000ULL);
	CHECK_LE(l.conn->pace.window, 400 * 1000 * 1000000000ULL);
	lab_end(&l);
}

TEST(pace_hint__is_void_after_a_silence)
{
	struct lab l = pace_lab(1);
	u16 fast = hint_of(2 * US), slow = hint_of(MS);
	u64 life = 8 * RTT + 2 * gap_of(fast);

	mroce_pace_hint(l.conn, fast, l.w->now);
	l.conn->pace.next_at = ~0ULL;
	CHECK(!mroce_pace_room(l.conn, l.w->now + life));
	CHECK(mroce_pace_room(l.conn, l.w->now + life + 1));
	CHECK_EQ(l.conn->hint, MROCE_HINT_NONE);
	CHECK_EQ(l.conn->pace.rate, 0);
	/* At a packet per ms ACKs come no more often than that. */
	mroce_pace_hint(l.conn, slow, l.w->now);
	one(&l);
	l.conn->pace.next_at = ~0ULL;
	CHECK(!mroce_pace_room(l.conn, l.w->now + 2 * gap_of(slow)));
	CHECK(mroce_pace_room(l.conn, l.w->now + 2 * gap_of(slow) + 9 * RTT));
	lab_end(&l);
}

/* The round trips as they are, not as they were at best. */
TEST(pace_hint__lives_for_round_trips_with_a_queue)
{
	struct lab l = pace_lab(1);
	u16 hint = hint_of(2 * US);
	u32 i;

	for (i = 0; i < 30; i++)
		mroce_rtt_sample(&l.conn->rtt, 10 * RTT, l.w->now);
	mroce_pace_hint(l.conn, hint, l.w->now);
	l.conn->pace.next_at = ~0ULL;
	CHECK(!mroce_pace_room(l.conn, l.w->now + 70 * RTT));
	CHECK(mroce_pace_room(l.conn, l.w->now + 81 * RTT));
	lab_end(&l);
}

/* Whatever has become of the window since: a packet may be in flight. */
TEST(pace_full__never_with_nothing_in_flight)
{
	struct lab l = pace_lab(1);

	mroce_pace_hint(l.conn, hint_of(US), l.w->now);
	l.conn->pace.window = MSS - 1;
	l.conn->pace.slack = 0;
	CHECK(!mroce_pace_full(l.conn));
	lab_sent(&l, 1, 1);
	CHECK(mroce_pace_full(l.conn));
	lab_end(&l);
}

/* Of planes that nothing was heard of over yet the connection's round trip must do. */
TEST(pace_hint__before_a_path_has_a_round_trip)
{
	struct lab l = lab_conn(&(struct world_cfg){ .npaths = 2, .planes = 2 });

	mroce_rtt_sample(&l.conn->rtt, 100 * RTT, l.w->now);
	mroce_pace_hint(l.conn, hint_of(US), l.w->now);
	CHECK_GE(l.conn->pace.window, 1000 * WIRE);
	lab_end(&l);
}

/* Another route may be longer: what the connection knew of the shortest is of the old ones. */
TEST(path_reroute__forgets_the_shortest_round_trip)
{
	struct lab l = pace_lab(2);
	u32 i;

	for (i = 0; i < 50; i++)
		mroce_rtt_sample(&l.conn->rtt, 10 * RTT, l.w->now);
	CHECK_EQ(l.conn->rtt.min, RTT);
	mroce_path_reroute(l.p, l.w->now);
	CHECK_GE(l.conn->rtt.min, 8 * RTT);
	lab_end(&l);
}

/* Nothing that a receiver says stops us: a packet in 10 ms may go. */
TEST(pace_hint__the_lowest_stops_nobody)
{
	struct lab l = pace_lab(1);
	u32 n;

	mroce_pace_hint(l.conn, 0, l.w->now);
	n = flow(&l, SEC, 100 * US);
	CHECK_GE(n, 99);
	CHECK_LE(n, 102);
	lab_end(&l);
}

/* A packet that was to wait long does not when the rate is raised. */
TEST(pace_hint__a_higher_one_counts_at_once)
{
	struct lab l = pace_lab(1);
	u16 hint = hint_of(20 * US);

	mroce_pace_hint(l.conn, 0, l.w->now);
	one(&l);
	one(&l);
	CHECK(!mroce_pace_room(l.conn, l.w->now + MS));
	mroce_pace_hint(l.conn, hint, l.w->now);
	CHECK(!mroce_pace_room(l.conn, l.w->now));
	CHECK(mroce_pace_room(l.conn, l.w->now + gap_of(hint)));
	lab_end(&l);
}

/* [M128] A quarter of a packet per round trip is a packet in four. */
TEST(pace_room__a_window_below_a_packet)
{
	struct lab l = pace_lab(1);
	u32 n;

	l.p->cc.cwnd = MSS / 4;
	n = flow(&l, 1000 * RTT, US);
	CHECK_GE(n, 248);
	CHECK_LE(n, 253);
	l.p->cc.cwnd = MSS;
	CHECK(mroce_pace_room(l.conn, l.w->now));
	lab_end(&l);
}

/* One sample that is far off does not stop the connection for sixteen of it. */
TEST(pace_room__a_window_below_a_packet_and_one_late_ack)
{
	struct lab l = pace_lab(1);

	l.p->cc.cwnd = MSS / 16;
	mroce_rtt_sample(&l.p->rtt, 3000 * RTT, l.w->now);
	one(&l);
	CHECK(!mroce_pace_room(l.conn, l.w->now + 1000 * RTT));
	CHECK(mroce_pace_room(l.conn, l.w->now + 7000 * RTT));
	lab_end(&l);
}

/* With others in use that have their packet, it is no fraction that limits. */
TEST(pace_room__one_of_several_paths_below_a_packet)
{
	struct lab l = pace_lab(4);

	CHECK_GE(l.conn->nactive, 2);
	list_first_entry(&l.conn->active, struct mroce_path, active_link)->cc.cwnd = MSS / 4;
	one(&l);
	one(&l);
	CHECK(mroce_pace_room(l.conn, l.w->now));
	lab_end(&l);
}

TEST(pace_room__the_lower_of_hint_and_window)
{
	struct lab l = pace_lab(1);
	u32 n;

	l.p->cc.cwnd = MSS / 2;
	mroce_pace_hint(l.conn, hint_of(8 * RTT), l.w->now);
	n = flow(&l, 800 * RTT, US);
	CHECK_GE(n, 99);
	CHECK_LE(n, 102);
	mroce_pace_hint(l.conn, hint_of(RTT / 2), l.w->now);
	n = flow(&l, 800 * RTT, US);
	CHECK_GE(n, 398);
	CHECK_LE(n, 405);
	lab_end(&l);
}

/* --- through the output --- */

static struct mroce_tx tx;

static bool out(struct lab *l)
{
	return mroce_peer_output(&l->wp->p, &tx, l->w->now);
}

static struct lab pace_pair(void)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 1 });

	l.b->s.rsn_limit = 100;
	l.p->cc.cwnd = 1 << 20;
	return l;
}

/* The packet that fills the window asks for an ACK: only that lets the next one go. */
TEST(output__the_grant_is_kept_and_an_ack_asked_for)
{
	struct lab l = pace_pair();
	u32 n = 0;

	mroce_pace_hint(l.conn, hint_of(5 * MS), l.w->now);
	l.conn->pace.next_at = 0;
	l.conn->pace.rate = SEC;
	l.conn->pace.slack = 0;
	post_send(l.b, 10000, 0);
	while (out(&l))
		CHECK_EQ(!!(tx.hdr[1] & MROCE_F_ACK_REQ), ++n == 2);
	CHECK_EQ(n, 2);
	lab_end(&l);
}

/* Losses are not exempt, the tail probe is [M124]. */
TEST(output__what_was_lost_waits_for_its_time)
{
	struct lab l = pace_pair();
	struct mroce_sent *sent;
	u32 first = l.p->tx.nxt;
	u64 next;

	mroce_pace_hint(l.conn, hint_of(100 * US), l.w->now);
	lab_sent(&l, 1, 100);
	sent = mroce_txwin_find(&l.p->tx, first);
	mroce_txwin_lose(l.p, sent);
	l.conn->pace.next_at = l.w->now + 50 * US;
	mroce_conn_out(l.conn);
	CHECK(!out(&l));
	CHECK_EQ(l.conn->pace.timer.expires, l.w->now + 50 * US);
	sent->probe = true;
	mroce_conn_out(l.conn);
	CHECK(out(&l));
	/* Both take their time from what follows. */
	next = l.conn->pace.next_at;
	CHECK_GE(next, l.w->now + 51 * US);
	mroce_txwin_lose(l.p, sent);
	l.w->now = next;
	l.conn->pace.heard_at = next;
	mroce_conn_out(l.conn);
	CHECK(out(&l));
	CHECK_GE(l.conn->pace.next_at, next + US);
	lab_end(&l);
}

TEST(ack_input__takes_the_hint)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 1 });
	struct {
		struct mroce_ack_hdr h;
		struct mroce_ack_block b;
	} ack = {
		.h = {
			.ver_type = MROCE_VER_TYPE(MROCE_PT_ACK),
			.conn_id = cpu_to_be32(l.conn->rx_id),
			.hint = cpu_to_be16(1234),
		},
		.b = {
			.cum_psn = cpu_to_be32(l.p->tx.una),
			.base_psn = cpu_to_be32(l.p->tx.una),
			.tstamp_echo = cpu_to_be32(mroce_tick(l.w->now)),
		},
	};
	struct mroce_rx rx = { .hdr = &ack, .len = sizeof(ack), .from = { .ifindex = 1 } };

	/* Without blocks it confirms a connection, nothing else. */
	mroce_ack_input(l.conn, &rx, l.w->now);
	CHECK_EQ(l.conn->hint, MROCE_HINT_NONE);
	ack.h.nblocks = 1;
	mroce_ack_input(l.conn, &rx, l.w->now);
	CHECK_EQ(l.conn->hint, 1234);
	/* What speaks of PSNs never sent is not believed [M53]. */
	ack.h.hint = cpu_to_be16(4321);
	ack.b.cum_psn = cpu_to_be32(l.p->tx.nxt + 1);
	mroce_ack_input(l.conn, &rx, l.w->now);
	CHECK_EQ(l.conn->hint, 1234);
	/* Nor is an ACK that was overtaken, unless it is the first to tell of some packet. */
	ack.b.cum_psn = cpu_to_be32(l.p->tx.una);
	ack.b.tstamp_echo = cpu_to_be32(mroce_tick(l.w->now) - 1);
	l.w->now += MS;
	mroce_ack_input(l.conn, &rx, l.w->now);
	CHECK_EQ(l.conn->hint, 1234);
	CHECK_EQ(l.conn->pace.heard_at, l.w->now - MS);
	lab_sent(&l, 1, MSS);
	ack.b.cum_psn = cpu_to_be32(l.p->tx.nxt);
	ack.b.base_psn = ack.b.cum_psn;
	mroce_ack_input(l.conn, &rx, l.w->now);
	CHECK_EQ(l.conn->hint, 4321);
	lab_end(&l);
}

/* --- what a receiver reports --- */

static void arrives(struct lab *l, u32 psn, const struct feed *f)
{
	struct wpkt *pkt = data_pkt(l->conn, 0, psn, f);
	struct mroce_rx rx = lab_rx(pkt);

	mroce_conn_input(l->conn, &rx, l->w->now);
	if (!pkt->is_held)
		wpkt_free(pkt);
}

/* Bytes are those of the wire, of each packet that took the link; what is left is known by the newest. */
TEST(data_input__tells_of_demand)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 1 });
	struct feed part = { .opcode = MROCE_OP_WRITE, .msg_len = 1000, .offset = 100, .len = 256, .tag = 1 };
	struct feed ask = { .opcode = MROCE_OP_READ, .msg_len = 5000, .tag = 1 };
	struct mroce_demand *in = &l.conn->inbound;
	u32 psn = l.p->rx.next;

	*in = (struct mroce_demand){ 0 };
	arrives(&l, psn, &part);
	CHECK_EQ(in->bytes, MSS + MROCE_WIRE_EXTRA);
	CHECK_EQ(in->pkt, MSS + MROCE_WIRE_EXTRA);
	CHECK_EQ(in->left, 1000 - 356);
	CHECK_EQ(in->ifindex, 1);
	arrives(&l, psn, &part);
	CHECK_EQ(in->bytes, 2 * (MSS + MROCE_WIRE_EXTRA));
	/* What a READ asks for is to be sent by us. */
	arrives(&l, psn + 1, &ask);
	CHECK_EQ(in->left, 0);
	lab_end(&l);
}

TEST(ack_output__tells_the_round_trip)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 1 });

	l.conn->rtt.srtt = 12345;
	mroce_ack_note(l.p, true, l.w->now);
	CHECK(mroce_ack_output(l.conn, &tx, l.w->now));
	CHECK_EQ(l.conn->inbound.rtt, 12345);
	CHECK_EQ(l.conn->inbound.bytes, 0);
	lab_end(&l);
}
