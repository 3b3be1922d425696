// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs and memory regions of the test world, and the checks that make it a judge: each
 * byte of each message is placed once and right before its completion, completions come in
 * order and once, receives match sends.
 */
#include "world.h"

/* --- memory regions --- */

struct wmr *mr_new(struct whost *h, u32 len, unsigned int access, bool relaxed)
{
	struct wmr *mr = os_alloc(sizeof(*mr));

	mr->h = h;
	mr->len = len;
	mr->access = access;
	mr->relaxed = relaxed;
	h->next_key += 0x101;
	mr->rkey = h->next_key;
	mr->addr = (u64)mr->rkey << 24;
	if (!h->w->phantom) {
		mr->buf = os_alloc(len + 8);
		mr->cnt = os_alloc(len + 8);
	}
	list_add_tail(&mr->link, &h->mrs);
	return mr;
}

void mr_fill(struct wmr *mr, u32 seed)
{
	u32 i;

	for (i = 0; i < mr->len; i++)
		mr->buf[i] = pattern(seed, i);
}

void mr_kill(struct wmr *mr)
{
	mr->dead = true;
}

struct wmr *mr_find(struct whost *h, u32 rkey)
{
	struct wmr *mr;

	list_for_each_entry(mr, &h->mrs, link)
		if (mr->rkey == rkey && !mr->dead)
			return mr;
	return NULL;
}

static struct wmr *mr_range(struct wqp *qp, u32 rkey, u64 addr, u32 len, unsigned int acc)
{
	struct wmr *mr = mr_find(qp->h, rkey);

	if (!mr || (mr->access & acc) != acc || addr < mr->addr || addr + len > mr->addr + mr->len)
		return NULL;
	return mr;
}

/* --- queue pairs --- */

struct wqp *qp_of(const struct mroce_stream *s)
{
	struct wqp *qp = container_of(s, struct wqp, s);

	CHECK(qp->peer && qp->peer->depth);
	return qp;
}

struct wqp *qp_by_num(struct whost *h, u32 qpn)
{
	struct wqp *qp;

	list_for_each_entry(qp, &h->qps, link)
		if (qp->qpn == qpn)
			return qp;
	return NULL;
}

struct wqp *qp_new(struct whost *h)
{
	struct wqp *qp = os_alloc(sizeof(*qp));

	qp->h = h;
	h->next_qpn = (h->next_qpn + 1) & 0xffffff;
	qp->qpn = h->next_qpn;
	INIT_LIST_HEAD(&qp->sends);
	INIT_LIST_HEAD(&qp->done_sends);
	INIT_LIST_HEAD(&qp->recvs);
	INIT_LIST_HEAD(&qp->bound);
	INIT_LIST_HEAD(&qp->done_recvs);
	list_add_tail(&qp->link, &h->qps);
	qp_init(qp);
	return qp;
}

void qp_init(struct wqp *qp)
{
	CHECK_EQ(qp->s.peer ? 1 : 0, 0);
	memset(&qp->s, 0, sizeof(qp->s));
	qp->attr = (struct mroce_stream_attr){
		.qpn = qp->qpn,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 16,
		.max_dest_rd_atomic = 16,
		.access = MROCE_ACC_WRITE | MROCE_ACC_READ | MROCE_ACC_ATOMIC,
	};
	qp->rnr_timer = 1;
	qp->state = QP_INIT;
}

void qp_srq(struct wqp *qp, struct wsrq *srq)
{
	qp->srq = srq;
}

int qp_rtr(struct wqp *qp, struct whost *to, u32 dst_qpn, struct wqp *remote)
{
	struct wpeer *wp = host_peer(qp->h, to);
	int ret;

	CHECK_EQ(qp->state, QP_INIT);
	qp->attr.dst_qpn = dst_qpn;
	qp->remote = remote;
	core_enter(wp);
	ret = mroce_stream_attach(&qp->s, &wp->p, &qp->attr, qp->h->w->now);
	if (!ret) {
		qp->peer = wp;
		qp->state = QP_RTR;
		qp->life++;
	}
	core_leave(wp);
	return ret;
}

void qp_rts(struct wqp *qp)
{
	if (qp->state == QP_ERR)
		return;
	CHECK(qp->state == QP_RTR || qp->state == QP_SQD);
	qp->state = QP_RTS;
	core_enter(qp->peer);
	mroce_stream_rts(&qp->s, &qp->attr, qp->h->w->now);
	core_leave(qp->peer);
}

void qp_sqd(struct wqp *qp)
{
	CHECK_EQ(qp->state, QP_RTS);
	qp->state = QP_SQD;
	core_enter(qp->peer);
	mroce_stream_sqd(&qp->s, qp->h->w->now);
	core_leave(qp->peer);
}

void qp_flush_recvs(struct wqp *qp)
{
	struct wrecv *r, *tmp;

	CHECK(list_empty(&qp->bound));
	list_for_each_entry_safe(r, tmp, &qp->recvs, link) {
		r->flushed = true;
		qp->recv_flushed++;
		qp->nrecvs--;
		list_move_tail(&r->link, &qp->done_recvs);
	}
}

