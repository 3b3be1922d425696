// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UD and GSI: one datagram per message, without the transport. Sends leave in process context (a
 * doorbell, or the QP's work), one sender at a time so that they keep their order; they are
 * received in softirq context.
 */
#include <linux/delay.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include "verbs.h"

#define MROCE_UD_BATCH	64

/* --- sending ------------------------------------------------------------------------ */

struct mroce_ud_source {
	struct mroce_qp *qp;
	struct mroce_swqe *w;
};

static int mroce_ud_gather(void *arg, void *dst, u32 len)
{
	const struct mroce_ud_source *src = arg;
	struct mroce_user_of_key u = mroce_qp_keys(src->qp);
	struct mroce_copy c = { .dir = MROCE_COPY_TO_BUF, .buf = dst };

	if (src->w->inl) {
		memcpy(dst, src->w->data, len);
		return 0;
	}
	return mroce_sge_copy(&u, mroce_swqe_sge(src->w), src->w->num_sge, 0, len, 0, &c);
}

static u8 mroce_ud_xmit(struct mroce_qp *qp, struct mroce_swqe *w)
{
	struct mroce_dev *dev = to_mdev(qp->ib.device);
	struct mroce_ud_source src = { .qp = qp, .w = w };
	const struct mroce_av *av = w->ud.av;
	struct mroce_dgram d = {
		.sgid = av->sgid,
		.dgid = av->dgid,
		.tclass = av->tclass,
		.hop_limit = av->hop_limit,
		.pkey = MROCE_PKEY,
		.dst_qpn = w->ud.qpn & MROCE_MAX_QPN,
		.src_qpn = qp->ib.qp_num,
		/* a privileged key cannot be given in a work request: the QP's own is meant */
		.qkey = w->ud.qkey & 0x80000000 ? qp->attr.qkey : w->ud.qkey,
		.imm = w->msg.imm,
		.has_imm = w->msg.flags & MROCE_MSG_F_IMM,
		.solicited = w->msg.flags & MROCE_MSG_F_SOLICITED,
		.len = w->msg.len,
		.gather = mroce_ud_gather,
		.arg = &src,
	};
	int err;

	if (d.len > ib_mtu_enum_to_int(mroce_net_mtu(dev)))	/* [M134] */
		return MROCE_ST_LOC_LEN;
	local_bh_disable();	/* as everywhere on the data path: regions are locked */
	err = mroce_net_dgram_send(dev, &d);
	local_bh_enable();
	return err ? MROCE_ST_LOC_PROT : MROCE_ST_OK;
}

/**
 * mroce_ud_send() - send what is posted
 * @qp:		UD or GSI QP, not locked
 *
 * Who finds somebody else at it may leave: that one looks again before it stops. After a send that
 * failed the queue is in SQE, and what is posted is flushed by mroce_sq_drain().
 */
void mroce_ud_send(struct mroce_qp *qp)
{
	struct mroce_assoc *a = mroce_qp_lock(qp);
	struct mroce_swqe *w;
	u8 status;
	int n;

	if (qp->sq.busy)
		goto out;
	qp->sq.busy = true;
	for (n = 0; n < MROCE_UD_BATCH && qp->state == IB_QPS_RTS; n++) {
		w = mroce_sq_next(qp);
		if (!w)
			break;
		status = w->msg.status;
		if (status == MROCE_ST_OK) {
			mroce_qp_unlock(qp, a, MROCE_CTX_RX);
			status = mroce_ud_xmit(qp, w);
			a = mroce_qp_lock(qp);
		}
		mroce_sq_done(qp, w, status);
		if (status != MROCE_ST_OK && qp->state == IB_QPS_RTS)
			WRITE_ONCE(qp->state, IB_QPS_SQE);
	}
	qp->sq.busy = false;
	if (qp->state == IB_QPS_SQD && qp->sq_draining)
		mroce_host_sq_drained(&qp->stream);
	if (n == MROCE_UD_BATCH)
		queue_work(to_mdev(qp->ib.device)->wq, &qp->work);
out:
	mroce_qp_unlock(qp, a, MROCE_CTX_RX);
}

/*
 * RESET: nobody sends any more, and nobody begins to, because of the state. Process context, not
 * locked.
 */
void mroce_ud_quiesce(struct mroce_qp *qp)
{
	struct mroce_assoc *a;
	bool busy;

	for (;;) {
		a = mroce_qp_lock(qp);
		busy = qp->sq.busy;
		mroce_qp_unlock(qp, a, MROCE_CTX_POST);
		if (!busy)
			return;
		usleep_range(10, 100);
	}
}

/* --- receiving ---------------------------------------------------------------------- */

/*
 * The 40 bytes before the payload: an IPv6 header is one already; an IPv4 header fills the second
 * half.
 */
static u8 mroce_ud_grh(const struct sk_buff *skb, u8 *grh)
{
	memset(grh, 0, MROCE_GRH_LEN);
	if (skb->protocol == htons(ETH_P_IP)) {
		memcpy(grh + MROCE_GRH_LEN - sizeof(struct iphdr), ip_hdr(skb),
		       sizeof(struct iphdr));
		return RDMA_NETWORK_IPV4;
	}
	memcpy(grh, ipv6_hdr(skb), MROCE_GRH_LEN);
	return RDMA_NETWORK_IPV6;
}

