// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: their life, their event, and the QPs that complete in them. Polling is in poll.c.
 */
#include "metaroce.h"

#include <stdlib.h>

#define CQ_WC_FLAGS (IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
		     IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
#define CQ_FLAGS IBV_CREATE_CQ_ATTR_SINGLE_THREADED

static struct mroce_cq *cq_alloc(bool threads)
{
	struct mroce_cq *cq = calloc(1, sizeof(*cq));
	int err;

	if (!cq)
		return NULL;

	err = mroce_qpmap_init(&cq->qps);
	if (err)
		goto err_free;
	err = mroce_lock_init(&cq->lock, threads);
	if (err)
		goto err_map;
	return cq;

err_map:
	mroce_qpmap_destroy(&cq->qps);
err_free:
	free(cq);
	errno = err;
	return NULL;
}

static void cq_free(struct mroce_cq *cq)
{
	mroce_ring_unmap(&cq->ring);
	mroce_lock_destroy(&cq->lock);
	mroce_qpmap_destroy(&cq->qps);
	free(cq);
}

static int cq_map(struct ibv_context *ctx, struct mroce_cq *cq, const struct mroce_create_cq_resp *resp)
{
	int err = mroce_ring_map(&cq->ring, ctx->cmd_fd, resp->mmap_offset, resp->mmap_len, resp->entries,
				 resp->stride, sizeof(struct mroce_cqe));

	if (err)
		ibv_cmd_destroy_cq(&cq->vcq.cq);
	return err;
}

struct ibv_cq *mroce_create_cq(struct ibv_context *ctx, int cqe, struct ibv_comp_channel *channel,
			       int comp_vector)
{
	struct umroce_create_cq_resp resp = {};
	struct umroce_create_cq cmd = {};
	struct mroce_cq *cq;
	int err;

	if (cqe < 1) {
		errno = EINVAL;
		return NULL;
	}
	cq = cq_alloc(true);
	if (!cq)
		return NULL;

	err = ibv_cmd_create_cq(ctx, cqe, channel, comp_vector, &cq->vcq.cq, &cmd.ibv_cmd, sizeof(cmd),
				&resp.ibv_resp, sizeof(resp));
	if (!err)
		err = cq_map(ctx, cq, &resp.drv_payload);
	if (err) {
		cq_free(cq);
		errno = err;
		return NULL;
	}
	return &cq->vcq.cq;
}

static int check_cq_attr(const struct ibv_cq_init_attr_ex *attr)
{
	if (!check_comp_mask(attr->comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD))
		return EOPNOTSUPP;
	if (!check_comp_mask(attr->wc_flags, CQ_WC_FLAGS))
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) && !check_comp_mask(attr->flags, CQ_FLAGS))
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) && !attr->parent_domain)
		return EINVAL;
	return attr->cqe < 1 ? EINVAL : 0;
}

static bool cq_attr_threads(const struct ibv_cq_init_attr_ex *attr)
{
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED))
		return false;
	return !(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) || mroce_pd_threads(attr->parent_domain);
}

struct ibv_cq_ex *mroce_create_cq_ex(struct ibv_context *ctx, struct ibv_cq_init_attr_ex *attr)
{
	struct umroce_create_cq_ex_resp resp = {};
	struct umroce_create_cq_ex cmd = {};
	struct mroce_cq *cq;
	int err = check_cq_attr(attr);

	if (err) {
		errno = err;
		return NULL;
	}
	cq = cq_alloc(cq_attr_threads(attr));
	if (!cq)
		return NULL;

	/* Every completion has its time: the kernel need not be told that somebody reads it. */
	err = mroce_cmd_create_cq_ex(ctx, attr, &cq->vcq, &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				     sizeof(resp), CREATE_CQ_CMD_FLAGS_TS_IGNORED_EX);
	if (!err)
		err = cq_map(ctx, cq, &resp.drv_payload);
	if (err) {
		cq_free(cq);
		errno = err;
		return NULL;
	}
	mroce_cq_ex_init(&cq->vcq.cq_ex, attr->wc_flags);
	return &cq->vcq.cq_ex;
}

