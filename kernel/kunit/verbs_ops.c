// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the core asks of the test world's queue pairs and memory, and the checks that make it a
 * judge: each byte of each message is placed once and right before its completion, completions
 * come in order and once, receives match sends.
 */
#include "world.h"

/* --- what a completion promises --- */

/* Each byte of a Write is at its place, once. */
static void msg_check_placed(const struct wmsg *m)
{
	u32 i;

	if (!m->check || m->mr->dead || m->m.kind != MROCE_MSG_WRITE)
		return;
	for (i = 0; i < m->m.len; i++) {
		CHECK_EQ(m->mr->cnt[m->mr_off + i], 1);
		CHECK_EQ(m->mr->buf[m->mr_off + i], pattern(m->seed, i));
	}
}

/*
 * The message of the remote end that consumes the receive which finishes now; all before it must
 * be placed.
 */
static const struct wmsg *log_next_recv(struct wqp *qp)
{
	const struct wqp *from = qp->remote;

	for (;;) {
		const struct wmsg *m;

		CHECK_LT(qp->checked - from->msn_base, from->log_n);
		m = from->log[qp->checked++ - from->msn_base];
		msg_check_placed(m);
		if (mroce_msg_uses_rsn(&m->m))
			return m;
	}
}

static u8 opcode_of(const struct mroce_msg *m)
{
	if (m->kind == MROCE_MSG_WRITE)
		return MROCE_OP_WRITE_IMM;
	if (m->flags & MROCE_MSG_F_IMM)
		return MROCE_OP_SEND_IMM;
	return m->flags & MROCE_MSG_F_INV ? MROCE_OP_SEND_INV : MROCE_OP_SEND;
}

static void check_recv(struct wqp *qp, const struct wrecv *r)
{
	const struct wmsg *m = log_next_recv(qp);
	u32 i;

	CHECK_EQ(m->m.rsn, qp->done_rsn);
	CHECK_EQ(r->info.opcode, opcode_of(&m->m));
	CHECK_EQ(r->info.byte_len, m->m.len);
	CHECK_EQ(r->info.solicited, !!(m->m.flags & MROCE_MSG_F_SOLICITED));
	if (m->m.flags & (MROCE_MSG_F_IMM | MROCE_MSG_F_INV))
		CHECK_EQ(r->info.imm, m->m.imm);
	if (m->m.kind != MROCE_MSG_SEND || !r->cnt)
		return;
	CHECK_EQ(r->r.placed, m->m.len > 0);
	for (i = 0; i < m->m.len; i++) {
		CHECK_EQ(r->cnt[i], 1);
		CHECK_EQ(r->buf[i], pattern(m->seed, i));
	}
	for (; i < r->r.len; i++)
		CHECK_EQ(r->cnt[i], 0);
}

static void check_read(const struct wmsg *m)
{
	u32 i;

	if (!m->check)
		return;
	for (i = 0; i < m->m.len; i++) {
		CHECK_EQ(m->cnt[i], 1);
		CHECK_EQ(m->buf[i], pattern(m->mr_seed, m->mr_off + i));
	}
}

static void check_success(struct wqp *qp, const struct wmsg *m)
{
	CHECK_EQ(m->m.status, MROCE_ST_OK);
	CHECK(!m->bad_local || !m->m.len);
	switch (m->m.kind) {
	case MROCE_MSG_READ:
		check_read(m);
		return;
	case MROCE_MSG_CMP_SWAP:
	case MROCE_MSG_FETCH_ADD:
		CHECK_EQ(m->answers, 1);
		return;
	case MROCE_MSG_LOCAL:
		CHECK_EQ(m->local_runs, 1);
		return;
	}
	msg_check_placed(m);
	/*
	 * Accepted in full, and so was all before it: its turn has been, unless the other end
	 * has ended since, or is about to (memory revoked under a held packet).
	 */
	if (mroce_msg_uses_rsn(&m->m) && qp->remote && qp->remote->state >= QP_RTR &&
	    qp->remote->state != QP_ERR && !qp->remote->s.rx_has_err)
		CHECK((s32)(qp->remote->done_rsn - m->m.rsn) > 0);
}

/* --- the core's ops --- */

static struct wmr *mr_range(struct wqp *qp, u32 rkey, u64 addr, u32 len, unsigned int acc)
{
	struct wmr *mr = mr_find(qp->h, rkey);

	if (!mr || (mr->access & acc) != acc || addr < mr->addr || addr + len > mr->addr + mr->len)
		return NULL;
	return mr;
}

struct mroce_stream *op_stream_find(struct mroce_peer *p, u32 qpn)
{
	struct wpeer *wp = wpeer_of(p);
	struct wqp *qp;

