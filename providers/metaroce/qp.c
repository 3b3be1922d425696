// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: their life and their state. Posting is in post.c and wr.c.
 */
#include "metaroce.h"

#include <stdlib.h>
#include <string.h>

#define QP_COMP_MASK	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t op_type(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC ? MROCE_OP_RC : MROCE_OP_UD;
}

static int check_attr(const struct ibv_qp_init_attr_ex *attr)
{
	if (!check_comp_mask(attr->comp_mask, QP_COMP_MASK))
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd)
		return EINVAL;
	if (attr->qp_type != IBV_QPT_RC && attr->qp_type != IBV_QPT_UD)
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) && attr->create_flags)
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	    !check_comp_mask(attr->send_ops_flags, mroce_send_ops(attr->qp_type)))
		return EOPNOTSUPP;
	return attr->send_cq && attr->recv_cq ? 0 : EINVAL;
}

/*
 * Maps the rings and sets the limits: those that the kernel granted, and no more than the slots can hold.
 * A send ring is always there, a receive ring with receive requests of the QP's own.
 */
static int qp_map(struct mroce_qp *qp, const struct mroce_create_qp_resp *resp, const struct ibv_qp_cap *cap)
{
	int fd = qp->vqp.qp.context->cmd_fd;
	uint32_t data;
	int err;

	err = mroce_ring_map(&qp->sq.ring, fd, resp->sq_mmap_offset, resp->sq_mmap_len, resp->sq_entries,
			     resp->sq_stride, sizeof(struct mroce_send_wqe));
	if (err)
		return err;

	data = resp->sq_stride - sizeof(struct mroce_send_wqe);
	qp->sq.max_wr = min_u32(cap->max_send_wr, resp->sq_entries);
	qp->caps.max_sge = min_u32(cap->max_send_sge, data / sizeof(struct mroce_sge));
	qp->caps.max_inline = min_u32(min_u32(cap->max_inline_data, data), UINT16_MAX);
	if (!resp->rq_entries)
		return 0;

	err = mroce_ring_map(&qp->rq.ring, fd, resp->rq_mmap_offset, resp->rq_mmap_len, resp->rq_entries,
			     resp->rq_stride, sizeof(struct mroce_recv_wqe));
	if (err)
		return err;

	data = resp->rq_stride - sizeof(struct mroce_recv_wqe);
	qp->rq.max_wr = min_u32(cap->max_recv_wr, resp->rq_entries);
	qp->rq.max_sge = min_u32(cap->max_recv_sge, data / sizeof(struct mroce_sge));
	return 0;
}

static struct mroce_qp *qp_alloc(const struct ibv_qp_init_attr_ex *attr)
{
	struct mroce_qp *qp = calloc(1, sizeof(*qp));
	bool threads = mroce_pd_threads(attr->pd);
	int err;

	if (!qp)
		return NULL;

	err = mroce_queue_init(&qp->sq, threads);
	if (err)
		goto err_free;
	err = mroce_queue_init(&qp->rq, threads);
	if (err)
		goto err_sq;
	qp->caps.qp_type = op_type(attr->qp_type);
	qp->caps.sig_all = attr->sq_sig_all;
	return qp;

err_sq:
	mroce_queue_destroy(&qp->sq);
err_free:
	free(qp);
	errno = err;
	return NULL;
}

static void qp_free(struct mroce_qp *qp)
{
	mroce_queue_destroy(&qp->rq);
	mroce_queue_destroy(&qp->sq);
	free(qp);
}

static int qp_create(struct ibv_context *ctx, struct mroce_qp *qp, struct ibv_qp_init_attr_ex *attr)
{
	struct umroce_create_qp_resp resp = {};
	struct umroce_create_qp cmd = {};
	int err;

	err = ibv_cmd_create_qp_ex(ctx, &qp->vqp, attr, &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				   sizeof(resp));
	if (err)
		return err;

	err = qp_map(qp, &resp.drv_payload, &attr->cap);
	if (err)
		ibv_cmd_destroy_qp(&qp->vqp.qp);
	return err;
}

struct ibv_qp *mroce_create_qp_ex(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr)
{
	uint32_t comp_mask = attr->comp_mask;
	struct mroce_qp *qp;
	int err = check_attr(attr);

	if (err) {
		errno = err;
		return NULL;
	}
	qp = qp_alloc(attr);
	if (!qp)
		return NULL;

	/* The command knows no create flags; there are none. */
	attr->comp_mask &= ~IBV_QP_INIT_ATTR_CREATE_FLAGS;
	err = qp_create(ctx, qp, attr);
	attr->comp_mask = comp_mask;
	if (err) {
		qp_free(qp);
		errno = err;
		return NULL;
	}
	if (comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		mroce_qp_ex_init(qp, attr->send_ops_flags);
	atomic_fetch_add(&to_mcq(attr->send_cq)->users, 1);
	atomic_fetch_add(&to_mcq(attr->recv_cq)->users, 1);
	mroce_cq_add_qp(to_mcq(attr->send_cq), qp);
	return &qp->vqp.qp;
}

struct ibv_qp *mroce_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex attr_ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = mroce_create_qp_ex(pd->context, &attr_ex);

	if (qp)
		attr->cap = attr_ex.cap;
	return qp;
}

static void qp_clean_cqs(struct mroce_qp *qp, bool forget)
{
	mroce_cq_clean(to_mcq(qp->vqp.qp.send_cq), qp, forget);
	if (qp->vqp.qp.recv_cq != qp->vqp.qp.send_cq)
		mroce_cq_clean(to_mcq(qp->vqp.qp.recv_cq), qp, forget);
}

/*
 * RESET forgets what was posted and what has completed. Completions go first: one of the old ones, polled
 * after the counters restarted, would free entries that are not.
 */
int mroce_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	struct ibv_modify_qp cmd = {};
	int err;

	err = ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));
	if (err || !(mask & IBV_QP_STATE) || attr->qp_state != IBV_QPS_RESET)
		return err;

	qp_clean_cqs(qp, false);
	mroce_queue_restart(&qp->sq);
	mroce_queue_restart(&qp->rq);
	return 0;
}

int mroce_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	struct ibv_query_qp cmd;

	return ibv_cmd_query_qp(qp, attr, mask, init, &cmd, sizeof(cmd));
}

int mroce_destroy_qp(struct ibv_qp *ibqp)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	int err = mroce_destroyed(ibv_cmd_destroy_qp(ibqp));

	if (err)
		return err;

	qp_clean_cqs(qp, true);
	atomic_fetch_sub(&to_mcq(ibqp->send_cq)->users, 1);
	atomic_fetch_sub(&to_mcq(ibqp->recv_cq)->users, 1);
	qp_free(qp);
	return 0;
}
