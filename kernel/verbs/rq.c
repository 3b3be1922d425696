// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receives: from the consumer's ring or call to a message, and back as a completion. Taking and
 * completing happen under the QP's data path lock; kernel consumers post from any context.
 */
#include "verbs.h"

/* --- copies ------------------------------------------------------------------------- */

int mroce_rwqe_from_wr(struct mroce_rwqe *w, u32 max_sge, const struct ib_recv_wr *wr)
{
	int i;

	if (wr->num_sge < 0 || wr->num_sge > max_sge)
		return -EINVAL;
	w->wr_id = wr->wr_id;
	w->num_sge = wr->num_sge;
	w->recv.bad = MROCE_ST_OK;
	for (i = 0; i < wr->num_sge; i++) {
		w->sge[i].addr = wr->sg_list[i].addr;
		w->sge[i].length = wr->sg_list[i].length;
		w->sge[i].lkey = wr->sg_list[i].lkey;
	}
	return 0;
}

/*
 * User space may change the slot under our eyes: each word is read once, and what is judged is the
 * copy.
 */
void mroce_rwqe_from_ring(struct mroce_rwqe *w, u32 max_sge, const struct mroce_rbuf *ring,
			  u32 counter)
{
	const struct mroce_recv_wqe *from = mroce_rbuf_slot(ring, counter);

	w->wr_id = READ_ONCE(from->wr_id);
	w->wqe_cnt = counter;
	w->num_sge = READ_ONCE(from->num_sge);
	w->recv.bad = MROCE_ST_OK;
	if (w->num_sge > max_sge) {
		w->num_sge = 0;
		w->recv.bad = MROCE_ST_LOC_OP;
	}
	memcpy(w->sge, from + 1, w->num_sge * sizeof(w->sge[0]));
}

static void mroce_rwqe_check(struct mroce_rwqe *w, const struct mroce_user_of_key *u)
{
	u64 len = 0;
	u32 i;

	for (i = 0; i < w->num_sge; i++)
		len += w->sge[i].length;
	w->recv.len = min_t(u64, len, MROCE_MAX_MSG_LEN);
	w->recv.placed = false;
	if (w->recv.bad == MROCE_ST_OK &&
	    mroce_sge_check(u, w->sge, w->num_sge, IB_ACCESS_LOCAL_WRITE))
		w->recv.bad = MROCE_ST_LOC_PROT;
}

/* --- the queue ---------------------------------------------------------------------- */

static u32 mroce_rq_posted(const struct mroce_rq *rq)
{
	const u32 *posted = rq->ring ? &rq->ring->hdr->prod : &rq->prod;

	return smp_load_acquire(posted);	/* before the slots are read */
}

/*
 * First counter without a posted receive; at most a queue's length ahead, whatever user space wrote
 * into the ring.
 */
u32 mroce_rq_limit(const struct mroce_qp *qp)
{
	const struct mroce_rq *rq = &qp->rq;

	return rq->done + min(mroce_rq_posted(rq) - rq->done, rq->entries);
}

/**
 * mroce_recv_take() - the next receive for a message
 * @qp:		QP, locked
 *
 * It is kept or given back at once: mroce_recv_keep(), mroce_recv_untake().
 *
 * Return: NULL when none is posted.
 */
struct mroce_rwqe *mroce_recv_take(struct mroce_qp *qp)
{
	struct mroce_user_of_key u = mroce_qp_recv_keys(qp);
	struct mroce_rq *rq = &qp->rq;
	struct mroce_rwqe *w;

	mroce_qp_assert_locked(qp);
	if (qp->ib.srq) {
		w = mroce_srq_take(to_msrq(qp->ib.srq));
	} else {
		/* user space may take back what it has posted: the limit may be below @bind */
		if (rq->bind - rq->done >= mroce_rq_limit(qp) - rq->done)
			return NULL;
		w = mroce_slot_get(&rq->slots, rq->bind & (rq->entries - 1), GFP_ATOMIC);
		if (w && rq->ring)
			mroce_rwqe_from_ring(w, rq->max_sge, rq->ring, rq->bind);
		if (w)
			rq->bind++;
	}
	if (w)
		mroce_rwqe_check(w, &u);
	return w;
}

/* What was taken last has its message; the limit of an SRQ counts those alone. */
void mroce_recv_keep(struct mroce_qp *qp)
{
	if (qp->ib.srq)
		mroce_srq_kept(to_msrq(qp->ib.srq), mroce_qp_events(qp));
}

/* @w was taken last, and is not needed after all. */
void mroce_recv_untake(struct mroce_qp *qp, struct mroce_rwqe *w)
{
	mroce_qp_assert_locked(qp);
	if (qp->ib.srq)
		mroce_srq_return(to_msrq(qp->ib.srq), w);
	else
		qp->rq.bind--;
}

static void mroce_rq_advance(struct mroce_rq *rq)
{
	smp_store_release(&rq->done, rq->done + 1);	/* the copy was read */
	if (rq->ring)
		smp_store_release(&rq->ring->hdr->cons, rq->done);	/* the slot was read */
}

/**
 * mroce_recv_complete() - a receive is finished
 * @qp:		QP, locked
 * @w:		the oldest that was taken and not completed, or one of an SRQ; gone afterwards
 * @cqe:	how it ended; what belongs to the work request is filled in here
 * @solicited:	the sender asked for an event
 *
 * The slot is the consumer's again before it can see the completion.
 */
