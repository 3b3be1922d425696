// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues. Posting is in post.c.
 */
#include "metaroce.h"

#include <stdlib.h>

static int srq_map(struct ibv_context *ctx, struct mroce_srq *srq, const struct mroce_create_srq_resp *resp,
		   const struct ibv_srq_attr *attr)
{
	uint32_t data;
	int err;

	err = mroce_ring_map(&srq->rq.ring, ctx->cmd_fd, resp->mmap_offset, resp->mmap_len, resp->entries,
			     resp->stride, sizeof(struct mroce_recv_wqe));
	if (err) {
		ibv_cmd_destroy_srq(&srq->vsrq.srq);
		return err;
	}
	data = resp->stride - sizeof(struct mroce_recv_wqe);
	srq->rq.max_wr = attr->max_wr < resp->entries ? attr->max_wr : resp->entries;
	srq->rq.max_sge = data / sizeof(struct mroce_sge);
	if (attr->max_sge < srq->rq.max_sge)
		srq->rq.max_sge = attr->max_sge;
	return 0;
}

static void srq_free(struct mroce_srq *srq)
{
	mroce_queue_destroy(&srq->rq);
	free(srq);
}

struct ibv_srq *mroce_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct umroce_create_srq_resp resp = {};
	struct umroce_create_srq cmd = {};
	struct mroce_srq *srq = calloc(1, sizeof(*srq));
	int err;

	if (!srq)
		return NULL;

	err = mroce_queue_init(&srq->rq, mroce_pd_threads(pd));
	if (err) {
		free(srq);
		errno = err;
		return NULL;
	}
	err = ibv_cmd_create_srq(pd, &srq->vsrq.srq, attr, &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				 sizeof(resp));
	if (!err)
		err = srq_map(pd->context, srq, &resp.drv_payload, &attr->attr);
	if (err) {
		srq_free(srq);
		errno = err;
		return NULL;
	}
	return &srq->vsrq.srq;
}

/* The ring keeps its size; what else may change is the limit, in the kernel. */
int mroce_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_modify_srq cmd = {};

	if (mask & IBV_SRQ_MAX_WR)
		return EOPNOTSUPP;
	return ibv_cmd_modify_srq(srq, attr, mask, &cmd, sizeof(cmd));
}

int mroce_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd;

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int mroce_destroy_srq(struct ibv_srq *ibsrq)
{
	int err = mroce_destroyed(ibv_cmd_destroy_srq(ibsrq));

	if (!err)
		srq_free(to_msrq(ibsrq));
	return err;
}
