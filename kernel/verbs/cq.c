// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues. Completions are pushed under a QP's data path lock, in softirq or process
 * context; events are delivered later, without locks. User space polls and arms in the shared ring;
 * kernel consumers call.
 */
#include <linux/log2.h>
#include <linux/ktime.h>
#include "verbs.h"

static u32 mroce_cq_cons(const struct mroce_cq *cq)
{
	return cq->user ? READ_ONCE(cq->ring->hdr->cons) : cq->cons;
}

static void mroce_cq_put(struct mroce_cq *cq)
{
	if (refcount_dec_and_test(&cq->ref))
		complete(&cq->gone);
}

/*
 * mroce_event.deliver: no locks. A handler never runs twice at a time: what comes up while it runs
 * is told when it has returned.
 */
static void mroce_cq_deliver(struct mroce_event *ev)
{
	struct mroce_cq *cq = container_of(ev, struct mroce_cq, event);
	struct ib_event error = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};
	bool comp_due, error_due;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	while (cq->comp_due || cq->error_due) {
		comp_due = cq->comp_due;
		error_due = cq->error_due;
		cq->comp_due = false;
		cq->error_due = false;
		spin_unlock_irqrestore(&cq->lock, flags);

		if (comp_due && cq->ib.comp_handler)
			cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
		if (error_due && cq->ib.event_handler)
			cq->ib.event_handler(&error, cq->ib.cq_context);
		spin_lock_irqsave(&cq->lock, flags);
	}
	cq->queued = false;
	spin_unlock_irqrestore(&cq->lock, flags);
	mroce_cq_put(cq);
}

static void mroce_cq_queue_event(struct mroce_cq *cq, struct list_head *events)
{
	lockdep_assert_held(&cq->lock);
	if (cq->queued)
		return;
	cq->queued = true;
	refcount_inc(&cq->ref);
	list_add_tail(&cq->event.link, events);
}

/*
 * The consumer arms, then looks for completions; we publish the completion, then look whether it is
 * armed. With a full barrier on both sides one sees the other. Errors are solicited events too.
 */
static void mroce_cq_notify(struct mroce_cq *cq, bool solicited, struct list_head *events)
{
	u32 *arm = &cq->ring->hdr->arm;
	u32 was;

	smp_mb();	/* pairs with the consumer's between arming and polling */
	was = READ_ONCE(*arm);
	if (was == MROCE_ARM_NONE || (was == MROCE_ARM_SOLICITED && !solicited))
		return;
	if (xchg(arm, MROCE_ARM_NONE) == MROCE_ARM_NONE)
		return;
	cq->comp_due = true;
	mroce_cq_queue_event(cq, events);
}

/**
 * mroce_cq_push() - a work request is complete
 * @cq:		queue
 * @cqe:	what to report, but for the time
 * @qp:		whose it is
 * @solicited:	raise an event also when only solicited ones are asked for
 * @events:	where the event goes, under the lock that guards this list
 *
 * Return: false when the queue has overflowed, now or earlier: the QP must go to ERR. @cons may
 * hold anything that the user wrote there; the queue counts as full unless it makes sense.
 */
bool mroce_cq_push(struct mroce_cq *cq, struct mroce_cqe *cqe, struct ib_qp *qp, bool solicited,
		   struct list_head *events)
{
	unsigned long flags;
	void *slot;

	spin_lock_irqsave(&cq->lock, flags);
	if (!cq->error && cq->prod - mroce_cq_cons(cq) >= cq->ring->entries) {
		cq->error = true;
		cq->error_due = true;
		mroce_cq_queue_event(cq, events);
	}
	if (cq->error) {
		spin_unlock_irqrestore(&cq->lock, flags);
		return false;
	}
	slot = mroce_rbuf_slot(cq->ring, cq->prod++);
	if (cq->user) {
		cqe->timestamp = ktime_get_real_ns();
		memcpy(slot, cqe, sizeof(*cqe));
		/* the consumer reads prod with acquire, then the slot */
		smp_store_release(&cq->ring->hdr->prod, cq->prod);
	} else {
		memcpy(slot, cqe, sizeof(*cqe));
		((struct mroce_kernel_cqe *)slot)->qp = qp;
	}
	mroce_cq_notify(cq, solicited || cqe->status != IB_WC_SUCCESS, events);
	spin_unlock_irqrestore(&cq->lock, flags);
	return true;
}

static void mroce_wc_fill(struct ib_wc *wc, const struct mroce_kernel_cqe *k)
{
	const struct mroce_cqe *cqe = &k->cqe;

	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->qp = k->qp;
	wc->src_qp = cqe->src_qp;
	wc->pkey_index = cqe->pkey_index;
	wc->port_num = 1;
	if (cqe->wc_flags & MROCE_WC_WITH_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = cqe->imm;
	}
	if (cqe->wc_flags & MROCE_WC_WITH_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = (__force __be32)cqe->imm;
	}
	if (cqe->wc_flags & MROCE_WC_GRH) {
		wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = cqe->rsvd[0];
	}
}

/* A kernel consumer's queue; user space polls in the ring. */
int mroce_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct mroce_cq *cq = to_mcq(ibcq);
	unsigned long flags;
	int i;

	if (cq->user)
		return -EOPNOTSUPP;
	spin_lock_irqsave(&cq->lock, flags);
	for (i = 0; i < n && cq->cons != cq->prod; i++)
		mroce_wc_fill(&wc[i], mroce_rbuf_slot(cq->ring, cq->cons++));
	spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

