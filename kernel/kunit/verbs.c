// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs, memory regions and work requests of the test world.
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
