// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The dangers that shaped verdicts, streams, receives and held packets (rules 1 to 8), each played
 * through: what was attacked, and that it holds.
 */
#include "play.h"

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

/* The answer to a READ is lost as often as it is sent, so its responder still owes it. */
static struct wmsg *read_unanswered(struct play *x)
{
	struct wmr *source;
	struct wmsg *m;

	play_open(x, NULL);
	may_fail(x);
	x->a->s.attr.timeout = 12;
	x->t.drop_op = MROCE_OP_READ_RESP + 1;
	x->t.drop_n = 1000;
	source = mr_new(x->b->h, 100, MROCE_ACC_READ, false);
	m = post_read(x->a, source, 0, 100, 0);
	m->expect = W_ANY;
	world_until(x->w, x->t.dropped, SEC);
	return m;
}

/* [M110] CLOSED tells at once. */
TEST(rule_5__the_news_needs_no_clock)
{
	struct play x;
	struct wmsg *m = read_unanswered(&x);

	qp_err(x.b);
	world_until(x.w, m->done, MS);
	world_settle(x.w, SEC);
	world_end(x.w);
}

/* [M112] QUERY finds out in two rounds of 17 ms, long before retries are exhausted. */
TEST(rule_5__the_news_never_comes)
{
	struct play x;
	struct wmsg *m = read_unanswered(&x);

	x.t.drop_op = MROCE_OP_CLOSED + 1;
	qp_err(x.b);
	world_run(x.w, MS);
	CHECK(!m->done);
	world_until(x.w, m->done, 40 * MS);
	x.t.drop_op = 0;
	world_settle(x.w, SEC);
	world_end(x.w);
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