	list_for_each_entry(qp, &wp->h->qps, link)
		if (qp->qpn == qpn && qp->peer == wp)
			return &qp->s;
	return NULL;
}

void op_send_done(struct mroce_stream *s, struct mroce_msg *msg, u8 status)
{
	struct wmsg *m = container_of(msg, struct wmsg, m);
	struct wqp *qp = qp_of(s);

	CHECK(!m->done);
	CHECK(m->qp == qp);
	CHECK(list_is_first(&m->link, &qp->sends));
	list_move_tail(&m->link, &qp->done_sends);
	m->done = true;
	m->status = status;
	m->done_at = qp->h->w->now;
	qp->completed++;
	if (m->expect != W_ANY)
		CHECK_EQ(status, m->expect);
	if (status == MROCE_ST_OK) {
		CHECK_EQ(qp->first_error, MROCE_ST_OK);
		CHECK_EQ(qp->flushed, 0);
		qp->ok++;
		if (!qp->h->w->lax)
			check_success(qp, m);
	} else if (status == MROCE_ST_FLUSH) {
		qp->flushed++;
	} else {
		/* One error, then everything flushes. */
		CHECK_EQ(qp->first_error, MROCE_ST_OK);
		CHECK_EQ(qp->flushed, 0);
		qp->first_error = status;
	}
}

static void recv_finished(struct wqp *qp, struct wrecv *r)
{
	r->done = true;
	if (qp->srq)
		list_del(&r->link);
	else
		list_del_init(&r->link);
	list_add_tail(&r->link, &qp->done_recvs);
}

void op_recv_done(struct mroce_stream *s, struct mroce_recv *recv,
		  const struct mroce_recv_info *info)
{
	struct wrecv *r = container_of(recv, struct wrecv, r);
	struct wqp *qp = qp_of(s);

	CHECK(!r->done);
	CHECK(r->qp == qp);
	CHECK(list_is_first(&r->link, &qp->bound));
	r->info = *info;
	recv_finished(qp, r);
	if (info->status == MROCE_ST_OK) {
		CHECK_EQ(qp->recv_error, MROCE_ST_OK);
		if (qp->remote && !qp->h->w->lax)
			check_recv(qp, r);
		qp->received++;
	} else {
		CHECK_EQ(qp->recv_error, MROCE_ST_OK);
		qp->recv_error = info->status;
	}
	qp->done_rsn++;
	if (qp->auto_recv)
		post_recv(qp, qp->auto_recv);
}

void op_stream_failed(struct mroce_stream *s, enum mroce_fail why)
{
	struct wqp *qp = qp_of(s);

	CHECK(qp->allow_fail);
	CHECK(list_empty(&qp->sends));
	CHECK_NE(qp->state, QP_ERR);
	qp->state = QP_ERR;
	qp->failed++;
	qp->why = why;
	qp_flush_recvs(qp);
}

void op_established(struct mroce_stream *s)
{
	struct wqp *qp = qp_of(s);

	CHECK_EQ(qp->established, 0);
	qp->established++;
}

void op_sq_drained(struct mroce_stream *s)
{
	struct wqp *qp = qp_of(s);

	CHECK_EQ(qp->state, QP_SQD);
	qp->drained++;
}

u8 op_local(struct mroce_stream *s, struct mroce_msg *msg)
{
	struct wmsg *m = container_of(msg, struct wmsg, m);

	CHECK(m->qp == qp_of(s));
	CHECK_EQ(m->m.kind, MROCE_MSG_LOCAL);
	m->local_runs++;
	return m->local_status;
}

struct mroce_recv *op_recv_bind(struct mroce_stream *s, u32 rsn)
{
	struct wqp *qp = qp_of(s);
	struct list_head *from = qp->srq ? &qp->srq->recvs : &qp->recvs;
	struct wrecv *r;

	CHECK_EQ(rsn, qp->bound_rsn);
	if (list_empty(from))
		return NULL;
	r = list_first_entry(from, struct wrecv, link);
	list_move_tail(&r->link, &qp->bound);
	if (!qp->srq)
		qp->nrecvs--;
	qp->bound_rsn++;
	r->qp = qp;
	return &r->r;
}

void op_recv_unbind(struct mroce_stream *s, struct mroce_recv *recv)
{
	struct wrecv *r = container_of(recv, struct wrecv, r);
	struct wqp *qp = qp_of(s);

	CHECK(list_is_first(&r->link, &qp->bound));
	if (qp->srq && !recv->placed) {
		r->qp = NULL;
		list_move(&r->link, &qp->srq->recvs);
		return;
	}
	r->flushed = true;
	qp->recv_flushed++;
	list_move_tail(&r->link, &qp->done_recvs);
}

