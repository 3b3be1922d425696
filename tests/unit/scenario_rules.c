// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The dangers that shaped the protocol, each played through: what was attacked, and that it holds.
 */
#include "lab.h"

struct play {
	struct world *w;
	struct wqp *a, *b;
	struct tap t;
};

static void play_new(struct play *x, const struct world_cfg *cfg)
{
	memset(x, 0, sizeof(*x));
	x->w = world_new(cfg, test_seed());
	x->a = qp_new(&x->w->host[0]);
	x->b = qp_new(&x->w->host[1]);
	tap_on(x->w, &x->t);
}

static void play_open(struct play *x, const struct world_cfg *cfg)
{
	play_new(x, cfg);
	qp_connect(x->a, x->b);
	world_until(x->w, x->a->s.opened && x->b->s.opened, SEC);
	world_run(x->w, MS);
}

static void may_fail(struct play *x)
{
	x->a->allow_fail = true;
	x->b->allow_fail = true;
}

static struct mroce_conn *conn_of(const struct wqp *qp)
{
	return host_conn(qp->h, qp->peer->to, qp->attr.tclass);
}

/* --- a refusal that is not remembered gives wrong data [M43, M45] --- */

TEST(rule_1__late_copy_of_a_refused_packet)
{
	struct play x;
	u32 i;

	play_open(&x, NULL);
	x.t.keep_op = MROCE_OP_SEND + 1;
	x.t.keep_copy = true;
	/* No receive: refused. A copy stays in the network. */
	post_send(x.a, 1000, 0);
	world_until(x.w, host_stat(x.b->h, MROCE_CNT_REFUSE_RNR), SEC);
	CHECK(x.t.kept);
	post_recvs(x.b, 3, 1000);
	/* It arrives just when the receive is there: before, at and after the content came again. */
	for (i = 0; i < 40; i++) {
		world_inject(x.w, wpkt_copy(x.t.kept), x.w->now);
		world_run(x.w, 2 * US);
	}
	post_send(x.a, 1000, 0);
	post_send(x.a, 1000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(x.b->received, 3);
	wpkt_free(x.t.kept);
	world_end(x.w);
}

TEST(rule_1__lost_refusals_are_given_again)
{
	struct play x;

	play_open(&x, NULL);
	x.t.drop_type = MROCE_PT_NAK;
	x.t.drop_n = 3;
	post_send(x.a, 600, 0);
	world_until(x.w, x.t.dropped == 3, SEC);
	post_recvs(x.b, 1, 1000);
	world_settle(x.w, SEC);
	CHECK_GE(x.t.ops[MROCE_OP_EMPTY], 1);
	world_end(x.w);
}

/* --- every packet gets a verdict; no queue pair stops another [M41, M46] --- */

TEST(rule_2__a_dead_queue_pair_stops_nobody)
{
	struct play x;
	struct wqp *c, *d;
	u32 i;

	play_open(&x, NULL);
	may_fail(&x);
	qp_pair(x.w, 0, 1, &c, &d);
	qp_reset(x.b);
	x.a->remote = NULL;
	for (i = 0; i < 400; i++)
		post_send(x.a, 1000, 0)->expect = W_ANY;
	post_recvs(d, 400, 1000);
	for (i = 0; i < 400; i++)
		post_send(c, 1000, 0);
	world_until(x.w, c->completed == 400, SEC);
	CHECK_EQ(c->ok, 400);
	world_settle(x.w, 10 * SEC);
	CHECK_EQ(x.a->first_error, MROCE_ST_RETRY_EXC);
	world_end(x.w);
}

TEST(rule_2__no_receives_stop_nobody)
{
	struct play x;
	struct wqp *c, *d;
	u32 i;

	play_open(&x, NULL);
	qp_pair(x.w, 0, 1, &c, &d);
	for (i = 0; i < 300; i++)
		post_send(x.a, 1000, 0);
	post_recvs(d, 1000, 100);
	for (i = 0; i < 1000; i++)
		post_send(c, 100, 0);
	world_until(x.w, c->completed == 1000, SEC);
	CHECK_EQ(x.a->completed, 0);
	post_recvs(x.b, 300, 1000);
	world_settle(x.w, 10 * SEC);
	world_end(x.w);
}

TEST(rule_2__a_late_queue_pair_is_waited_for)
{
	struct play x;
	struct wqp *c, *d;
	u32 i;

	play_open(&x, NULL);
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	c->attr.timeout = 18;
	CHECK_EQ(qp_rtr(c, d->h, d->qpn, d), 0);
	qp_rts(c);
	post_send(c, 3000, 0);
	for (i = 0; i < 50; i++) {
		post_recvs(x.b, 1, 500);
		post_send(x.a, 500, 0);
		world_run(x.w, 10 * MS);
	}
	CHECK_EQ(x.a->ok, 50);
	CHECK_EQ(qp_rtr(d, c->h, c->qpn, c), 0);
	post_recvs(d, 1, 3000);
	world_settle(x.w, SEC);
	world_end(x.w);
}

TEST(rule_2__goes_to_error_while_packets_come)
{
	struct play x;
	struct wmsg *m;

	play_open(&x, NULL);
	may_fail(&x);
	x.a->s.attr.timeout = 8;
	x.a->s.attr.retry_cnt = 2;
	post_recvs(x.b, 1, 100000);
	m = post_send(x.a, 100000, 0);
	m->expect = MROCE_ST_RETRY_EXC;
	world_run(x.w, 50 * US);
	CHECK_GT(x.t.ops[MROCE_OP_SEND], 4);
	qp_err(x.b);
	world_settle(x.w, SEC);
	CHECK_EQ(host_stat(x.a->h, MROCE_CNT_STREAM_RETRY_EXC), 1);
	world_end(x.w);
}

/* --- streams have an identity beyond the numbers of their queue pairs [M67, M68] --- */

TEST(rule_3__a_packet_of_an_earlier_life)
{
	struct play x;

	play_open(&x, NULL);
	may_fail(&x);
	post_recvs(x.b, 1, 100);
	x.t.keep_op = MROCE_OP_SEND + 1;
	post_send(x.a, 100, 0)->expect = W_ANY;
	world_until(x.w, x.t.kept, SEC);
	qp_reset(x.a);
	qp_reset(x.b);
	/* The same two again, on the same connection, MSN and RSN 0. */
	qp_init(x.a);
	qp_init(x.b);
	qp_connect(x.a, x.b);
	world_until(x.w, x.a->s.opened && x.b->s.opened, SEC);
	post_recvs(x.b, 2, 100);
	/* Its first copy arrives only now: its PSN was not accepted before or became EMPTY. */
	world_inject(x.w, x.t.kept, x.w->now);
	world_run(x.w, 10 * US);
	CHECK_EQ(x.b->received, 0);
	post_send(x.a, 100, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(x.b->received, 1);
	world_end(x.w);
}

TEST(rule_3__one_end_is_reset_and_comes_back)
{
	struct play x;

	play_open(&x, NULL);
	may_fail(&x);
	x.a->s.attr.timeout = 8;
	qp_reset(x.b);
	qp_init(x.b);
	CHECK_EQ(qp_rtr(x.b, x.a->h, x.a->qpn, NULL), 0);
	qp_rts(x.b);
	world_run(x.w, 10 * MS);
	post_recvs(x.b, 1, 100);
	/* a still speaks to the old life: it must not reach the new one. */
	x.a->remote = NULL;
	post_send(x.a, 100, 0)->expect = MROCE_ST_RETRY_EXC;
	world_settle(x.w, SEC);
	CHECK_EQ(x.b->received, 0);
	world_end(x.w);
}

/* --- shared receive queue and arrival out of order [M87] --- */

static enum wverdict delay_first(struct world *w, struct wpkt *pkt, struct tap *t)
{
	struct mroce_data_hdr h;

	if (wpkt_opcode(pkt) != MROCE_OP_SEND)
		return W_PASS;
	memcpy(&h, pkt->data, sizeof(h));
	if (be32_to_cpu(h.msn) || (h.flags & MROCE_F_RETX))
		return W_PASS;
	return W_DROP;
}

TEST(rule_4__later_messages_do_not_take_the_last_entries)
{
	struct play x;
	u32 i, got = 0;

	play_new(&x, NULL);
	qp_srq(x.b, srq_new(x.w));
	for (i = 0; i < 4; i++)
		srq_post(x.b->srq, 100);
	qp_connect(x.a, x.b);
	world_until(x.w, x.a->s.opened && x.b->s.opened, SEC);
	/* Message 0 comes last; 1..n would take all entries, which are given back only for completions. */
	x.t.more = delay_first;
	for (i = 0; i < 40; i++)
		post_send(x.a, 100, 0);
	while (x.a->completed < 40 && x.w->steps < 100000) {
		world_step(x.w, x.w->now + MS);
		for (; got < x.b->received; got++)
			srq_post(x.b->srq, 100);
	}
	CHECK_EQ(x.a->ok, 40);
	CHECK_EQ(x.b->received, 40);
	world_end(x.w);
}

TEST(rule_4__entries_of_a_dying_queue_pair_serve_others)
{
	struct play x;
	struct wqp *c, *d;
	struct wsrq *srq;

	play_new(&x, NULL);
	may_fail(&x);
	srq = srq_new(x.w);
	qp_srq(x.b, srq);
	srq_post(srq, 1000);
	qp_connect(x.a, x.b);
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	qp_srq(d, srq);
	qp_connect(c, d);
	world_until(x.w, x.a->s.opened && c->s.opened, SEC);
	/* Bound to a's message 0 by its message 1. */
	x.t.more = delay_first;
	post_send(x.a, 100, 0)->expect = W_ANY;
	post_send(x.a, 100, 0)->expect = W_ANY;
	world_until(x.w, x.b->bound_rsn == 1, SEC);
	x.t.more = NULL;
	qp_err(x.b);
	qp_err(x.a);
	post_send(c, 1000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(d->received, 1);
	world_end(x.w);
}

/* --- a request was accepted and its responder is gone [M110, M112, M114] --- */

static void responder_dies(void (*die)(struct wqp *), u32 lose_closed)
{
	struct play x;
	struct wmr *mr, *other;
	struct wmsg *m;

	play_open(&x, NULL);
	may_fail(&x);
	x.a->s.attr.timeout = 12;
	mr = mr_new(x.b->h, 100, MROCE_ACC_READ, false);
	other = mr_new(x.b->h, 100, MROCE_ACC_WRITE, true);
	/* The READ is accepted and waits for a Write that is lost for long. */
	x.t.drop_op = MROCE_OP_WRITE + 1;
	x.t.drop_n = 3;
	post_write(x.a, other, 0, 100, 0)->expect = W_ANY;
	m = post_read(x.a, mr, 0, 100, 0);
	m->expect = W_ANY;
	world_until(x.w, x.b->s.rd_in, SEC);
	x.t.drop_op = MROCE_OP_CLOSED + 1;
	x.t.drop_n = lose_closed;
	die(x.b);
	if (x.b->state == QP_RESET)
		x.a->remote = NULL;
	world_settle(x.w, SEC);
	CHECK(m->done);
	CHECK_NE(m->status, MROCE_ST_OK);
	CHECK_EQ(x.t.dropped, 1 + lose_closed > x.t.dropped ? x.t.dropped : 1 + lose_closed);
	world_end(x.w);
}

TEST(rule_5__responder_is_reset)
{
	responder_dies(qp_reset, 0);
}

TEST(rule_5__responder_goes_to_error)
{
	responder_dies(qp_err, 0);
}

TEST(rule_5__the_news_is_lost)
{
	responder_dies(qp_err, 2);
}

/* --- responses do not wait in the reverse stream's order [M104]; errors in the middle: test_response.c --- */

TEST(rule_6__both_without_receives_read_from_each_other)
{
	struct play x;
	struct wmr *ma, *mb;
	struct wmsg *r[2];

	play_open(&x, NULL);
	ma = mr_new(x.a->h, 4000, MROCE_ACC_READ, false);
	mb = mr_new(x.b->h, 4000, MROCE_ACC_READ, false);
	mr_fill(ma, ma->rkey);
	mr_fill(mb, mb->rkey);
	r[0] = post_read(x.a, mb, 0, 4000, 0);
	post_send(x.a, 500, 0);
	r[1] = post_read(x.b, ma, 0, 4000, 0);
	post_send(x.b, 500, 0);
	world_until(x.w, r[0]->done && r[1]->done, 10 * MS);
	post_recvs(x.a, 1, 500);
	post_recvs(x.b, 1, 500);
	world_settle(x.w, SEC);
	world_end(x.w);
}

/* --- errors ahead of their turn [M97, M99] --- */

TEST(rule_7__an_error_that_arrives_first)
{
	struct play x;
	struct wmsg *m[5];
	struct wmr *mr;
	u32 i;

	play_open(&x, NULL);
	may_fail(&x);
	mr = mr_new(x.b->h, 10000, MROCE_ACC_WRITE, true);
	/* Message 1 is lost at first; 2 fails its check. */
	x.t.drop_op = MROCE_OP_WRITE + 1;
	m[0] = post_write(x.a, mr, 0, 100, 0);
	world_settle(x.w, SEC);
	x.t.drop_n = 1;
	m[1] = post_write(x.a, mr, 100, 100, 0);
	m[2] = wmsg_new(x.a, MROCE_MSG_WRITE, 100, 0);
	m[2]->m.rkey = mr->rkey ^ 1;
	m[2]->expect = MROCE_ST_REM_ACCESS;
	wmsg_post(m[2]);
	for (i = 3; i < 5; i++) {
		m[i] = wmsg_new(x.a, MROCE_MSG_SEND, 10, 0);
		m[i]->expect = MROCE_ST_FLUSH;
		wmsg_post(m[i]);
	}
	world_settle(x.w, SEC);
	CHECK_EQ(x.a->ok, 2);
	world_run(x.w, MS);
	CHECK_EQ(x.b->state, QP_ERR);
	CHECK_EQ(x.b->why, MROCE_FAIL_ACCESS);
	world_end(x.w);
}

TEST(rule_7__two_errors_the_first_is_reported)
{
	struct play x;
	struct wmr *mr;
	struct wmsg *m;

	play_open(&x, NULL);
	may_fail(&x);
	mr = mr_new(x.b->h, 1000, MROCE_ACC_WRITE, true);
	post_recvs(x.b, 1, 10);
	x.t.drop_op = MROCE_OP_SEND + 1;
	x.t.drop_n = 1;
	m = wmsg_new(x.a, MROCE_MSG_SEND, 100, 0);
	m->expect = MROCE_ST_REM_INVALID;
	wmsg_post(m);
	m = wmsg_new(x.a, MROCE_MSG_WRITE, 100, 0);
	m->m.rkey = mr->rkey ^ 1;
	m->expect = MROCE_ST_FLUSH;
	wmsg_post(m);
	world_settle(x.w, SEC);
	world_run(x.w, MS);
	CHECK_EQ(x.b->recv_error, MROCE_ST_LOC_LEN);
	world_end(x.w);
}

/* --- bounds with progress [M119, M120] --- */

TEST(rule_8__one_held_packet_is_enough_to_move)
{
	struct play x;
	struct wmr *mr;
	u32 i;

	play_open(&x, &(struct world_cfg){ .held_cap = 1, .npaths = 8,
			.link = { .loss = 50000, .reorder = 300000, .reorder_by = 50 * US } });
	mr = mr_new(x.b->h, 40000, MROCE_ACC_WRITE, false);
	mr->ascending = true;
	for (i = 0; i < 40; i++)
		post_write(x.a, mr, i * 1000, 1000, 0);
	world_settle(x.w, SEC);
	CHECK_GE(host_stat(x.b->h, MROCE_CNT_REFUSE_LATER), 1);
	CHECK_EQ(mr->high, 40000);
	world_end(x.w);
}

TEST(rule_8__two_streams_share_the_cap)
{
	struct play x;
	struct wqp *c, *d;
	struct wmr *m1, *m2;
	u32 i;

	play_open(&x, &(struct world_cfg){ .held_cap = 2000, .npaths = 8,
			.link = { .loss = 100000, .reorder = 300000, .reorder_by = 50 * US } });
	qp_pair(x.w, 0, 1, &c, &d);
	m1 = mr_new(x.b->h, 20000, MROCE_ACC_WRITE, false);
	m2 = mr_new(x.b->h, 20000, MROCE_ACC_WRITE, false);
	m1->ascending = true;
	m2->ascending = true;
	for (i = 0; i < 20; i++) {
		post_write(x.a, m1, i * 1000, 1000, 0);
		post_write(c, m2, i * 1000, 1000, 0);
	}
	world_settle(x.w, SEC);
	world_end(x.w);
}

/* --- a path borrows a route [M60, M62] --- */

TEST(rule_9__a_black_route_strands_nothing)
{
	struct play x;
	u64 took;
	int s;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 8, .spines = 4, .payload = 1024 });
	post_recvs(x.b, 200, 10000);
	for (i = 0; i < 50; i++)
		post_send(x.a, 10000, 0);
	world_run(x.w, 100 * US);
	for (s = 0; s < 2; s++)
		world_link(x.w, 0, 1, 1, s)->black = true;
	for (i = 0; i < 150; i++)
		post_send(x.a, 10000, 0);
	took = world_settle(x.w, SEC);
	CHECK_LE(took, 30 * MS);
	CHECK_GE(host_stat(x.a->h, MROCE_CNT_PATH_REROUTE), 1);
	test_note("2 of 4 spines went black: %llu us", took / US);
	world_end(x.w);
}

TEST(rule_9__a_black_plane_strands_nothing)
{
	struct play x;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 8, .planes = 2, .payload = 1024 });
	post_recvs(x.b, 200, 10000);
	for (i = 0; i < 50; i++)
		post_send(x.a, 10000, 0);
	world_run(x.w, 100 * US);
	world_link(x.w, 0, 1, 1, 0)->black = true;
	world_link(x.w, 1, 0, 1, 0)->black = true;
	for (i = 0; i < 150; i++)
		post_send(x.a, 10000, 0);
	world_settle(x.w, 100 * MS);
	world_end(x.w);
}

