// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/stream_tx.c: cutting, waiting, completing. The requester is l.b, its peer l.a.
 */
#include "lab.h"

/* The next segment of b's stream, as output.c takes it; NULL: none now. */
static struct mroce_seg *next(struct lab *l)
{
	struct mroce_seg *seg = mroce_stream_next_seg(&l->b->s, l->w->now);

	if (seg)
		list_add_tail(&seg->link, &l->b->s.segs);
	return seg;
}

static void accepted(struct lab *l, struct mroce_seg *seg)
{
	mroce_seg_accepted(l->conn, seg, l->w->now);
}

static void refused(struct lab *l, struct mroce_seg *seg, u8 syn, u8 arg)
{
	mroce_seg_refused(l->conn, seg, syn, arg, l->w->now);
}

static void tick(struct lab *l, u64 ns)
{
	l->w->now += ns;
	mroce_peer_timer(&l->wp->p, l->w->now);
}

static struct wmr *remote(struct lab *l)
{
	return mr_new(l->a->h, 8192, MROCE_ACC_WRITE | MROCE_ACC_READ | MROCE_ACC_ATOMIC, true);
}

static struct lab credit(u32 n)
{
	struct lab l = lab_pair(NULL);

	l.b->s.rsn_limit = n;
	return l;
}

/* [M74, M75, M78] */
TEST(next_seg__cuts_without_overlap)
{
	struct lab l = credit(10);
	struct mroce_seg *seg[4];
	struct wmsg *m = post_send(l.b, 600, 0);
	u32 i, off = 0;

	for (i = 0; i < 3; i++) {
		seg[i] = next(&l);
		CHECK_EQ(seg[i]->offset, off);
		off += seg[i]->len;
	}
	CHECK_EQ(off, 600);
	CHECK(!next(&l));
	CHECK_EQ(m->m.msn, 0);
	CHECK_EQ(m->m.rsn, 0);
	accepted(&l, seg[1]);
	accepted(&l, seg[0]);
	CHECK(!m->done);
	accepted(&l, seg[2]);
	CHECK(m->done);
	lab_end(&l);
}

TEST(next_seg__numbers_count_what_is_sent)
{
	struct lab l = credit(10);
	struct wmr *mr = remote(&l);
	struct wmsg *m[6];

	m[0] = post_send(l.b, 1, 0);
	m[1] = post_local(l.b, MROCE_ST_OK, 0);
	m[2] = post_write(l.b, mr, 0, 1, 0);
	m[3] = post_read(l.b, mr, 0, 1, 0);
	m[4] = post_write(l.b, mr, 0, 1, MROCE_MSG_F_IMM);
	m[5] = post_send(l.b, 1, 0);
	CHECK_EQ(m[0]->m.msn, 0);
	CHECK_EQ(m[2]->m.msn, 1);
	CHECK_EQ(m[3]->m.msn, 2);
	CHECK_EQ(m[4]->m.msn, 3);
	CHECK_EQ(m[5]->m.msn, 4);
	CHECK_EQ(m[0]->m.rsn, 0);
	CHECK_EQ(m[4]->m.rsn, 1);
	CHECK_EQ(m[5]->m.rsn, 2);
	lab_end(&l);
}

/* [M73] */
TEST(next_seg__not_before_the_stream_is_open)
{
	struct lab l = credit(10);

	l.b->s.opened = false;
	post_send(l.b, 1, 0);
	CHECK(!next(&l));
	l.b->s.opened = true;
	CHECK(next(&l));
	lab_end(&l);
}

/* [M92] */
TEST(complete__in_order_of_posting)
{
	struct lab l = credit(10);
	struct wmsg *m[3];
	struct mroce_seg *seg[3];
	u32 i;

	for (i = 0; i < 3; i++) {
		m[i] = post_send(l.b, 10, 0);
		seg[i] = next(&l);
	}
	accepted(&l, seg[2]);
	accepted(&l, seg[1]);
	CHECK(!m[1]->done && !m[2]->done);
	accepted(&l, seg[0]);
	CHECK(m[0]->done && m[1]->done && m[2]->done);
	CHECK_EQ(l.b->ok, 3);
	lab_end(&l);
}

