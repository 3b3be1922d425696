// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The verbs half of what the transport asks of its host. Everything here is called by the transport
 * under the association's lock, BHs off; transport.h has the contracts. Events are collected,
 * nobody is woken.
 */
#include "verbs.h"

static const int mroce_acc_map[][2] = {
	{ MROCE_ACC_WRITE,	IB_ACCESS_REMOTE_WRITE },
	{ MROCE_ACC_READ,	IB_ACCESS_REMOTE_READ },
	{ MROCE_ACC_ATOMIC,	IB_ACCESS_REMOTE_ATOMIC },
};

static int mroce_ib_access(unsigned int acc)
{
	int i, access = 0;

	for (i = 0; i < ARRAY_SIZE(mroce_acc_map); i++)
		if (acc & mroce_acc_map[i][0])
			access |= mroce_acc_map[i][1];
	return access;
}

/* --- streams ------------------------------------------------------------------------ */

/* An entry that names @peer does so until the lock is released, and so long its QP is there. */
struct mroce_stream *mroce_host_stream_find(struct mroce_peer *peer, u32 qpn)
{
	struct mroce_dev *dev = to_assoc(peer)->dev;
	struct mroce_stream *s = NULL;
	struct mroce_qp_entry *entry;

	rcu_read_lock();
	entry = xa_load(&dev->qps, qpn);
	if (entry && READ_ONCE(entry->peer) == peer)
		s = &entry->qp->stream;
	rcu_read_unlock();
	return s;
}

void mroce_host_established(struct mroce_stream *s)
{
	struct mroce_qp *qp = stream_qp(s);

	if (qp->state == IB_QPS_RTR)
		mroce_qp_note(qp, MROCE_DUE_EST);
}

void mroce_host_sq_drained(struct mroce_stream *s)
{
	struct mroce_qp *qp = stream_qp(s);

	qp->sq_draining = false;
	if (qp->attr.en_sqd_async_notify)
		mroce_qp_note(qp, MROCE_DUE_DRAINED);
}

void mroce_host_stream_failed(struct mroce_stream *s, enum mroce_fail why)
{
	struct mroce_qp *qp = stream_qp(s);

	switch (why) {
	case MROCE_FAIL_PEER_LOST:
		mroce_qp_note(qp, MROCE_DUE_FATAL);
		break;
	case MROCE_FAIL_ACCESS:
		mroce_qp_note(qp, MROCE_DUE_ACCESS);
		break;
	case MROCE_FAIL_REQUEST:
		mroce_qp_note(qp, MROCE_DUE_REQUEST);
		break;
	case MROCE_FAIL_SEND:
	case MROCE_FAIL_RECV:
		break;	/* a completion tells */
	}
	mroce_qp_enter_error(qp);
}

/* --- sends -------------------------------------------------------------------------- */

void mroce_host_send_done(struct mroce_stream *s, struct mroce_msg *msg, u8 status)
{
	mroce_sq_done(stream_qp(s), to_swqe(msg), status);
}

u8 mroce_host_local_op(struct mroce_stream *s, struct mroce_msg *msg)
{
	struct mroce_user_of_key u = mroce_qp_keys(stream_qp(s));
	struct mroce_swqe *w = to_swqe(msg);

	switch (w->opcode) {
	case IB_WR_LOCAL_INV:
		return mroce_region_invalidate(&u, msg->imm) ? MROCE_ST_LOC_OP : MROCE_ST_OK;
	case IB_WR_BIND_MW:
		return mroce_window_bind(&u, &w->bind);
	case IB_WR_REG_MR:
		return mroce_fast_register(&u, w->reg.mr, w->reg.key, w->reg.access);
	}
	return MROCE_ST_LOC_OP;
}

int mroce_host_gather(struct mroce_tx *tx, void *dst)
{
	struct mroce_user_of_key u = mroce_qp_keys(stream_qp(tx->stream));
	struct mroce_copy c = { .dir = MROCE_COPY_TO_BUF, .buf = dst };
	struct mroce_swqe *w;

	if (tx->src == MROCE_SRC_MR)
		return mroce_region_copy(&u, tx->rkey, tx->addr, tx->len, IB_ACCESS_REMOTE_READ,
					 &c);
	w = to_swqe(tx->msg);
	if (w->inl) {
		memcpy(dst, w->data + tx->offset, tx->len);
		return 0;
	}
	return mroce_sge_copy(&u, mroce_swqe_sge(w), w->num_sge, tx->offset, tx->len, 0, &c);
}

int mroce_host_place_resp(struct mroce_stream *s, struct mroce_msg *msg, u32 offset, void *cookie,
			  u32 pkt_off, u32 len)
{
	struct mroce_user_of_key u = mroce_qp_keys(stream_qp(s));
	struct mroce_copy c = { .dir = MROCE_COPY_FROM_SKB, .skb = cookie, .off = pkt_off };
	struct mroce_swqe *w = to_swqe(msg);

	return mroce_sge_copy(&u, mroce_swqe_sge(w), w->num_sge, offset, len,
			      IB_ACCESS_LOCAL_WRITE, &c);
}

