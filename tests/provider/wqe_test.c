// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * wqe.c: every opcode into a slot of exactly the size that its limits promise, and every refusal.
 */
#include "metaroce.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define SGES	4U
#define INLINE	64U

static struct mroce_send_caps caps;
static struct mroce_send_wqe *wqe;
static struct ibv_sge sgl[SGES + 1];
static struct ibv_send_wr wr;

static void setup(uint32_t type)
{
	uint32_t i;

	caps = (struct mroce_send_caps) { .qp_type = type, .max_sge = SGES, .max_inline = INLINE };
	wqe = malloc(sizeof(*wqe) + INLINE);
	memset(wqe, 0xa5, sizeof(*wqe) + INLINE);
	for (i = 0; i <= SGES; i++)
		sgl[i] = (struct ibv_sge) { .addr = 0x1000 * (i + 1), .length = 10 + i, .lkey = 100 + i };
	wr = (struct ibv_send_wr) { .wr_id = 7, .sg_list = sgl, .num_sge = 2, .opcode = IBV_WR_SEND };
}

static int encode(void)
{
	return mroce_wqe_send(&caps, wqe, &wr);
}

static void teardown(void)
{
	free(wqe);
}

static void send__fields(void)
{
	setup(MROCE_OP_RC);
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_FENCE;
	CHECK(encode() == 0);
	CHECK(wqe->wr_id == 7 && wqe->opcode == IBV_WR_SEND && wqe->num_sge == 2 && wqe->inline_len == 0);
	CHECK(wqe->flags == (MROCE_WQE_F_SIGNALED | MROCE_WQE_F_SOLICITED | MROCE_WQE_F_FENCE));
	CHECK(wqe->imm == 0 && wqe->rkey == 0 && wqe->remote_addr == 0 && wqe->ah == 0);
	CHECK(mroce_send_sges(wqe)[1].addr == 0x2000 && mroce_send_sges(wqe)[1].length == 11 &&
	      mroce_send_sges(wqe)[1].lkey == 101);
	teardown();
}

static void send__sig_all(void)
{
	setup(MROCE_OP_RC);
	caps.sig_all = true;
	CHECK(encode() == 0 && wqe->flags == MROCE_WQE_F_SIGNALED);
	teardown();
}

static void send__immediate_and_invalidate(void)
{
	setup(MROCE_OP_RC);
	wr.opcode = IBV_WR_SEND_WITH_IMM;
	wr.imm_data = htobe32(0x11223344);
	CHECK(encode() == 0 && wqe->imm == htobe32(0x11223344));
	wr.opcode = IBV_WR_SEND_WITH_INV;
	wr.invalidate_rkey = 0x55667788;
	CHECK(encode() == 0 && wqe->imm == 0x55667788);
	wr.opcode = IBV_WR_LOCAL_INV;
	CHECK(encode() == 0 && wqe->imm == 0x55667788 && wqe->num_sge == 0);
	wr.opcode = IBV_WR_SEND;
	CHECK(encode() == 0 && wqe->imm == 0);
	teardown();
}

static void rdma__address_and_key(void)
{
	static const int opcodes[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ };
	int i;

	setup(MROCE_OP_RC);
	wr.wr.rdma.remote_addr = 0x123456789abcULL;
	wr.wr.rdma.rkey = 77;
	for (i = 0; i < 3; i++) {
		wr.opcode = opcodes[i];
		CHECK(encode() == 0);
		CHECK(wqe->opcode == (uint32_t)opcodes[i]);
		CHECK(wqe->remote_addr == 0x123456789abcULL && wqe->rkey == 77);
		CHECK(wqe->compare_add == 0 && wqe->swap == 0);
	}
	teardown();
}

static void atomic__operands(void)
{
	setup(MROCE_OP_RC);
	wr.wr.atomic.remote_addr = 0x4000;
	wr.wr.atomic.rkey = 78;
	wr.wr.atomic.compare_add = 5;
	wr.wr.atomic.swap = 6;
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	CHECK(encode() == 0 && wqe->remote_addr == 0x4000 && wqe->rkey == 78);
	CHECK(wqe->compare_add == 5 && wqe->swap == 6);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	CHECK(encode() == 0 && wqe->compare_add == 5);
	teardown();
}

