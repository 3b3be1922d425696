// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_* interface: requests are built in place between wr_start and wr_complete, under the lock of
 * the send queue. The first error is kept and returned by wr_complete, and nothing of the batch is posted.
 */
#include "metaroce.h"

#define UD_OPS	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define RC_OPS	(UD_OPS | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
		 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV | \
		 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | \
		 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

static struct mroce_qp *ex_to_mqp(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct mroce_qp, vqp.qp_ex);
}

static void wr_start(struct ibv_qp_ex *ibqp)
{
	struct mroce_qp *qp = ex_to_mqp(ibqp);

	mroce_lock(&qp->sq.lock);
	qp->next = qp->sq.posted;
	qp->wqe = NULL;
	qp->err = mroce_send_ready(qp);
}

static int wr_complete(struct ibv_qp_ex *ibqp)
{
	struct mroce_qp *qp = ex_to_mqp(ibqp);
	bool ring = !qp->err && qp->next != qp->sq.posted;
	int err = qp->err;

	if (ring) {
		qp->sq.posted = qp->next;
		mroce_store_release(&qp->sq.ring.hdr->prod, qp->next);
	}
	mroce_unlock(&qp->sq.lock);
	return ring ? mroce_doorbell_send(&qp->vqp.qp) : err;
}

static void wr_abort(struct ibv_qp_ex *ibqp)
{
	mroce_unlock(&ex_to_mqp(ibqp)->sq.lock);
}

static void set_err(struct mroce_qp *qp, int err)
{
	if (!qp->err)
		qp->err = err;
}

/* Opens the next slot. NULL after an error: the builder then does nothing until wr_complete. */
static struct mroce_send_wqe *wr_begin(struct ibv_qp_ex *ibqp, uint32_t opcode)
{
	struct mroce_qp *qp = ex_to_mqp(ibqp);

	qp->wqe = NULL;
	if (qp->err)
		return NULL;
	if (!mroce_room(qp->next, __atomic_load_n(&qp->sq.freed, __ATOMIC_ACQUIRE), qp->sq.max_wr)) {
		qp->err = ENOMEM;
		return NULL;
	}
	qp->wqe = mroce_ring_slot(&qp->sq.ring, qp->next++);
	mroce_wqe_start(&qp->caps, qp->wqe, ibqp->wr_id, opcode, ibqp->wr_flags);
	return qp->wqe;
}

/* ---- operations ---- */

