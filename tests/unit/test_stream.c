// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/stream.c: attach, OPEN, the clocks, flush and detach. [M69, M71, M101, M112]
 */
#include "lab.h"

struct bench {
	struct world *w;
	struct wqp *a, *b;
	struct tap t;
};

static void bench_new(struct bench *x)
{
	memset(x, 0, sizeof(*x));
	x->w = world_new(NULL, test_seed());
	x->a = qp_new(&x->w->host[0]);
	x->b = qp_new(&x->w->host[1]);
	x->a->allow_fail = true;
	x->b->allow_fail = true;
	tap_on(x->w, &x->t);
}

static void bench_open(struct bench *x)
{
	bench_new(x);
	qp_connect(x->a, x->b);
	world_until(x->w, x->a->s.opened && x->b->s.opened, SEC);
	world_run(x->w, MS);
}

TEST(stream_attach__tags_are_random_and_new_each_time)
{
	struct bench x;
	u32 tag, i;

	bench_open(&x);
	CHECK_NE(x.a->s.rx_tag, x.b->s.rx_tag);
	CHECK_EQ(x.a->s.tx_tag, x.b->s.rx_tag);
	for (i = 0; i < 5; i++) {
		tag = x.a->s.rx_tag;
		qp_reset(x.a);
		qp_init(x.a);
		CHECK_EQ(qp_rtr(x.a, x.b->h, x.b->qpn, x.b), 0);
		CHECK_NE(x.a->s.rx_tag, tag);
		CHECK_NE(x.a->s.rx_tag, 0);
	}
	world_end(x.w);
}

TEST(stream_attach__no_memory)
{
	struct bench x;

	bench_new(&x);
	x.a->h->alloc_fail = 1000000;
	CHECK_EQ(qp_rtr(x.a, x.b->h, x.b->qpn, x.b), -ENOMEM);
	x.a->h->alloc_fail = 0;
	CHECK_EQ(x.a->h->alloc_bytes, 0);
	CHECK_EQ(qp_rtr(x.a, x.b->h, x.b->qpn, x.b), 0);
	world_end(x.w);
}

/* [M69] One round trip after the connection, before anything is posted. */
TEST(stream_open__at_rtr)
{
	struct bench x;

	bench_open(&x);
	CHECK_EQ(x.t.ops[MROCE_OP_OPEN], 2);
	CHECK_EQ(x.t.ops[MROCE_OP_OPENED], 2);
	CHECK_EQ(x.a->established, 1);
	CHECK_EQ(x.b->established, 1);
	world_end(x.w);
}

/* [M71] The other end is late: asked again with back-off, and at once when it comes. */
TEST(stream_open__the_other_end_is_late)
{
	struct bench x;
	struct wqp *c, *d;
	u64 start;

	bench_open(&x);
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	CHECK_EQ(qp_rtr(c, d->h, d->qpn, d), 0);
	qp_rts(c);
	x.t.ops[MROCE_OP_OPEN] = 0;
	world_run(x.w, 3 * SEC);
	CHECK_GE(x.t.ops[MROCE_OP_OPEN], 10);
	CHECK_LE(x.t.ops[MROCE_OP_OPEN], 40);
	start = x.w->now;
	CHECK_EQ(qp_rtr(d, c->h, c->qpn, c), 0);
	world_until(x.w, c->s.opened && d->s.opened, SEC);
	CHECK_LE(x.w->now - start, MS);
	qp_rts(d);
	post_recvs(d, 1, 10);
	post_send(c, 10, 0);
	world_settle(x.w, MS);
	world_end(x.w);
}

TEST(stream_open__opened_is_lost_with_its_connection)
{
	struct bench x;

	bench_new(&x);
	qp_connect(x.a, x.b);
	x.t.drop_op = MROCE_OP_OPENED + 1;
	x.t.drop_from = 2;
	x.t.drop_n = 1;
	world_until(x.w, x.t.dropped, SEC);
	/* b forgets what it had queued. */
	core_enter(x.b->peer);
	mroce_conn_lost(host_conn(x.b->h, x.a->h, 0), x.w->now);
	core_leave(x.b->peer);
	world_until(x.w, x.a->s.opened && x.b->s.opened, 5 * SEC);
	world_end(x.w);
}