/* [M76] */
TEST(msg_may_send__message_window)
{
	struct lab l = lab_pair(&(struct world_cfg){ .msn_window = 16 });
	struct wmr *mr = remote(&l);
	struct mroce_seg *seg[17], *first;
	u32 i;

	for (i = 0; i < 20; i++)
		post_write(l.b, mr, i, 1, 0);
	for (i = 0; i < 16; i++)
		CHECK((seg[i] = next(&l)));
	CHECK(!next(&l));
	accepted(&l, seg[5]);
	CHECK(!next(&l));
	first = seg[0];
	accepted(&l, first);
	CHECK(next(&l));
	CHECK(!next(&l));
	lab_end(&l);
}

/* [M80, M81] */
TEST(credit_allows__one_packet_asks)
{
	struct lab l = credit(1);
	struct wmsg *m;
	struct mroce_seg *seg;

	post_send(l.b, 10, 0);
	m = post_send(l.b, 600, 0);
	seg = next(&l);
	CHECK(!next(&l));
	accepted(&l, seg);
	/* The oldest now: one packet of it, and no more. */
	seg = next(&l);
	CHECK(seg);
	CHECK_EQ(seg->msg->msn, m->m.msn);
	CHECK(!next(&l));
	/* Accepted: there was a receive after all. */
	accepted(&l, seg);
	CHECK(next(&l));
	CHECK(next(&l));
	CHECK(!next(&l));
	lab_end(&l);
}

TEST(credit_allows__writes_need_none)
{
	struct lab l = credit(0);
	struct wmr *mr = remote(&l);
	u32 i;

	for (i = 0; i < 5; i++)
		post_write(l.b, mr, i, 1, 0);
	for (i = 0; i < 5; i++)
		CHECK(next(&l));
	lab_end(&l);
}

TEST(credit_allows__unlimited)
{
	struct lab l = credit(0);
	u32 i;

	l.b->s.rsn_unlimited = true;
	for (i = 0; i < 5; i++)
		post_send(l.b, 1, 0);
	for (i = 0; i < 5; i++)
		CHECK(next(&l));
	lab_end(&l);
}

TEST(stream_credit__only_grows)
{
	struct lab l = credit(5);

	mroce_stream_credit(&l.b->s, 7, l.w->now);
	CHECK_EQ(l.b->s.rsn_limit, 7);
	mroce_stream_credit(&l.b->s, 6, l.w->now);
	CHECK_EQ(l.b->s.rsn_limit, 7);
	l.b->s.rsn_limit = ~0U;
	mroce_stream_credit(&l.b->s, 3, l.w->now);
	CHECK_EQ(l.b->s.rsn_limit, 3);
	lab_end(&l);
}

/* [M83] */
TEST(msg_refused__rnr_waits_for_its_timer)
{
	struct lab l = credit(10);
	struct mroce_seg *seg;

	post_send(l.b, 600, 0);
	post_send(l.b, 1, 0);
	seg = next(&l);
	next(&l);
	refused(&l, seg, MROCE_SYN_RNR, 12);
	CHECK(!next(&l));
	tick(&l, 639 * US);
	CHECK(!next(&l));
	tick(&l, US);
	seg = next(&l);
	CHECK(seg);
	CHECK_EQ(seg->offset, 0);
	CHECK_EQ(seg->msg->msn, 0);
	/* Then on with the rest. */
	seg = next(&l);
	CHECK_EQ(seg->offset, 512);
	CHECK_EQ(next(&l)->msg->msn, 1);
	lab_end(&l);
}

TEST(msg_refused__goes_out_again_in_order)
{
	struct lab l = credit(10);
	struct mroce_seg *seg[6];
	u32 i;

	post_send(l.b, 700, 0);
	post_send(l.b, 700, 0);
	for (i = 0; i < 6; i++)
		seg[i] = next(&l);
	refused(&l, seg[4], MROCE_SYN_RNR, 1);
	refused(&l, seg[1], MROCE_SYN_RNR, 1);
	refused(&l, seg[5], MROCE_SYN_RNR, 1);
	refused(&l, seg[0], MROCE_SYN_RNR, 1);
	tick(&l, 10 * US);
	for (i = 0; i < 4; i++) {
		static const u32 off[] = { 0, 256, 256, 512 };
		struct mroce_seg *s = next(&l);

		CHECK_EQ(s->msg->msn, i / 2);
		CHECK_EQ(s->offset, off[i]);
	}
	CHECK(!next(&l));
	lab_end(&l);
}

