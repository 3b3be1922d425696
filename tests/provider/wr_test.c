// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The wr_* interface on live rings: the same slots as ibv_post_send(), inline data, batches, what is refused.
 */
#include "live_qp.h"

#include <stdlib.h>

static struct ibv_sge sge = { .addr = 0x1000, .length = 8, .lkey = 5 };
static struct ibv_mw window = { .rkey = 0x200, .type = IBV_MW_TYPE_2 };
static const struct ibv_mw_bind_info unbind;

static void wr_one(struct ibv_qp_ex *ex, int opcode)
{
	switch (opcode) {
	case IBV_WR_SEND: return ibv_wr_send(ex);
	case IBV_WR_SEND_WITH_IMM: return ibv_wr_send_imm(ex, htobe32(3));
	case IBV_WR_SEND_WITH_INV: return ibv_wr_send_inv(ex, htobe32(3));
	case IBV_WR_RDMA_WRITE: return ibv_wr_rdma_write(ex, 1, 2);
	case IBV_WR_RDMA_WRITE_WITH_IMM: return ibv_wr_rdma_write_imm(ex, 1, 2, htobe32(3));
	case IBV_WR_RDMA_READ: return ibv_wr_rdma_read(ex, 1, 2);
	case IBV_WR_ATOMIC_CMP_AND_SWP: return ibv_wr_atomic_cmp_swp(ex, 1, 2, 6, 7);
	case IBV_WR_ATOMIC_FETCH_AND_ADD: return ibv_wr_atomic_fetch_add(ex, 1, 2, 6);
	case IBV_WR_LOCAL_INV: return ibv_wr_local_inv(ex, htobe32(3));
	case IBV_WR_BIND_MW: return ibv_wr_bind_mw(ex, &window, 0x201, &unbind);
	}
}

static void wr_fill(struct ibv_send_wr *wr, int opcode)
{
	*wr = (struct ibv_send_wr) { .wr_id = 40, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED };
	wr->imm_data = htobe32(3);
	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr->wr.atomic.remote_addr = 2;
		wr->wr.atomic.rkey = 1;
		wr->wr.atomic.compare_add = 6;
		wr->wr.atomic.swap = opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? 7 : 0;
	} else {
		wr->wr.rdma.remote_addr = 2;
		wr->wr.rdma.rkey = 1;
	}
	wr->bind_mw.mw = &window;
	wr->bind_mw.rkey = 0x201;
	if (opcode != IBV_WR_LOCAL_INV && opcode != IBV_WR_BIND_MW) {
		wr->sg_list = &sge;
		wr->num_sge = 1;
	}
}

/* Both interfaces make the same slots. */
static void wr__encodes_as_post_send(void)
{
	struct ibv_qp_ex *ex;
	struct ibv_send_wr wr;
	int op;

	CALL(setup());
	ex = &to_mqp(qp)->vqp.qp_ex;
	CHECK(to_mqp(qp)->vqp.comp_mask & VERBS_QP_EX);
	for (op = IBV_WR_RDMA_WRITE; op <= IBV_WR_SEND_WITH_INV; op++) {
		age(qp, 0);
		wr_fill(&wr, op);
		CHECK(ibv_post_send(qp, &wr, &bad) == 0);
		ibv_wr_start(ex);
		ex->wr_id = 40;
		ex->wr_flags = IBV_SEND_SIGNALED;
		wr_one(ex, op);
		if (wr.num_sge)
			ibv_wr_set_sge(ex, sge.lkey, sge.addr, sge.length);
		CHECK(ibv_wr_complete(ex) == 0);
		CHECK(fake_sq(qp)->prod == 2);
		CHECK(!memcmp(fake_send_wqe(qp, 0), fake_send_wqe(qp, 1),
			      sizeof(struct mroce_send_wqe) + wr.num_sge * sizeof(struct mroce_sge)));
	}
	teardown();
}