static u64 gives_up_after(u8 timeout, u8 retry_cnt, bool open_first)
{
	struct bench x;
	struct wmsg *m;
	u64 took;

	bench_new(&x);
	x.a->attr.timeout = timeout;
	x.a->attr.retry_cnt = retry_cnt;
	qp_connect(x.a, x.b);
	if (open_first) {
		world_until(x.w, x.a->s.opened && x.b->s.opened, SEC);
		world_run(x.w, MS);
	}
	post_recvs(x.b, 1, 100);
	links_black(x.w, -1, -1, true);
	m = post_send(x.a, 100, 0);
	m->expect = MROCE_ST_RETRY_EXC;
	post_send(x.a, 100, 0)->expect = MROCE_ST_FLUSH;
	took = world_settle(x.w, 60 * SEC);
	CHECK_EQ(host_stat(x.a->h, MROCE_CNT_STREAM_RETRY_EXC), 1);
	CHECK_EQ(x.a->why, MROCE_FAIL_SEND);
	world_end(x.w);
	return took;
}

static void near(u64 value, u64 want)
{
	CHECK_GE(value, want * 3 / 4);
	CHECK_LE(value, want * 5 / 4);
}

/* [M101] Rule 37: within a quarter. */
TEST(stream_clock__gives_up_in_time)
{
	near(gives_up_after(14, 7, true), 8 * (4096ULL << 14));
	near(gives_up_after(14, 0, true), 4096ULL << 14);
	near(gives_up_after(12, 3, true), 4 * (4096ULL << 12));
	near(gives_up_after(18, 1, true), 2 * (4096ULL << 18));
}

TEST(stream_clock__before_the_connection_is_open_too)
{
	near(gives_up_after(16, 1, false), 2 * (4096ULL << 16));
	near(gives_up_after(14, 7, false), 8 * (4096ULL << 14));
}

/* Tiny timeouts must not end a stream that only has a long round trip. */
TEST(stream_clock__never_shorter_than_the_route_allows)
{
	struct world *w = world_new(&(struct world_cfg){ .link = { .delay = 100 * MS } }, 1);
	struct wqp *a, *b;
	u32 i;

	a = qp_new(&w->host[0]);
	b = qp_new(&w->host[1]);
	a->attr.timeout = 14;
	a->attr.retry_cnt = 7;
	qp_connect(a, b);
	world_until(w, a->s.opened && b->s.opened, 10 * SEC);
	a->s.attr.timeout = 1;
	a->s.attr.retry_cnt = 0;
	post_recvs(b, 20, 1000);
	for (i = 0; i < 20; i++)
		post_send(a, 1000, 0);
	world_settle(w, 60 * SEC);
	world_end(w);
}

TEST(stream_clock__zero_is_never)
{
	struct bench x;

	bench_open(&x);
	x.a->s.attr.timeout = 0;
	post_recvs(x.b, 1, 100);
	links_black(x.w, -1, -1, true);
	post_send(x.a, 100, 0);
	world_run(x.w, 300 * SEC);
	CHECK_EQ(x.a->completed, 0);
	links_black(x.w, -1, -1, false);
	world_settle(x.w, 10 * SEC);
	world_end(x.w);
}

TEST(stream_clock__does_not_run_while_waiting_for_receives)
{
	struct bench x;
	struct wqp *c, *d;
	u32 i;

	/* b's receives are missing for long, but the peer answers. */
	bench_open(&x);
	x.a->s.attr.timeout = 10;
	x.a->s.attr.retry_cnt = 0;
	x.b->rnr_timer = 20;
	post_send(x.a, 100, 0);
	qp_pair(x.w, 0, 1, &c, &d);
	for (i = 0; i < 50; i++) {
		post_recvs(d, 1, 10);
		post_send(c, 10, 0);
		world_run(x.w, 10 * MS);
	}
	CHECK_EQ(x.a->completed, 0);
	post_recvs(x.b, 1, 100);
	world_settle(x.w, SEC);
	world_end(x.w);
}

/* [M112, M113] */
TEST(stream_query__answer_that_does_not_come)
{
	struct bench x;
	struct wmr *mr, *other;
	struct wmsg *m;

	bench_open(&x);
	x.a->s.attr.timeout = 12;
	mr = mr_new(x.b->h, 100, MROCE_ACC_READ, false);
	mr_fill(mr, mr->rkey);
	other = mr_new(x.b->h, 100, MROCE_ACC_WRITE, true);
	/* A Write before it keeps the READ from its turn. */
	x.t.drop_op = MROCE_OP_WRITE + 1;
	x.t.drop_n = 6;
	post_write(x.a, other, 0, 100, 0);
	m = post_read(x.a, mr, 0, 100, 0);
	world_settle(x.w, 2 * SEC);
	CHECK(m->done);
	world_end(x.w);
}

