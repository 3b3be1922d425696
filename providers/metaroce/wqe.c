// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encoding of work requests, see wqe.h. What libibverbs promises an errno for is checked here; keys, bounds
 * and lengths are the kernel's to judge, on its copy.
 */
#include "metaroce.h"

#include <string.h>

#define OP_MSG	(MROCE_OP_DATA | MROCE_OP_INLINE)

static const uint16_t ops[] = {
	[IBV_WR_RDMA_WRITE] = MROCE_OP_RC | OP_MSG | MROCE_OP_RDMA,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = MROCE_OP_RC | OP_MSG | MROCE_OP_RDMA | MROCE_OP_IMM,
	[IBV_WR_SEND] = MROCE_OP_RC | MROCE_OP_UD | OP_MSG,
	[IBV_WR_SEND_WITH_IMM] = MROCE_OP_RC | MROCE_OP_UD | OP_MSG | MROCE_OP_IMM,
	[IBV_WR_RDMA_READ] = MROCE_OP_RC | MROCE_OP_DATA | MROCE_OP_RDMA,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = MROCE_OP_RC | MROCE_OP_DATA | MROCE_OP_ATOMIC,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = MROCE_OP_RC | MROCE_OP_DATA | MROCE_OP_ATOMIC,
	[IBV_WR_LOCAL_INV] = MROCE_OP_RC | MROCE_OP_INV,
	[IBV_WR_BIND_MW] = MROCE_OP_RC | MROCE_OP_BIND,
	[IBV_WR_SEND_WITH_INV] = MROCE_OP_RC | OP_MSG | MROCE_OP_INV,
};

_Static_assert(IBV_SEND_FENCE == MROCE_WQE_F_FENCE, "fence flag");
_Static_assert(IBV_SEND_SIGNALED == MROCE_WQE_F_SIGNALED, "signaled flag");
_Static_assert(IBV_SEND_SOLICITED == MROCE_WQE_F_SOLICITED, "solicited flag");
_Static_assert(IBV_SEND_INLINE == MROCE_WQE_F_INLINE, "inline flag");

#define SEND_FLAGS	(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)
#define BIND_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
			 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED)

/* The MROCE_OP_* properties of an opcode; 0 if there is no such operation. */
uint32_t mroce_op(uint32_t opcode)
{
	return opcode < sizeof(ops) / sizeof(ops[0]) ? ops[opcode] : 0;
}

/* Fields that every request has; the rest of the fixed part is zero. The inline flag comes with the data. */
void mroce_wqe_start(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe, uint64_t wr_id,
		     uint32_t opcode, unsigned int send_flags)
{
	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = wr_id;
	wqe->opcode = opcode;
	wqe->flags = send_flags & SEND_FLAGS & ~IBV_SEND_INLINE;
	if (caps->sig_all)
		wqe->flags |= MROCE_WQE_F_SIGNALED;
}

static void copy_sges(struct mroce_sge *to, const struct ibv_sge *sgl, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		to[i].addr = sgl[i].addr;
		to[i].length = sgl[i].length;
		to[i].lkey = sgl[i].lkey;
	}
}

int mroce_wqe_sges(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe,
		   const struct ibv_sge *sgl, uint64_t n)
{
	if (n > caps->max_sge)
		return EINVAL;

	copy_sges(mroce_send_sges(wqe), sgl, n);
	wqe->num_sge = n;
	return 0;
}

/* Adds @len bytes behind the inline data already there. */
int mroce_wqe_inline(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe, const void *data,
		     uint64_t len)
{
	if (len > caps->max_inline - wqe->inline_len)
		return EINVAL;

	if (len)
		memcpy((char *)(wqe + 1) + wqe->inline_len, data, len);
	wqe->inline_len += len;
	wqe->flags |= MROCE_WQE_F_INLINE;
	return 0;
}

