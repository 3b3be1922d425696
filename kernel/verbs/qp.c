// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs: birth, data path lock, events, end. Created and destroyed in process context; the rest is
 * called by the other files under the locks that each function names.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include "verbs.h"

/* --- the data path lock ------------------------------------------------------------- */

/**
 * mroce_qp_lock() - take the QP's data path lock
 * @qp:		QP, which the caller keeps from being destroyed
 *
 * A QP gets and loses its association under both locks, so who holds one and finds the pointer as
 * it was has the right one. Return: the association, referenced until mroce_qp_unlock(), or NULL.
 */
struct mroce_assoc *mroce_qp_lock(struct mroce_qp *qp)
{
	struct mroce_assoc *a;

	rcu_read_lock();
	for (;;) {
		a = rcu_dereference(qp->assoc);
		if (a) {
			mroce_assoc_lock(a);
			if (a == rcu_access_pointer(qp->assoc)) {
				__release(&a->lock);
				break;
			}
			spin_unlock_bh(&a->lock);
		} else {
			spin_lock_bh(&qp->entry->lock);
			if (!rcu_access_pointer(qp->assoc)) {
				__release(&qp->entry->lock);
				break;
			}
			spin_unlock_bh(&qp->entry->lock);
		}
	}
	if (a)
		refcount_inc(&a->ref);
	rcu_read_unlock();
	return a;
}

/**
 * mroce_qp_unlock() - release the QP's data path lock
 * @qp:		QP
 * @a:		what mroce_qp_lock() returned
 * @ctx:	whether events may be delivered here
 */
void mroce_qp_unlock(struct mroce_qp *qp, struct mroce_assoc *a, enum mroce_ctx ctx)
{
	LIST_HEAD(events);

	if (a) {
		__acquire(&a->lock);
		mroce_assoc_unlock(a, ctx);
		mroce_assoc_put(a);
		return;
	}
	if (ctx == MROCE_CTX_RX)
		list_splice_init(&qp->events, &events);
	else if (!list_empty(&qp->events))
		queue_work(to_mdev(qp->ib.device)->wq, &qp->work);
	__acquire(&qp->entry->lock);
	spin_unlock_bh(&qp->entry->lock);
	mroce_deliver(&events);
}

void mroce_qp_assert_locked(struct mroce_qp *qp)
{
#ifdef CONFIG_LOCKDEP
	struct mroce_assoc *a = rcu_dereference_protected(qp->assoc, true);

	if (a)
		lockdep_assert_held(&a->lock);
	else
		lockdep_assert_held(&qp->entry->lock);
#endif
}

/* Where events go that come up under the data path lock. */
struct list_head *mroce_qp_events(struct mroce_qp *qp)
{
	struct mroce_assoc *a = rcu_dereference_protected(qp->assoc, true);

	mroce_qp_assert_locked(qp);
	return a ? &a->events : &qp->events;
}

/**
 * mroce_qp_unbind() - RESET or destroy: the QP leaves its association
 * @qp:		QP, @mutex held
 *
 * Nothing is in progress any more when it returns. The association goes on without it, and may be
 * freed: posters that found it before have a reference of their own.
 */
void mroce_qp_unbind(struct mroce_qp *qp)
{
	struct mroce_assoc *a = rcu_dereference_protected(qp->assoc, lockdep_is_held(&qp->mutex));

	if (!a)
		return;
	mroce_assoc_lock(a);
	mroce_stream_detach(&qp->stream, ktime_get_ns());
	spin_lock(&qp->entry->lock);
	qp->entry->peer = NULL;
	RCU_INIT_POINTER(qp->assoc, NULL);
	spin_unlock(&qp->entry->lock);
	mroce_assoc_unlock(a, MROCE_CTX_POST);
	mroce_assoc_put(a);
}

/* --- events ------------------------------------------------------------------------- */

static void mroce_qp_put(struct mroce_qp *qp)
{
	if (refcount_dec_and_test(&qp->ref))
		complete(&qp->gone);
}

static void mroce_qp_tell(struct mroce_qp *qp, enum ib_event_type type)
{
	struct ib_event ev = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = type,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&ev, qp->ib.qp_context);
}

/*
 * A CQ overflowed under a QP's completion; ending its stream had to wait until the transport was
 * through.
 */
static void mroce_qp_fail(struct mroce_qp *qp)
{
	struct mroce_assoc *a = mroce_qp_lock(qp);

	if (qp->state != IB_QPS_RESET && qp->state != IB_QPS_ERR) {
		mroce_qp_note(qp, MROCE_DUE_FATAL);
		mroce_qp_set_error(qp);
	}
	mroce_qp_unlock(qp, a, MROCE_CTX_RX);
}

