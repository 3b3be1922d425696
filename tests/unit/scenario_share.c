// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many senders, one receiver, one port of 10 Gb/s between them: what each gets, what waits at the
 * port, and that nobody is stopped by a hint that is lost, old or wrong. [M131, M133]
 */
#include "lab.h"

#define NS_PER_KB	819		/* 10 Gb/s */
#define SPEED		1250000000ULL
#define PACKET		(1408 + MROCE_DATA_HDR_LEN + 42)
#define MIB		(1 << 20)
#define SETTLED		(400 * US)	/* two round trips with the queue of the first flights */

/**
 * struct incast - host 0 receives from a QP of each of @n others
 * @q:		theirs
 * @mr:		at host 0, one for each
 * @base:	what each had brought when shares() was last called
 */
struct incast {
	struct world *w;
	u32 n;
	struct wqp *q[WORLD_HOSTS];
	struct wmr *mr[WORLD_HOSTS];
	u64 base[WORLD_HOSTS];
};

static const struct wlink marks = { .delay = 1, .ns_per_kb = NS_PER_KB, .ecn_bytes = 25000 };
static const struct wlink drops = { .delay = 1, .ns_per_kb = NS_PER_KB, .queue_bytes = 750000 };

static void incast_new(struct incast *x, u32 n, const struct wlink *port, u64 speed)
{
	u32 i;

	*x = (struct incast){ .n = n };
	x->w = world_new(&(struct world_cfg){ .hosts = n + 1, .npaths = 16, .payload = 1408, .psn_window = 1024,
					      .port = *port, .rx_speed = speed }, test_seed());
	x->w->phantom = true;
	for (i = 0; i < n; i++) {
		struct wqp *b;

		qp_pair(x->w, i + 1, 0, &x->q[i], &b);
		x->mr[i] = mr_new(b->h, MIB, MROCE_ACC_WRITE, true);
		x->mr[i]->overlap = true;
		world_until(x->w, x->q[i]->s.opened, 100 * MS);
	}
	world_run(x->w, 10 * MS);
}

static void send_all(struct incast *x, u32 len)
{
	u32 i;

	for (i = 0; i < x->n; i++)
		post_write(x->q[i], x->mr[i], 0, len, 0);
}

/* Senders [from, to) have @depth Writes of @len outstanding all the time that passes. */
static void keep_busy(struct incast *x, u32 from, u32 to, u32 depth, u32 len, u64 ns)
{
	u64 until = x->w->now + ns;
	u32 i;

	while (x->w->now < until) {
		for (i = from; i < to; i++)
			while (x->q[i]->posted - x->q[i]->completed < depth)
				post_write(x->q[i], x->mr[i], 0, len, 0);
		world_run(x->w, 5 * US);
	}
}

/* What sender @i has brought since this was last asked. */
static u64 brought(struct incast *x, u32 i)
{
	u64 all = host_peer(&x->w->host[0], x->q[i]->h)->p.stats[MROCE_CNT_RX_BYTES];
	u64 more = all - x->base[i];

	x->base[i] = all;
	return more;
}

/* The largest part, in thousandths, by which one of senders [from, to) is off the mean of them; and their sum. */
static u32 uneven(struct incast *x, u32 from, u32 to, u64 *sum)
{
	u64 got[WORLD_HOSTS], worst = 0;
	u32 i;

	*sum = 0;
	for (i = from; i < to; i++)
		*sum += got[i] = brought(x, i);
	for (i = from; i < to; i++) {
		u64 mean = *sum / (to - from);

		worst = max(worst, (got[i] > mean ? got[i] - mean : mean - got[i]) * 1000 / mean);
	}
	return (u32)worst;
}

static u64 queued(const struct incast *x)
{
	return wlink_queue(x->w, &x->w->host[0].port) / PACKET;
}

static u64 hint_of(const struct incast *x, u32 i)
{
	return mroce_hint_rate(x->q[i]->s.conn->hint);
}

/* --- all at once --- */