void mroce_recv_complete(struct mroce_qp *qp, struct mroce_rwqe *w, struct mroce_cqe *cqe,
			 bool solicited)
{
	mroce_qp_assert_locked(qp);
	cqe->wr_id = w->wr_id;
	cqe->wqe_cnt = w->wqe_cnt;
	cqe->is_recv = 1;
	if (qp->ib.srq)
		mroce_srq_done(to_msrq(qp->ib.srq), w);
	else
		mroce_rq_advance(&qp->rq);
	mroce_qp_complete(qp, qp->ib.recv_cq, cqe, solicited);
}

static u64 mroce_rq_head_wr_id(struct mroce_rq *rq)
{
	struct mroce_rwqe *w = mroce_slot(&rq->slots, rq->done & (rq->entries - 1));
	struct mroce_recv_wqe *from;

	if (!rq->ring || rq->done != rq->bind)
		return w->wr_id;
	from = mroce_rbuf_slot(rq->ring, rq->done);
	return READ_ONCE(from->wr_id);
}

/**
 * mroce_rq_flush() - the QP is in ERR: complete what is posted
 * @qp:		QP, locked
 *
 * From now on user space rings for each receive that it posts: it stores, passes a barrier and
 * looks at the flag; we do it the other way round. What is more than a batch is left to the work.
 */
void mroce_rq_flush(struct mroce_qp *qp)
{
	struct mroce_rq *rq = &qp->rq;
	u32 end;
	int n;

	mroce_qp_assert_locked(qp);
	if (!rq->entries)
		return;
	if (rq->ring)
		WRITE_ONCE(rq->ring->hdr->flags, MROCE_RING_F_DB);
	smp_mb();	/* the flag is there before we look what is posted */
	for (end = mroce_rq_limit(qp), n = 0; rq->done != end && n < MROCE_RQ_BATCH; n++) {
		struct mroce_cqe cqe = {
			.wr_id = mroce_rq_head_wr_id(rq),
			.wqe_cnt = rq->done,
			.status = IB_WC_WR_FLUSH_ERR,
			.opcode = IB_WC_RECV,
			.is_recv = 1,
		};

		if (rq->done == rq->bind)
			rq->bind++;
		mroce_rq_advance(rq);
		mroce_qp_complete(qp, qp->ib.recv_cq, &cqe, false);
	}
	if (rq->done != end)
		queue_work(to_mdev(qp->ib.device)->wq, &qp->work);
}

/* RESET: what was posted is forgotten. Nothing has the receives any more. */
void mroce_rq_drop(struct mroce_qp *qp)
{
	struct mroce_rq *rq = &qp->rq;
	unsigned long flags;

	mroce_qp_assert_locked(qp);
	spin_lock_irqsave(&rq->lock, flags);
	rq->prod = 0;
	rq->bind = 0;
	rq->done = 0;
	spin_unlock_irqrestore(&rq->lock, flags);
	if (!rq->ring)
		return;
	WRITE_ONCE(rq->ring->hdr->flags, 0);
	WRITE_ONCE(rq->ring->hdr->cons, 0);
	WRITE_ONCE(rq->ring->hdr->prod, 0);
}

/* --- posting ------------------------------------------------------------------------ */

/* User space rings because the QP is in ERR, or was when it looked. */
static void mroce_recv_doorbell(struct mroce_qp *qp)
{
	struct mroce_assoc *a = mroce_qp_lock(qp);

	if (qp->state == IB_QPS_ERR)
		mroce_rq_flush(qp);
	mroce_qp_unlock(qp, a, MROCE_CTX_RX);
}

static int mroce_rq_stage(struct mroce_qp *qp, const struct ib_recv_wr **wr)
{
	struct mroce_rq *rq = &qp->rq;
	struct mroce_rwqe *w;
	int err;

	for (; *wr; *wr = (*wr)->next) {
		/* who completes a receive has read the copy */
		if (rq->prod - smp_load_acquire(&rq->done) >= rq->max_wr)
			return -ENOMEM;
		w = mroce_slot(&rq->slots, rq->prod & (rq->entries - 1));
		err = mroce_rwqe_from_wr(w, rq->max_sge, *wr);
		if (err)
			return err;
		w->wqe_cnt = rq->prod;
		smp_store_release(&rq->prod, rq->prod + 1);	/* the slot is written */
	}
	return 0;
}

int mroce_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	unsigned long flags;
	int err = -EINVAL;

	if (!qp->kernel && !wr) {
		mroce_recv_doorbell(qp);
		return 0;
	}

	*bad = wr;
	if (!qp->kernel || !qp->rq.entries || READ_ONCE(qp->state) == IB_QPS_RESET)
		return err;
	spin_lock_irqsave(&qp->rq.lock, flags);
	err = mroce_rq_stage(qp, &wr);
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	if (err)
		*bad = wr;

	/*
	 * who goes to ERR sets the state, then looks what is posted, with the same lock in between
	 */
	spin_lock_irqsave(&qp->rq.lock, flags);
	if (qp->state == IB_QPS_ERR)
		queue_work(to_mdev(ibqp->device)->wq, &qp->work);
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return err;
}
