// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/control.c: OPEN, OPENED, CLOSED, QUERY. [M67, M70, M71, M72, M110, M111, M112, M113]
 */
#include "lab.h"

struct ctl {
	u8 opcode;
	u32 qpn;
	u32 src_qpn;
	u32 tag;
	u32 nonce;
	u32 rsn_limit;
	u32 syndrome;
	u8 flags;
};

static struct mroce_verdict ctl_in(struct lab *l, struct ctl c)
{
	struct wpkt *pkt = wpkt_new(MROCE_DATA_HDR_LEN);
	struct mroce_ctrl_hdr h = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_DATA), .opcode = c.opcode, .flags = c.flags, .qpn = cpu_to_be32(c.qpn),
		.tag = cpu_to_be32(c.tag), .src_qpn = cpu_to_be32(c.src_qpn), .nonce = cpu_to_be32(c.nonce),
		.rsn_limit = cpu_to_be32(c.rsn_limit), .syndrome = cpu_to_be32(c.syndrome),
	};
	struct mroce_rx rx = lab_rx(pkt);
	struct mroce_verdict v;
	struct mroce_data d;

	memcpy(pkt->data, &h, sizeof(h));
	CHECK(mroce_decode_data(&rx, &d));
	v = mroce_ctrl_input(l->conn, &d, &rx, l->w->now);
	wpkt_free(pkt);
	return v;
}

static u8 open_verdict(struct lab *l, u32 qpn, u32 src)
{
	struct mroce_verdict v = ctl_in(l, (struct ctl){ .opcode = MROCE_OP_OPEN, .qpn = qpn, .src_qpn = src, .nonce = 5 });

	return v.what == MROCE_V_ACCEPT ? MROCE_SYN_NONE : v.syn;
}

TEST(ctrl_open__needs_a_queue_pair_that_names_the_sender)
{
	struct lab l = lab_pair(NULL);

	CHECK_EQ(open_verdict(&l, l.b->qpn, l.a->qpn), MROCE_SYN_NONE);
	CHECK_EQ(open_verdict(&l, l.b->qpn, l.a->qpn + 1), MROCE_SYN_NO_STREAM);
	CHECK_EQ(open_verdict(&l, l.b->qpn + 100, l.a->qpn), MROCE_SYN_NO_STREAM);
	lab_end(&l);
}

TEST(ctrl_open__not_in_error)
{
	struct lab l = lab_pair(NULL);

	qp_err(l.b);
	CHECK_EQ(open_verdict(&l, l.b->qpn, l.a->qpn), MROCE_SYN_NO_STREAM);
	lab_end(&l);
}

TEST(ctrl_open__answer_has_tag_nonce_and_credit)
{
	struct lab l = lab_pair(NULL);
	struct mroce_seg *seg;

	post_recvs(l.b, 7, 10);
	CHECK_EQ(open_verdict(&l, l.b->qpn, l.a->qpn), MROCE_SYN_NONE);
	seg = list_last_entry(&l.conn->ctrl, struct mroce_seg, link);
	CHECK_EQ(seg->ctrl.opcode, MROCE_OP_OPENED);
	CHECK_EQ(seg->ctrl.qpn, l.a->qpn);
	CHECK_EQ(seg->ctrl.src_qpn, l.b->qpn);
	CHECK_EQ(seg->ctrl.tag, l.b->s.rx_tag);
	CHECK_EQ(seg->ctrl.nonce, 5);
	CHECK_EQ(seg->ctrl.rsn_limit, 7);
	CHECK_EQ(seg->ctrl.flags, 0);
	lab_end(&l);
}

TEST(ctrl_open__shared_queue_has_no_credit)
{
	struct lab l = lab_pair(NULL);
	struct mroce_seg *seg;

	qp_srq(l.b, srq_new(l.w));
	CHECK_EQ(open_verdict(&l, l.b->qpn, l.a->qpn), MROCE_SYN_NONE);
	seg = list_last_entry(&l.conn->ctrl, struct mroce_seg, link);
	CHECK_EQ(seg->ctrl.flags, MROCE_F_UNLIMITED);
	lab_end(&l);
}