/* mroce_event.deliver: no locks */
static void mroce_qp_deliver(struct mroce_event *ev)
{
	static const struct {
		u8 due;
		u8 event;
	} map[] = {
		{ MROCE_DUE_EST,	IB_EVENT_COMM_EST },
		{ MROCE_DUE_DRAINED,	IB_EVENT_SQ_DRAINED },
		{ MROCE_DUE_ACCESS,	IB_EVENT_QP_ACCESS_ERR },
		{ MROCE_DUE_REQUEST,	IB_EVENT_QP_REQ_ERR },
		{ MROCE_DUE_FATAL,	IB_EVENT_QP_FATAL },
		{ MROCE_DUE_LAST_WQE,	IB_EVENT_QP_LAST_WQE_REACHED },
	};
	struct mroce_qp *qp = container_of(ev, struct mroce_qp, event);
	unsigned long due = xchg(&qp->due, 0);	/* with QUEUED: what comes later is queued anew */
	int i;

	if (due & BIT(MROCE_DUE_TO_ERR))
		mroce_qp_fail(qp);
	for (i = 0; i < ARRAY_SIZE(map); i++)
		if (due & BIT(map[i].due))
			mroce_qp_tell(qp, map[i].event);
	mroce_qp_put(qp);
}

/**
 * mroce_qp_note() - something is to be done or told once no lock is held
 * @qp:		QP, locked
 * @what:	what
 */
void mroce_qp_note(struct mroce_qp *qp, enum mroce_qp_due what)
{
	mroce_qp_assert_locked(qp);
	set_bit(what, &qp->due);
	if (test_and_set_bit(MROCE_DUE_QUEUED, &qp->due))
		return;
	refcount_inc(&qp->ref);
	list_add_tail(&qp->event.link, mroce_qp_events(qp));
}

/**
 * mroce_qp_complete() - report a finished work request
 * @qp:		QP, locked
 * @cq:		where
 * @cqe:	what; the QP's number is filled in here
 * @solicited:	raise an event also when only solicited ones are asked for
 */
void mroce_qp_complete(struct mroce_qp *qp, struct ib_cq *cq, struct mroce_cqe *cqe, bool solicited)
{
	cqe->qp_num = qp->ib.qp_num;
	if (unlikely(!mroce_cq_push(to_mcq(cq), cqe, &qp->ib, solicited, mroce_qp_events(qp))))
		mroce_qp_note(qp, MROCE_DUE_TO_ERR);
}

/**
 * mroce_qp_enter_error() - the QP is in ERR from now on
 * @qp:		QP, locked, in any state but RESET; its stream, if it has one, has ended
 *
 * Posted receives are flushed, now or by the work. Whoever posts from now on flushes what he posts.
 */
void mroce_qp_enter_error(struct mroce_qp *qp)
{
	mroce_qp_assert_locked(qp);
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	qp->sq_draining = false;
	mroce_rq_flush(qp);
	if (qp->ib.srq)
		mroce_qp_note(qp, MROCE_DUE_LAST_WQE);
}

/**
 * mroce_qp_set_error() - take the QP to ERR: everything posted is flushed, in order
 * @qp:		QP, locked, in any state but RESET; not from within the transport
 *
 * A queue may be long, and BHs are off: what is more than a batch is left to the work.
 */
void mroce_qp_set_error(struct mroce_qp *qp)
{
	if (qp->stream.peer)
		mroce_stream_flush(&qp->stream, ktime_get_ns());
	mroce_qp_enter_error(qp);
	if (mroce_sq_drain(qp))
		queue_work(to_mdev(qp->ib.device)->wq, &qp->work);
}

/*
 * Sends and receives that were posted where they could not be handled, and events that could not be
 * told.
 */
static void mroce_qp_work(struct work_struct *work)
{
	struct mroce_qp *qp = container_of(work, struct mroce_qp, work);
	struct mroce_assoc *a;

	if (mroce_qp_is_ud(qp))
		mroce_ud_send(qp);
	a = mroce_qp_lock(qp);
	if (mroce_sq_drain(qp))
		queue_work(to_mdev(qp->ib.device)->wq, &qp->work);
	if (qp->state == IB_QPS_ERR)
		mroce_rq_flush(qp);
	mroce_qp_unlock(qp, a, MROCE_CTX_RX);
}

/* --- birth -------------------------------------------------------------------------- */