TEST(rnr_delay__ibta_codes)
{
	CHECK_EQ(mroce_rnr_delay(0), 655360 * US);
	CHECK_EQ(mroce_rnr_delay(1), 10 * US);
	CHECK_EQ(mroce_rnr_delay(12), 640 * US);
	CHECK_EQ(mroce_rnr_delay(31), 491520 * US);
	CHECK_EQ(mroce_rnr_delay(32 + 1), 10 * US);
}

static void retry_2(struct wqp *a, struct wqp *b)
{
	b->attr.rnr_retry = 2;
	b->attr.retry_cnt = 2;
}

/* [M84] */
TEST(refused_rnr__retries_are_counted_in_rounds)
{
	struct lab l = lab_pair_with(NULL, retry_2);
	struct mroce_seg *seg[3];
	struct wmsg *m;
	u32 round, i;

	l.b->s.rsn_limit = 10;
	m = post_send(l.b, 700, 0);
	m->expect = MROCE_ST_RNR_EXC;
	post_send(l.b, 1, 0)->expect = MROCE_ST_FLUSH;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 3; i++)
			CHECK((seg[i] = next(&l)));
		CHECK(!m->done);
		for (i = 0; i < 3 && !m->done; i++)
			refused(&l, seg[i], MROCE_SYN_RNR, 1);
		tick(&l, 10 * US);
	}
	CHECK(m->done);
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_STREAM_RNR_EXC], 1);
	lab_end(&l);
}

TEST(refused_rnr__zero_retries_fail_at_once)
{
	struct lab l = credit(10);
	struct wmsg *m = post_send(l.b, 1, 0);

	m->expect = MROCE_ST_RNR_EXC;
	l.b->s.attr.rnr_retry = 0;
	l.b->s.rnr_left = 0;
	refused(&l, next(&l), MROCE_SYN_RNR, 1);
	CHECK(m->done);
	lab_end(&l);
}

TEST(refused_rnr__seven_is_for_ever)
{
	struct lab l = credit(10);
	struct wmsg *m = post_send(l.b, 1, 0);
	u32 i;

	for (i = 0; i < 1000; i++) {
		refused(&l, next(&l), MROCE_SYN_RNR, 1);
		tick(&l, 10 * US);
	}
	CHECK(!m->done);
	lab_end(&l);
}

TEST(refused_rnr__progress_gives_the_retries_back)
{
	struct lab l = lab_pair_with(NULL, retry_2);
	u32 i, k;

	l.b->s.rsn_limit = 100;
	for (i = 0; i < 10; i++) {
		post_send(l.b, 1, 0);
		for (k = 0; k < 2; k++) {
			refused(&l, next(&l), MROCE_SYN_RNR, 1);
			tick(&l, 10 * US);
		}
		accepted(&l, next(&l));
	}
	CHECK_EQ(l.b->ok, 10);
	lab_end(&l);
}

TEST(refused_rnr__only_the_oldest_counts)
{
	struct lab l = lab_pair_with(NULL, retry_2);
	struct mroce_seg *first, *seg;
	u32 i;

	l.b->s.rsn_limit = 10;
	post_send(l.b, 1, 0);
	first = next(&l);
	post_send(l.b, 1, 0);
	for (i = 0; i < 20; i++) {
		seg = next(&l);
		refused(&l, seg, MROCE_SYN_RNR, 1);
		tick(&l, 10 * US);
	}
	CHECK_EQ(l.b->state, QP_RTS);
	accepted(&l, first);
	CHECK_EQ(l.b->ok, 1);
	lab_end(&l);
}

/* [M85] */
TEST(refused_no_stream__rounds_of_the_timeout)
{
	struct lab l = lab_pair_with(NULL, retry_2);
	struct wmsg *m;
	u64 start = l.w->now;
	u32 round;

	l.b->s.rsn_limit = 10;
	m = post_send(l.b, 1, 0);
	m->expect = MROCE_ST_RETRY_EXC;
	for (round = 0; round < 3; round++) {
		struct mroce_seg *seg = next(&l);

		CHECK(seg);
		l.conn->rx_last = l.w->now;
		refused(&l, seg, MROCE_SYN_NO_STREAM, 0);
		if (!m->done) {
			CHECK(!next(&l));
			tick(&l, mroce_stream_timeout(&l.b->s));
		}
	}
	CHECK(m->done);
	CHECK_EQ(l.w->now - start, 2 * (4096ULL << 14));
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_STREAM_RETRY_EXC], 1);
	lab_end(&l);
}