static void all_at_once(u32 n, const struct wlink *port)
{
	u64 start, sum, ideal = (u64)n * MIB / 1408 * PACKET * NS_PER_KB / 1024, first = ~0ULL, last = 0;
	u32 worst = 0, i;
	u64 most = 0;
	struct incast x;

	incast_new(&x, n, port, SPEED);
	send_all(&x, MIB);
	start = x.w->now;
	world_run(x.w, SETTLED);
	uneven(&x, 0, n, &sum);
	while (x.w->now - start + 2 * MS < ideal * 97 / 100) {
		for (i = 0; i < 100; i++) {
			world_run(x.w, 20 * US);
			most = max(most, queued(&x));
		}
		worst = max(worst, uneven(&x, 0, n, &sum));
	}
	world_settle(x.w, 100 * MS);
	for (i = 0; i < n; i++) {
		u64 took = list_first_entry(&x.q[i]->done_sends, struct wmsg, link)->done_at - start;

		first = min(first, took);
		last = max(last, took);
	}
	test_note("%u to 1: off equal %u/1000, queue %llu packets, %llu us of %llu", n, worst, most, last / US,
		  ideal / US);
	CHECK_LE(worst, 100);
	CHECK_LE(most, 2 * n);
	CHECK_LE(last * 100, first * 110);
	CHECK_LE(last * 95, ideal * 100);
	world_end(x.w);
}

TEST(share__fifteen_to_one)
{
	all_at_once(15, &marks);
}

TEST(share__fifteen_to_one_without_marks)
{
	all_at_once(15, &drops);
}

/* --- who wants little --- */

TEST(share__a_sender_with_little_to_send_leaves_the_rest)
{
	u64 until, small, sum;
	struct incast x;
	u32 off;

	incast_new(&x, 4, &marks, SPEED);
	keep_busy(&x, 1, 4, 4, 65536, MS);
	until = x.w->now + 4 * MS;
	brought(&x, 0);
	uneven(&x, 1, 4, &sum);
	while (x.w->now < until) {
		post_write(x.q[0], x.mr[0], 0, 1000, 0);
		keep_busy(&x, 1, 4, 4, 65536, 50 * US);
	}
	off = uneven(&x, 1, 4, &sum);
	small = brought(&x, 0);
	test_note("1000 bytes each 50 us: %llu of 80000, the others %llu, off equal %u/1000", small, sum, off);
	CHECK_GE(small, 79000);
	CHECK_LE(off, 100);
	/* At least 94 % of what the port carries: not three quarters of it. */
	CHECK_GE(sum + small, 4 * MS * 1408 / PACKET * 1024 / NS_PER_KB * 94 / 100);
	world_end(x.w);
}

/* --- who comes and who goes --- */

TEST(share__divided_anew_when_senders_come_and_go)
{
	static const u32 n[] = { 1, 2, 3, 4, 8, 15, 8, 2, 1 };
	struct incast x;
	u32 k, worst = 0;
	u64 sum;

	incast_new(&x, 15, &marks, SPEED);
	for (k = 0; k < ARRAY_SIZE(n); k++) {
		u32 gone = k && n[k] < n[k - 1] ? n[k - 1] : n[k];
		u64 settled;

		/* Those that go have a message outstanding, which is to end first. */
		while (gone > n[k] && x.q[gone - 1]->posted == x.q[gone - 1]->completed)
			gone--;
		for (; gone > n[k]; gone--)
			while (x.q[gone - 1]->posted != x.q[gone - 1]->completed)
				keep_busy(&x, 0, n[k], 2, 65536, 5 * US);
		/* 10 packets' time of the new share, at least 3 round trips */
		settled = max(40 * US, (u64)n[k] * 10 * PACKET * NS_PER_KB / 1024);
		keep_busy(&x, 0, n[k], 2, 65536, settled);
		uneven(&x, 0, n[k], &sum);
		keep_busy(&x, 0, n[k], 2, 65536, 2 * MS);
		worst = max(worst, uneven(&x, 0, n[k], &sum));
		CHECK_GE(sum, 2 * MS * 1408 / PACKET * 1024 / NS_PER_KB * 93 / 100);
	}
	test_note("joining and leaving: off equal %u/1000", worst);
	CHECK_LE(worst, 100);
	world_end(x.w);
}