/*
 * The kernel refuses to destroy a CQ that QPs complete in; but when the device is gone, no destroy fails, and
 * the QPs still look into the CQ when they go.
 */
int mroce_destroy_cq(struct ibv_cq *ibcq)
{
	int err;

	if (atomic_load(&to_mcq(ibcq)->users))
		return EBUSY;
	err = mroce_destroyed(ibv_cmd_destroy_cq(ibcq));
	if (!err)
		cq_free(to_mcq(ibcq));
	return err;
}

int mroce_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(cq, attr, &cmd, sizeof(cmd));
}

/* The kernel has moved to the new ring; if we cannot follow, the queue is lost. */
static int cq_follow(struct mroce_cq *cq, const struct mroce_resize_cq_resp *resp)
{
	struct mroce_uring ring;
	int err;

	err = mroce_ring_map(&ring, cq->vcq.cq.context->cmd_fd, resp->mmap_offset, resp->mmap_len,
			     resp->entries, resp->stride, sizeof(struct mroce_cqe));
	if (err) {
		cq->broken = true;
		return err;
	}
	mroce_ring_unmap(&cq->ring);
	cq->ring = ring;
	cq->cons = mroce_load_acquire(&ring.hdr->cons);
	return 0;
}

/*
 * The one system call made under a queue lock: nobody may take completions from the old ring while the
 * kernel copies them to the new one.
 */
int mroce_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct umroce_resize_cq_resp resp = {};
	struct umroce_resize_cq cmd = {};
	struct mroce_cq *cq = to_mcq(ibcq);
	int err;

	if (cqe < 1)
		return EINVAL;

	mroce_lock(&cq->lock);
	err = ibv_cmd_resize_cq(ibcq, cqe, &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (!err)
		err = cq_follow(cq, &resp.drv_payload);
	mroce_unlock(&cq->lock);
	return err;
}

/*
 * Arms the event, without a system call. No completion is missed between a last empty poll and a wait:
 *
 *	application			kernel
 *	arm = NEXT			prod = n + 1
 *	full barrier (below)		full barrier
 *	poll: read prod			swap arm
 *
 * Of two stores with full barriers behind them at least one is seen by the other side. So either the poll
 * after this call finds completion n, or the kernel finds the queue armed and raises the event; both may
 * happen. A request for solicited events does not take back one for all: if the kernel swaps NEXT away
 * while we look at it, it raises an event, and that is the one we were asked for.
 */
int mroce_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct mroce_cq *cq = to_mcq(ibcq);
	__u32 want = solicited_only ? MROCE_ARM_SOLICITED : MROCE_ARM_NEXT;
	__u32 *arm;
	int err = 0;

	mroce_lock(&cq->lock);
	arm = &cq->ring.hdr->arm;
	if (!solicited_only || __atomic_load_n(arm, __ATOMIC_RELAXED) != MROCE_ARM_NEXT)
		__atomic_store_n(arm, want, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (cq->broken || mroce_ring_dead(&cq->ring))
		err = EIO;
	mroce_unlock(&cq->lock);
	return err;
}

/* From now on completions of @qp free its send entries. */
void mroce_cq_add_qp(struct mroce_cq *cq, struct mroce_qp *qp)
{
	qp->map.qpn = qp->vqp.qp.qp_num;
	mroce_lock(&cq->lock);
	mroce_qpmap_add(&cq->qps, &qp->map);
	mroce_unlock(&cq->lock);
}

/*
 * Removes the completions of a QP that makes no more of them: it was reset, or (@forget) destroyed. In the
 * second case its number may be given to another QP at once in theory; the kernel hands numbers out in
 * cyclic order, so in practice not before 2^24 others.
 */
void mroce_cq_clean(struct mroce_cq *cq, struct mroce_qp *qp, bool forget)
{
	mroce_lock(&cq->lock);
	cq->cons = mroce_ring_drop(&cq->ring, cq->cons, mroce_load_acquire(&cq->ring.hdr->prod),
				   qp->vqp.qp.qp_num);
	mroce_store_release(&cq->ring.hdr->cons, cq->cons);
	if (forget)
		mroce_qpmap_del(&cq->qps, &qp->map);
	mroce_unlock(&cq->lock);
}
