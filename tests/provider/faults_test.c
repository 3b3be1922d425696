// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Every allocation, mapping and command of a full set of objects fails once: each time an errno comes back,
 * nothing is left in the kernel, and LeakSanitizer finds nothing left here.
 */
#include "fake_uverbs.h"
#include "tap.h"

#include <string.h>

/* What one round got hold of. */
struct objects {
	struct ibv_context *ctx;
	struct ibv_pd *pd, *parent;
	struct ibv_td *td;
	struct ibv_mr *mr, *dmabuf;
	struct ibv_mw *mw;
	struct ibv_ah *ah;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;
	struct ibv_srq *srq;
	struct ibv_qp *qp, *qp_ex;
};

#define GET(var, call)			\
	do {				\
		errno = 0;		\
		(var) = (call);		\
		if (!(var))		\
			return errno;	\
	} while (0)

static int get_memory(struct objects *o)
{
	static struct ibv_parent_domain_init_attr attr;
	static struct ibv_td_init_attr td_attr;
	static struct ibv_ah_attr ah_attr;

	GET(o->ctx, fake_open());
	GET(o->pd, fake.ops.alloc_pd(o->ctx));
	GET(o->td, fake.ops.alloc_td(o->ctx, &td_attr));
	attr.pd = o->pd;
	attr.td = o->td;
	GET(o->parent, fake.ops.alloc_parent_domain(o->ctx, &attr));
	GET(o->mr, fake.ops.reg_mr(o->pd, &attr, sizeof(attr), 0, 0));
	GET(o->dmabuf, fake.ops.reg_dmabuf_mr(o->pd, 0, 1, 0, 0, 0));
	GET(o->mw, fake.ops.alloc_mw(o->pd, IBV_MW_TYPE_2));
	GET(o->ah, fake.ops.create_ah(o->pd, &ah_attr));
	return 0;
}

static int get_queues(struct objects *o)
{
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 8 };
	struct ibv_srq_init_attr srq_attr = { .attr.max_wr = 4 };
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.cap.max_send_wr = 4, .send_ops_flags = IBV_QP_EX_WITH_SEND,
	};

	GET(o->cq, fake_create_cq(o->ctx, 8));
	GET(o->cq_ex, fake.ops.create_cq_ex(o->ctx, &cq_attr));
	GET(o->srq, fake.ops.create_srq(o->pd, &srq_attr));
	GET(o->qp, fake_create_qp(o->parent, o->cq, ibv_cq_ex_to_cq(o->cq_ex), NULL, IBV_QPT_UD));
	attr.pd = o->pd;
	attr.srq = o->srq;
	attr.send_cq = ibv_cq_ex_to_cq(o->cq_ex);
	attr.recv_cq = o->cq;
	GET(o->qp_ex, fake.ops.create_qp_ex(o->ctx, &attr));
	return 0;
}

static int put(struct objects *o)
{
	int err = 0;

	err |= o->qp_ex ? fake.ops.destroy_qp(o->qp_ex) : 0;
	err |= o->qp ? fake.ops.destroy_qp(o->qp) : 0;
	err |= o->srq ? fake.ops.destroy_srq(o->srq) : 0;
	err |= o->cq_ex ? fake.ops.destroy_cq(ibv_cq_ex_to_cq(o->cq_ex)) : 0;
	err |= o->cq ? fake.ops.destroy_cq(o->cq) : 0;
	err |= o->ah ? fake.ops.destroy_ah(o->ah) : 0;
	err |= o->mw ? fake.ops.dealloc_mw(o->mw) : 0;
	err |= o->dmabuf ? fake.ops.dereg_mr(verbs_get_mr(o->dmabuf)) : 0;
	err |= o->mr ? fake.ops.dereg_mr(verbs_get_mr(o->mr)) : 0;
	err |= o->parent ? fake.ops.dealloc_pd(o->parent) : 0;
	err |= o->td ? fake.ops.dealloc_td(o->td) : 0;
	err |= o->pd ? fake.ops.dealloc_pd(o->pd) : 0;
	if (o->ctx)
		fake_close(o->ctx);
	return err;
}

static void every_step__fails_once(void)
{
	struct objects o;
	int n, err, fired = 0;

	for (n = 1; n < 100; n++) {
		memset(&o, 0, sizeof(o));
		fake.fail_in = n;
		err = get_memory(&o);
		if (!err)
			err = get_queues(&o);
		fired += !fake.fail_in;
		CHECK(!fake.fail_in == !!err);
		fake.fail_in = 0;
		CHECK(put(&o) == 0);
		CHECK(fake.live == 0 && fake.maps == 0);
		if (!err)
			break;
	}
	printf("# %d calls failed in turn\n", fired);
	CHECK(n < 100 && fired >= 30);
}

/* A QP's map may fail to grow: then its chains are longer, and that is all. */
static void map_growth__may_fail(void)
{
	struct ibv_qp *qps[40];
	struct ibv_context *ctx = fake_open();
	struct ibv_pd *pd = fake.ops.alloc_pd(ctx);
	struct ibv_cq *cq = fake_create_cq(ctx, 8);
	int i;

	for (i = 0; i < 40; i++) {
		/* calloc, command, two maps; the fifth call is the growth when there is one */
		fake.fail_in = 5;
		qps[i] = fake_create_qp(pd, cq, cq, NULL, IBV_QPT_RC);
		CHECK(qps[i]);
	}
	fake.fail_in = 0;
	CHECK(to_mcq(cq)->qps.mask == 15 && to_mcq(cq)->qps.count == 40);
	for (i = 0; i < 40; i++)
		CHECK(fake.ops.destroy_qp(qps[i]) == 0);
	CHECK(to_mcq(cq)->qps.count == 0);
	CHECK(fake.ops.destroy_cq(cq) == 0 && fake.ops.dealloc_pd(pd) == 0);
	fake_close(ctx);
}

static const struct tap_case cases[] = {
	TAP_CASE(every_step__fails_once),
	TAP_CASE(map_growth__may_fail),
};

TAP_MAIN(cases)