int mroce_host_place_atomic(struct mroce_stream *s, struct mroce_msg *msg, u64 old)
{
	struct mroce_user_of_key u = mroce_qp_keys(stream_qp(s));
	struct mroce_copy c = { .dir = MROCE_COPY_FROM_BUF, .buf = &old };
	struct mroce_swqe *w = to_swqe(msg);

	return mroce_sge_copy(&u, mroce_swqe_sge(w), w->num_sge, 0, sizeof(old),
			      IB_ACCESS_LOCAL_WRITE, &c);
}

/* --- receives ----------------------------------------------------------------------- */

struct mroce_recv *mroce_host_recv_bind(struct mroce_stream *s, u32 rsn)
{
	struct mroce_qp *qp = stream_qp(s);
	struct mroce_rwqe *w = mroce_recv_take(qp);

	if (!w)
		return NULL;
	mroce_recv_keep(qp);
	return &w->recv;
}

/*
 * What an SRQ gave and was not used goes back to it; what has data in it cannot, and is flushed if
 * the QP still reports anything (rule 4). Receives of the QP's own stay where they are, and are
 * flushed or forgotten with the rest.
 */
void mroce_host_recv_unbind(struct mroce_stream *s, struct mroce_recv *recv)
{
	struct mroce_cqe cqe = { .status = IB_WC_WR_FLUSH_ERR, .opcode = IB_WC_RECV };
	struct mroce_qp *qp = stream_qp(s);

	if (!qp->ib.srq)
		return;
	if (!recv->placed)
		mroce_srq_return(to_msrq(qp->ib.srq), to_rwqe(recv));
	else if (s->state == MROCE_STREAM_ERR)
		mroce_recv_complete(qp, to_rwqe(recv), &cqe, false);
	else
		mroce_srq_done(to_msrq(qp->ib.srq), to_rwqe(recv));
}

u32 mroce_host_recv_limit(struct mroce_stream *s, bool *unlimited)
{
	struct mroce_qp *qp = stream_qp(s);

	*unlimited = qp->ib.srq;
	return qp->ib.srq ? 0 : mroce_rq_limit(qp);
}

u8 mroce_host_rnr_timer(struct mroce_stream *s)
{
	return stream_qp(s)->attr.min_rnr_timer;
}

void mroce_host_recv_done(struct mroce_stream *s, struct mroce_recv *recv,
			  const struct mroce_recv_info *info)
{
	struct mroce_qp *qp = stream_qp(s);
	struct mroce_cqe cqe = {
		.status = mroce_wc_status(info->status),
		.opcode = info->opcode == MROCE_OP_WRITE_IMM ? IB_WC_RECV_RDMA_WITH_IMM :
			IB_WC_RECV,
		.byte_len = info->byte_len,
		.src_qp = s->attr.dst_qpn,
		.imm = info->imm,
	};

	if (info->opcode == MROCE_OP_SEND_IMM || info->opcode == MROCE_OP_WRITE_IMM)
		cqe.wc_flags = MROCE_WC_WITH_IMM;
	else if (info->opcode == MROCE_OP_SEND_INV)
		cqe.wc_flags = MROCE_WC_WITH_INV;
	mroce_recv_complete(qp, to_rwqe(recv), &cqe, info->solicited);
}

int mroce_host_place_recv(struct mroce_stream *s, struct mroce_recv *recv, u32 offset,
			  void *cookie, u32 pkt_off, u32 len)
{
	struct mroce_user_of_key u = mroce_qp_recv_keys(stream_qp(s));
	struct mroce_copy c = { .dir = MROCE_COPY_FROM_SKB, .skb = cookie, .off = pkt_off };
	struct mroce_rwqe *w = to_rwqe(recv);

	return mroce_sge_copy(&u, w->sge, w->num_sge, offset, len, IB_ACCESS_LOCAL_WRITE, &c);
}

/* --- remote access ------------------------------------------------------------------ */

int mroce_host_mr_check(struct mroce_stream *s, u32 rkey, u64 addr, u32 len, unsigned int acc)
{
	struct mroce_user_of_key u = mroce_qp_keys(stream_qp(s));

	return mroce_region_check(&u, rkey, addr, len, mroce_ib_access(acc));
}

int mroce_host_place(struct mroce_stream *s, u32 rkey, u64 addr, void *cookie, u32 pkt_off,
		     u32 len, bool relaxed)
{
	struct mroce_user_of_key u = mroce_qp_keys(stream_qp(s));
	struct mroce_copy c = {
		.dir = relaxed ? MROCE_COPY_FROM_SKB : MROCE_COPY_FROM_SKB_STRICT,
		.skb = cookie,
		.off = pkt_off,
	};

	return mroce_region_copy(&u, rkey, addr, len, IB_ACCESS_REMOTE_WRITE, &c);
}

int mroce_host_atomic(struct mroce_stream *s, u8 opcode, u32 rkey, u64 addr, u64 compare,
		      u64 swap_add, u64 *old)
{
	struct mroce_user_of_key u = mroce_qp_keys(stream_qp(s));

	return mroce_region_atomic(&u, rkey, addr, opcode == MROCE_OP_FETCH_ADD, compare, swap_add,
				   old);
}

int mroce_host_invalidate(struct mroce_stream *s, u32 rkey)
{
	struct mroce_user_of_key u = mroce_qp_keys(stream_qp(s));

	return mroce_region_invalidate(&u, rkey);
}