void qp_err(struct wqp *qp)
{
	if (qp->state < QP_RTR || qp->state == QP_ERR)
		return;
	qp->state = QP_ERR;
	core_enter(qp->peer);
	mroce_stream_flush(&qp->s, qp->h->w->now);
	CHECK(list_empty(&qp->sends));
	qp_flush_recvs(qp);
	core_leave(qp->peer);
}

void qp_reset(struct wqp *qp)
{
	struct wmsg *m, *tmp;

	if (qp->peer) {
		core_enter(qp->peer);
		mroce_stream_detach(&qp->s, qp->h->w->now);
		CHECK(!qp->s.peer);
		core_leave(qp->peer);
	}
	list_for_each_entry_safe(m, tmp, &qp->sends, link) {
		m->done = true;
		m->status = W_ANY;
		qp->completed++;
		list_move_tail(&m->link, &qp->done_sends);
	}
	qp_flush_recvs(qp);
	memset(&qp->s, 0, sizeof(qp->s));
	qp->peer = NULL;
	qp->state = QP_RESET;
	qp->life++;
	qp->log_n = 0;
	qp->msn_base = 0;
	qp->checked = 0;
	qp->bound_rsn = 0;
	qp->done_rsn = 0;
	qp->first_error = MROCE_ST_OK;
	qp->recv_error = MROCE_ST_OK;
	qp->flushed = 0;
	qp->established = 0;
}

void qp_connect(struct wqp *a, struct wqp *b)
{
	CHECK_EQ(qp_rtr(a, b->h, b->qpn, b), 0);
	if (a != b)
		CHECK_EQ(qp_rtr(b, a->h, a->qpn, a), 0);
	qp_rts(a);
	if (a != b)
		qp_rts(b);
}

void qp_pair(struct world *w, int a, int b, struct wqp **qa, struct wqp **qb)
{
	*qa = qp_new(&w->host[a]);
	*qb = qp_new(&w->host[b]);
	qp_connect(*qa, *qb);
}

void qp_serials(struct wqp *a, struct wqp *b, u32 msn, u32 rsn)
{
	CHECK_EQ(a->log_n, 0);
	a->msn_base = msn;
	a->s.next_msn = msn;
	a->s.una_msn = msn;
	a->s.next_rsn = rsn;
	b->s.exp_msn = msn;
	b->checked = msn;
	b->s.exp_rsn = rsn;
	b->s.bound_rsn = rsn;
	b->bound_rsn = rsn;
	b->done_rsn = rsn;
}

/* --- posting --- */

static bool kind_is_rd(u8 kind)
{
	return kind == MROCE_MSG_READ || kind == MROCE_MSG_CMP_SWAP || kind == MROCE_MSG_FETCH_ADD;
}

struct wmsg *wmsg_new(struct wqp *qp, u8 kind, u32 len, u8 flags)
{
	struct wmsg *m = os_alloc(sizeof(*m));

	m->qp = qp;
	m->m.kind = kind;
	m->m.flags = flags;
	m->m.len = len;
	m->m.imm = (u32)rng_next(&qp->h->w->rng);
	m->seed = (u32)rng_next(&qp->h->w->rng);
	m->expect = MROCE_ST_OK;
	if (kind == MROCE_MSG_READ && !qp->h->w->phantom) {
		m->buf = os_alloc(len + 1);
		m->cnt = os_alloc(len + 1);
	}
	return m;
}

static void log_add(struct wqp *qp, struct wmsg *m)
{
	CHECK_EQ(qp->s.next_msn - qp->msn_base, qp->log_n);
	if (qp->log_n == qp->log_size) {
		u32 size = qp->log_size ? qp->log_size * 2 : 32;
		struct wmsg **bigger = os_alloc(size * sizeof(*bigger));

		if (qp->log)
			memcpy(bigger, qp->log, qp->log_n * sizeof(*bigger));
		os_free(qp->log);
		qp->log = bigger;
		qp->log_size = size;
	}
	qp->log[qp->log_n++] = m;
}

void wmsg_post(struct wmsg *m)
{
	struct wqp *qp = m->qp;
	bool local = m->m.kind == MROCE_MSG_LOCAL || m->m.status != MROCE_ST_OK ||
		     (kind_is_rd(m->m.kind) && !qp->attr.max_rd_atomic);

	CHECK_GE(qp->state, QP_RTR);
	m->seq = qp->posted++;
	m->posted_at = qp->h->w->now;
	list_add_tail(&m->link, &qp->sends);
	if (qp->state != QP_ERR && !local)
		log_add(qp, m);
	core_enter(qp->peer);
	mroce_stream_post(&qp->s, &m->m, qp->h->w->now);
	core_leave(qp->peer);
}

struct wmsg *post_send(struct wqp *qp, u32 len, u8 flags)
{
	struct wmsg *m = wmsg_new(qp, MROCE_MSG_SEND, len, flags);