static int mroce_qp_check_type(const struct ib_qp_init_attr *attr)
{
	switch (attr->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UD:
		break;
	case IB_QPT_GSI:
		if (attr->port_num != 1)
			return -EINVAL;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (attr->create_flags || attr->rwq_ind_tbl)
		return -EOPNOTSUPP;
	return attr->send_cq && attr->recv_cq ? 0 : -EINVAL;
}

static int mroce_qp_check_cap(const struct ib_qp_init_attr *attr)
{
	const struct ib_qp_cap *cap = &attr->cap;

	if (cap->max_send_wr > MROCE_MAX_WR || cap->max_send_sge > MROCE_MAX_SGE ||
	    cap->max_inline_data > MROCE_MAX_INLINE)
		return -EINVAL;
	if (!attr->srq && (cap->max_recv_wr > MROCE_MAX_WR || cap->max_recv_sge > MROCE_MAX_SGE))
		return -EINVAL;
	return 0;
}

/* What is granted: as asked, but inline data may fill what a work request has room for anyway. */
static void mroce_qp_set_caps(struct mroce_qp *qp, struct ib_qp_init_attr *attr)
{
	struct mroce_sq *sq = &qp->sq;
	struct mroce_rq *rq = &qp->rq;

	sq->max_wr = attr->cap.max_send_wr;
	sq->max_sge = max(attr->cap.max_send_sge, 1U);
	sq->entries = roundup_pow_of_two(max(sq->max_wr, 1U));
	sq->max_data = max_t(u32, sq->max_sge * sizeof(struct mroce_sge),
			     attr->cap.max_inline_data);
	sq->max_data = ALIGN(sq->max_data, 64);
	sq->max_inline = min(sq->max_data, MROCE_MAX_INLINE);
	if (!attr->srq && attr->cap.max_recv_wr) {
		rq->max_wr = attr->cap.max_recv_wr;
		rq->max_sge = max(attr->cap.max_recv_sge, 1U);
		rq->entries = roundup_pow_of_two(rq->max_wr);
	}
	attr->cap.max_send_sge = sq->max_sge;
	attr->cap.max_inline_data = sq->max_inline;
	attr->cap.max_recv_wr = rq->max_wr;
	attr->cap.max_recv_sge = rq->max_sge;
	qp->cap = attr->cap;
}

static int mroce_qp_alloc_slots(struct mroce_qp *qp)
{
	struct mroce_sq *sq = &qp->sq;
	struct mroce_rq *rq = &qp->rq;
	int err;

	err = mroce_slots_init(&sq->slots, sq->entries, sizeof(struct mroce_swqe) + sq->max_data);
	if (!err && rq->entries)
		err = mroce_slots_init(&rq->slots, rq->entries,
				       sizeof(struct mroce_rwqe) +
					       rq->max_sge * sizeof(struct mroce_sge));
	if (!err && qp->kernel)
		err = mroce_slots_fill(&sq->slots);
	if (!err && qp->kernel && rq->entries)
		err = mroce_slots_fill(&rq->slots);
	return err;
}

static int mroce_qp_alloc_rings(struct mroce_qp *qp, struct ib_udata *udata)
{
	struct mroce_ucontext *uctx = rdma_udata_to_drv_context(udata, struct mroce_ucontext, ib);
	struct mroce_create_qp_resp resp = {};
	struct mroce_rbuf *rb;

	rb = mroce_rbuf_create(&uctx->ib, qp->sq.entries, sizeof(struct mroce_send_wqe) +
			       qp->sq.max_data);
	if (IS_ERR(rb))
		return PTR_ERR(rb);
	qp->sq.ring = rb;
	resp.sq_mmap_offset = mroce_rbuf_offset(rb);
	resp.sq_mmap_len = rb->len;
	resp.sq_entries = rb->entries;
	resp.sq_stride = rb->stride;
	if (!qp->rq.entries)
		return ib_copy_to_udata(udata, &resp, sizeof(resp));

	rb = mroce_rbuf_create(&uctx->ib, qp->rq.entries,
			       sizeof(struct mroce_recv_wqe) +
				       qp->rq.max_sge * sizeof(struct mroce_sge));
	if (IS_ERR(rb))
		return PTR_ERR(rb);
	qp->rq.ring = rb;
	resp.rq_mmap_offset = mroce_rbuf_offset(rb);
	resp.rq_mmap_len = rb->len;
	resp.rq_entries = rb->entries;
	resp.rq_stride = rb->stride;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static void mroce_qp_free(struct mroce_qp *qp)
{
	mroce_rbuf_destroy(qp->sq.ring);
	mroce_rbuf_destroy(qp->rq.ring);
	mroce_slots_free(&qp->sq.slots);
	mroce_slots_free(&qp->rq.slots);
}

/* The number is reserved; packets find nothing under it until the QP is complete. */
static int mroce_qp_number(struct mroce_dev *dev, struct mroce_qp *qp)
{
	int err;

	if (qp->ib.qp_type == IB_QPT_GSI) {
		qp->ib.qp_num = MROCE_GSI_QPN;
		return xa_insert(&dev->qps, MROCE_GSI_QPN, NULL, GFP_KERNEL);
	}
	err = xa_alloc_cyclic(&dev->qps, &qp->ib.qp_num, NULL,
			      XA_LIMIT(MROCE_MIN_QPN, MROCE_MAX_QPN), &dev->next_qpn, GFP_KERNEL);
	return err < 0 ? err : 0;
}

static int mroce_qp_publish(struct mroce_dev *dev, struct mroce_qp *qp)
{
	int err;

	if (!mroce_count_in(&dev->n_qps, MROCE_MAX_OBJECTS))
		return -ENOMEM;
	err = -ENOMEM;
	qp->entry = kzalloc(sizeof(*qp->entry), GFP_KERNEL_ACCOUNT);
	if (!qp->entry)
		goto err_count;
	spin_lock_init(&qp->entry->lock);
	qp->entry->qp = qp;
	err = mroce_qp_number(dev, qp);
	if (err)
		goto err_entry;
	/* the slot is there already: this needs no memory */
	xa_store(&dev->qps, qp->ib.qp_num, qp->entry, GFP_KERNEL);
	return 0;

err_entry:
	kfree(qp->entry);
err_count:
	atomic_dec(&dev->n_qps);
	return err;
}

static void mroce_qp_init(struct mroce_qp *qp, const struct ib_qp_init_attr *attr, bool kernel)
{
	qp->kernel = kernel;
	qp->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	mutex_init(&qp->mutex);
	spin_lock_init(&qp->sq.lock);
	spin_lock_init(&qp->rq.lock);
	INIT_LIST_HEAD(&qp->events);
	INIT_LIST_HEAD(&qp->event.link);
	qp->event.deliver = mroce_qp_deliver;
	INIT_WORK(&qp->work, mroce_qp_work);
	refcount_set(&qp->ref, 1);
	init_completion(&qp->gone);
	qp->attr.port_num = 1;
}

int mroce_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	int err;

	err = mroce_qp_check_type(attr);
	if (!err)
		err = mroce_qp_check_cap(attr);
	if (err)
		return err;
	if (udata && udata->outlen < sizeof(struct mroce_create_qp_resp))
		return -EINVAL;

	mroce_qp_init(qp, attr, !udata);
	mroce_qp_set_caps(qp, attr);
	err = mroce_qp_alloc_slots(qp);
	if (!err && udata)
		err = mroce_qp_alloc_rings(qp, udata);
	if (!err)
		err = mroce_qp_publish(to_mdev(ibqp->device), qp);
	if (err)
		mroce_qp_free(qp);
	return err;
}

/* --- end ---------------------------------------------------------------------------- */

/*
 *  1. It leaves its association: no packet, no timer and no answer reaches it, and what was posted
 *     is forgotten.
 *  2. Its entry says that it is gone: datagrams that found the entry before see that under its
 *     lock. It is in RESET, where nothing is flushed and nothing fails.
 *  3. Its number is free for another.
 *  4. The work is waited for. Nobody queues it any more: consumers do not post to a QP that they
 *     destroy.
 *  5. Events that nobody delivered are delivered by the work, for this is a consumer's call; others
 *     are waited for. Nobody queues new ones.
 *  6. Its memory is freed. The entry goes after a grace period.
 */
int mroce_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct mroce_qp_entry *entry = to_mqp(ibqp)->entry;
	struct mroce_qp *qp = to_mqp(ibqp);

	mutex_lock(&qp->mutex);
	mroce_qp_unbind(qp);
	mutex_unlock(&qp->mutex);

	spin_lock_bh(&entry->lock);
	entry->qp = NULL;
	WRITE_ONCE(qp->state, IB_QPS_RESET);
	spin_unlock_bh(&entry->lock);
	xa_erase(&to_mdev(ibqp->device)->qps, ibqp->qp_num);
	atomic_dec(&to_mdev(ibqp->device)->n_qps);

	cancel_work_sync(&qp->work);
	if (!list_empty(&qp->events)) {
		queue_work(to_mdev(ibqp->device)->wq, &qp->work);
		flush_work(&qp->work);
	}
	mroce_qp_put(qp);
	wait_for_completion(&qp->gone);

	mroce_sq_drop(qp);
	mroce_cq_forget(to_mcq(ibqp->send_cq), ibqp);
	mroce_cq_forget(to_mcq(ibqp->recv_cq), ibqp);
	mroce_qp_free(qp);
	kfree_rcu(entry, rcu);
	return 0;
}
