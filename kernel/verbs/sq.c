// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sends: copied from the consumer's ring or call, checked on the copy, given to the stream, and
 * reported when done. verbs.h says why their order holds. User space rings in process context;
 * kernel consumers post from any.
 */
#include <linux/nospec.h>
#include "verbs.h"

/* What a work request may be, and on which type of QP */
#define OP_RC		0x01
#define OP_UD		0x02
#define OP_DATA		0x04	/* has entries */
#define OP_INLINE	0x08	/* or inline data */
#define OP_INTO		0x10	/* the entries are written to */
#define OP_KERNEL	0x20	/* kernel consumers only */

/**
 * struct mroce_wr_op - what is to be known of an opcode
 * @bits:	OP_*
 * @kind:	enum mroce_msg_kind
 * @flags:	MROCE_MSG_F_*
 * @wc:		enum ib_wc_opcode
 */
struct mroce_wr_op {
	u8 bits;
	u8 kind;
	u8 flags;
	u8 wc;
};

static const struct mroce_wr_op mroce_wr_ops[] = {
	[IB_WR_RDMA_WRITE] = { OP_RC | OP_DATA | OP_INLINE, MROCE_MSG_WRITE, 0, IB_WC_RDMA_WRITE },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { OP_RC | OP_DATA | OP_INLINE, MROCE_MSG_WRITE,
		MROCE_MSG_F_IMM, IB_WC_RDMA_WRITE },
	[IB_WR_SEND] = { OP_RC | OP_UD | OP_DATA | OP_INLINE, MROCE_MSG_SEND, 0, IB_WC_SEND },
	[IB_WR_SEND_WITH_IMM] = { OP_RC | OP_UD | OP_DATA | OP_INLINE, MROCE_MSG_SEND,
		MROCE_MSG_F_IMM, IB_WC_SEND },
	[IB_WR_SEND_WITH_INV] = { OP_RC | OP_DATA | OP_INLINE, MROCE_MSG_SEND, MROCE_MSG_F_INV,
		IB_WC_SEND },
	[IB_WR_RDMA_READ] = { OP_RC | OP_DATA | OP_INTO, MROCE_MSG_READ, 0, IB_WC_RDMA_READ },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { OP_RC | OP_DATA | OP_INTO, MROCE_MSG_CMP_SWAP, 0,
		IB_WC_COMP_SWAP },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { OP_RC | OP_DATA | OP_INTO, MROCE_MSG_FETCH_ADD, 0,
		IB_WC_FETCH_ADD },
	[IB_WR_LOCAL_INV] = { OP_RC, MROCE_MSG_LOCAL, 0, IB_WC_LOCAL_INV },
	[IB_WR_BIND_MW] = { OP_RC, MROCE_MSG_LOCAL, 0, IB_WC_BIND_MW },
	[IB_WR_REG_MR] = { OP_RC | OP_KERNEL, MROCE_MSG_LOCAL, 0, IB_WC_REG_MR },
};

/* NULL: there is no such operation on this QP. */
static const struct mroce_wr_op *mroce_wr_op(const struct mroce_qp *qp, u32 opcode)
{
	const struct mroce_wr_op *op;

	if (opcode >= ARRAY_SIZE(mroce_wr_ops))
		return NULL;
	op = &mroce_wr_ops[array_index_nospec(opcode, ARRAY_SIZE(mroce_wr_ops))];
	if (!(op->bits & (mroce_qp_is_ud(qp) ? OP_UD : OP_RC)) ||
	    (op->bits & OP_KERNEL && !qp->kernel))
		return NULL;
	return op;
}

static bool mroce_wr_is_atomic(const struct mroce_swqe *w)
{
	return w->msg.kind == MROCE_MSG_CMP_SWAP || w->msg.kind == MROCE_MSG_FETCH_ADD;
}

/* --- the copy ----------------------------------------------------------------------- */

