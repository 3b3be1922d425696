// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * `rdma resource show` with -dd: what the driver knows of QPs, CQs and regions. Rule 26: a message
 * of rdma netlink holds 3.7 KB in all, so a QP's part stays below 1.5 KB, with one short line for
 * each of a few paths.
 */
#include <rdma/restrack.h>
#include "transport/internal.h"
#include "verbs.h"

#define MROCE_RES_PATHS		8
#define MROCE_RES_PATH_LEN	104	/* with its end; what does not fit is cut off */

/* Attributes and names of a path: two headers, "path127", its text. */
#define MROCE_RES_PATHS_SIZE	\
	(MROCE_RES_PATHS * (nla_total_size(8) + nla_total_size(MROCE_RES_PATH_LEN)))

static const char * const mroce_path_states[] = {
	[MROCE_PATH_RESTS]	= "rests",
	[MROCE_PATH_USED]	= "used",
	[MROCE_PATH_SUSPECT]	= "suspect",
	[MROCE_PATH_AWAY]	= "away",
};

static const char * const mroce_conn_states[] = {
	[MROCE_CONN_CONNECTING]	= "connecting",
	[MROCE_CONN_HALF]	= "half_open",
	[MROCE_CONN_OPEN]	= "open",
	[MROCE_CONN_DEAD]	= "dead",
};

static int mroce_put_path(struct sk_buff *msg, const struct mroce_path *p)
{
	char name[8], text[MROCE_RES_PATH_LEN];

	snprintf(name, sizeof(name), "path%u", p->index);
	snprintf(text, sizeof(text),
		 "if %u port %u %s rtt_us %llu cwnd %u inflight %u ce_permille %u retx %u spur %u",
		 p->route.ifindex, p->route.sport, mroce_path_states[mroce_path_state(p)],
		 div_u64(p->rtt.srtt, NSEC_PER_USEC), p->cc.cwnd, p->inflight_bytes,
		 mroce_path_ce_permille(p), p->retx, p->spurious);
	return rdma_nl_put_driver_string(msg, name, text);
}

/* A few paths: those in use, and others as far as there is room. */
static int mroce_put_paths(struct sk_buff *msg, const struct mroce_conn *conn)
{
	u32 i, others = MROCE_RES_PATHS - min_t(u32, conn->nactive, MROCE_RES_PATHS);
	u32 used = MROCE_RES_PATHS - others;
	int err = 0;

	for (i = 0; !err && i < conn->npaths && used + others; i++) {
		u32 *left = mroce_path_active(conn->paths[i]) ? &used : &others;

		if (!*left)
			continue;
		--*left;
		err = mroce_put_path(msg, conn->paths[i]);
	}
	return err;
}

/*
 * A 64-bit attribute may be padded, at which rdma(8) stops reading: so it is a number of 32 bits,
 * or text where that does not do.
 */
static int mroce_put_num(struct sk_buff *msg, const char *name, u64 value)
{
	char text[24];

	if (value <= U32_MAX)
		return rdma_nl_put_driver_u32(msg, name, value);
	snprintf(text, sizeof(text), "%llu", value);
	return rdma_nl_put_driver_string(msg, name, text);
}

static int mroce_put_hex(struct sk_buff *msg, const char *name, u32 value)
{
	char text[12];

	snprintf(text, sizeof(text), "%#x", value);
	return rdma_nl_put_driver_string(msg, name, text);
}

static int mroce_put_conn(struct sk_buff *msg, const struct mroce_conn *conn)
{
	struct mroce_dv_conn c;

	mroce_dv_fill_conn(&c, conn);
	return mroce_put_hex(msg, "conn_id", c.conn_id) ?:
	       rdma_nl_put_driver_string(msg, "conn_state", mroce_conn_states[conn->state]) ?:
	       mroce_put_num(msg, "streams", c.num_qps) ?:
	       mroce_put_num(msg, "payload", c.payload) ?:
	       mroce_put_num(msg, "srtt_ns", c.srtt_ns) ?:
	       mroce_put_num(msg, "cwnd", c.cwnd) ?:
	       mroce_put_num(msg, "inflight", c.inflight) ?:
	       mroce_put_num(msg, "backlog", c.backlog) ?:
	       mroce_put_hex(msg, "hint", c.hint) ?:
	       mroce_put_num(msg, "accepted", c.accepted) ?:
	       mroce_put_num(msg, "marked", c.marked) ?:
	       mroce_put_num(msg, "retx", c.retransmits) ?:
	       mroce_put_num(msg, "spurious", c.spurious) ?:
	       mroce_put_num(msg, "paths", c.num_paths) ?:
	       mroce_put_num(msg, "active", c.used_paths) ?:
	       mroce_put_paths(msg, conn);
}

/* Under the data path lock. */
static int mroce_put_qp(struct sk_buff *msg, struct mroce_qp *qp)
{
	int err;

	BUILD_BUG_ON(MROCE_RES_PATHS_SIZE > 1000);	/* the rest stays below 500, see there */
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