/* The first packet's ACK brings the share. */
TEST(share__the_first_hint_comes_with_the_first_ack)
{
	struct incast x;
	u64 start;

	incast_new(&x, 2, &marks, SPEED);
	keep_busy(&x, 0, 1, 2, 65536, MS);
	CHECK_EQ(x.q[0]->s.conn->hint, MROCE_HINT_NONE);
	post_write(x.q[1], x.mr[1], 0, MIB, 0);
	start = x.w->now;
	while (x.q[1]->s.conn->pace.heard_at < start)
		keep_busy(&x, 0, 1, 2, 65536, 5 * US);
	/* 10 us, a queue of 20 us at most, and what the first flight takes. */
	CHECK_LE(x.w->now - start, 60 * US);
	CHECK_GE(hint_of(&x, 1), SPEED * 47 / 100);
	CHECK_LE(hint_of(&x, 1), SPEED / 2);
	world_settle(x.w, 100 * MS);
	world_end(x.w);
}

/* A sender that is cut off in the middle does not keep its part for ever. */
TEST(share__who_falls_silent_frees_its_part)
{
	struct incast x;
	u64 sum;

	incast_new(&x, 2, &marks, SPEED);
	keep_busy(&x, 0, 2, 2, 65536, 2 * MS);
	CHECK_LE(hint_of(&x, 0), SPEED / 2);
	links_black(x.w, 2, 0, true);
	keep_busy(&x, 0, 1, 2, 65536, 1200 * US);
	CHECK_EQ(x.q[0]->s.conn->hint, MROCE_HINT_NONE);
	uneven(&x, 0, 1, &sum);
	keep_busy(&x, 0, 1, 2, 65536, MS);
	uneven(&x, 0, 1, &sum);
	CHECK_GE(sum, MS * 1408 / PACKET * 1024 / NS_PER_KB * 97 / 100);
	links_black(x.w, 2, 0, false);
	world_settle(x.w, SEC);
	world_end(x.w);
}

/* --- hints that are lost, wrong, or missing --- */

TEST(share__hints_that_are_lost_do_no_harm)
{
	struct wlink lossy = { .delay = 5 * US, .loss = 50000 };
	struct incast x;
	u64 sum;
	u32 off;

	incast_new(&x, 8, &marks, SPEED);
	links_set(x.w, 0, -1, &lossy);
	keep_busy(&x, 0, 8, 16, 65536, 2 * MS);
	uneven(&x, 0, 8, &sum);
	keep_busy(&x, 0, 8, 16, 65536, 5 * MS);
	off = uneven(&x, 0, 8, &sum);
	test_note("a twentieth of the ACKs lost: off equal %u/1000", off);
	CHECK_LE(off, 100);
	CHECK_GE(sum, 5 * MS * 1408 / PACKET * 1024 / NS_PER_KB * 90 / 100);
	world_end(x.w);
}

static enum wverdict hostile(struct world *w, struct wpkt *pkt)
{
	struct mroce_ack_hdr h;

	if (wpkt_type(pkt) == MROCE_PT_ACK) {
		memcpy(&h, pkt->data, sizeof(h));
		h.hint = 0;
		memcpy(pkt->data, &h, sizeof(h));
	}
	return W_PASS;
}

/* A receiver that grants nothing is obeyed, but for a packet in 10 ms. */
TEST(share__a_hint_of_nothing_does_not_end_a_connection)
{
	struct incast x;
	u64 took;

	incast_new(&x, 1, &marks, 0);
	x.w->filter = hostile;
	post_write(x.q[0], x.mr[0], 0, 100 * 1408, 0);
	took = world_settle(x.w, 2 * SEC);
	CHECK_GE(took, 800 * MS);
	CHECK_LE(took, 1100 * MS);
	/* And forgotten as soon as the receiver is sane. */
	x.w->filter = NULL;
	post_write(x.q[0], x.mr[0], 0, MIB, 0);
	CHECK_LE(world_settle(x.w, SEC), 20 * MS);
	world_end(x.w);
}

/* Time-outs of 1 ms, none to spare. */
static struct wqp *impatient(struct world *w, struct wmr **mr)
{
	struct wqp *a = qp_new(&w->host[1]), *b = qp_new(&w->host[0]);

	a->attr.timeout = 8;
	a->attr.retry_cnt = 0;
	a->allow_fail = true;
	b->allow_fail = true;
	qp_connect(a, b);
	*mr = mr_new(b->h, MIB, MROCE_ACC_WRITE, true);
	world_until(w, a->s.opened, 100 * MS);
	w->filter = hostile;
	return a;
}