TEST(refused_no_stream__several_packets_of_a_round_count_once)
{
	struct lab l = lab_pair_with(NULL, retry_2);
	struct mroce_seg *seg[4];
	u32 i;

	l.b->s.rsn_limit = 10;
	post_send(l.b, 1000, 0);
	for (i = 0; i < 4; i++)
		seg[i] = next(&l);
	for (i = 0; i < 4; i++)
		refused(&l, seg[i], MROCE_SYN_NO_STREAM, 0);
	CHECK_EQ(l.b->s.nostream_rounds, 1);
	tick(&l, mroce_stream_timeout(&l.b->s));
	for (i = 0; i < 4; i++)
		CHECK((seg[i] = next(&l)));
	for (i = 0; i < 4; i++)
		accepted(&l, seg[i]);
	CHECK_EQ(l.b->s.nostream_rounds, 0);
	CHECK_EQ(l.b->ok, 1);
	lab_end(&l);
}

/* [M86] */
TEST(refused_later__the_oldest_at_once_others_when_it_moves)
{
	struct lab l = credit(10);
	struct mroce_seg *seg[2], *again;

	post_send(l.b, 10, 0);
	post_send(l.b, 10, 0);
	seg[0] = next(&l);
	seg[1] = next(&l);
	refused(&l, seg[1], MROCE_SYN_LATER, 0);
	CHECK(!next(&l));
	refused(&l, seg[0], MROCE_SYN_LATER, 0);
	again = next(&l);
	CHECK(again);
	CHECK_EQ(again->msg->msn, 0);
	CHECK(!next(&l));
	accepted(&l, again);
	again = next(&l);
	CHECK(again);
	CHECK_EQ(again->msg->msn, 1);
	lab_end(&l);
}

TEST(refused_later__at_the_latest_after_an_rto)
{
	struct lab l = credit(10);
	struct mroce_seg *seg;

	post_send(l.b, 10, 0);
	post_send(l.b, 10, 0);
	next(&l);
	seg = next(&l);
	refused(&l, seg, MROCE_SYN_LATER, 0);
	tick(&l, max(mroce_conn_rto(l.conn), 50 * US));
	CHECK(next(&l));
	lab_end(&l);
}

/* [M99] */
TEST(stream_error__waits_for_its_turn_then_flushes)
{
	struct lab l = credit(10);
	struct wmsg *m[4];
	struct mroce_seg *seg[4];
	u32 i;

	for (i = 0; i < 4; i++) {
		m[i] = post_send(l.b, 10, 0);
		if (i < 3)
			seg[i] = next(&l);
	}
	m[2]->expect = MROCE_ST_REM_ACCESS;
	m[3]->expect = MROCE_ST_FLUSH;
	refused(&l, seg[2], MROCE_SYN_ACCESS, 0);
	CHECK(!m[2]->done);
	CHECK(!next(&l));
	accepted(&l, seg[1]);
	CHECK(!m[1]->done);
	accepted(&l, seg[0]);
	CHECK(m[0]->done && m[1]->done && m[2]->done && m[3]->done);
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->why, MROCE_FAIL_SEND);
	CHECK_EQ(l.conn->backlog, 0);
	lab_end(&l);
}

TEST(stream_error__the_lowest_counts)
{
	struct lab l = credit(10);
	struct wmsg *m[3];
	struct mroce_seg *seg[3];
	u32 i;

	for (i = 0; i < 3; i++) {
		m[i] = post_send(l.b, 10, 0);
		seg[i] = next(&l);
	}
	m[1]->expect = MROCE_ST_REM_INVALID;
	m[2]->expect = MROCE_ST_FLUSH;
	refused(&l, seg[2], MROCE_SYN_OP, 0);
	refused(&l, seg[1], MROCE_SYN_INVALID, 0);
	accepted(&l, seg[0]);
	CHECK(m[2]->done);
	lab_end(&l);
}

