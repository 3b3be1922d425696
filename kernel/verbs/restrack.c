// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * `rdma resource show` with -dd: what the driver knows of QPs, CQs and regions. Rule 26: a message
 * of rdma netlink holds 3.7 KB in all, so a QP's part stays below 1.5 KB, with one short line for
 * each of a few paths.
 */
#include <rdma/restrack.h>
#include "transport/internal.h"
#include "verbs.h"

#define MROCE_RES_PATHS	8

static int mroce_put_path(struct sk_buff *msg, const struct mroce_path *p)
{
	char name[8], text[112];

	snprintf(name, sizeof(name), "path%u", p->index);
	snprintf(text, sizeof(text), "if %u port %u cwnd %u inflight %u srtt_ns %llu ce %u",
		 p->route.ifindex, p->route.sport, p->cc.cwnd, p->inflight_bytes, p->rtt.srtt,
		 p->ce_seen);
	return rdma_nl_put_driver_string(msg, name, text);
}

static int mroce_put_conn(struct sk_buff *msg, const struct mroce_conn *conn)
{
	int i, n = 0, err;

	err = rdma_nl_put_driver_u32(msg, "conn_state", conn->state) ?:
	      rdma_nl_put_driver_u32(msg, "conn_streams", conn->nstreams) ?:
	      rdma_nl_put_driver_u32(msg, "payload", conn->payload) ?:
	      rdma_nl_put_driver_u64(msg, "srtt_ns", conn->rtt.srtt) ?:
	      rdma_nl_put_driver_u64(msg, "inflight", conn->inflight_bytes) ?:
	      rdma_nl_put_driver_u64(msg, "backlog", conn->backlog) ?:
	      rdma_nl_put_driver_u32(msg, "paths", conn->npaths);
	for (i = 0; !err && i < MROCE_MAX_PATHS && n < MROCE_RES_PATHS; i++) {
		if (!conn->paths[i])
			continue;
		err = mroce_put_path(msg, conn->paths[i]);
		n++;
	}
	return err;
}

/* Under the data path lock. */
static int mroce_put_qp(struct sk_buff *msg, struct mroce_qp *qp)
{
	int err;

	mroce_qp_assert_locked(qp);
	err = rdma_nl_put_driver_u32(msg, "sq_head", qp->sq.head) ?:
	      rdma_nl_put_driver_u32(msg, "sq_tail", qp->sq.tail) ?:
	      rdma_nl_put_driver_u32(msg, "rq_bound", qp->rq.bind) ?:
	      rdma_nl_put_driver_u32(msg, "rq_done", qp->rq.done);
	if (!err && qp->stream.peer)
		err = rdma_nl_put_driver_u32(msg, "opened", qp->stream.opened) ?:
		      rdma_nl_put_driver_u32(msg, "next_msn", qp->stream.next_msn) ?:
		      rdma_nl_put_driver_u32(msg, "una_msn", qp->stream.una_msn) ?:
		      rdma_nl_put_driver_u32(msg, "expected_msn", qp->stream.exp_msn);
	if (!err && qp->stream.conn)
		err = mroce_put_conn(msg, qp->stream.conn);
	return err;
}

static int mroce_nest_end(struct sk_buff *msg, struct nlattr *nest, int err)
{
	if (err) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

int mroce_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct mroce_qp *qp = to_mqp(ibqp);
	struct mroce_assoc *a;
	int err;

	if (!nest)
		return -EMSGSIZE;
	a = mroce_qp_lock(qp);
	err = mroce_put_qp(msg, qp);
	mroce_qp_unlock(qp, a, MROCE_CTX_POST);
	return mroce_nest_end(msg, nest, err);
}

int mroce_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct mroce_cq *cq = to_mcq(ibcq);
	bool error;
	u32 prod;

	if (!nest)
		return -EMSGSIZE;
	spin_lock_irq(&cq->lock);
	prod = cq->prod;
	error = cq->error;
	spin_unlock_irq(&cq->lock);
	return mroce_nest_end(msg, nest, rdma_nl_put_driver_u32(msg, "prod", prod) ?:
					 rdma_nl_put_driver_u32(msg, "overflowed", error));
}

int mroce_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	const struct mroce_region *r = to_mmr(ibmr)->region;

	if (!nest)
		return -EMSGSIZE;
	return mroce_nest_end(msg, nest, rdma_nl_put_driver_u32_hex(msg, "access", r->access) ?:
					 rdma_nl_put_driver_u32(msg, "valid", r->valid) ?:
					 rdma_nl_put_driver_u32(msg, "windows",
								atomic_read(&r->windows)));
}