TEST(stream_query__responder_gone)
{
	struct bench x;
	struct wmr *mr, *other;
	struct wmsg *m;

	bench_open(&x);
	x.a->s.attr.timeout = 12;
	mr = mr_new(x.b->h, 100, MROCE_ACC_READ, false);
	other = mr_new(x.b->h, 100, MROCE_ACC_WRITE, true);
	x.t.drop_op = MROCE_OP_WRITE + 1;
	x.t.drop_n = 1000;
	post_write(x.a, other, 0, 100, 0)->expect = W_ANY;
	m = post_read(x.a, mr, 0, 100, 0);
	m->expect = W_ANY;
	world_until(x.w, x.b->s.rd_in, SEC);
	x.t.drop_op = 0;
	qp_reset(x.b);
	world_settle(x.w, 2 * SEC);
	CHECK_EQ(x.a->state, QP_ERR);
	world_end(x.w);
}

TEST(stream_flush__completes_all_in_order)
{
	struct bench x;
	struct wmsg *m[5];
	u32 i;

	bench_open(&x);
	for (i = 0; i < 5; i++) {
		m[i] = post_send(x.a, 1000, 0);
		m[i]->expect = MROCE_ST_FLUSH;
	}
	qp_err(x.a);
	for (i = 0; i < 5; i++)
		CHECK(m[i]->done);
	CHECK_EQ(x.a->failed, 0);
	world_run(x.w, SEC);
	CHECK_EQ(host_conn(x.a->h, x.b->h, 0)->inflight_bytes, 0);
	CHECK_EQ(host_conn(x.a->h, x.b->h, 0)->backlog, 0);
	world_end(x.w);
}

TEST(stream_flush__receives_go_back)
{
	struct bench x;

	bench_open(&x);
	post_recvs(x.b, 3, 1000);
	post_send(x.a, 1000, 0)->expect = W_ANY;
	world_until(x.w, x.b->bound_rsn == 1, MS);
	qp_err(x.b);
	CHECK_EQ(x.b->recv_flushed, 3);
	qp_err(x.a);
	world_end(x.w);
}

TEST(stream_flush__twice_is_once)
{
	struct bench x;

	bench_open(&x);
	post_send(x.a, 10, 0)->expect = MROCE_ST_FLUSH;
	qp_err(x.a);
	core_enter(x.a->peer);
	mroce_stream_flush(&x.a->s, x.w->now);
	mroce_stream_sqd(&x.a->s, x.w->now);
	mroce_stream_rts(&x.a->s, &x.a->attr, x.w->now);
	core_leave(x.a->peer);
	CHECK_EQ(x.a->flushed, 1);
	CHECK_EQ(x.a->s.state, MROCE_STREAM_ERR);
	world_end(x.w);
}

TEST(stream_detach__forgets_without_completions)
{
	struct bench x;
	struct wmsg *m;

	bench_open(&x);
	m = post_send(x.a, 5000, 0);
	world_run(x.w, 3 * US);
	qp_reset(x.a);
	CHECK_EQ(m->status, W_ANY);
	world_run(x.w, SEC);
	CHECK_EQ(host_conn(x.a->h, x.b->h, 0)->inflight_bytes, 0);
	CHECK_EQ(host_conn(x.a->h, x.b->h, 0)->nstreams, 0);
	world_end(x.w);
}

TEST(stream_detach__never_attached)
{
	struct mroce_stream s = {};

	mroce_stream_detach(&s, 0);
}

TEST(stream_update__class_stays)
{
	struct bench x;
	struct mroce_stream_attr attr;

	bench_open(&x);
	attr = x.a->attr;
	attr.tclass = 99;
	attr.access = 0;
	mroce_stream_update(&x.a->s, &attr);
	CHECK_EQ(x.a->s.attr.tclass, 0);
	CHECK_EQ(x.a->s.attr.access, 0);
	world_end(x.w);
}