TEST(stream_error__statuses)
{
	static const u8 want[MROCE_SYN_MAX] = {
		[MROCE_SYN_INVALID] = MROCE_ST_REM_INVALID, [MROCE_SYN_ACCESS] = MROCE_ST_REM_ACCESS,
		[MROCE_SYN_OP] = MROCE_ST_REM_OP,
	};
	u8 syn;

	for (syn = MROCE_SYN_INVALID; syn < MROCE_SYN_MAX; syn++) {
		struct lab l = credit(10);
		struct wmsg *m = post_send(l.b, 10, 0);

		m->expect = want[syn];
		refused(&l, next(&l), syn, 0);
		CHECK(m->done);
		lab_end(&l);
	}
}

TEST(stream_post__bad_work_request_fails_at_its_turn)
{
	struct lab l = credit(10);
	struct wmsg *a = post_send(l.b, 10, 0), *b = wmsg_new(l.b, MROCE_MSG_SEND, 10, 0), *c;
	struct mroce_seg *seg = next(&l);

	b->m.status = MROCE_ST_LOC_PROT;
	b->expect = MROCE_ST_LOC_PROT;
	wmsg_post(b);
	CHECK(!b->done);
	c = post_send(l.b, 10, 0);
	c->expect = MROCE_ST_FLUSH;
	CHECK(!next(&l));
	accepted(&l, seg);
	CHECK(a->done && b->done && c->done);
	lab_end(&l);
}

TEST(stream_post__bad_and_alone_fails_at_once)
{
	struct lab l = credit(10);
	struct wmsg *b = wmsg_new(l.b, MROCE_MSG_SEND, 10, 0);

	b->m.status = MROCE_ST_LOC_LEN;
	b->expect = MROCE_ST_LOC_LEN;
	wmsg_post(b);
	CHECK(b->done);
	CHECK_EQ(l.b->state, QP_ERR);
	b = wmsg_new(l.b, MROCE_MSG_SEND, 1, 0);
	b->expect = MROCE_ST_FLUSH;
	wmsg_post(b);
	CHECK(b->done);
	lab_end(&l);
}

static void no_reads(struct wqp *a, struct wqp *b)
{
	b->attr.max_rd_atomic = 0;
}

TEST(stream_post__reads_with_no_resources)
{
	struct lab l = lab_pair_with(NULL, no_reads);
	struct wmsg *m = wmsg_new(l.b, MROCE_MSG_READ, 8, 0);

	m->expect = MROCE_ST_LOC_OP;
	wmsg_post(m);
	CHECK(m->done);
	lab_end(&l);
}

/* [M107] */
TEST(msg_may_send__reads_outstanding)
{
	struct lab l = credit(10);
	struct wmr *mr = remote(&l);
	u32 i;

	l.b->s.attr.max_rd_atomic = 2;
	for (i = 0; i < 4; i++)
		post_read(l.b, mr, 0, 8, 0);
	CHECK(next(&l));
	CHECK(next(&l));
	CHECK(!next(&l));
	mroce_msg_answered(&l.b->s, list_first_entry(&l.b->s.rd_list, struct mroce_msg, rd_link), l.w->now);
	CHECK(next(&l));
	CHECK(!next(&l));
	l.w->lax = true;
	lab_end(&l);
}

TEST(msg_may_send__fence)
{
	struct lab l = credit(10);
	struct wmr *mr = remote(&l);
	struct mroce_seg *seg;
	struct wmsg *r = post_read(l.b, mr, 0, 0, 0);

	post_send(l.b, 1, MROCE_MSG_F_FENCE);
	seg = next(&l);
	CHECK(!next(&l));
	accepted(&l, seg);
	CHECK(!next(&l));
	mroce_msg_answered(&l.b->s, &r->m, l.w->now);
	CHECK(next(&l));
	lab_end(&l);
}

TEST(msg_answered__proves_that_the_request_was_accepted)
{
	struct lab l = credit(10);
	struct wmr *mr = remote(&l);
	struct wmsg *r = post_read(l.b, mr, 0, 0, 0);
	struct mroce_seg *seg = next(&l);

	CHECK(seg);
	mroce_msg_answered(&l.b->s, &r->m, l.w->now);
	CHECK(r->done);
	CHECK_EQ(l.b->s.una_msn, 1);
	CHECK(list_empty(&l.b->s.segs));
	lab_end(&l);
}