/* --- smaller MTU after the fact [M64, M65] --- */

TEST(rule_10__mtu_shrinks_under_load)
{
	struct play x;
	u32 i;

	play_open(&x, &(struct world_cfg){ .payload = 8832, .link = { .loss = 20000 } });
	post_recvs(x.b, 100, 100000);
	for (i = 0; i < 40; i++)
		post_send(x.a, 100000, 0);
	world_run(x.w, 50 * US);
	x.a->h->route_payload[0] = 1408;
	host_routes_changed(x.a->h);
	CHECK_EQ(conn_of(x.a)->payload, 1408);
	world_settle(x.w, SEC);
	x.a->h->route_payload[0] = 8832;
	host_routes_changed(x.a->h);
	for (i = 0; i < 10; i++)
		post_send(x.a, 100000, 0);
	world_settle(x.w, SEC);
	world_end(x.w);
}

/* --- traffic class in the key [M9, M10, M11] --- */

TEST(rule_11__the_ends_choose_different_classes)
{
	struct play x;
	struct wmr *ma, *mb;

	play_new(&x, NULL);
	x.b->attr.tclass = 106;
	qp_connect(x.a, x.b);
	ma = mr_new(x.a->h, 4000, MROCE_ACC_READ, false);
	mb = mr_new(x.b->h, 4000, MROCE_ACC_READ, false);
	mr_fill(ma, ma->rkey);
	mr_fill(mb, mb->rkey);
	post_recvs(x.a, 1, 1000);
	post_recvs(x.b, 1, 1000);
	post_send(x.a, 1000, 0);
	post_send(x.b, 1000, 0);
	post_read(x.a, mb, 0, 4000, 0);
	post_read(x.b, ma, 0, 4000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(host_conns(x.a->h), 2);
	CHECK(conn_of(x.a)->tclass == 0 && conn_of(x.b)->tclass == 106);
	/* And after a long silence: neither end may drop what the other needs. */
	world_run(x.w, 100 * SEC);
	post_recvs(x.b, 1, 1000);
	post_send(x.a, 1000, 0);
	CHECK_LE(world_settle(x.w, SEC), MS);
	world_end(x.w);
}

/* --- self-connection [M24] --- */

TEST(rule_12__a_queue_pair_to_itself)
{
	struct world *w = world_new(NULL, test_seed());
	struct wqp *a = qp_new(&w->host[0]);
	struct wmr *mr = mr_new(a->h, 4000, MROCE_ACC_READ | MROCE_ACC_WRITE | MROCE_ACC_ATOMIC, true);
	u64 v;

	qp_connect(a, a);
	post_recvs(a, 2, 2000);
	post_send(a, 2000, 0);
	post_write(a, mr, 0, 1000, MROCE_MSG_F_IMM);
	post_atomic(a, MROCE_MSG_FETCH_ADD, mr, 2000, 3, 0);
	world_settle(w, SEC);
	CHECK_EQ(a->received, 2);
	memcpy(&v, mr->buf + 2000, 8);
	CHECK_EQ(v, 3);
	CHECK_EQ(host_conns(a->h), 2);
	world_end(w);
}

TEST(rule_12__two_queue_pairs_of_one_device)
{
	struct world *w = world_new(&(struct world_cfg){ .link = { .loss = 50000, .dup = 50000 } }, test_seed());
	struct wqp *a = qp_new(&w->host[0]), *b = qp_new(&w->host[0]);
	u32 i;

	qp_connect(a, b);
	post_recvs(a, 30, 2000);
	post_recvs(b, 30, 2000);
	for (i = 0; i < 30; i++) {
		post_send(a, 2000, 0);
		post_send(b, 1000, 0);
	}
	world_settle(w, SEC);
	CHECK_EQ(host_conns(a->h), 2);
	/* Both halves outlive a long silence. */
	world_run(w, 100 * SEC);
	post_recvs(b, 1, 2000);
	post_send(a, 2000, 0);
	CHECK_LE(world_settle(w, SEC), 100 * MS);
	world_end(w);
}

TEST(rule_12__not_with_a_foreign_instance)
{
	struct world *w = world_new(NULL, test_seed());
	struct wpkt *pkt = wpkt_new(sizeof(struct mroce_connect));
	struct mroce_connect c = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_CONNECT), .npaths = 4, .my_id = cpu_to_be32(5),
		.instance = cpu_to_be64(1), .seed = cpu_to_be64(2), .max_payload = cpu_to_be16(256),
		.psn_window = cpu_to_be16(256), .msn_window = cpu_to_be16(64),
	};

	memcpy(pkt->data, &c, sizeof(c));
	pkt->route.ifindex = 1;
	world_inject(w, pkt, w->now);
	world_run(w, MS);
	CHECK_EQ(host_stat(&w->host[0], MROCE_CNT_DROP_CONNECT), 1);
	CHECK_EQ(host_conns(&w->host[0]), 0);
	world_end(w);
}