static void wr__inline(void)
{
	struct ibv_data_buf bufs[2] = { { "hello ", 6 }, { "world", 5 } };
	struct ibv_qp_ex *ex;

	CALL(setup());
	ex = &to_mqp(qp)->vqp.qp_ex;
	ex->wr_flags = 0;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data_list(ex, 2, bufs);
	ibv_wr_rdma_write(ex, 1, 2);
	ibv_wr_set_inline_data(ex, "twice", 5);
	ibv_wr_set_inline_data(ex, "x", 1);
	CHECK(ibv_wr_complete(ex) == 0 && fake.doorbells[0] == 1);
	CHECK(fake_send_wqe(qp, 0)->inline_len == 11 && fake_send_wqe(qp, 0)->flags == MROCE_WQE_F_INLINE);
	CHECK(!memcmp(fake_send_wqe(qp, 0) + 1, "hello world", 11));
	CHECK(fake_send_wqe(qp, 1)->inline_len == 1);
	teardown();
}

static void wr__batch_publishes_at_complete(void)
{
	struct ibv_qp_ex *ex;
	int i;

	CALL(setup());
	ex = &to_mqp(qp)->vqp.qp_ex;
	ibv_wr_start(ex);
	for (i = 0; i < 5; i++)
		ibv_wr_send(ex);
	CHECK(fake_sq(qp)->prod == 0 && fake.doorbells[0] == 0);
	CHECK(ibv_wr_complete(ex) == 0 && fake_sq(qp)->prod == 5 && fake.doorbells[0] == 1);
	ibv_wr_start(ex);
	CHECK(ibv_wr_complete(ex) == 0 && fake.doorbells[0] == 1);
	teardown();
}

static void wr__abort_and_errors_post_nothing(void)
{
	struct ibv_data_buf large = { calloc(1, FAKE_INLINE + 1), FAKE_INLINE + 1 };
	struct ibv_sge sges[FAKE_SGES + 1] = {};
	struct ibv_qp_ex *ex;
	int i;

	CALL(setup());
	ex = &to_mqp(qp)->vqp.qp_ex;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_abort(ex);
	ibv_wr_start(ex);
	for (i = 0; i < 6; i++) {
		ibv_wr_send(ex);
		ibv_wr_set_sge(ex, 1, 2, 3);
	}
	CHECK(ibv_wr_complete(ex) == ENOMEM);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, FAKE_SGES + 1, sges);
	ibv_wr_send(ex);
	CHECK(ibv_wr_complete(ex) == EINVAL);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data_list(ex, 1, &large);
	CHECK(ibv_wr_complete(ex) == EINVAL);
	ibv_wr_start(ex);
	ibv_wr_rdma_read(ex, 1, 2);
	ibv_wr_set_inline_data(ex, "x", 1);
	CHECK(ibv_wr_complete(ex) == EINVAL);
	ibv_wr_start(ex);
	ibv_wr_bind_mw(ex, &(struct ibv_mw) { .type = IBV_MW_TYPE_1 }, 1, &unbind);
	CHECK(ibv_wr_complete(ex) == EINVAL);
	qp->state = IBV_QPS_RTR;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	CHECK(ibv_wr_complete(ex) == EINVAL);
	CHECK(fake_sq(qp)->prod == 0 && fake.doorbells[0] == 0);
	free(large.addr);
	teardown();
}

static void wr__ud_address(void)
{
	struct mroce_ah ah = { .num = 9 };
	struct ibv_qp_ex *ex;

	CALL(setup());
	ex = &to_mqp(qp)->vqp.qp_ex;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, &ah.ibv_ah, 10, 11);
	CHECK(ibv_wr_complete(ex) == 0);
	CHECK(fake_send_wqe(qp, 0)->ah == 9 && fake_send_wqe(qp, 0)->remote_qpn == 10 &&
	      fake_send_wqe(qp, 0)->remote_qkey == 11);
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(wr__encodes_as_post_send),
	TAP_CASE(wr__inline),
	TAP_CASE(wr__batch_publishes_at_complete),
	TAP_CASE(wr__abort_and_errors_post_nothing),
	TAP_CASE(wr__ud_address),
};

TAP_MAIN(cases)