/* SQD starts nothing, so nothing is overdue; back in RTS the clock begins anew. */
TEST(stream_clock__does_not_run_in_sqd_with_work_waiting)
{
	struct world *w = world_new(NULL, test_seed());
	struct wqp *a, *b;

	qp_pair(w, 0, 1, &a, &b);
	world_until(w, a->s.opened && b->s.opened, SEC);
	qp_sqd(a);
	post_recvs(b, 1, 100);
	post_send(a, 100, 0);
	world_run(w, 5 * SEC);
	CHECK_EQ(a->state, QP_SQD);
	CHECK_EQ(a->completed, 0);
	qp_rts(a);
	world_settle(w, SEC);
	CHECK_EQ(a->ok, 1);
	world_end(w);
}

/* Rule 11: the answer to a READ comes on the connection of the responder's class. */
TEST(stream_clock__a_long_answer_on_another_class_is_no_silence)
{
	struct world *w = world_new(&(struct world_cfg){ .payload = 1408, .link = { .ns_per_kb = 8190 } },
				    test_seed());
	struct wqp *a = qp_new(&w->host[0]), *b = qp_new(&w->host[1]);
	struct wmr *mr;

	a->attr.timeout = 10;
	a->attr.retry_cnt = 3;
	b->attr.tclass = 106;
	w->phantom = true;
	qp_connect(a, b);
	world_until(w, a->s.opened && b->s.opened, SEC);
	mr = mr_new(b->h, 8 << 20, MROCE_ACC_READ, false);
	post_read(a, mr, 0, 8 << 20, 0);
	world_settle(w, 10 * SEC);
	CHECK_EQ(a->ok, 1);
	world_end(w);
}

/* Timeout 0 waits for ever, also for a queue pair that is gone and comes back. */
TEST(stream_clock__timeout_zero_outlasts_no_stream)
{
	struct world *w = world_new(NULL, test_seed());
	struct wqp *a, *b;

	qp_pair(w, 0, 1, &a, &b);
	a->allow_fail = true;
	world_until(w, a->s.opened && b->s.opened, SEC);
	a->s.attr.timeout = 0;
	qp_reset(b);
	post_send(a, 100, 0)->expect = W_ANY;
	world_run(w, 60 * SEC);
	CHECK_EQ(a->completed, 0);
	qp_reset(a);
	world_end(w);
}

static u32 queued(const struct list_head *list)
{
	const struct list_head *p;
	u32 n = 0;

	for (p = list->next; p != list; p = p->next)
		n++;
	return n;
}

/* One OPEN at a time, however long nobody answers. */
TEST(stream_open__does_not_pile_up)
{
	struct world *w = world_new(NULL, test_seed());
	struct wqp *a, *b, *c;
	struct mroce_conn *conn;

	qp_pair(w, 0, 1, &a, &b);
	a->allow_fail = true;
	b->allow_fail = true;
	world_until(w, a->s.opened && b->s.opened, SEC);
	world_run(w, MS);
	links_black(w, -1, -1, true);
	c = qp_new(&w->host[0]);
	c->allow_fail = true;
	qp_rtr(c, b->h, 77, NULL);
	world_run(w, 600 * SEC);
	conn = host_conn(&w->host[0], &w->host[1], 0);
	CHECK_LE(queued(&conn->ctrl) + conn->nctrl, 2);
	links_black(w, -1, -1, false);
	world_run(w, SEC);
	world_end(w);
}

/* A peer that opens and never acknowledges the answers gets no more of them. */
TEST(stream_open__answers_are_bounded)
{
	struct lab l = lab_pair(&(struct world_cfg){ .psn_window = 8192 });
	u32 i, psn = l.conn->paths[1]->rx.cum;

	l.w->lax = true;
	for (i = 0; i < 1000; i++) {
		struct feed f = { .opcode = MROCE_OP_OPEN };
		struct wpkt *pkt = data_pkt(l.conn, 1, psn + i, &f);
		struct mroce_ctrl_hdr *h = (void *)pkt->data;
		struct mroce_rx rx;

		h->qpn = cpu_to_be32(l.b->qpn);
		h->src_qpn = cpu_to_be32(l.a->qpn);
		h->nonce = cpu_to_be32(i);
		rx = lab_rx(pkt);
		mroce_conn_input(l.conn, &rx, l.w->now);
		wpkt_free(pkt);
	}
	CHECK_GE(l.conn->nctrl, 1);
	CHECK_LE(l.conn->nctrl, 32);
	lab_end(&l);
}