/* --- ACKs have no failover of their own [M51, M52] --- */

TEST(rule_13__reverse_direction_of_a_spine_is_black)
{
	struct play x;
	u64 took;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 4, .spines = 2, .payload = 1024 });
	post_recvs(x.b, 100, 10000);
	world_link(x.w, 1, 0, 1, 0)->black = true;
	for (i = 0; i < 100; i++)
		post_send(x.a, 10000, 0);
	took = world_settle(x.w, SEC);
	CHECK_LE(took, 100 * MS);
	test_note("reverse of 1 of 2 spines black: %llu us", took / US);
	world_end(x.w);
}

TEST(rule_13__reverse_direction_of_a_plane_is_black)
{
	struct play x;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 4, .planes = 2, .payload = 1024 });
	post_recvs(x.b, 100, 10000);
	world_link(x.w, 1, 0, 1, 0)->black = true;
	for (i = 0; i < 100; i++)
		post_send(x.a, 10000, 0);
	world_settle(x.w, 100 * MS);
	world_end(x.w);
}

/* --- window against delay (rule 14) [M37] --- */

TEST(rule_14__a_long_route_needs_a_long_window)
{
	struct play x;
	u64 took;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 4, .payload = 1408, .psn_window = 8192, .msn_window = 1024,
			.link = { .delay = 15 * MS } });
	post_recvs(x.b, 200, 100000);
	for (i = 0; i < 200; i++)
		post_send(x.a, 100000, 0);
	/* 20 MB: slow start doubles from 4 x 4 packets, so about ten round trips of 30 ms. */
	took = world_settle(x.w, 10 * SEC);
	CHECK_LE(took, 700 * MS);
	test_note("20 MB over a 30 ms route: %llu ms", took / MS);
	world_end(x.w);
}