/* Who waits for its time is not without an answer; who gets none is, soon after the hint is void. */
TEST(share__a_wait_for_ones_time_is_no_silence)
{
	struct world *w = world_new(&(struct world_cfg){ .payload = 1408 }, test_seed());
	struct wmr *mr;
	struct wqp *a = impatient(w, &mr);
	u64 start;

	post_write(a, mr, 0, 40 * 1408, 0)->expect = W_ANY;
	world_until(w, a->completed, 2 * SEC);
	CHECK_EQ(a->first_error, 0);
	post_write(a, mr, 0, 40 * 1408, 0)->expect = W_ANY;
	world_run(w, 50 * MS);
	start = w->now;
	links_black(w, 0, 1, true);
	world_until(w, a->completed == 2, SEC);
	CHECK_EQ(a->first_error, MROCE_ST_RETRY_EXC);
	CHECK_LE(w->now - start, 200 * MS);
	world_end(w);
}

/* The slowest to the fastest of all for 10 ms, in thousandths, behind a port that says it is @times as fast. */
static u64 fair(u32 n, const struct wlink *port, u32 times, u64 *retx)
{
	u64 least = ~0ULL, most = 0, sum;
	struct incast x;
	u32 i;

	incast_new(&x, n, port, times * SPEED);
	keep_busy(&x, 0, n, 4, 65536, 3 * MS);
	uneven(&x, 0, n, &sum);
	*retx = world_stat(x.w, MROCE_CNT_TX_RETX);
	keep_busy(&x, 0, n, 4, 65536, 10 * MS);
	*retx = world_stat(x.w, MROCE_CNT_TX_RETX) - *retx;
	for (i = 0; i < n; i++) {
		u64 got = brought(&x, i);

		least = min(least, got);
		most = max(most, got);
	}
	world_end(x.w);
	return least * 1000 / most;
}

/* A bottleneck that the hints know nothing of is shared as if there were none: they are no leave to grow. */
TEST(share__hints_that_are_too_high_do_nothing)
{
	u64 none, high, retx[2];

	none = fair(15, &marks, 0, retx);
	high = fair(15, &marks, 4, retx);
	test_note("marks: slowest to fastest %llu/1000, without hints %llu", high, none);
	CHECK_GE(high * 4, none * 3);
	none = fair(15, &drops, 0, &retx[0]);
	high = fair(15, &drops, 4, &retx[1]);
	test_note("drop-tail: %llu/1000, %llu sent again; without hints %llu/1000, %llu", high, retx[1], none, retx[0]);
	CHECK_LE(retx[1], retx[0] * 3 / 2);
}

/* The link has become slower, and then fast again: known within an ACK. */
TEST(share__the_link_changes_its_speed)
{
	struct incast x;
	u64 sum;

	incast_new(&x, 4, &marks, SPEED);
	keep_busy(&x, 0, 4, 2, 65536, MS);
	x.w->host[0].port.ns_per_kb *= 4;
	mroce_share_speed(&x.w->host[0].share, SPEED / 4);
	keep_busy(&x, 0, 4, 2, 65536, MS);
	CHECK_LE(hint_of(&x, 0), SPEED / 16);
	CHECK_GE(hint_of(&x, 0), SPEED / 16 * 97 / 100);
	uneven(&x, 0, 4, &sum);
	keep_busy(&x, 0, 4, 2, 65536, 8 * MS);
	CHECK_LE(uneven(&x, 0, 4, &sum), 100);
	x.w->host[0].port.ns_per_kb /= 4;
	mroce_share_speed(&x.w->host[0].share, SPEED);
	keep_busy(&x, 0, 4, 2, 65536, 500 * US);
	uneven(&x, 0, 4, &sum);
	keep_busy(&x, 0, 4, 2, 65536, 2 * MS);
	CHECK_LE(uneven(&x, 0, 4, &sum), 100);
	CHECK_GE(sum, 2 * MS * 1408 / PACKET * 1024 / NS_PER_KB * 93 / 100);
	world_end(x.w);
}

/* --- delay that is no queue --- */

/**
 * struct delay - what befalls the links of @n busy senders
 * @back:	towards them, where ACKs come; else towards the receiver
 * @more:	added to each way, ns
 * @varies:	not always all of it
 */
