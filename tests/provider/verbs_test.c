// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The provider's objects: registration, creation and its refusals, domains, windows, life after the device.
 */
#include "fake_uverbs.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static void setup(void)
{
	ctx = fake_open();
	CHECK(ctx);
	pd = fake.ops.alloc_pd(ctx);
	cq = fake_create_cq(ctx, 8);
	CHECK(pd && cq);
}

static void teardown(void)
{
	CHECK(fake.ops.destroy_cq(cq) == 0);
	CHECK(fake.ops.dealloc_pd(pd) == 0);
	CHECK(fake.live == 0 && fake.maps == 0);
	fake_close(ctx);
}

/* ---- device ---- */

static void device__matches_driver_id_alone(void)
{
	const struct verbs_device_ops *ops = fake.dev_ops;

	CHECK(ops && !strcmp(ops->name, "metaroce"));
	CHECK(ops->match_min_abi_version == MROCE_UVERBS_ABI_VERSION);
	CHECK(ops->match_max_abi_version == MROCE_UVERBS_ABI_VERSION);
	CHECK(!ops->match_device);
	CHECK(ops->match_table[0].kind == VERBS_MATCH_DRIVER_ID);
	CHECK(ops->match_table[0].u.driver_id == MROCE_DRIVER_ID);
	CHECK(ops->match_table[1].kind == VERBS_MATCH_SENTINEL);
}

static void device__alloc_and_uninit(void)
{
	struct verbs_device *vdev = fake.dev_ops->alloc_device(NULL);

	CHECK(vdev && !vdev->device._ops._dummy1 && !vdev->device._ops._dummy2);
	fake.dev_ops->uninit_device(vdev);
}

static void context__import(void)
{
	struct ibv_device dev = {};
	struct verbs_context *vctx = fake.dev_ops->import_context(&dev, dup(1));
	struct ibv_mr *mr;

	CHECK(vctx);
	pd = fake.ops.import_pd(&vctx->context, 5);
	CHECK(pd && pd->handle == 5);
	mr = fake.ops.import_mr(pd, 6);
	CHECK(mr && mr->handle == 6);
	fake.ops.unimport_mr(mr);
	fake.ops.unimport_pd(pd);
	fake_close(&vctx->context);
}

static void query__device_and_clock(void)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_device_attr_ex attr;

	CALL(setup());
	CHECK(fake.ops.query_device_ex(ctx, NULL, &attr, sizeof(attr)) == 0);
	CHECK(!strcmp(attr.orig_attr.fw_ver, "1.2.3"));
	CHECK(attr.hca_core_clock == 1000000 && attr.completion_timestamp_mask == UINT64_MAX);
	attr.hca_core_clock = 1;
	CHECK(fake.ops.query_device_ex(ctx, NULL, &attr, sizeof(attr.orig_attr)) == 0);
	CHECK(attr.hca_core_clock == 1);
	CHECK(fake.ops.query_rt_values(ctx, &values) == 0 && values.raw_clock.tv_nsec > 1000000000L);
	values.comp_mask = 2;
	CHECK(fake.ops.query_rt_values(ctx, &values) == EINVAL);
	teardown();
}

/* ---- domains ---- */

static void domain__busy_until_users_are_gone(void)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *parent;

	CALL(setup());
	attr.td = fake.ops.alloc_td(ctx, &td_attr);
	attr.pd = pd;
	parent = fake.ops.alloc_parent_domain(ctx, &attr);
	CHECK(attr.td && parent && parent->handle == pd->handle);
	CHECK(fake.ops.dealloc_pd(pd) == EBUSY);
	CHECK(fake.ops.dealloc_td(attr.td) == EBUSY);
	CHECK(fake.ops.dealloc_pd(parent) == 0);
	CHECK(fake.ops.dealloc_td(attr.td) == 0);
	teardown();
}

static void domain__refusals(void)
{
	struct ibv_td_init_attr td_attr = { .comp_mask = 1 };
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *parent;

	CALL(setup());
	CHECK(!fake.ops.alloc_td(ctx, &td_attr) && errno == EINVAL);
	CHECK(!fake.ops.alloc_parent_domain(ctx, &attr) && errno == EINVAL);
	attr.pd = pd;
	attr.comp_mask = 1 << 7;
	CHECK(!fake.ops.alloc_parent_domain(ctx, &attr) && errno == EINVAL);
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
	CHECK(!fake.ops.alloc_parent_domain(ctx, &attr) && errno == EINVAL);
	attr.comp_mask = 0;
	parent = fake.ops.alloc_parent_domain(ctx, &attr);
	CHECK(parent);
	attr.pd = parent;
	CHECK(!fake.ops.alloc_parent_domain(ctx, &attr) && errno == EINVAL);
	CHECK(fake.ops.dealloc_pd(parent) == 0);
	teardown();
}