/* The window gets @rkey; the key that names it goes along. Length 0 takes the binding away. */
int mroce_wqe_bind(struct mroce_send_wqe *wqe, const struct ibv_mw *mw, uint32_t rkey,
		   const struct ibv_mw_bind_info *info)
{
	if (!mw || (!info->mr && info->length) || (info->mw_access_flags & ~BIND_ACCESS))
		return EINVAL;
	if (mw->type == IBV_MW_TYPE_1 && (info->mw_access_flags & IBV_ACCESS_ZERO_BASED))
		return EINVAL;
	if (info->mr && mroce_base_pd(info->mr->pd) != mroce_base_pd(mw->pd))
		return EPERM;

	wqe->rkey = rkey;
	wqe->imm = mw->rkey;
	wqe->compare_add = info->addr;
	wqe->swap = info->length;
	wqe->remote_qkey = info->mw_access_flags;
	wqe->ah = info->mr ? info->mr->lkey : 0;
	return 0;
}

void mroce_wqe_ud(struct mroce_send_wqe *wqe, uint32_t ah_num, uint32_t qpn, uint32_t qkey)
{
	wqe->ah = ah_num;
	wqe->remote_qpn = qpn;
	wqe->remote_qkey = qkey;
}

static int encode_inline(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe,
			 const struct ibv_send_wr *wr)
{
	int i, err;

	wqe->flags |= MROCE_WQE_F_INLINE;
	for (i = 0; i < wr->num_sge; i++) {
		err = mroce_wqe_inline(caps, wqe, (const void *)(uintptr_t)wr->sg_list[i].addr,
				       wr->sg_list[i].length);
		if (err)
			return err;
	}
	return 0;
}

static int encode_data(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe,
		       const struct ibv_send_wr *wr, uint32_t op)
{
	if (!(op & MROCE_OP_DATA))
		return 0;
	if (wr->num_sge < 0)
		return EINVAL;
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return mroce_wqe_sges(caps, wqe, wr->sg_list, wr->num_sge);
	if (!(op & MROCE_OP_INLINE))
		return EINVAL;
	return encode_inline(caps, wqe, wr);
}

/* Everything but the data: where it goes and what comes along. */
static int encode_header(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe,
			 const struct ibv_send_wr *wr, uint32_t op)
{
	if (op & MROCE_OP_IMM)
		wqe->imm = wr->imm_data;
	if (op & MROCE_OP_INV)
		wqe->imm = wr->invalidate_rkey;
	if (op & MROCE_OP_RDMA) {
		wqe->remote_addr = wr->wr.rdma.remote_addr;
		wqe->rkey = wr->wr.rdma.rkey;
	}
	if (op & MROCE_OP_ATOMIC) {
		wqe->remote_addr = wr->wr.atomic.remote_addr;
		wqe->rkey = wr->wr.atomic.rkey;
		wqe->compare_add = wr->wr.atomic.compare_add;
		wqe->swap = wr->wr.atomic.swap;
	}
	if (op & MROCE_OP_BIND)
		return mroce_wqe_bind(wqe, wr->bind_mw.mw, wr->bind_mw.rkey, &wr->bind_mw.bind_info);
	if (caps->qp_type == MROCE_OP_UD) {
		if (!wr->wr.ud.ah)
			return EINVAL;
		mroce_wqe_ud(wqe, to_mah(wr->wr.ud.ah)->num, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	}
	return 0;
}

/* A send work request into a slot. The slot is undefined after an error, and must not be published. */
int mroce_wqe_send(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe,
		   const struct ibv_send_wr *wr)
{
	uint32_t op = mroce_op(wr->opcode);
	int err;

	if (!(op & caps->qp_type) || (wr->send_flags & ~SEND_FLAGS))
		return EINVAL;

	mroce_wqe_start(caps, wqe, wr->wr_id, wr->opcode, wr->send_flags);
	err = encode_header(caps, wqe, wr, op);
	return err ? err : encode_data(caps, wqe, wr, op);
}

int mroce_wqe_recv(uint32_t max_sge, struct mroce_recv_wqe *wqe, const struct ibv_recv_wr *wr)
{
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > max_sge)
		return EINVAL;

	wqe->wr_id = wr->wr_id;
	wqe->num_sge = wr->num_sge;
	wqe->rsvd = 0;
	copy_sges((struct mroce_sge *)(wqe + 1), wr->sg_list, wr->num_sge);
	return 0;
}