static void ud__address(void)
{
	struct mroce_ah ah = { .num = 12 };

	setup(MROCE_OP_UD);
	CHECK(encode() == EINVAL);
	wr.wr.ud.ah = &ah.ibv_ah;
	wr.wr.ud.remote_qpn = 34;
	wr.wr.ud.remote_qkey = 56;
	CHECK(encode() == 0 && wqe->ah == 12 && wqe->remote_qpn == 34 && wqe->remote_qkey == 56);
	teardown();
}

/* One letter per opcode 0..15 and beyond: which QP types take it. */
static void opcode__types(void)
{
	static const struct { uint32_t type; const char *takes; } t[] = {
		{ MROCE_OP_RC, "1111111111000000000" },
		{ MROCE_OP_UD, "0011000000000000000" },
	};
	struct mroce_ah ah = {};
	struct ibv_mw mw = {};
	uint32_t i, op;

	for (i = 0; i < 2; i++) {
		for (op = 0; t[i].takes[op]; op++) {
			setup(t[i].type);
			wr.opcode = op;
			if (t[i].type == MROCE_OP_UD)
				wr.wr.ud.ah = &ah.ibv_ah;
			wr.bind_mw.mw = &mw;
			CHECK(encode() == (t[i].takes[op] == '1' ? 0 : EINVAL));
			teardown();
		}
	}
	setup(MROCE_OP_RC);
	wr.opcode = 0xffffffffU;
	CHECK(encode() == EINVAL);
	teardown();
}

static void sges__limits(void)
{
	setup(MROCE_OP_RC);
	wr.num_sge = SGES;
	CHECK(encode() == 0 && wqe->num_sge == SGES);
	wr.num_sge = SGES + 1;
	CHECK(encode() == EINVAL);
	wr.num_sge = -1;
	CHECK(encode() == EINVAL);
	wr.num_sge = 0;
	wr.sg_list = NULL;
	CHECK(encode() == 0 && wqe->num_sge == 0);
	teardown();
}

static void flags__unknown_are_refused(void)
{
	setup(MROCE_OP_RC);
	wr.send_flags = IBV_SEND_IP_CSUM;
	CHECK(encode() == EINVAL);
	wr.send_flags = 1U << 31;
	CHECK(encode() == EINVAL);
	teardown();
}

static void inline__copies_all_pieces(void)
{
	char a[40], b[24];

	setup(MROCE_OP_RC);
	memset(a, 'a', sizeof(a));
	memset(b, 'b', sizeof(b));
	sgl[0] = (struct ibv_sge) { .addr = (uintptr_t)a, .length = sizeof(a) };
	sgl[1] = (struct ibv_sge) { .addr = (uintptr_t)b, .length = sizeof(b) };
	wr.send_flags = IBV_SEND_INLINE;
	CHECK(encode() == 0);
	CHECK(wqe->inline_len == INLINE && wqe->num_sge == 0 && (wqe->flags & MROCE_WQE_F_INLINE));
	CHECK(!memcmp(wqe + 1, a, sizeof(a)) && !memcmp((char *)(wqe + 1) + sizeof(a), b, sizeof(b)));
	teardown();
}

static void inline__limits(void)
{
	char data[INLINE + 1] = "";

	setup(MROCE_OP_RC);
	wr.send_flags = IBV_SEND_INLINE;
	wr.num_sge = 1;
	sgl[0] = (struct ibv_sge) { .addr = (uintptr_t)data, .length = INLINE + 1 };
	CHECK(encode() == EINVAL);
	sgl[0].length = INLINE;
	CHECK(encode() == 0);
	wr.num_sge = 2;
	sgl[1] = (struct ibv_sge) { .addr = (uintptr_t)data, .length = 1 };
	CHECK(encode() == EINVAL);
	sgl[1].length = UINT32_MAX;
	CHECK(encode() == EINVAL);
	wr.num_sge = 0;
	CHECK(encode() == 0 && wqe->inline_len == 0 && (wqe->flags & MROCE_WQE_F_INLINE));
	teardown();
}