static void domain__thread_domain_spares_locks(void)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_srq_init_attr srq_attr = { .attr.max_wr = 4 };
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 4, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD };
	struct ibv_pd *parent;
	struct ibv_srq *srq;
	struct ibv_cq_ex *cq_ex;
	struct ibv_qp *qp, *plain;

	CALL(setup());
	attr.td = fake.ops.alloc_td(ctx, &td_attr);
	attr.pd = pd;
	parent = fake.ops.alloc_parent_domain(ctx, &attr);
	qp = fake_create_qp(parent, cq, cq, NULL, IBV_QPT_RC);
	plain = fake_create_qp(pd, cq, cq, NULL, IBV_QPT_RC);
	srq = fake.ops.create_srq(parent, &srq_attr);
	cq_attr.parent_domain = parent;
	cq_ex = fake.ops.create_cq_ex(ctx, &cq_attr);
	CHECK(!to_mqp(qp)->sq.lock.needed && !to_mqp(qp)->rq.lock.needed);
	CHECK(!to_msrq(srq)->rq.lock.needed && !to_mcq(ibv_cq_ex_to_cq(cq_ex))->lock.needed);
	CHECK(to_mqp(plain)->sq.lock.needed && to_mqp(plain)->rq.lock.needed && to_mcq(cq)->lock.needed);
	CHECK(fake.ops.destroy_qp(qp) == 0 && fake.ops.destroy_qp(plain) == 0);
	CHECK(fake.ops.destroy_srq(srq) == 0 && fake.ops.destroy_cq(ibv_cq_ex_to_cq(cq_ex)) == 0);
	CHECK(fake.ops.dealloc_pd(parent) == 0 && fake.ops.dealloc_td(attr.td) == 0);
	teardown();
}

/* ---- memory ---- */

static void mr__kinds(void)
{
	struct ibv_mr *mr, *dmabuf;
	char buf[64];

	CALL(setup());
	mr = fake.ops.reg_mr(pd, buf, sizeof(buf), (uintptr_t)buf, IBV_ACCESS_LOCAL_WRITE);
	CHECK(mr && verbs_get_mr(mr)->access == IBV_ACCESS_LOCAL_WRITE);
	CHECK(fake.ops.rereg_mr(verbs_get_mr(mr), IBV_REREG_MR_CHANGE_ACCESS, pd, NULL, 0, 0) == 0);
	CHECK(mr->lkey == 2);
	dmabuf = fake.ops.reg_dmabuf_mr(pd, 0, 4096, 0, 9, IBV_ACCESS_REMOTE_READ);
	CHECK(dmabuf && verbs_get_mr(dmabuf)->access == IBV_ACCESS_REMOTE_READ);
	CHECK(fake.ops.dereg_mr(verbs_get_mr(mr)) == 0 && fake.ops.dereg_mr(verbs_get_mr(dmabuf)) == 0);
	teardown();
}

static void mw__bind_takes_the_next_key(void)
{
	struct ibv_mw_bind bind = { .wr_id = 5, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_mr mr = {};
	struct ibv_mw *mw;
	struct ibv_qp *qp;

	CALL(setup());
	mw = fake.ops.alloc_mw(pd, IBV_MW_TYPE_1);
	qp = fake_create_qp(pd, cq, cq, NULL, IBV_QPT_RC);
	mr.pd = pd;
	bind.bind_info = (struct ibv_mw_bind_info) { &mr, 0x1000, 32, IBV_ACCESS_REMOTE_READ };
	CHECK(ibv_bind_mw(qp, mw, &bind) == EINVAL && mw->rkey == 0x1ff);
	CHECK(fake_modify_qp(qp, IBV_QPS_RTS) == 0);
	fake.doorbells[0] = 0;
	CHECK(ibv_bind_mw(qp, mw, &bind) == 0);
	CHECK(mw->rkey == 0x100 && fake.doorbells[0] == 1 && fake_sq(qp)->prod == 1);
	CHECK(fake_send_wqe(qp, 0)->opcode == IBV_WR_BIND_MW && fake_send_wqe(qp, 0)->wr_id == 5);
	CHECK(fake_send_wqe(qp, 0)->rkey == 0x100);
	bind.bind_info.mw_access_flags = IBV_ACCESS_ZERO_BASED;
	CHECK(ibv_bind_mw(qp, mw, &bind) == EINVAL && mw->rkey == 0x100 && fake_sq(qp)->prod == 1);
	CHECK(fake.ops.destroy_qp(qp) == 0 && ibv_dealloc_mw(mw) == 0);
	teardown();
}

static void ah__number_comes_from_the_driver(void)
{
	struct ibv_ah_attr attr = {};
	struct ibv_ah *ah;

	CALL(setup());
	ah = fake.ops.create_ah(pd, &attr);
	CHECK(ah && to_mah(ah)->num == 4321);
	CHECK(fake.ops.destroy_ah(ah) == 0);
	teardown();
}

/* ---- queues ---- */

static void cq__refusals(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4, .wc_flags = IBV_WC_EX_WITH_CVLAN };

	CALL(setup());
	CHECK(!fake_create_cq(ctx, 0) && errno == EINVAL);
	CHECK(!fake_create_cq(ctx, -1) && errno == EINVAL);
	CHECK(!fake.ops.create_cq_ex(ctx, &attr) && errno == EOPNOTSUPP);
	attr.wc_flags = 0;
	attr.comp_mask = 1 << 5;
	CHECK(!fake.ops.create_cq_ex(ctx, &attr) && errno == EOPNOTSUPP);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = 1 << 9;
	CHECK(!fake.ops.create_cq_ex(ctx, &attr) && errno == EOPNOTSUPP);
	attr.flags = 0;
	attr.cqe = 0;
	CHECK(!fake.ops.create_cq_ex(ctx, &attr) && errno == EINVAL);
	attr.cqe = 4;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	CHECK(!fake.ops.create_cq_ex(ctx, &attr) && errno == EOPNOTSUPP);
	attr.flags = 0;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	CHECK(!fake.ops.create_cq_ex(ctx, &attr) && errno == EINVAL);
	CHECK(fake.ops.resize_cq(cq, 0) == EINVAL);
	teardown();
}

