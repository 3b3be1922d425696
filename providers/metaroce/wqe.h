/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Encoding of work requests into ring slots. Pure functions over one slot: the callers (post.c, wr.c,
 * srq.c) find the slot and publish it.
 */
#ifndef METAROCE_PROVIDER_WQE_H
#define METAROCE_PROVIDER_WQE_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/metaroce-abi.h>

/* Properties of a send opcode, and the QP types it exists on. */
#define MROCE_OP_RC	0x01U
#define MROCE_OP_UD	0x04U
#define MROCE_OP_DATA	0x08U	/* has scatter/gather entries */
#define MROCE_OP_INLINE	0x10U	/* may carry inline data */
#define MROCE_OP_RDMA	0x20U	/* remote address and rkey */
#define MROCE_OP_ATOMIC	0x40U	/* the same and two operands */
#define MROCE_OP_IMM	0x80U
#define MROCE_OP_INV	0x100U
#define MROCE_OP_BIND	0x200U

/**
 * struct mroce_send_caps - what a send queue takes
 * @qp_type: one of MROCE_OP_RC, _UC, _UD
 * @max_sge: entries that fit a slot
 * @max_inline: bytes that fit a slot
 * @sig_all: every request asks for a completion
 */
struct mroce_send_caps {
	uint32_t qp_type;
	uint32_t max_sge;
	uint32_t max_inline;
	bool sig_all;
};

static inline struct mroce_sge *mroce_send_sges(struct mroce_send_wqe *wqe)
{
	return (struct mroce_sge *)(wqe + 1);
}

uint32_t mroce_op(uint32_t opcode);
void mroce_wqe_start(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe, uint64_t wr_id,
		     uint32_t opcode, unsigned int send_flags);
int mroce_wqe_sges(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe,
		   const struct ibv_sge *sgl, uint64_t n);
int mroce_wqe_inline(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe, const void *data,
		     uint64_t len);
int mroce_wqe_bind(struct mroce_send_wqe *wqe, const struct ibv_mw *mw, uint32_t rkey,
		   const struct ibv_mw_bind_info *info);
void mroce_wqe_ud(struct mroce_send_wqe *wqe, uint32_t ah_num, uint32_t qpn, uint32_t qkey);
int mroce_wqe_send(const struct mroce_send_caps *caps, struct mroce_send_wqe *wqe,
		   const struct ibv_send_wr *wr);
int mroce_wqe_recv(uint32_t max_sge, struct mroce_recv_wqe *wqe, const struct ibv_recv_wr *wr);

#endif /* METAROCE_PROVIDER_WQE_H */