int mroce_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags want)
{
	struct mroce_cq *cq = to_mcq(ibcq);
	unsigned long flags;
	int missed = 0;
	u32 *arm;

	spin_lock_irqsave(&cq->lock, flags);
	arm = &cq->ring->hdr->arm;
	if ((want & IB_CQ_SOLICITED_MASK) == IB_CQ_NEXT_COMP)
		WRITE_ONCE(*arm, MROCE_ARM_NEXT);
	else if (READ_ONCE(*arm) != MROCE_ARM_NEXT)
		WRITE_ONCE(*arm, MROCE_ARM_SOLICITED);
	if (want & IB_CQ_REPORT_MISSED_EVENTS)
		missed = cq->prod != mroce_cq_cons(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return missed;
}

/**
 * mroce_cq_forget() - a kernel consumer's QP goes: its completions go with it
 * @cq:		queue
 * @qp:		pushes no more
 *
 * They would point to it. User space, whose completions have only the number, does the same for
 * itself.
 */
void mroce_cq_forget(struct mroce_cq *cq, const struct ib_qp *qp)
{
	unsigned long flags;
	u32 from, to;

	if (!cq || cq->user)
		return;
	spin_lock_irqsave(&cq->lock, flags);
	for (from = cq->cons, to = cq->cons; from != cq->prod; from++) {
		struct mroce_kernel_cqe *k = mroce_rbuf_slot(cq->ring, from);

		if (k->qp != qp)
			memmove(mroce_rbuf_slot(cq->ring, to++), k, sizeof(*k));
	}
	cq->prod = to;
	spin_unlock_irqrestore(&cq->lock, flags);
}

static struct mroce_rbuf *mroce_cq_ring(struct ib_ucontext *uctx, u32 cqe)
{
	u32 stride = uctx ? sizeof(struct mroce_cqe) : sizeof(struct mroce_kernel_cqe);

	return mroce_rbuf_create(uctx, roundup_pow_of_two(cqe), stride);
}

static int mroce_cq_respond(struct ib_udata *udata, struct mroce_rbuf *rb)
{
	struct mroce_create_cq_resp resp = {};

	if (!udata)
		return 0;
	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	resp.mmap_offset = mroce_rbuf_offset(rb);
	resp.mmap_len = rb->len;
	resp.entries = rb->entries;
	resp.stride = rb->stride;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static struct ib_ucontext *mroce_udata_ucontext(struct ib_udata *udata)
{
	struct mroce_ucontext *uctx = rdma_udata_to_drv_context(udata, struct mroce_ucontext, ib);

	return uctx ? &uctx->ib : NULL;
}

int mroce_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct mroce_create_cq_arg *arg)
{
	struct ib_udata *udata = mroce_cq_udata(arg);
	struct mroce_cq *cq = to_mcq(ibcq);
	int err;

	BUILD_BUG_ON(sizeof(struct mroce_create_cq_resp) != sizeof(struct mroce_resize_cq_resp));
	/* an overrun is never ignored: completions that nobody has polled are not written over */
	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > MROCE_MAX_CQE)
		return -EINVAL;

	cq->user = udata;
	cq->ring = mroce_cq_ring(mroce_udata_ucontext(udata), attr->cqe);
	if (IS_ERR(cq->ring))
		return PTR_ERR(cq->ring);
	err = mroce_cq_respond(udata, cq->ring);
	if (err) {
		mroce_rbuf_destroy(cq->ring);
		return err;
	}
	spin_lock_init(&cq->lock);
	refcount_set(&cq->ref, 1);
	init_completion(&cq->gone);
	INIT_LIST_HEAD(&cq->event.link);
	cq->event.deliver = mroce_cq_deliver;
	ibcq->cqe = cq->ring->entries;
	return 0;
}

/* No QP completes here any more; an event may still be on its way to the consumer. */
int mroce_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct mroce_cq *cq = to_mcq(ibcq);

	mroce_cq_put(cq);
	wait_for_completion(&cq->gone);
	mroce_rbuf_destroy(cq->ring);
	return 0;
}

/*
 * Completions move as they are; user space does not poll meanwhile, and if it does, it only
 * confuses itself. uverbs does not keep two of these calls apart, so the ring that is replaced is
 * looked at under the lock alone. Returns it, or ERR_PTR.
 */
static struct mroce_rbuf *mroce_cq_move(struct mroce_cq *cq, struct mroce_rbuf *to)
{
	struct mroce_rbuf *from = cq->ring;
	u32 cons = mroce_cq_cons(cq), n = cq->prod - cons;
	u32 i;

	lockdep_assert_held(&cq->lock);
	if (n > to->entries || n > from->entries)
		return ERR_PTR(-EINVAL);
	for (i = cons; i != cq->prod; i++)
		memcpy(mroce_rbuf_slot(to, i), mroce_rbuf_slot(from, i), from->stride);
	WRITE_ONCE(to->hdr->cons, cons);
	WRITE_ONCE(to->hdr->prod, cq->prod);
	WRITE_ONCE(to->hdr->arm, READ_ONCE(from->hdr->arm));
	cq->ring = to;
	cq->ib.cqe = to->entries;
	return from;
}

int mroce_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct mroce_cq *cq = to_mcq(ibcq);
	struct mroce_rbuf *old, *ring;
	int err;

	if (cqe < 1 || cqe > MROCE_MAX_CQE)
		return -EINVAL;
	ring = mroce_cq_ring(mroce_udata_ucontext(udata), cqe);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	err = mroce_cq_respond(udata, ring);
	if (err)
		goto err_ring;
	spin_lock_irq(&cq->lock);
	old = mroce_cq_move(cq, ring);
	spin_unlock_irq(&cq->lock);
	if (IS_ERR(old)) {
		err = PTR_ERR(old);
		goto err_ring;
	}
	mroce_rbuf_destroy(old);
	return 0;

err_ring:
	mroce_rbuf_destroy(ring);
	return err;
}