TEST(ctrl_open__no_memory_drops)
{
	struct lab l = lab_pair(NULL);
	struct mroce_verdict v;

	mroce_pool_trim(&l.wp->p, &l.conn->segs);
	l.b->h->alloc_fail = 1000000;
	v = ctl_in(&l, (struct ctl){ .opcode = MROCE_OP_OPEN, .qpn = l.b->qpn, .src_qpn = l.a->qpn });
	CHECK_EQ(v.what, MROCE_V_DROP);
	l.b->h->alloc_fail = 0;
	lab_end(&l);
}

TEST(ctrl_opened__only_with_the_newest_nonce)
{
	struct lab l = lab_pair(NULL);
	struct wqp *c = qp_new(l.b->h);
	struct ctl in = { .opcode = MROCE_OP_OPENED, .src_qpn = 0x777, .tag = 0xabc, .rsn_limit = 3 };

	CHECK_EQ(qp_rtr(c, l.a->h, 0x777, NULL), 0);
	in.qpn = c->qpn;
	in.nonce = c->s.nonce ^ 1;
	CHECK_ACCEPTED(ctl_in(&l, in));
	CHECK(!c->s.opened);
	in.nonce = c->s.nonce;
	in.src_qpn = 0x778;
	CHECK_ACCEPTED(ctl_in(&l, in));
	CHECK(!c->s.opened);
	in.src_qpn = 0x777;
	CHECK_ACCEPTED(ctl_in(&l, in));
	CHECK(c->s.opened);
	CHECK_EQ(c->s.tx_tag, 0xabc);
	CHECK_EQ(c->s.rsn_limit, 3);
	/* A second one changes nothing. */
	in.tag = 0xdef;
	CHECK_ACCEPTED(ctl_in(&l, in));
	CHECK_EQ(c->s.tx_tag, 0xabc);
	in.qpn = 0xfffff0;
	CHECK_ACCEPTED(ctl_in(&l, in));
	lab_end(&l);
}

static struct wmsg *pending_read(struct lab *l)
{
	struct wmr *mr = mr_new(l->a->h, 64, MROCE_ACC_READ, false);
	struct wmsg *m = wmsg_new(l->b, MROCE_MSG_READ, 64, 0);

	links_black(l->w, -1, -1, true);
	m->m.rkey = mr->rkey;
	m->m.raddr = mr->addr;
	m->expect = W_ANY;
	wmsg_post(m);
	l->wp->depth--;
	core_enter(l->wp);
	core_leave(l->wp);
	l->wp->depth++;
	CHECK_EQ(l->b->s.rd_out, 1);
	return m;
}

static u8 closed_gives(u32 syndrome, u32 wrong_tag)
{
	struct lab l = lab_pair(NULL);
	struct wmsg *m = pending_read(&l);
	u8 status;

	CHECK_ACCEPTED(ctl_in(&l, (struct ctl){
		.opcode = MROCE_OP_CLOSED, .qpn = l.b->qpn, .src_qpn = l.a->qpn, .tag = l.b->s.rx_tag ^ wrong_tag,
		.syndrome = syndrome }));
	status = m->done ? m->status : W_ANY;
	lab_end(&l);
	return status;
}

TEST(ctrl_closed__fails_the_oldest_request)
{
	CHECK_EQ(closed_gives(MROCE_SYN_NONE, 0), MROCE_ST_RETRY_EXC);
	CHECK_EQ(closed_gives(MROCE_SYN_ACCESS, 0), MROCE_ST_REM_ACCESS);
	CHECK_EQ(closed_gives(MROCE_SYN_INVALID, 0), MROCE_ST_REM_INVALID);
	CHECK_EQ(closed_gives(MROCE_SYN_OP, 0), MROCE_ST_REM_OP);
	CHECK_EQ(closed_gives(12345, 0), MROCE_ST_RETRY_EXC);
}

