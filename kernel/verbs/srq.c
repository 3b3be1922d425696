// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues. Receives are taken by QPs in softirq or process context, under their data
 * path locks; kernel consumers post from any context.
 */
#include <linux/log2.h>
#include "verbs.h"

static void mroce_srq_put(struct mroce_srq *srq)
{
	if (refcount_dec_and_test(&srq->ref))
		complete(&srq->gone);
}

/* mroce_event.deliver: no locks */
static void mroce_srq_deliver(struct mroce_event *ev)
{
	struct mroce_srq *srq = container_of(ev, struct mroce_srq, event);
	struct ib_event limit = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	srq->queued = false;
	spin_unlock_irqrestore(&srq->lock, flags);
	if (srq->ib.event_handler)
		srq->ib.event_handler(&limit, srq->ib.srq_context);
	mroce_srq_put(srq);
}

/* Delivers the event that modify has raised: handlers are not called within a consumer's call. */
static void mroce_srq_work(struct work_struct *work)
{
	struct mroce_srq *srq = container_of(work, struct mroce_srq, work);

	mroce_srq_deliver(&srq->event);
}

/* Receives that a QP could take now. */
static u32 mroce_srq_left(const struct mroce_srq *srq)
{
	u32 n = srq->nready;

	lockdep_assert_held(&srq->lock);
	if (srq->ring)
		n = min(READ_ONCE(srq->ring->hdr->prod) - srq->cons, srq->entries);
	return n + srq->nreturned;
}

static void mroce_srq_check_limit(struct mroce_srq *srq, struct list_head *events)
{
	if (!srq->limit || mroce_srq_left(srq) >= srq->limit)
		return;
	srq->limit = 0;
	if (srq->queued)
		return;
	srq->queued = true;
	refcount_inc(&srq->ref);
	list_add_tail(&srq->event.link, events);
}

/* Storage for a copy, or NULL: as many as the queue is long, beside those that wait in the ring. */
static struct mroce_rwqe *mroce_srq_slot(struct mroce_srq *srq)
{
	struct mroce_rwqe *w = list_first_entry_or_null(&srq->free, struct mroce_rwqe, link);

	if (w) {
		list_del(&w->link);
		return w;
	}
	if (srq->used_slots == srq->entries)
		return NULL;
	w = mroce_slot_get(&srq->slots, srq->used_slots, GFP_ATOMIC);
	if (w)
		srq->used_slots++;
	return w;
}

static struct mroce_rwqe *mroce_srq_take_ring(struct mroce_srq *srq)
{
	struct mroce_ring *hdr = srq->ring->hdr;
	struct mroce_rwqe *w;

	if (smp_load_acquire(&hdr->prod) == srq->cons)	/* before the slot is read */
		return NULL;
	w = mroce_srq_slot(srq);
	if (!w)
		return NULL;
	mroce_rwqe_from_ring(w, srq->max_sge, srq->ring, srq->cons++);
	smp_store_release(&hdr->cons, srq->cons);	/* the slot was copied */
	return w;
}

/**
 * mroce_srq_take() - the next receive for a QP
 * @srq:	queue
 *
 * It goes back by mroce_srq_return(), or the QP keeps it and says so by mroce_srq_kept().
 *
 * Return: NULL when none is posted.
 */
struct mroce_rwqe *mroce_srq_take(struct mroce_srq *srq)
{
	struct mroce_rwqe *w;
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	w = list_first_entry_or_null(&srq->returned, struct mroce_rwqe, link);
	if (w) {
		list_del(&w->link);
		srq->nreturned--;
	} else if (srq->ring) {
		w = mroce_srq_take_ring(srq);
	} else {
		w = list_first_entry_or_null(&srq->ready, struct mroce_rwqe, link);
		if (w) {
			list_del(&w->link);
			srq->nready--;
		}
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return w;
}

/**
 * mroce_srq_kept() - a receive that was taken has its message
 * @srq:	queue
 * @events:	where the limit event goes, under the lock that guards this list
 */
void mroce_srq_kept(struct mroce_srq *srq, struct list_head *events)
{
	unsigned long flags;

	if (!READ_ONCE(srq->limit))	/* who sets it looks himself */
		return;
	spin_lock_irqsave(&srq->lock, flags);
	mroce_srq_check_limit(srq, events);
	spin_unlock_irqrestore(&srq->lock, flags);
}

/* Its QP ended before anything was placed there: it is as good as new. */
void mroce_srq_return(struct mroce_srq *srq, struct mroce_rwqe *w)
{
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	list_add_tail(&w->link, &srq->returned);
	srq->nreturned++;
	spin_unlock_irqrestore(&srq->lock, flags);
}

void mroce_srq_done(struct mroce_srq *srq, struct mroce_rwqe *w)
{
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	list_add(&w->link, &srq->free);
	spin_unlock_irqrestore(&srq->lock, flags);
}

static int mroce_srq_stage(struct mroce_srq *srq, const struct ib_recv_wr **wr)
{
	struct mroce_rwqe *w;
	int err;

	for (; *wr; *wr = (*wr)->next) {
		w = srq->nready < srq->max_wr ? mroce_srq_slot(srq) : NULL;
		if (!w)
			return -ENOMEM;
		err = mroce_rwqe_from_wr(w, srq->max_sge, *wr);
		if (err) {
			list_add(&w->link, &srq->free);
			return err;
		}
		w->wqe_cnt = srq->posted++;
		list_add_tail(&w->link, &srq->ready);
		srq->nready++;
	}
	return 0;
}

/* User space rings for nothing here: the limit is looked at when receives are taken. */
int mroce_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad)
{
	struct mroce_srq *srq = to_msrq(ibsrq);
	unsigned long flags;
	int err;

	if (srq->ring) {
		*bad = wr;
		return wr ? -EINVAL : 0;
	}
	spin_lock_irqsave(&srq->lock, flags);
	err = mroce_srq_stage(srq, &wr);
	spin_unlock_irqrestore(&srq->lock, flags);
	if (err)
		*bad = wr;
	return err;
}