/* --- RESET and expiry end the right ones [M22, M33, M34, M35] --- */

TEST(rule_15__peer_restarts_with_streams_open)
{
	struct play x;
	struct wqp *c, *d;

	play_open(&x, NULL);
	may_fail(&x);
	post_recvs(x.a, 1, 100);
	host_restart(x.b->h);
	post_send(x.a, 100, 0)->expect = MROCE_ST_RETRY_EXC;
	world_settle(x.w, SEC);
	CHECK_EQ(x.a->why, MROCE_FAIL_PEER_LOST);
	CHECK_GE(x.b->h->resets, 1);
	/* New queue pairs find the new life at once. */
	qp_pair(x.w, 0, 1, &c, &d);
	post_recvs(d, 1, 100);
	post_send(c, 100, 0);
	CHECK_LE(world_settle(x.w, SEC), 50 * MS);
	world_end(x.w);
}

TEST(rule_15__peer_restarts_and_speaks_first)
{
	struct play x;
	struct wqp *c, *d;

	play_open(&x, NULL);
	may_fail(&x);
	host_restart(x.b->h);
	/* Nothing is outstanding at a: it learns from the new connection. */
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	CHECK_EQ(qp_rtr(d, c->h, c->qpn, c), 0);
	world_until(x.w, x.a->state == QP_ERR, SEC);
	CHECK_EQ(x.a->why, MROCE_FAIL_PEER_LOST);
	CHECK_EQ(qp_rtr(c, d->h, d->qpn, d), 0);
	qp_rts(c);
	qp_rts(d);
	post_recvs(d, 1, 100);
	post_send(c, 100, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(host_conns(x.a->h), 1);
	world_end(x.w);
}

TEST(rule_15__a_new_queue_pair_meets_an_expired_connection)
{
	struct play x;
	struct wqp *c, *d;

	play_open(&x, NULL);
	may_fail(&x);
	/* b has no queue pair any more and drops the connection; a keeps one. */
	qp_reset(x.b);
	world_run(x.w, 40 * SEC);
	CHECK_EQ(host_conns(x.b->h), 0);
	CHECK_EQ(host_conns(x.a->h), 1);
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	CHECK_EQ(qp_rtr(d, c->h, c->qpn, c), 0);
	CHECK_EQ(qp_rtr(c, d->h, d->qpn, d), 0);
	qp_rts(c);
	qp_rts(d);
	post_recvs(d, 1, 100);
	post_send(c, 100, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(c->ok, 1);
	CHECK_EQ(x.a->state, QP_ERR);
	world_end(x.w);
}

TEST(rule_15__only_the_new_side_sends)
{
	struct play x;
	struct wqp *c, *d;

	play_open(&x, NULL);
	may_fail(&x);
	qp_reset(x.b);
	world_run(x.w, 40 * SEC);
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	/* a's OPEN goes to the connection that b has dropped: RESET, and c moves. */
	CHECK_EQ(qp_rtr(c, d->h, d->qpn, d), 0);
	qp_rts(c);
	world_run(x.w, MS);
	CHECK_EQ(x.a->state, QP_ERR);
	CHECK_EQ(c->state, QP_RTS);
	CHECK_EQ(qp_rtr(d, c->h, c->qpn, c), 0);
	qp_rts(d);
	post_recvs(d, 1, 100);
	post_send(c, 100, 0);
	world_settle(x.w, SEC);
	world_end(x.w);
}

TEST(rule_15__both_restart)
{
	struct play x;

	play_open(&x, NULL);
	may_fail(&x);
	host_restart(x.a->h);
	host_restart(x.b->h);
	qp_init(x.a);
	qp_init(x.b);
	qp_connect(x.a, x.b);
	world_until(x.w, x.a->s.opened && x.b->s.opened, SEC);
	CHECK_EQ(host_conns(x.a->h), 1);
	CHECK_EQ(host_conns(x.b->h), 1);
	world_end(x.w);
}

/* --- credit holds back but never stops [M79, M80, M81] --- */

TEST(rule_16__a_receive_posted_later_needs_no_packet)
{
	struct play x;
	u32 sends;

	play_open(&x, NULL);
	x.b->rnr_timer = 14;	/* 1.28 ms */
	post_send(x.a, 5000, 0);
	world_run(x.w, 20 * MS);
	sends = x.t.ops[MROCE_OP_SEND];
	CHECK_LE(sends, 20);
	post_recvs(x.b, 1, 5000);
	CHECK_LE(world_settle(x.w, SEC), 5 * MS);
	world_end(x.w);
}

TEST(rule_16__a_good_sender_meets_no_refusal)
{
	struct play x;
	u32 i;

	play_new(&x, NULL);
	post_recvs(x.b, 16, 1000);
	x.b->auto_recv = 1000;
	qp_connect(x.a, x.b);
	for (i = 0; i < 300; i++)
		post_send(x.a, 1000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(host_stat(x.b->h, MROCE_CNT_REFUSE_RNR), 0);
	world_end(x.w);
}

/* --- one order of transmission per path (rule 17) [M55] --- */

TEST(rule_17__a_clean_link_repeats_nothing)
{
	struct play x;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 16, .payload = 1408, .link = { .delay = 10 * US, .ns_per_kb = 800 } });
	post_recvs(x.b, 100, 50000);
	for (i = 0; i < 100; i++)
		post_send(x.a, 50000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(x.t.retx, 0);
	CHECK_EQ(host_stat(x.a->h, MROCE_CNT_TX_SELF_REORDER), 0);
	world_end(x.w);
}

/* --- [M37, M74, M75] numbers wrap --- */

TEST(wrap__message_and_receive_numbers)
{
	struct play x;
	struct wmr *mr;
	u32 i;

	play_new(&x, &(struct world_cfg){ .link = { .loss = 50000, .reorder = 100000, .reorder_by = 30 * US } });
	CHECK_EQ(qp_rtr(x.a, x.b->h, x.b->qpn, x.b), 0);
	CHECK_EQ(qp_rtr(x.b, x.a->h, x.a->qpn, x.a), 0);
	qp_serials(x.a, x.b, 0xfffffff0u, 0xfffffff8u);
	qp_rts(x.a);
	qp_rts(x.b);
	mr = mr_new(x.b->h, 50000, MROCE_ACC_WRITE, false);
	mr->ascending = true;
	post_recvs(x.b, 50, 1000);
	for (i = 0; i < 50; i++) {
		post_send(x.a, 1000, 0);
		post_write(x.a, mr, i * 1000, 1000, 0);
	}
	world_settle(x.w, SEC);
	CHECK_LT(x.a->s.next_msn, 1000);
	CHECK_LT(x.a->s.next_rsn, 1000);
	world_end(x.w);
}

TEST(wrap__packet_numbers)
{
	struct play x;
	u32 i, k, wrapped = 0;

	play_new(&x, &(struct world_cfg){ .npaths = 2, .link = { .loss = 30000 } });
	qp_connect(x.a, x.b);
	world_until(x.w, host_conns(x.a->h) == 1, SEC);
	/* Both seeds so that the first PSNs of a's path 0 end soon: move both ends alike. */
	world_until(x.w, x.a->s.opened && x.b->s.opened, SEC);
	world_run(x.w, 3 * SEC);
	for (k = 0; k < 2; k++) {
		struct mroce_path *p = conn_of(x.a)->paths[k], *r = conn_of(x.b)->paths[k];

		CHECK_EQ(p->tx.una, p->tx.nxt);
		CHECK_EQ(r->rx.cum, p->tx.nxt);
		p->tx.una = p->tx.nxt = ~0U - 50;
		r->rx.cum = r->rx.next = ~0U - 50;
		p->cc.round_end = ~0U - 50;
	}
	post_recvs(x.b, 100, 2000);
	for (i = 0; i < 100; i++)
		post_send(x.a, 2000, 0);
	world_settle(x.w, SEC);
	for (k = 0; k < 2; k++)
		wrapped += conn_of(x.a)->paths[k]->tx.una < 0x10000;
	CHECK_EQ(wrapped, 2);
	world_end(x.w);
}

/* [M8] The longest message, without its bytes. */
TEST(huge__two_gib_each_way)
{
	struct world *w = world_new(&(struct world_cfg){ .payload = 65408, .npaths = 4, .psn_window = 1024 }, 1);
	struct wqp *a, *b;
	struct wmr *mr;

	w->phantom = true;
	qp_pair(w, 0, 1, &a, &b);
	mr = mr_new(b->h, 0xffffffffu, MROCE_ACC_WRITE | MROCE_ACC_READ, true);
	post_recvs(b, 1, 0x80000000u);
	post_send(a, 0x80000000u, 0);
	post_write(a, mr, 5, 0x80000000u, 0);
	post_read(a, mr, 7, 0x80000000u, 0);
	world_settle(w, 60 * SEC);
	CHECK_EQ(a->ok, 3);
	world_end(w);
}