TEST(ctrl_closed__of_another_life_is_nothing)
{
	CHECK_EQ(closed_gives(MROCE_SYN_ACCESS, 1), W_ANY);
}

TEST(ctrl_closed__nothing_outstanding)
{
	struct lab l = lab_pair(NULL);

	CHECK_ACCEPTED(ctl_in(&l, (struct ctl){
		.opcode = MROCE_OP_CLOSED, .qpn = l.b->qpn, .src_qpn = l.a->qpn, .tag = l.b->s.rx_tag }));
	CHECK_EQ(l.b->state, QP_RTS);
	CHECK_ACCEPTED(ctl_in(&l, (struct ctl){ .opcode = MROCE_OP_CLOSED, .qpn = 0xfffff0 }));
	lab_end(&l);
}

TEST(ctrl_query__is_about_one_life)
{
	struct lab l = lab_pair(NULL);
	struct ctl q = { .opcode = MROCE_OP_QUERY, .qpn = l.b->qpn, .src_qpn = l.a->qpn, .tag = l.b->s.rx_tag };

	CHECK_ACCEPTED(ctl_in(&l, q));
	q.tag ^= 1;
	CHECK_REFUSED(ctl_in(&l, q), MROCE_SYN_NO_STREAM);
	q.tag ^= 1;
	q.qpn ^= 0x80;
	CHECK_REFUSED(ctl_in(&l, q), MROCE_SYN_NO_STREAM);
	q.qpn ^= 0x80;
	qp_err(l.b);
	CHECK_REFUSED(ctl_in(&l, q), MROCE_SYN_NO_STREAM);
	lab_end(&l);
}

TEST(ctrl_refused__query_fails_the_request)
{
	struct lab l = lab_pair(NULL);
	struct wmsg *m = pending_read(&l);
	struct mroce_ctrl c = { .opcode = MROCE_OP_QUERY, .src_qpn = l.b->qpn, .qpn = l.a->qpn, .tag = l.b->s.tx_tag };

	c.tag ^= 1;
	mroce_ctrl_refused(l.conn, &c, l.w->now);
	CHECK(!m->done);
	c.tag ^= 1;
	mroce_ctrl_refused(l.conn, &c, l.w->now);
	CHECK(m->done);
	CHECK_EQ(m->status, MROCE_ST_RETRY_EXC);
	lab_end(&l);
}

TEST(ctrl_refused__open_backs_off)
{
	struct lab l = lab_pair(NULL);
	struct wqp *c = qp_new(l.b->h);
	struct mroce_ctrl o = { .opcode = MROCE_OP_OPEN, .qpn = 0x777 };
	u64 wait = 0;
	u32 i;

	CHECK_EQ(qp_rtr(c, l.a->h, 0x777, NULL), 0);
	o.src_qpn = c->qpn;
	for (i = 0; i < 12; i++) {
		u64 was = wait;

		o.nonce = c->s.nonce;
		mroce_ctrl_refused(l.conn, &o, l.w->now);
		CHECK(c->s.open_timer.armed);
		wait = c->s.open_timer.expires - l.w->now;
		CHECK_GE(wait, was);
		CHECK_LE(wait, 200 * MS);
	}
	CHECK_EQ(wait, 200 * MS);
	/* An old nonce is of no interest. */
	mroce_timer_cancel(&l.wp->p.timers, &c->s.open_timer);
	o.nonce ^= 1;
	mroce_ctrl_refused(l.conn, &o, l.w->now);
	CHECK(!c->s.open_timer.armed);
	o.src_qpn = 0xfffff0;
	mroce_ctrl_refused(l.conn, &o, l.w->now);
	lab_end(&l);
}