static int mroce_ud_place(struct mroce_qp *qp, const struct mroce_rwqe *w, u8 *grh,
			  const struct sk_buff *skb, u32 len)
{
	struct mroce_user_of_key u = mroce_qp_recv_keys(qp);
	struct mroce_copy c = { .dir = MROCE_COPY_FROM_BUF, .buf = grh };
	int err;

	err = mroce_sge_copy(&u, w->sge, w->num_sge, 0, MROCE_GRH_LEN, IB_ACCESS_LOCAL_WRITE, &c);
	if (err || !len)
		return err;
	c.dir = MROCE_COPY_FROM_SKB;
	c.skb = skb;
	c.off = sizeof(struct mroce_datagram);
	return mroce_sge_copy(&u, w->sge, w->num_sge, MROCE_GRH_LEN, len, IB_ACCESS_LOCAL_WRITE,
			      &c);
}

static void mroce_ud_complete(struct mroce_qp *qp, struct mroce_rwqe *w,
			      const struct mroce_datagram *h, const struct sk_buff *skb)
{
	u32 len = skb->len - sizeof(*h);
	struct mroce_cqe cqe = {
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = len + MROCE_GRH_LEN,
		.src_qp = be32_to_cpu(h->src_qpn) & MROCE_MAX_QPN,
		.wc_flags = MROCE_WC_GRH,
	};
	u8 grh[MROCE_GRH_LEN], type = mroce_ud_grh(skb, grh);

	if (qp->kernel)
		cqe.rsvd[0] = type;
	if (h->flags & MROCE_DGRAM_F_IMM) {
		cqe.wc_flags |= MROCE_WC_WITH_IMM;
		cqe.imm = (__force u32)h->imm;
	}
	if (w->recv.bad != MROCE_ST_OK || mroce_ud_place(qp, w, grh, skb, len))
		cqe.status = IB_WC_LOC_PROT_ERR;
	mroce_recv_complete(qp, w, &cqe, h->flags & MROCE_DGRAM_F_SOLICITED);
	if (cqe.status != IB_WC_SUCCESS)
		mroce_qp_set_error(qp);
}

static bool mroce_ud_listens(const struct mroce_qp *qp)
{
	return mroce_qp_is_ud(qp) && qp->state >= IB_QPS_RTR && qp->state <= IB_QPS_SQE;
}

/*
 * [M135] A datagram for @qp, locked. One that does not fit is dropped: a stranger must not take the
 * QP to ERR.
 */
static void mroce_ud_deliver(struct mroce_dev *dev, struct mroce_qp *qp,
			     const struct mroce_datagram *h, const struct sk_buff *skb)
{
	struct mroce_rwqe *w;

	if (!qp || !mroce_ud_listens(qp)) {
		mroce_count_drop(dev, MROCE_CNT_DROP_NO_QP);
		return;
	}
	if ((be16_to_cpu(h->pkey) & 0x7fff) != (MROCE_PKEY & 0x7fff)) {
		mroce_count_drop(dev, MROCE_CNT_DROP_PKEY);
		return;
	}
	if (be32_to_cpu(h->qkey) != (qp->ib.qp_type == IB_QPT_GSI ? MROCE_GSI_QKEY :
				     qp->attr.qkey)) {
		mroce_count_drop(dev, MROCE_CNT_DROP_QKEY);
		return;
	}
	w = mroce_recv_take(qp);
	if (!w) {
		mroce_count_drop(dev, MROCE_CNT_DROP_NO_RECV);
		return;
	}
	if (w->recv.bad == MROCE_ST_OK && skb->len - sizeof(*h) + MROCE_GRH_LEN > w->recv.len) {
		mroce_recv_untake(qp, w);
		mroce_count_drop(dev, MROCE_CNT_DROP_TOO_LONG);
		return;
	}
	mroce_recv_keep(qp);
	mroce_ud_complete(qp, w, h, skb);
}

/**
 * mroce_ud_input() - a datagram arrived
 * @dev:	device
 * @skb:	its data starts with a whole struct mroce_datagram, linear; not consumed
 * @local:	our GID
 * @remote:	the sender's
 */
void mroce_ud_input(struct mroce_dev *dev, struct sk_buff *skb, const union ib_gid *local,
		    const union ib_gid *remote)
{
	const struct mroce_datagram *h = (const void *)skb->data;
	struct mroce_qp_entry *entry;
	LIST_HEAD(events);

	rcu_read_lock();
	entry = xa_load(&dev->qps, be32_to_cpu(h->dst_qpn) & MROCE_MAX_QPN);
	if (!entry || READ_ONCE(entry->peer)) {
		mroce_count_drop(dev, MROCE_CNT_DROP_NO_QP);
		rcu_read_unlock();
		return;
	}
	spin_lock_bh(&entry->lock);
	mroce_ud_deliver(dev, entry->qp, h, skb);
	if (entry->qp && mroce_qp_is_ud(entry->qp))
		list_splice_init(&entry->qp->events, &events);
	spin_unlock_bh(&entry->lock);
	rcu_read_unlock();
	mroce_deliver(&events);
}
