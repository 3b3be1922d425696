// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Polling, in both interfaces and without system calls. What was completed before the device went away is
 * still delivered; then polling fails.
 */
#include "metaroce.h"

/* ---- common; under the CQ's lock ---- */

/* The completion at the head of the queue, or NULL. */
static const struct mroce_cqe *cq_head(const struct mroce_cq *cq)
{
	if (cq->broken || mroce_load_acquire(&cq->ring.hdr->prod) == cq->cons)
		return NULL;
	return mroce_ring_slot(&cq->ring, cq->cons);
}

static bool cq_gone(const struct mroce_cq *cq)
{
	return cq->broken || mroce_ring_dead(&cq->ring);
}

/* A completion was read: frees the send entries that it reports. The receive queues need nothing. */
static void cq_take(struct mroce_cq *cq, const struct mroce_cqe *cqe)
{
	struct mroce_qpmap_entry *entry;
	struct mroce_queue *sq;

	cq->cons++;
	if (cqe->is_recv)
		return;
	entry = mroce_qpmap_find(&cq->qps, cqe->qp_num);
	if (!entry)
		return;

	sq = &container_of(entry, struct mroce_qp, map)->sq;
	__atomic_store_n(&sq->freed,
			 mroce_retire(sq->freed, __atomic_load_n(&sq->ring.hdr->prod, __ATOMIC_RELAXED),
				      cqe->wqe_cnt), __ATOMIC_RELEASE);
}

/* ---- ibv_poll_cq ---- */

static void fill_wc(struct ibv_wc *wc, const struct mroce_cqe *cqe)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = cqe->imm;
	wc->qp_num = cqe->qp_num;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->wc_flags;
	wc->pkey_index = cqe->pkey_index;
	wc->slid = 0;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = 0;
}

int mroce_poll_cq(struct ibv_cq *ibcq, int n, struct ibv_wc *wc)
{
	struct mroce_cq *cq = to_mcq(ibcq);
	const struct mroce_cqe *cqe;
	int done = 0;

	mroce_lock(&cq->lock);
	while (done < n && (cqe = cq_head(cq))) {
		fill_wc(&wc[done++], cqe);
		cq_take(cq, cqe);
	}
	if (done) {
		mroce_store_release(&cq->ring.hdr->cons, cq->cons);
	} else if (n > 0 && cq_gone(cq)) {
		errno = EIO;
		done = -1;
	}
	mroce_unlock(&cq->lock);
	return done;
}

/* ---- extended polling: the lock is held from start_poll to end_poll ---- */

static int ex_load(struct mroce_cq *cq)
{
	cq->cur = cq_head(cq);
	if (!cq->cur)
		return cq_gone(cq) ? EIO : ENOENT;

	cq->vcq.cq_ex.status = cq->cur->status;
	cq->vcq.cq_ex.wr_id = cq->cur->wr_id;
	return 0;
}

/* The current completion, if any, is done with and its slot is the kernel's again. */
static void ex_take(struct mroce_cq *cq)
{
	if (!cq->cur)
		return;
	cq_take(cq, cq->cur);
	cq->cur = NULL;
	mroce_store_release(&cq->ring.hdr->cons, cq->cons);
}

/* Only after success is the lock held, and end_poll called. */
static int ex_start_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr)
{
	struct mroce_cq *cq = to_mcq(ibv_cq_ex_to_cq(ibcq));
	int err;

	if (attr && attr->comp_mask)
		return EINVAL;

	mroce_lock(&cq->lock);
	err = ex_load(cq);
	if (err)
		mroce_unlock(&cq->lock);
	return err;
}

static int ex_next_poll(struct ibv_cq_ex *ibcq)
{
	struct mroce_cq *cq = to_mcq(ibv_cq_ex_to_cq(ibcq));

	ex_take(cq);
	return ex_load(cq);
}

static void ex_end_poll(struct ibv_cq_ex *ibcq)
{
	struct mroce_cq *cq = to_mcq(ibv_cq_ex_to_cq(ibcq));

	ex_take(cq);
	mroce_unlock(&cq->lock);
}

static const struct mroce_cqe *cur(struct ibv_cq_ex *cq)
{
	return to_mcq(ibv_cq_ex_to_cq(cq))->cur;
}

static enum ibv_wc_opcode ex_opcode(struct ibv_cq_ex *cq)
{
	return cur(cq)->opcode;
}

static uint32_t ex_vendor_err(struct ibv_cq_ex *cq)
{
	return cur(cq)->vendor_err;
}

static uint32_t ex_byte_len(struct ibv_cq_ex *cq)
{
	return cur(cq)->byte_len;
}

static __be32 ex_imm_data(struct ibv_cq_ex *cq)
{
	return cur(cq)->imm;
}

static uint32_t ex_qp_num(struct ibv_cq_ex *cq)
{
	return cur(cq)->qp_num;
}

static uint32_t ex_src_qp(struct ibv_cq_ex *cq)
{
	return cur(cq)->src_qp;
}

static unsigned int ex_wc_flags(struct ibv_cq_ex *cq)
{
	return cur(cq)->wc_flags;
}

static uint32_t ex_slid(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 0;
}

static uint8_t ex_sl(struct ibv_cq_ex *cq)
{
	return cur(cq)->sl;
}

static uint8_t ex_dlid_path_bits(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 0;
}

/* Raw and wall clock are one: nanoseconds of CLOCK_REALTIME. */
static uint64_t ex_timestamp(struct ibv_cq_ex *cq)
{
	return cur(cq)->timestamp;
}

void mroce_cq_ex_init(struct ibv_cq_ex *cq, uint64_t wc_flags)
{
	cq->start_poll = ex_start_poll;
	cq->next_poll = ex_next_poll;
	cq->end_poll = ex_end_poll;
	cq->read_opcode = ex_opcode;
	cq->read_vendor_err = ex_vendor_err;
	cq->read_wc_flags = ex_wc_flags;
	cq->read_byte_len = ex_byte_len;
	cq->read_imm_data = ex_imm_data;
	cq->read_qp_num = ex_qp_num;
	cq->read_src_qp = ex_src_qp;
	cq->read_slid = ex_slid;
	cq->read_sl = ex_sl;
	cq->read_dlid_path_bits = ex_dlid_path_bits;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cq->read_completion_ts = ex_timestamp;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		cq->read_completion_wallclock_ns = ex_timestamp;
}