static int mroce_srq_respond(struct mroce_srq *srq, struct ib_udata *udata)
{
	struct mroce_create_srq_resp resp = {
		.mmap_offset = mroce_rbuf_offset(srq->ring),
		.mmap_len = srq->ring->len,
		.entries = srq->ring->entries,
		.stride = srq->ring->stride,
	};

	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static int mroce_srq_alloc(struct mroce_srq *srq, struct ib_udata *udata)
{
	struct mroce_ucontext *uctx = rdma_udata_to_drv_context(udata, struct mroce_ucontext, ib);
	u32 sges = srq->max_sge * sizeof(struct mroce_sge);
	int err;

	err = mroce_slots_init(&srq->slots, srq->entries, sizeof(struct mroce_rwqe) + sges);
	if (err)
		return err;
	if (!udata)
		return mroce_slots_fill(&srq->slots);
	srq->ring = mroce_rbuf_create(&uctx->ib, srq->entries, sizeof(struct mroce_recv_wqe) +
				      sges);
	if (IS_ERR(srq->ring)) {
		err = PTR_ERR(srq->ring);
		srq->ring = NULL;
		return err;
	}
	return mroce_srq_respond(srq, udata);
}

int mroce_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr, struct ib_udata *udata)
{
	struct mroce_srq *srq = to_msrq(ibsrq);
	int err;

	if (attr->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!attr->attr.max_wr || attr->attr.max_wr > MROCE_MAX_WR ||
	    attr->attr.max_sge > MROCE_MAX_SGE || attr->attr.srq_limit > attr->attr.max_wr)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct mroce_create_srq_resp))
		return -EINVAL;

	srq->max_wr = attr->attr.max_wr;
	srq->max_sge = max(attr->attr.max_sge, 1U);
	srq->entries = roundup_pow_of_two(srq->max_wr);
	srq->limit = attr->attr.srq_limit;
	spin_lock_init(&srq->lock);
	INIT_LIST_HEAD(&srq->free);
	INIT_LIST_HEAD(&srq->ready);
	INIT_LIST_HEAD(&srq->returned);
	INIT_LIST_HEAD(&srq->event.link);
	srq->event.deliver = mroce_srq_deliver;
	INIT_WORK(&srq->work, mroce_srq_work);
	refcount_set(&srq->ref, 1);
	init_completion(&srq->gone);

	err = mroce_srq_alloc(srq, udata);
	if (err) {
		mroce_rbuf_destroy(srq->ring);
		mroce_slots_free(&srq->slots);
		return err;
	}
	attr->attr.max_sge = srq->max_sge;
	return 0;
}

/* Only the limit can change. One that is already passed is told at once, by a work. */
int mroce_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata)
{
	struct mroce_srq *srq = to_msrq(ibsrq);
	struct mroce_event *ev;
	LIST_HEAD(events);

	if (mask & ~IB_SRQ_LIMIT)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > srq->max_wr)
		return -EINVAL;

	spin_lock_irq(&srq->lock);
	srq->limit = attr->srq_limit;
	mroce_srq_check_limit(srq, &events);
	spin_unlock_irq(&srq->lock);

	ev = list_first_entry_or_null(&events, struct mroce_event, link);
	if (ev) {
		list_del_init(&ev->link);
		queue_work(to_mdev(ibsrq->device)->wq, &srq->work);
	}
	return 0;
}

int mroce_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct mroce_srq *srq = to_msrq(ibsrq);

	attr->max_wr = srq->max_wr;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = READ_ONCE(srq->limit);
	return 0;
}

/* No QP has it any more; an event may still be on its way to the consumer. */
int mroce_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct mroce_srq *srq = to_msrq(ibsrq);

	mroce_srq_put(srq);
	wait_for_completion(&srq->gone);
	mroce_rbuf_destroy(srq->ring);
	mroce_slots_free(&srq->slots);
	return 0;
}