u32 op_recv_limit(struct mroce_stream *s, bool *unlimited)
{
	struct wqp *qp = qp_of(s);

	if (qp->srq)
		*unlimited = true;
	return qp->bound_rsn + qp->nrecvs;
}

u8 op_rnr_timer(struct mroce_stream *s)
{
	return qp_of(s)->rnr_timer;
}

int op_mr_check(struct mroce_stream *s, u32 rkey, u64 addr, u32 len, unsigned int acc)
{
	struct wmr *mr = mr_range(qp_of(s), rkey, addr, len, acc);

	if (!mr)
		return -EACCES;
	return mr->relaxed ? MROCE_MR_RELAXED : 0;
}

static void copy_in(u8 *buf, u8 *cnt, u32 off, void *cookie, u32 pkt_off, u32 len)
{
	struct wpkt *pkt = cookie;
	u32 i;

	CHECK_LE(pkt_off + len, pkt->len);
	if (!buf)
		return;
	CHECK_LE(pkt_off + len, pkt->stored);
	memcpy(buf + off, pkt->data + pkt_off, len);
	for (i = 0; i < len; i++)
		if (cnt[off + i] < 255)
			cnt[off + i]++;
}

int op_place(struct mroce_stream *s, u32 rkey, u64 addr, void *cookie, u32 pkt_off, u32 len,
	     bool relaxed)
{
	struct wqp *qp = qp_of(s);
	struct wmr *mr = mr_range(qp, rkey, addr, len, MROCE_ACC_WRITE);
	u32 off;

	if (!mr)
		return -EACCES;
	CHECK_EQ(relaxed, mr->relaxed);
	CHECK(len);
	off = (u32)(addr - mr->addr);
	if (mr->ascending) {
		CHECK_EQ(off, mr->high);
		mr->high += len;
	}
	copy_in(mr->buf, mr->cnt, off, cookie, pkt_off, len);
	return 0;
}

int op_place_recv(struct mroce_stream *s, struct mroce_recv *recv, u32 offset, void *cookie,
		  u32 pkt_off, u32 len)
{
	struct wrecv *r = container_of(recv, struct wrecv, r);

	CHECK(!r->done && r->qp == qp_of(s));
	CHECK_LE((u64)offset + len, r->r.len);
	if (r->id == ~0ULL)
		return -EFAULT;
	copy_in(r->buf, r->cnt, offset, cookie, pkt_off, len);
	return 0;
}

int op_place_resp(struct mroce_stream *s, struct mroce_msg *msg, u32 offset, void *cookie,
		  u32 pkt_off, u32 len)
{
	struct wmsg *m = container_of(msg, struct wmsg, m);

	CHECK(!m->done && m->qp == qp_of(s));
	CHECK_LE((u64)offset + len, m->m.len);
	if (m->bad_local)
		return -EFAULT;
	copy_in(m->buf, m->cnt, offset, cookie, pkt_off, len);
	return 0;
}

int op_place_atomic(struct mroce_stream *s, struct mroce_msg *msg, u64 old)
{
	struct wmsg *m = container_of(msg, struct wmsg, m);

	CHECK(!m->done && m->qp == qp_of(s));
	if (m->bad_local)
		return -EFAULT;
	m->answers++;
	m->old = old;
	return 0;
}

int op_atomic(struct mroce_stream *s, u8 opcode, u32 rkey, u64 addr, u64 compare, u64 swap_add,
	      u64 *old)
{
	struct wmr *mr = mr_range(qp_of(s), rkey, addr, 8, MROCE_ACC_ATOMIC);
	u64 v;

	if (!mr)
		return -EACCES;
	CHECK_EQ(addr % 8, 0);
	memcpy(&v, mr->buf + (addr - mr->addr), 8);
	*old = v;
	if (opcode == MROCE_OP_FETCH_ADD)
		v += swap_add;
	else if (v == compare)
		v = swap_add;
	memcpy(mr->buf + (addr - mr->addr), &v, 8);
	return 0;
}

int op_invalidate(struct mroce_stream *s, u32 rkey)
{
	struct wmr *mr = mr_find(qp_of(s)->h, rkey);

	if (!mr)
		return -EINVAL;
	mr->dead = true;
	return 0;
}

void op_copy_payload(void *cookie, u32 pkt_off, void *dst, u32 len)
{
	struct wpkt *pkt = cookie;

	CHECK_LE(pkt_off + len, pkt->stored);
	memcpy(dst, pkt->data + pkt_off, len);
}
