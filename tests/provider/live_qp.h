/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What tests of the data path start from: queue pairs on live rings, and ways to post to them. */
#ifndef METAROCE_TESTS_PROVIDER_LIVE_QP_H
#define METAROCE_TESTS_PROVIDER_LIVE_QP_H

#include "fake_uverbs.h"
#include "tap.h"

#include <string.h>

#define ALL_OPS (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND | \
		 IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | \
		 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW | \
		 IBV_QP_EX_WITH_SEND_WITH_INV)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp, *qp2;
static struct ibv_send_wr *bad;
static struct ibv_recv_wr *bad_recv;

/* Two RC QPs in RTS on one CQ of 16, each 5 sends and 5 receives; qp has the wr_* interface. */
static inline void setup(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC, .send_ops_flags = ALL_OPS,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.cap = { .max_send_wr = 5, .max_recv_wr = 5 },
	};

	ctx = fake_open();
	pd = attr.pd = fake.ops.alloc_pd(ctx);
	cq = attr.send_cq = attr.recv_cq = fake_create_cq(ctx, 16);
	qp = fake.ops.create_qp_ex(ctx, &attr);
	qp2 = fake_create_qp(pd, cq, cq, NULL, IBV_QPT_RC);
	CHECK(qp && qp2);
	CHECK(fake_modify_qp(qp, IBV_QPS_RTS) == 0 && fake_modify_qp(qp2, IBV_QPS_RTS) == 0);
	memset(fake.doorbells, 0, sizeof(fake.doorbells));
	fake.ioctls = 0;
}

static inline void teardown(void)
{
	if (qp)
		CHECK(fake.ops.destroy_qp(qp) == 0);
	CHECK(fake.ops.destroy_qp(qp2) == 0);
	CHECK(fake.ops.destroy_cq(cq) == 0 && fake.ops.dealloc_pd(pd) == 0);
	CHECK(fake.live == 0 && fake.maps == 0);
	fake_close(ctx);
}

static inline int send_n(struct ibv_qp *on, int n, uint64_t wr_id)
{
	struct ibv_send_wr wr[16] = {};
	int i;

	for (i = 0; i < n; i++) {
		wr[i].wr_id = wr_id + i;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	i = ibv_post_send(on, wr, &bad);
	if (i)
		bad = (void *)(bad - wr);
	return i;
}

static inline int recv_n(struct ibv_qp *on, int n)
{
	struct ibv_recv_wr wr[16] = {};
	int i;

	for (i = 0; i < n; i++)
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	i = ibv_post_recv(on, wr, &bad_recv);
	if (i)
		bad_recv = (void *)(bad_recv - wr);
	return i;
}

/* Places all counters of a QP's queues just before they overflow. */
static inline void age(struct ibv_qp *on, uint32_t c)
{
	struct mroce_qp *m = to_mqp(on);

	m->sq.posted = m->sq.freed = fake_sq(on)->prod = fake_sq(on)->cons = c;
	m->rq.posted = fake_rq(on)->prod = fake_rq(on)->cons = c;
}

#endif /* METAROCE_TESTS_PROVIDER_LIVE_QP_H */