static void wr_send(struct ibv_qp_ex *qp)
{
	wr_begin(qp, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *qp, __be32 imm)
{
	struct mroce_send_wqe *wqe = wr_begin(qp, IBV_WR_SEND_WITH_IMM);

	if (wqe)
		wqe->imm = imm;
}

static void wr_send_inv(struct ibv_qp_ex *qp, uint32_t rkey)
{
	struct mroce_send_wqe *wqe = wr_begin(qp, IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->imm = rkey;
}

static struct mroce_send_wqe *wr_rdma(struct ibv_qp_ex *qp, uint32_t opcode, uint32_t rkey, uint64_t addr)
{
	struct mroce_send_wqe *wqe = wr_begin(qp, opcode);

	if (wqe) {
		wqe->rkey = rkey;
		wqe->remote_addr = addr;
	}
	return wqe;
}

static void wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr)
{
	wr_rdma(qp, IBV_WR_RDMA_WRITE, rkey, addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, __be32 imm)
{
	struct mroce_send_wqe *wqe = wr_rdma(qp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr);

	if (wqe)
		wqe->imm = imm;
}

static void wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr)
{
	wr_rdma(qp, IBV_WR_RDMA_READ, rkey, addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t compare,
			      uint64_t swap)
{
	struct mroce_send_wqe *wqe = wr_rdma(qp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr);

	if (wqe) {
		wqe->compare_add = compare;
		wqe->swap = swap;
	}
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t add)
{
	struct mroce_send_wqe *wqe = wr_rdma(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr);

	if (wqe)
		wqe->compare_add = add;
}

static void wr_local_inv(struct ibv_qp_ex *qp, uint32_t rkey)
{
	struct mroce_send_wqe *wqe = wr_begin(qp, IBV_WR_LOCAL_INV);

	if (wqe)
		wqe->imm = rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct mroce_send_wqe *wqe = wr_begin(qp, IBV_WR_BIND_MW);
	int err;

	if (!wqe)
		return;
	err = mw->type == IBV_MW_TYPE_2 ? mroce_wqe_bind(wqe, mw, rkey, info) : EINVAL;
	if (err)
		set_err(ex_to_mqp(qp), err);
}

/* ---- address and data of the request opened last ---- */

static void wr_set_ud_addr(struct ibv_qp_ex *ibqp, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct mroce_qp *qp = ex_to_mqp(ibqp);

	if (qp->wqe)
		mroce_wqe_ud(qp->wqe, to_mah(ah)->num, qpn, qkey);
}

static void wr_set_sge_list(struct ibv_qp_ex *ibqp, size_t n, const struct ibv_sge *sgl)
{
	struct mroce_qp *qp = ex_to_mqp(ibqp);

	if (qp->wqe && mroce_wqe_sges(&qp->caps, qp->wqe, sgl, n))
		set_err(qp, EINVAL);
}

static void wr_set_sge(struct ibv_qp_ex *ibqp, uint32_t lkey, uint64_t addr, uint32_t len)
{
	struct ibv_sge sge = { .addr = addr, .length = len, .lkey = lkey };

	wr_set_sge_list(ibqp, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ibqp, size_t n, const struct ibv_data_buf *bufs)
{
	struct mroce_qp *qp = ex_to_mqp(ibqp);
	size_t i;

	if (!qp->wqe)
		return;
	if (!(mroce_op(qp->wqe->opcode) & MROCE_OP_INLINE)) {
		set_err(qp, EINVAL);
		return;
	}
	qp->wqe->inline_len = 0;
	qp->wqe->flags |= MROCE_WQE_F_INLINE;
	for (i = 0; i < n; i++) {
		if (mroce_wqe_inline(&qp->caps, qp->wqe, bufs[i].addr, bufs[i].length)) {
			set_err(qp, EINVAL);
			return;
		}
	}
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t len)
{
	struct ibv_data_buf buf = { .addr = addr, .length = len };

	wr_set_inline_data_list(qp, 1, &buf);
}

/* ---- set-up ---- */

/* IBV_QP_EX_WITH_* that QPs of a type can do. */
uint64_t mroce_send_ops(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return RC_OPS;
	case IBV_QPT_UD:
		return UD_OPS;
	default:
		return 0;
	}
}

static void init_rdma(struct ibv_qp_ex *qp, uint64_t want)
{
	if (want & IBV_QP_EX_WITH_RDMA_WRITE)
		qp->wr_rdma_write = wr_rdma_write;
	if (want & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		qp->wr_rdma_write_imm = wr_rdma_write_imm;
	if (want & IBV_QP_EX_WITH_RDMA_READ)
		qp->wr_rdma_read = wr_rdma_read;
	if (want & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		qp->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	if (want & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		qp->wr_atomic_fetch_add = wr_atomic_fetch_add;
}

static void init_send(struct ibv_qp_ex *qp, uint64_t want)
{
	if (want & IBV_QP_EX_WITH_SEND)
		qp->wr_send = wr_send;
	if (want & IBV_QP_EX_WITH_SEND_WITH_IMM)
		qp->wr_send_imm = wr_send_imm;
	if (want & IBV_QP_EX_WITH_SEND_WITH_INV)
		qp->wr_send_inv = wr_send_inv;
	if (want & IBV_QP_EX_WITH_LOCAL_INV)
		qp->wr_local_inv = wr_local_inv;
	if (want & IBV_QP_EX_WITH_BIND_MW)
		qp->wr_bind_mw = wr_bind_mw;
}

/* The caller checked @want against mroce_send_ops(). */
void mroce_qp_ex_init(struct mroce_qp *mqp, uint64_t want)
{
	struct ibv_qp_ex *qp = &mqp->vqp.qp_ex;

	init_rdma(qp, want);
	init_send(qp, want);
	qp->wr_start = wr_start;
	qp->wr_complete = wr_complete;
	qp->wr_abort = wr_abort;
	qp->wr_set_ud_addr = wr_set_ud_addr;
	qp->wr_set_sge = wr_set_sge;
	qp->wr_set_sge_list = wr_set_sge_list;
	qp->wr_set_inline_data = wr_set_inline_data;
	qp->wr_set_inline_data_list = wr_set_inline_data_list;
	mqp->vqp.comp_mask |= VERBS_QP_EX;
}