static void mroce_swqe_operands(struct mroce_swqe *w, const struct mroce_send_wqe *h)
{
	struct mroce_msg *m = &w->msg;

	m->imm = h->imm;
	m->raddr = h->remote_addr;
	m->rkey = h->rkey;
	if (m->kind == MROCE_MSG_CMP_SWAP) {
		m->compare = h->compare_add;
		m->swap_add = h->swap;
	} else {
		m->swap_add = h->compare_add;
	}
	if (w->opcode == IB_WR_BIND_MW) {
		w->bind.window = h->imm;
		w->bind.new_key = h->rkey;
		w->bind.lkey = h->ah;
		w->bind.access = h->remote_qkey;
		w->bind.addr = h->compare_add;
		w->bind.len = h->swap;
	}
}

/*
 * The fixed part. What it says of the data behind it is bounded here; false: nothing of it can be
 * used.
 */
static bool mroce_swqe_header(struct mroce_qp *qp, struct mroce_swqe *w,
			      const struct mroce_send_wqe *h)
{
	const struct mroce_wr_op *op = mroce_wr_op(qp, h->opcode);
	struct mroce_msg *m = &w->msg;

	w->wr_id = h->wr_id;
	w->opcode = op ? h->opcode : IB_WR_SEND;
	w->signaled = qp->sig_all || h->flags & MROCE_WQE_F_SIGNALED;
	w->inl = h->flags & MROCE_WQE_F_INLINE;
	w->num_sge = 0;
	w->ud.av = NULL;
	m->kind = op ? op->kind : MROCE_MSG_SEND;
	m->flags = op ? op->flags : 0;
	m->len = 0;
	m->status = MROCE_ST_LOC_OP;
	if (!op)
		return false;
	if (h->flags & MROCE_WQE_F_SOLICITED)
		m->flags |= MROCE_MSG_F_SOLICITED;
	if (h->flags & MROCE_WQE_F_FENCE)
		m->flags |= MROCE_MSG_F_FENCE;
	if (w->inl && (!(op->bits & OP_INLINE) || h->inline_len > qp->sq.max_inline))
		return false;
	if (!w->inl && op->bits & OP_DATA) {
		if (h->num_sge > qp->sq.max_sge)
			return false;
		w->num_sge = h->num_sge;
	}
	if (w->inl)
		m->len = h->inline_len;
	m->status = MROCE_ST_OK;
	mroce_swqe_operands(w, h);
	return true;
}

/* Copy once: user space may change the slot at any time. */
static void mroce_swqe_from_ring(struct mroce_qp *qp, struct mroce_swqe *w, u32 counter)
{
	const struct mroce_send_wqe *slot = mroce_rbuf_slot(qp->sq.ring, counter);
	struct mroce_send_wqe h;

	memcpy(&h, slot, sizeof(h));
	barrier();	/* from here on only the copy is looked at */
	if (!mroce_swqe_header(qp, w, &h))
		return;
	memcpy(w->data, slot + 1, w->inl ? w->msg.len : w->num_sge * sizeof(struct mroce_sge));
	if (!mroce_qp_is_ud(qp))
		return;
	w->ud.qpn = h.remote_qpn;
	w->ud.qkey = h.remote_qkey;
	w->ud.av = mroce_av_find(to_mdev(qp->ib.device), h.ah);
	if (!w->ud.av || w->ud.av->pd != qp->ib.pd)
		w->msg.status = MROCE_ST_LOC_OP;
}

static void mroce_wqe_from_wr(const struct ib_send_wr *wr, bool ud, struct mroce_send_wqe *h)
{
	memset(h, 0, sizeof(*h));
	h->wr_id = wr->wr_id;
	h->opcode = wr->opcode;
	h->flags = wr->send_flags & (IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED |
				     IB_SEND_INLINE);
	h->num_sge = wr->num_sge;
	switch (wr->opcode) {
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		h->imm = wr->ex.invalidate_rkey;
		break;
	default:
		h->imm = (__force u32)wr->ex.imm_data;
		break;
	}
	if (ud)
		return;
	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		h->remote_addr = rdma_wr(wr)->remote_addr;
		h->rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		h->remote_addr = atomic_wr(wr)->remote_addr;
		h->rkey = atomic_wr(wr)->rkey;
		h->compare_add = atomic_wr(wr)->compare_add;
		h->swap = atomic_wr(wr)->swap;
		break;
	default:
		break;
	}
}