static void cq__single_threaded_spares_the_lock(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct ibv_cq_ex *cq_ex;

	CALL(setup());
	cq_ex = fake.ops.create_cq_ex(ctx, &attr);
	CHECK(cq_ex && !to_mcq(ibv_cq_ex_to_cq(cq_ex))->lock.needed);
	CHECK(fake.ops.destroy_cq(ibv_cq_ex_to_cq(cq_ex)) == 0);
	teardown();
}

static struct ibv_qp_init_attr_ex qp_attr(void)
{
	return (struct ibv_qp_init_attr_ex) {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .pd = pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD, .cap = { .max_send_wr = 5, .max_recv_wr = 5 },
	};
}

static int qp_refused(struct ibv_qp_init_attr_ex attr)
{
	return fake.ops.create_qp_ex(ctx, &attr) ? 0 : errno;
}

static void qp__refusals(void)
{
	struct ibv_qp_init_attr_ex attr;

	CALL(setup());
	attr = qp_attr();
	attr.comp_mask = 0;
	CHECK(qp_refused(attr) == EINVAL);
	attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_RX_HASH;
	CHECK(qp_refused(attr) == EOPNOTSUPP);
	attr = qp_attr();
	attr.qp_type = IBV_QPT_RAW_PACKET;
	CHECK(qp_refused(attr) == EOPNOTSUPP);
	attr = qp_attr();
	attr.send_cq = NULL;
	CHECK(qp_refused(attr) == EINVAL);
	attr = qp_attr();
	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	attr.create_flags = IBV_QP_CREATE_SCATTER_FCS;
	CHECK(qp_refused(attr) == EOPNOTSUPP);
	attr = qp_attr();
	attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	attr.send_ops_flags = IBV_QP_EX_WITH_TSO;
	CHECK(qp_refused(attr) == EOPNOTSUPP);
	attr.qp_type = IBV_QPT_UD;
	attr.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
	CHECK(qp_refused(attr) == EOPNOTSUPP);
	teardown();
}

static void qp__create_flags_of_zero(void)
{
	struct ibv_qp_init_attr_ex attr;
	struct ibv_qp *qp;

	CALL(setup());
	attr = qp_attr();
	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	qp = fake.ops.create_qp_ex(ctx, &attr);
	CHECK(qp && (attr.comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS));
	CHECK(!(to_mqp(qp)->vqp.comp_mask & VERBS_QP_EX));
	CHECK(fake.ops.destroy_qp(qp) == 0);
	teardown();
}

static void qp__limits_are_those_granted(void)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { .max_send_wr = 5, .max_recv_wr = 3 } };
	struct mroce_qp *qp;

	CALL(setup());
	attr.send_cq = cq;
	attr.recv_cq = cq;
	qp = to_mqp(fake.ops.create_qp(pd, &attr));
	CHECK(attr.cap.max_send_sge == FAKE_SGES && attr.cap.max_inline_data == FAKE_INLINE);
	CHECK(qp->sq.max_wr == 5 && qp->rq.max_wr == 3 && qp->rq.max_sge == FAKE_SGES);
	CHECK(qp->caps.max_sge == FAKE_SGES && qp->caps.max_inline == FAKE_INLINE);
	CHECK(qp->caps.qp_type == MROCE_OP_RC);
	CHECK(fake.ops.destroy_qp(&qp->vqp.qp) == 0);
	teardown();
}