static void inline__not_for_reads(void)
{
	setup(MROCE_OP_RC);
	wr.send_flags = IBV_SEND_INLINE;
	wr.num_sge = 0;
	wr.opcode = IBV_WR_RDMA_READ;
	CHECK(encode() == EINVAL);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	CHECK(encode() == EINVAL);
	teardown();
}

static void bind__fields_and_refusals(void)
{
	struct mroce_pd pd = {}, other = {}, parent = { .base = &pd };
	struct ibv_mr mr = { .pd = &parent.ibv_pd, .lkey = 9 };
	struct ibv_mw mw = { .pd = &pd.ibv_pd, .rkey = 0x100 };

	setup(MROCE_OP_RC);
	wr.opcode = IBV_WR_BIND_MW;
	CHECK(encode() == EINVAL);
	wr.bind_mw.mw = &mw;
	wr.bind_mw.rkey = 0x101;
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info) {
		.mr = &mr, .addr = 0x5000, .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	CHECK(encode() == 0);
	CHECK(wqe->rkey == 0x101 && wqe->imm == 0x100 && wqe->ah == 9 && wqe->num_sge == 0);
	CHECK(wqe->compare_add == 0x5000 && wqe->swap == 64 && wqe->remote_qkey == IBV_ACCESS_REMOTE_WRITE);

	wr.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_MW_BIND;
	CHECK(encode() == EINVAL);
	wr.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_ZERO_BASED;
	CHECK(encode() == 0);
	mw.type = IBV_MW_TYPE_1;
	CHECK(encode() == EINVAL);
	wr.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_LOCAL_WRITE;
	CHECK(encode() == 0);
	mr.pd = &other.ibv_pd;
	CHECK(encode() == EPERM);
	wr.bind_mw.bind_info.mr = NULL;
	CHECK(encode() == EINVAL);
	wr.bind_mw.bind_info.length = 0;
	CHECK(encode() == 0 && wqe->ah == 0 && wqe->swap == 0);
	teardown();
}

static void recv__fields_and_limits(void)
{
	struct ibv_recv_wr recv = { .wr_id = 3, .sg_list = sgl, .num_sge = SGES };
	struct mroce_recv_wqe *slot;

	setup(MROCE_OP_RC);
	slot = malloc(sizeof(*slot) + SGES * sizeof(struct mroce_sge));
	CHECK(mroce_wqe_recv(SGES, slot, &recv) == 0);
	CHECK(slot->wr_id == 3 && slot->num_sge == SGES && slot->rsvd == 0);
	CHECK(((struct mroce_sge *)(slot + 1))[3].lkey == 103);
	recv.num_sge = SGES + 1;
	CHECK(mroce_wqe_recv(SGES, slot, &recv) == EINVAL);
	recv.num_sge = -1;
	CHECK(mroce_wqe_recv(SGES, slot, &recv) == EINVAL);
	recv.num_sge = 0;
	CHECK(mroce_wqe_recv(0, slot, &recv) == 0);
	free(slot);
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(send__fields),
	TAP_CASE(send__sig_all),
	TAP_CASE(send__immediate_and_invalidate),
	TAP_CASE(rdma__address_and_key),
	TAP_CASE(atomic__operands),
	TAP_CASE(ud__address),
	TAP_CASE(opcode__types),
	TAP_CASE(sges__limits),
	TAP_CASE(flags__unknown_are_refused),
	TAP_CASE(inline__copies_all_pieces),
	TAP_CASE(inline__limits),
	TAP_CASE(inline__not_for_reads),
	TAP_CASE(bind__fields_and_refusals),
	TAP_CASE(recv__fields_and_limits),
};

TAP_MAIN(cases)