	wmsg_post(m);
	return m;
}

static void wmsg_remote(struct wmsg *m, struct wmr *mr, u32 off)
{
	m->mr = mr;
	m->mr_off = off;
	m->m.raddr = mr->addr + off;
	m->m.rkey = mr->rkey;
}

struct wmsg *post_write(struct wqp *qp, struct wmr *mr, u32 off, u32 len, u8 flags)
{
	struct wmsg *m = wmsg_new(qp, MROCE_MSG_WRITE, len, flags);

	wmsg_remote(m, mr, off);
	m->check = !mr->overlap && !qp->h->w->phantom;
	wmsg_post(m);
	return m;
}

struct wmsg *post_read(struct wqp *qp, struct wmr *mr, u32 off, u32 len, u8 flags)
{
	struct wmsg *m = wmsg_new(qp, MROCE_MSG_READ, len, flags);

	wmsg_remote(m, mr, off);
	m->mr_seed = mr->rkey;
	m->check = !mr->overlap && !qp->h->w->phantom;
	wmsg_post(m);
	return m;
}

struct wmsg *post_atomic(struct wqp *qp, u8 kind, struct wmr *mr, u32 off, u64 swap_add,
			 u64 compare)
{
	struct wmsg *m = wmsg_new(qp, kind, 8, 0);

	wmsg_remote(m, mr, off);
	m->m.swap_add = swap_add;
	m->m.compare = compare;
	wmsg_post(m);
	return m;
}

struct wmsg *post_local(struct wqp *qp, u8 status, u8 flags)
{
	struct wmsg *m = wmsg_new(qp, MROCE_MSG_LOCAL, 0, flags);

	m->local_status = status;
	m->expect = status;
	wmsg_post(m);
	return m;
}

static struct wrecv *recv_new(u32 len, u64 id, bool phantom)
{
	struct wrecv *r = os_alloc(sizeof(*r));

	r->r.len = len;
	r->id = id;
	if (!phantom) {
		r->buf = os_alloc(len + 1);
		r->cnt = os_alloc(len + 1);
	}
	return r;
}

struct wrecv *post_recv(struct wqp *qp, u32 len)
{
	struct wrecv *r = recv_new(len, qp->next_id++, qp->h->w->phantom);

	CHECK(!qp->srq);
	if (qp->state == QP_ERR) {
		r->flushed = true;
		qp->recv_flushed++;
		list_add_tail(&r->link, &qp->done_recvs);
		return r;
	}
	list_add_tail(&r->link, &qp->recvs);
	qp->nrecvs++;
	return r;
}

void post_recvs(struct wqp *qp, u32 n, u32 len)
{
	while (n--)
		post_recv(qp, len);
}

struct wsrq *srq_new(struct world *w)
{
	struct wsrq *srq = os_alloc(sizeof(*srq));

	INIT_LIST_HEAD(&srq->recvs);
	list_add_tail(&srq->link, &w->srqs);
	return srq;
}

struct wrecv *srq_post(struct wsrq *srq, u32 len)
{
	struct wrecv *r = recv_new(len, srq->next_id++, false);

	list_add_tail(&r->link, &srq->recvs);
	srq->posted++;
	return r;
}

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

/* --- the end --- */

static void recvs_free(struct list_head *l)
{
	struct wrecv *r, *tmp;

	list_for_each_entry_safe(r, tmp, l, link) {
		os_free(r->buf);
		os_free(r->cnt);
		os_free(r);
	}
}

static void sends_free(struct list_head *l)
{
	struct wmsg *m, *tmp;

	list_for_each_entry_safe(m, tmp, l, link) {
		os_free(m->buf);
		os_free(m->cnt);
		os_free(m);
	}
}

static void qp_free(struct wqp *qp)
{
	CHECK(list_empty(&qp->bound));
	sends_free(&qp->sends);
	sends_free(&qp->done_sends);
	recvs_free(&qp->recvs);
	recvs_free(&qp->done_recvs);
	os_free(qp->log);
	os_free(qp);
}

void verbs_free(struct world *w)
{
	struct wsrq *srq, *stmp;
	struct wqp *qp, *qtmp;
	struct wmr *mr, *mtmp;
	int i;

	for (i = 0; i < w->cfg.hosts; i++)
		list_for_each_entry(qp, &w->host[i].qps, link)
			qp_reset(qp);
	for (i = 0; i < w->cfg.hosts; i++) {
		list_for_each_entry_safe(qp, qtmp, &w->host[i].qps, link)
			qp_free(qp);
		list_for_each_entry_safe(mr, mtmp, &w->host[i].mrs, link) {
			os_free(mr->buf);
			os_free(mr->cnt);
			os_free(mr);
		}
		INIT_LIST_HEAD(&w->host[i].qps);
	}
	list_for_each_entry_safe(srq, stmp, &w->srqs, link) {
		recvs_free(&srq->recvs);
		os_free(srq);
	}
}