static void mroce_swqe_data(struct mroce_swqe *w, const struct ib_send_wr *wr)
{
	struct mroce_sge *sge = mroce_swqe_sge(w);
	u8 *data = w->data;
	int i;

	for (i = 0; w->inl && i < wr->num_sge; i++) {
		memcpy(data, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		data += wr->sg_list[i].length;
	}
	for (i = 0; i < w->num_sge; i++) {
		sge[i].addr = wr->sg_list[i].addr;
		sge[i].length = wr->sg_list[i].length;
		sge[i].lkey = wr->sg_list[i].lkey;
	}
}

/* A kernel consumer's request is refused in the call when it makes no sense. */
static int mroce_swqe_from_wr(struct mroce_qp *qp, struct mroce_swqe *w,
			      const struct ib_send_wr *wr)
{
	struct mroce_send_wqe h;
	u64 len = 0;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > MROCE_MAX_SGE)
		return -EINVAL;
	mroce_wqe_from_wr(wr, mroce_qp_is_ud(qp), &h);
	for (i = 0; wr->send_flags & IB_SEND_INLINE && i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	if (len > qp->sq.max_inline)
		return -EINVAL;
	h.inline_len = len;
	if (!mroce_swqe_header(qp, w, &h))
		return -EINVAL;
	mroce_swqe_data(w, wr);
	if (wr->opcode == IB_WR_REG_MR) {
		w->reg.mr = to_mmr(reg_wr(wr)->mr);
		w->reg.key = reg_wr(wr)->key;
		w->reg.access = reg_wr(wr)->access;
	}
	if (mroce_qp_is_ud(qp)) {
		w->ud.qpn = ud_wr(wr)->remote_qpn;
		w->ud.qkey = ud_wr(wr)->remote_qkey;
		w->ud.av = to_mah(ud_wr(wr)->ah)->av;
		refcount_inc(&w->ud.av->ref);
	}
	return 0;
}

/* What can only be judged with the keys at hand: whether the memory is ours, and how much it is. */
static void mroce_swqe_check(struct mroce_qp *qp, struct mroce_swqe *w)
{
	bool into = mroce_wr_ops[w->opcode].bits & OP_INTO;
	struct mroce_user_of_key u = mroce_qp_keys(qp);
	struct mroce_msg *m = &w->msg;
	u64 len = 0;
	u32 i;

	if (m->status != MROCE_ST_OK || w->inl || m->kind == MROCE_MSG_LOCAL)
		return;
	for (i = 0; i < w->num_sge; i++)
		len += mroce_swqe_sge(w)[i].length;
	if (mroce_sge_check(&u, mroce_swqe_sge(w), w->num_sge, into ? IB_ACCESS_LOCAL_WRITE : 0))
		m->status = MROCE_ST_LOC_PROT;
	else if (len > MROCE_MAX_MSG_LEN || (mroce_wr_is_atomic(w) && len < sizeof(u64)))
		m->status = MROCE_ST_LOC_LEN;
	m->len = mroce_wr_is_atomic(w) ? sizeof(u64) : min_t(u64, len, MROCE_MAX_MSG_LEN);
}

/* --- from the queue to the stream --------------------------------------------------- */

static u32 mroce_sq_posted(const struct mroce_sq *sq)
{
	const u32 *posted = sq->ring ? &sq->ring->hdr->prod : &sq->staged;

	return smp_load_acquire(posted);	/* before the slots are read */
}

/*
 * How many can be taken: what was posted, as far as there is room for copies. An honest consumer
 * never posts more than that.
 */
static u32 mroce_sq_avail(const struct mroce_sq *sq)
{
	return min(mroce_sq_posted(sq) - sq->head, sq->entries - (sq->head - sq->tail));
}

/**
 * mroce_sq_next() - take the next request
 * @qp:		QP, locked
 *
 * Return: copied and checked, or NULL when there is none, or no memory for a copy: the doorbell
 * finds that out.
 */
struct mroce_swqe *mroce_sq_next(struct mroce_qp *qp)
{
	struct mroce_sq *sq = &qp->sq;
	struct mroce_swqe *w;

	mroce_qp_assert_locked(qp);
	if (!mroce_sq_avail(sq))
		return NULL;
	w = mroce_slot(&sq->slots, sq->head & (sq->entries - 1));
	if (!w)
		return NULL;
	if (sq->ring)
		mroce_swqe_from_ring(qp, w, sq->head);
	w->wqe_cnt = sq->head++;
	if (sq->ring)
		smp_store_release(&sq->ring->hdr->cons, sq->head);	/* the slot was copied */
	mroce_swqe_check(qp, w);
	return w;
}

static bool mroce_sq_takes(const struct mroce_qp *qp)
{
	if (mroce_qp_is_ud(qp))
		return !qp->sq.busy && (qp->state == IB_QPS_ERR || qp->state == IB_QPS_SQE);
	return qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD || qp->state == IB_QPS_ERR;
}

/**
 * mroce_sq_drain() - give what is posted to the stream, or flush it
 * @qp:		QP, locked; of a UD QP only what is to be flushed
 *
 * Return: true when there is more: release the lock, and call again.
 */
bool mroce_sq_drain(struct mroce_qp *qp)
{
	u64 now = ktime_get_ns();
	struct mroce_swqe *w;
	int n;

	mroce_qp_assert_locked(qp);
	for (n = 0; n < MROCE_SQ_BATCH && mroce_sq_takes(qp); n++) {
		w = mroce_sq_next(qp);
		if (!w)
			return false;
		if (qp->stream.peer)
			mroce_stream_post(&qp->stream, &w->msg, now);
		else
			mroce_sq_done(qp, w, MROCE_ST_FLUSH);
	}
	return n == MROCE_SQ_BATCH;
}

enum ib_wc_status mroce_wc_status(u8 status)
{
	static const u8 map[] = {
		[MROCE_ST_OK]		= IB_WC_SUCCESS,
		[MROCE_ST_FLUSH]	= IB_WC_WR_FLUSH_ERR,
		[MROCE_ST_LOC_PROT]	= IB_WC_LOC_PROT_ERR,
		[MROCE_ST_LOC_LEN]	= IB_WC_LOC_LEN_ERR,
		[MROCE_ST_LOC_OP]	= IB_WC_LOC_QP_OP_ERR,
		[MROCE_ST_REM_INVALID]	= IB_WC_REM_INV_REQ_ERR,
		[MROCE_ST_REM_ACCESS]	= IB_WC_REM_ACCESS_ERR,
		[MROCE_ST_REM_OP]	= IB_WC_REM_OP_ERR,
		[MROCE_ST_RETRY_EXC]	= IB_WC_RETRY_EXC_ERR,
		[MROCE_ST_RNR_EXC]	= IB_WC_RNR_RETRY_EXC_ERR,
		[MROCE_ST_BAD_RESP]	= IB_WC_BAD_RESP_ERR,
		[MROCE_ST_MW_BIND]	= IB_WC_MW_BIND_ERR,
	};

	return status < ARRAY_SIZE(map) ? map[status] : IB_WC_GENERAL_ERR;
}

/**
 * mroce_sq_done() - a request is finished; they finish in order
 * @qp:		QP, locked
 * @w:		the oldest; gone afterwards
 * @status:	enum mroce_status
 *
 * The slot is free before the consumer can see the completion.
 */
void mroce_sq_done(struct mroce_qp *qp, struct mroce_swqe *w, u8 status)
{
	struct mroce_cqe cqe = {
		.wr_id = w->wr_id,
		.wqe_cnt = w->wqe_cnt,
		.status = mroce_wc_status(status),
		.opcode = mroce_wr_ops[w->opcode].wc,
		.byte_len = w->msg.len,
	};
	bool report = w->signaled || status != MROCE_ST_OK;

	mroce_qp_assert_locked(qp);
	if (mroce_qp_is_ud(qp))
		mroce_av_put(w->ud.av);
	smp_store_release(&qp->sq.tail, qp->sq.tail + 1);	/* the copy was read */
	if (report)
		mroce_qp_complete(qp, qp->ib.send_cq, &cqe, false);
}

/*
 * RESET or destroy: what was posted is forgotten. Nobody posts, and nothing has the requests any
 * more.
 */
void mroce_sq_drop(struct mroce_qp *qp)
{
	struct mroce_sq *sq = &qp->sq;
	u32 end = sq->ring ? sq->head : sq->staged;
	struct mroce_swqe *w;

	for (; mroce_qp_is_ud(qp) && sq->tail != end; sq->tail++) {
		w = mroce_slot(&sq->slots, sq->tail & (sq->entries - 1));
		mroce_av_put(w->ud.av);
	}
	sq->staged = 0;
	sq->head = 0;
	sq->tail = 0;
	if (!sq->ring)
		return;
	WRITE_ONCE(sq->ring->hdr->cons, 0);
	WRITE_ONCE(sq->ring->hdr->prod, 0);
}

/* --- posting ------------------------------------------------------------------------ */

/* Memory for copies, where there is time to wait for it, and the poster is charged. */
static int mroce_sq_prepare(struct mroce_sq *sq, u32 from, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (!mroce_slot_get(&sq->slots, (from + i) & (sq->entries - 1), GFP_KERNEL_ACCOUNT))
			return -ENOMEM;
	return 0;
}

/*
 * Process context. What other doorbells take meanwhile need not be ours. Once round the queue is
 * all that an honest consumer can have posted. All of it has its memory before the first leaves:
 * whoever takes requests, another doorbell or the work, gets as far as the last of ours. Where
 * there is not enough, what has its memory goes all the same.
 */
static int mroce_send_doorbell(struct mroce_qp *qp)
{
	struct mroce_sq *sq = &qp->sq;
	u32 head = READ_ONCE(sq->head), was;
	struct mroce_assoc *a;
	bool more;
	u32 end;
	int err;

	end = head + min(mroce_sq_posted(sq) - head, sq->entries);
	err = mroce_sq_prepare(sq, head, end - head);
	do {
		was = head;
		if (mroce_qp_is_ud(qp))
			mroce_ud_send(qp);
		a = mroce_qp_lock(qp);
		more = mroce_sq_drain(qp);
		head = sq->head;
		mroce_qp_unlock(qp, a, MROCE_CTX_RX);
		cond_resched();
	} while (head != was && (s32)(end - head) > 0);
	if (more)
		queue_work(to_mdev(qp->ib.device)->wq, &qp->work);
	return err;
}

static int mroce_sq_stage(struct mroce_qp *qp, const struct ib_send_wr **wr)
{
	struct mroce_sq *sq = &qp->sq;
	struct mroce_swqe *w;
	int err;

	for (; *wr; *wr = (*wr)->next) {
		/* who frees a copy has read it */
		if (sq->staged - smp_load_acquire(&sq->tail) >= sq->max_wr)
			return -ENOMEM;
		w = mroce_slot(&sq->slots, sq->staged & (sq->entries - 1));
		err = mroce_swqe_from_wr(qp, w, *wr);
		if (err)
			return err;
		smp_store_release(&sq->staged, sq->staged + 1);	/* the copy is written */
	}
	return 0;
}

/*
 * With irqs off the data path lock cannot be taken, and datagrams are sent without locks of the
 * consumer: the work does both.
 */
static void mroce_send_staged(struct mroce_qp *qp)
{
	struct mroce_assoc *a;
	bool more;

	if (mroce_qp_is_ud(qp) || irqs_disabled()) {
		queue_work(to_mdev(qp->ib.device)->wq, &qp->work);
		return;
	}
	do {
		a = mroce_qp_lock(qp);
		more = mroce_sq_drain(qp);
		mroce_qp_unlock(qp, a, MROCE_CTX_POST);
	} while (more);
}

int mroce_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	unsigned long flags;
	int err;

	*bad = wr;
	if (READ_ONCE(qp->state) < IB_QPS_RTS)
		return -EINVAL;
	if (!qp->kernel)
		return wr ? -EINVAL : mroce_send_doorbell(qp);

	spin_lock_irqsave(&qp->sq.lock, flags);
	err = mroce_sq_stage(qp, &wr);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	if (err)
		*bad = wr;
	mroce_send_staged(qp);
	return err;
}