static void ring__that_does_not_fit_is_refused(void)
{
	struct ibv_srq_init_attr srq_attr = { .attr.max_wr = 4 };

	CALL(setup());
	fake.bad_ring = true;
	CHECK(!fake_create_cq(ctx, 8) && errno == EINVAL);
	CHECK(!fake_create_qp(pd, cq, cq, NULL, IBV_QPT_RC) && errno == EINVAL);
	CHECK(!fake.ops.create_srq(pd, &srq_attr) && errno == EINVAL);
	fake.bad_ring = false;
	teardown();
}

static void srq__size_cannot_change(void)
{
	struct ibv_srq_init_attr init = { .attr.max_wr = 4 };
	struct ibv_srq_attr attr = { .max_wr = 8, .srq_limit = 2 };
	struct ibv_srq *srq;

	CALL(setup());
	srq = fake.ops.create_srq(pd, &init);
	CHECK(srq && init.attr.max_sge == FAKE_SGES);
	CHECK(fake.ops.modify_srq(srq, &attr, IBV_SRQ_MAX_WR) == EOPNOTSUPP);
	CHECK(fake.ops.modify_srq(srq, &attr, IBV_SRQ_LIMIT) == 0);
	CHECK(fake.ops.destroy_srq(srq) == 0);
	teardown();
}

/* ---- the device goes away ---- */

static void gone__destroy_works_and_the_rest_fails(void)
{
	struct ibv_srq_init_attr init = { .attr.max_wr = 4 };
	struct ibv_ah_attr ah_attr = {};
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_ah *ah;
	char buf[8];

	CALL(setup());
	srq = fake.ops.create_srq(pd, &init);
	qp = fake_create_qp(pd, cq, cq, srq, IBV_QPT_RC);
	mr = fake.ops.reg_mr(pd, buf, sizeof(buf), 0, 0);
	mw = fake.ops.alloc_mw(pd, IBV_MW_TYPE_2);
	ah = fake.ops.create_ah(pd, &ah_attr);
	CHECK(srq && qp && mr && mw && ah);

	fake.gone = true;
	CHECK(!fake.ops.reg_mr(pd, buf, sizeof(buf), 0, 0) && errno == EIO);
	CHECK(!fake_create_cq(ctx, 4) && errno == EIO);
	CHECK(fake_modify_qp(qp, IBV_QPS_INIT) == EIO);
	CHECK(fake.ops.destroy_ah(ah) == 0 && fake.ops.dealloc_mw(mw) == 0);
	CHECK(fake.ops.dereg_mr(verbs_get_mr(mr)) == 0);
	CHECK(fake.ops.destroy_cq(cq) == EBUSY);	/* the QP looks into it when it goes */
	CHECK(fake.ops.destroy_qp(qp) == 0 && fake.ops.destroy_srq(srq) == 0);
	teardown();
	fake.gone = false;
}

static void destroy__refused_by_the_kernel_keeps_the_object(void)
{
	struct ibv_qp *qp;

	CALL(setup());
	qp = fake_create_qp(pd, cq, cq, NULL, IBV_QPT_RC);
	fake.fail_err = EBUSY;
	fake.fail_in = 1;
	CHECK(fake.ops.destroy_qp(qp) == EBUSY);
	CHECK(fake.ops.destroy_cq(cq) == EBUSY);
	CHECK(fake.ops.destroy_qp(qp) == 0);
	fake.fail_in = 1;
	CHECK(fake.ops.destroy_cq(cq) == EBUSY);
	CHECK(ibv_poll_cq(cq, 1, &(struct ibv_wc) {}) == 0);
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(device__matches_driver_id_alone),
	TAP_CASE(device__alloc_and_uninit),
	TAP_CASE(context__import),
	TAP_CASE(query__device_and_clock),
	TAP_CASE(domain__busy_until_users_are_gone),
	TAP_CASE(domain__refusals),
	TAP_CASE(domain__thread_domain_spares_locks),
	TAP_CASE(mr__kinds),
	TAP_CASE(mw__bind_takes_the_next_key),
	TAP_CASE(ah__number_comes_from_the_driver),
	TAP_CASE(cq__refusals),
	TAP_CASE(cq__single_threaded_spares_the_lock),
	TAP_CASE(qp__refusals),
	TAP_CASE(qp__create_flags_of_zero),
	TAP_CASE(qp__limits_are_those_granted),
	TAP_CASE(ring__that_does_not_fit_is_refused),
	TAP_CASE(srq__size_cannot_change),
	TAP_CASE(gone__destroy_works_and_the_rest_fails),
	TAP_CASE(destroy__refused_by_the_kernel_keeps_the_object),
};

TAP_MAIN(cases)