TEST(msg_answered__although_the_request_waits_to_be_sent_again)
{
	struct lab l = credit(10);
	struct wmr *mr = remote(&l);
	struct wmsg *r = post_read(l.b, mr, 0, 0, 0);

	refused(&l, next(&l), MROCE_SYN_LATER, 0);
	CHECK(!list_empty(&l.b->s.requeue));
	mroce_msg_answered(&l.b->s, &r->m, l.w->now);
	CHECK(r->done);
	CHECK(list_empty(&l.b->s.requeue));
	lab_end(&l);
}

TEST(run_local__in_order)
{
	struct lab l = credit(10);
	struct wmsg *m[3];
	struct mroce_seg *seg;

	m[0] = post_send(l.b, 1, 0);
	m[1] = post_local(l.b, MROCE_ST_OK, 0);
	m[2] = post_send(l.b, 1, 0);
	CHECK_EQ(m[1]->local_runs, 0);
	seg = next(&l);
	CHECK_EQ(next(&l)->msg->msn, 1);
	CHECK_EQ(m[1]->local_runs, 1);
	CHECK(!m[1]->done);
	accepted(&l, seg);
	CHECK(m[0]->done && m[1]->done);
	lab_end(&l);
}

TEST(run_local__may_fail)
{
	struct lab l = credit(10);
	struct wmsg *m = post_local(l.b, MROCE_ST_MW_BIND, 0);

	post_send(l.b, 1, 0)->expect = MROCE_ST_FLUSH;
	CHECK(!next(&l));
	CHECK(m->done);
	CHECK_EQ(l.b->state, QP_ERR);
	lab_end(&l);
}

TEST(stream_sqd__lets_the_message_in_progress_end)
{
	struct lab l = credit(10);
	struct wmsg *m = post_send(l.b, 600, 0), *n = post_send(l.b, 1, 0);
	struct mroce_seg *seg[3];
	u32 i;

	seg[0] = next(&l);
	qp_sqd(l.b);
	CHECK_EQ(l.b->drained, 0);
	for (i = 1; i < 3; i++)
		CHECK((seg[i] = next(&l)));
	CHECK(!next(&l));
	for (i = 0; i < 3; i++)
		accepted(&l, seg[i]);
	CHECK(m->done && !n->done);
	CHECK_EQ(l.b->drained, 1);
	qp_rts(l.b);
	CHECK(next(&l));
	lab_end(&l);
}

TEST(stream_sqd__with_nothing_to_do)
{
	struct lab l = credit(10);

	qp_sqd(l.b);
	CHECK_EQ(l.b->drained, 1);
	post_send(l.b, 1, 0);
	CHECK(!next(&l));
	CHECK_EQ(l.b->drained, 1);
	lab_end(&l);
}

/* [M121] The stream must not be forgotten when memory for a segment is missing. */
TEST(next_seg__no_memory_tries_again)
{
	struct world *w = world_new(NULL, 1);
	struct wqp *a, *b;

	qp_pair(w, 0, 1, &a, &b);
	post_recvs(b, 3, 100);
	post_send(a, 10, 0);
	world_settle(w, SEC);
	world_run(w, 5 * SEC);
	/* Pools are trimmed now. */
	a->h->alloc_fail = 1000000;
	post_send(a, 10, 0);
	world_run(w, 10 * MS);
	CHECK_EQ(a->ok, 1);
	a->h->alloc_fail = 0;
	CHECK_LE(world_settle(w, SEC), 10 * MS);
	world_end(w);
}

TEST(next_seg__no_memory_for_a_response_tries_again)
{
	struct world *w = world_new(NULL, 1);
	struct wqp *a, *b;
	struct wmr *mr;
	u32 i;

	qp_pair(w, 0, 1, &a, &b);
	mr = mr_new(b->h, 4096, MROCE_ACC_READ, false);
	mr_fill(mr, mr->rkey);
	world_run(w, 5 * SEC);
	b->h->alloc_fail = 700000;
	for (i = 0; i < 20; i++)
		post_read(a, mr, 0, 3000, 0);
	world_run(w, 20 * MS);
	b->h->alloc_fail = 0;
	CHECK_LE(world_settle(w, SEC), 100 * MS);
	world_end(w);
}