struct delay {
	u32 n;
	bool back;
	bool varies;
	u64 more;
};

static void delayed(struct incast *x, const struct delay *d, u64 ns)
{
	struct wlink link = { .delay = 5 * US + d->more };
	u64 until = x->w->now + ns;
	u32 i;

	while (x->w->now < until) {
		for (i = 1; i <= d->n; i++) {
			if (d->varies)
				link.delay = 5 * US + rng_below(&x->w->rng, d->more);
			links_set(x->w, d->back ? 0 : i, d->back ? i : 0, &link);
		}
		keep_busy(x, 0, d->n, 16, 65536, d->varies ? 50 * US : ns);
	}
}

/* What all bring within 10 ms, in thousandths of the port; and the slowest of the fastest. */
static u64 far(const struct delay *d, u64 speed, u64 *even)
{
	u64 least = ~0ULL, most = 0, sum;
	struct incast x;
	u32 i;

	incast_new(&x, d->n, &marks, speed);
	keep_busy(&x, 0, d->n, 4, 65536, 5 * MS);
	delayed(&x, d, 10 * MS);
	uneven(&x, 0, d->n, &sum);
	delayed(&x, d, 10 * MS);
	for (i = 0, sum = 0; i < d->n; i++) {
		u64 got = brought(&x, i);

		sum += got;
		least = min(least, got);
		most = max(most, got);
	}
	world_end(x.w);
	*even = least * 1000 / most;
	return sum * 1000 / (10 * MS * 1408 / PACKET * 1024 / NS_PER_KB);
}

/*
 * Hints bound what is in flight, but do not cut it down for a way that has become longer. Where it
 * varies, the bound allows for what stays, and that costs some of the link.
 */
TEST(share__delay_that_stays_is_no_queue)
{
	static const struct delay cases[] = {
		{ .n = 2, .back = true, .more = 30 * US },
		{ .n = 8, .back = true, .more = 100 * US },
		{ .n = 4, .more = 300 * US },
		{ .n = 8, .back = true, .more = 60 * US, .varies = true },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 even[2], none = far(&cases[i], 0, &even[0]), hints = far(&cases[i], SPEED, &even[1]);

		test_note("%u senders, way %s %s%llu us more: %llu/1000, slowest to fastest %llu; without hints %llu, %llu",
			  cases[i].n, cases[i].back ? "back" : "there", cases[i].varies ? "up to " : "",
			  cases[i].more / US, hints, even[1], none, even[0]);
		CHECK_GE(hints * 100, none * (cases[i].varies ? 80 : 90));
		CHECK_GE(even[1] * 10, even[0] * 9);
	}
}

/* --- who is not concerned --- */

/* A connection that is alone is as fast with hints as without. */
TEST(share__alone_nothing_is_lost)
{
	u64 took[2];
	u32 k, i;

	for (k = 0; k < 2; k++) {
		struct incast x;

		incast_new(&x, 1, &marks, k ? SPEED : 0);
		for (i = 0; i < 8; i++)
			post_write(x.q[0], x.mr[0], 0, MIB, 0);
		took[k] = world_settle(x.w, 100 * MS);
		CHECK_EQ(host_stat(&x.w->host[1], MROCE_CNT_TX_PACED), 0);
		world_end(x.w);
	}
	CHECK_EQ(took[0], took[1]);
}

/* Of the two halves of a connection to oneself one receives. */
TEST(share__a_self_connection_is_alone)
{
	struct world *w = world_new(&(struct world_cfg){ .rx_speed = SPEED }, test_seed());
	struct wqp *a = qp_new(&w->host[0]), *b = qp_new(&w->host[0]);
	u32 i;

	qp_connect(a, b);
	post_recvs(a, 20, 20000);
	post_recvs(b, 20, 20000);
	for (i = 0; i < 20; i++) {
		post_send(a, 20000, 0);
		post_send(b, 20000, 0);
	}
	world_run(w, 50 * US);
	CHECK_EQ(w->host[0].share.n, 1);
	CHECK_LE(world_settle(w, SEC), MS);
	CHECK_EQ(host_stat(a->h, MROCE_CNT_TX_PACED), 0);
	world_end(w);
}
