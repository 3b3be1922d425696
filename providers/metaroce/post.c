// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting work requests: encode them into free slots, publish them with one store, ring once. The wr_*
 * interface is in wr.c.
 */
#include "metaroce.h"

/* Sends can be posted from RTS on: to a QP that drains or is in error, too. */
int mroce_send_ready(const struct mroce_qp *qp)
{
	if (mroce_ring_dead(&qp->sq.ring))
		return EIO;
	return qp->vqp.qp.state < IBV_QPS_RTS ? EINVAL : 0;
}

static bool sq_has_room(const struct mroce_queue *q, uint32_t next)
{
	return mroce_room(next, __atomic_load_n(&q->freed, __ATOMIC_ACQUIRE), q->max_wr);
}

/* The requests up to @next are the kernel's. Returns whether there are new ones. */
static bool queue_publish(struct mroce_queue *q, uint32_t next)
{
	if (next == q->posted)
		return false;
	q->posted = next;
	mroce_store_release(&q->ring.hdr->prod, next);
	return true;
}

/*
 * A doorbell that fails leaves its requests in the ring, for the kernel may be working on it already; the
 * caller learns the error and the first request of the call.
 */
int mroce_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	struct mroce_queue *sq = &qp->sq;
	struct ibv_send_wr *first = wr;
	uint32_t next;
	bool ring;
	int err, db_err = 0;

	mroce_lock(&sq->lock);
	next = sq->posted;
	err = mroce_send_ready(qp);
	for (; wr && !err; wr = wr->next) {
		if (!sq_has_room(sq, next))
			err = ENOMEM;
		else if (wr->opcode == IBV_WR_BIND_MW &&
			 (!wr->bind_mw.mw || wr->bind_mw.mw->type != IBV_MW_TYPE_2))
			err = EINVAL;
		else
			err = mroce_wqe_send(&qp->caps, mroce_ring_slot(&sq->ring, next), wr);
		if (err)
			break;
		next++;
	}
	ring = queue_publish(sq, next);
	mroce_unlock(&sq->lock);

	if (ring)
		db_err = mroce_doorbell_send(ibqp);
	if (db_err && !err) {
		err = db_err;
		wr = first;
	}
	if (err)
		*bad = wr;
	return err;
}

/* A type 1 window gets its next key here; the application learns it from the window. */
int mroce_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	struct mroce_queue *sq = &qp->sq;
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = bind->bind_info,
		},
	};
	uint32_t next;
	int err;

	mroce_lock(&sq->lock);
	next = sq->posted;
	err = mroce_send_ready(qp);
	if (!err && !sq_has_room(sq, next))
		err = ENOMEM;
	if (!err)
		err = mroce_wqe_send(&qp->caps, mroce_ring_slot(&sq->ring, next), &wr);
	if (!err) {
		mw->rkey = wr.bind_mw.rkey;
		queue_publish(sq, next + 1);
	}
	mroce_unlock(&sq->lock);
	return err ? err : mroce_doorbell_send(ibqp);
}

/*
 * Fills a receive queue. *@bad is left alone without an error. On return *@wanted says whether the kernel
 * asked for a doorbell: it sets the flag, passes a full barrier and looks at prod; we store prod, pass a
 * full barrier and look at the flag. So one of the two sees the other, and no receive is left unnoticed.
 */
static int fill_receives(struct mroce_queue *q, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad, bool *wanted)
{
	uint32_t next = q->posted;
	int err = mroce_ring_dead(&q->ring) ? EIO : 0;

	for (; wr && !err; wr = wr->next) {
		if (!q->ring.hdr || !mroce_room(next, mroce_load_acquire(&q->ring.hdr->cons), q->max_wr))
			err = ENOMEM;
		else
			err = mroce_wqe_recv(q->max_sge, mroce_ring_slot(&q->ring, next), wr);
		if (err)
			break;
		next++;
	}
	if (err)
		*bad = wr;
	*wanted = false;
	if (queue_publish(q, next)) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		*wanted = __atomic_load_n(&q->ring.hdr->flags, __ATOMIC_RELAXED) & MROCE_RING_F_DB;
	}
	return err;
}

int mroce_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	bool wanted;
	int err, db_err = 0;

	if (ibqp->srq || ibqp->state == IBV_QPS_RESET) {
		*bad = wr;
		return EINVAL;
	}
	mroce_lock(&qp->rq.lock);
	err = fill_receives(&qp->rq, wr, bad, &wanted);
	mroce_unlock(&qp->rq.lock);

	if (wanted)
		db_err = mroce_doorbell_recv(ibqp);
	if (err || !db_err)
		return err;
	*bad = wr;
	return db_err;
}

/* There is no doorbell: the kernel looks into the ring when a message needs a receive. */
int mroce_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct mroce_srq *srq = to_msrq(ibsrq);
	bool wanted;
	int err;

	mroce_lock(&srq->rq.lock);
	err = fill_receives(&srq->rq, wr, bad, &wanted);
	mroce_unlock(&srq->rq.lock);
	return err;
}
