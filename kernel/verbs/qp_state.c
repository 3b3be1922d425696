// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * modify_qp and query_qp: the state machine. Process context, one at a time for each QP
 * (mroce_qp.mutex).
 */
#include "verbs.h"

/* --- attributes --------------------------------------------------------------------- */

static int mroce_check_av(const struct rdma_ah_attr *ah)
{
	if (!(rdma_ah_get_ah_flags(ah) & IB_AH_GRH) || !rdma_ah_read_grh(ah)->sgid_attr)
		return -EINVAL;
	if (rdma_is_multicast_addr((struct in6_addr *)rdma_ah_read_grh(ah)->dgid.raw))
		return -EINVAL;
	return 0;
}

static int mroce_check_attr(const struct mroce_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PORT && attr->port_num != 1)
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index)
		return -EINVAL;
	if (mask & IB_QP_PATH_MTU && (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096))
		return -EINVAL;
	if (mask & IB_QP_DEST_QPN && attr->dest_qp_num > MROCE_MAX_QPN)
		return -EINVAL;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > MROCE_MAX_RD_ATOMIC)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > MROCE_MAX_RD_ATOMIC)
		return -EINVAL;
	if ((mask & IB_QP_TIMEOUT && attr->timeout > 31) ||
	    (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31))
		return -EINVAL;
	if ((mask & IB_QP_RETRY_CNT && attr->retry_cnt > 7) ||
	    (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7))
		return -EINVAL;
	if (mask & IB_QP_ALT_PATH)
		return -EOPNOTSUPP;
	if (mask & IB_QP_PATH_MIG_STATE && attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	return mask & IB_QP_AV ? mroce_check_av(&attr->ah_attr) : 0;
}

static void mroce_save_attr(struct mroce_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_attr *to = &qp->attr;

#define SAVE(bit, field)			\
	do {					\
		if (mask & (bit))		\
			to->field = attr->field; \
	} while (0)
	SAVE(IB_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify);
	SAVE(IB_QP_ACCESS_FLAGS, qp_access_flags);
	SAVE(IB_QP_PKEY_INDEX, pkey_index);
	SAVE(IB_QP_PORT, port_num);
	SAVE(IB_QP_QKEY, qkey);
	SAVE(IB_QP_AV, ah_attr);
	SAVE(IB_QP_PATH_MTU, path_mtu);
	SAVE(IB_QP_TIMEOUT, timeout);
	SAVE(IB_QP_RETRY_CNT, retry_cnt);
	SAVE(IB_QP_RNR_RETRY, rnr_retry);
	SAVE(IB_QP_RQ_PSN, rq_psn);
	SAVE(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	SAVE(IB_QP_MIN_RNR_TIMER, min_rnr_timer);
	SAVE(IB_QP_SQ_PSN, sq_psn);
	SAVE(IB_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	SAVE(IB_QP_DEST_QPN, dest_qp_num);
#undef SAVE
	to->ah_attr.grh.sgid_attr = NULL;	/* ib_core owns that reference */
}

static void mroce_stream_attrs(const struct mroce_qp *qp, struct mroce_stream_attr *s)
{
	const struct ib_qp_attr *a = &qp->attr;

	*s = (struct mroce_stream_attr){
		.qpn = qp->ib.qp_num,
		.dst_qpn = a->dest_qp_num,
		.tclass = rdma_ah_read_grh(&a->ah_attr)->traffic_class,
		.timeout = a->timeout,
		.retry_cnt = a->retry_cnt,
		.rnr_retry = a->rnr_retry,
		.max_rd_atomic = a->max_rd_atomic,
		.max_dest_rd_atomic = a->max_dest_rd_atomic,
	};
	if (a->qp_access_flags & IB_ACCESS_REMOTE_WRITE)
		s->access |= MROCE_ACC_WRITE;
	if (a->qp_access_flags & IB_ACCESS_REMOTE_READ)
		s->access |= MROCE_ACC_READ;
	if (a->qp_access_flags & IB_ACCESS_REMOTE_ATOMIC)
		s->access |= MROCE_ACC_ATOMIC;
}

/* --- transitions -------------------------------------------------------------------- */

/* To RTR: the QP gets its association, and its stream begins. */
static int mroce_qp_bind(struct mroce_qp *qp, const struct rdma_ah_attr *ah)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	struct mroce_stream_attr sattr;
	struct mroce_assoc *a;
	int err;

	a = mroce_assoc_get(to_mdev(qp->ib.device), grh->sgid_attr, &grh->dgid);
	if (IS_ERR(a))
		return PTR_ERR(a);
	mroce_stream_attrs(qp, &sattr);

	mroce_assoc_lock(a);
	memset(&qp->stream, 0, sizeof(qp->stream));
	err = mroce_stream_attach(&qp->stream, &a->core, &sattr, ktime_get_ns());
	if (!err) {
		spin_lock(&qp->entry->lock);
		rcu_assign_pointer(qp->assoc, a);
		WRITE_ONCE(qp->entry->peer, &a->core);
		WRITE_ONCE(qp->state, IB_QPS_RTR);
		spin_unlock(&qp->entry->lock);
	}
	mroce_assoc_unlock(a, MROCE_CTX_POST);
	if (err)
		mroce_assoc_put(a);
	return err;
}

/*
 * Everything is forgotten. First nothing more is accepted from consumers, then from the stream and
 * by it; what is left in the queues is dropped when nobody has it any more.
 */
static void mroce_qp_reset(struct mroce_qp *qp)
{
	struct mroce_assoc *a;

	a = mroce_qp_lock(qp);
	WRITE_ONCE(qp->state, IB_QPS_RESET);
	mroce_qp_unlock(qp, a, MROCE_CTX_POST);

	mroce_qp_unbind(qp);
	mroce_ud_quiesce(qp);

	a = mroce_qp_lock(qp);
	mroce_sq_drop(qp);
	mroce_rq_drop(qp);
	qp->sq_draining = false;
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->attr.port_num = 1;
	mroce_qp_unlock(qp, a, MROCE_CTX_POST);

	mroce_cq_forget(to_mcq(qp->ib.send_cq), &qp->ib);
	mroce_cq_forget(to_mcq(qp->ib.recv_cq), &qp->ib);
}

/*
 * The state changes under the lock; @cur was looked at without it, and only errors may have come in
 * between.
 */
static int mroce_qp_go(struct mroce_qp *qp, enum ib_qp_state cur, enum ib_qp_state next)
{
	bool stream = rcu_access_pointer(qp->assoc);
	struct mroce_stream_attr sattr;
	u64 now = ktime_get_ns();

	mroce_qp_assert_locked(qp);
	if (next != IB_QPS_ERR && qp->state != cur)
		return -EINVAL;
	mroce_stream_attrs(qp, &sattr);
	if (next == IB_QPS_ERR) {
		if (qp->state != IB_QPS_ERR)
			mroce_qp_set_error(qp);
		return 0;
	}
	WRITE_ONCE(qp->state, next);
	if (next == IB_QPS_SQD && cur != IB_QPS_SQD) {
		qp->sq_draining = true;
		if (stream)
			mroce_stream_sqd(&qp->stream, now);
		else if (!qp->sq.busy)	/* else who sends tells, see mroce_ud_send() */
			mroce_host_sq_drained(&qp->stream);
	} else if (next == IB_QPS_RTS && cur != IB_QPS_RTS) {
		qp->sq_draining = false;
		if (stream)
			mroce_stream_rts(&qp->stream, &sattr, now);
		else	/* datagrams that were posted in SQD leave now */
			queue_work(to_mdev(qp->ib.device)->wq, &qp->work);
	} else if (stream) {
		mroce_stream_update(&qp->stream, &sattr);
	}
	return 0;
}

static int mroce_qp_change(struct mroce_qp *qp, struct ib_qp_attr *attr, int mask,
			   enum ib_qp_state cur, enum ib_qp_state next)
{
	struct ib_qp_attr old = qp->attr;
	struct mroce_assoc *a;
	int err;

	if (next == IB_QPS_RESET) {
		mroce_qp_reset(qp);
		return 0;
	}

	a = mroce_qp_lock(qp);
	mroce_save_attr(qp, attr, mask);
	if (next == IB_QPS_RTR && cur == IB_QPS_INIT && !mroce_qp_is_ud(qp)) {
		mroce_qp_unlock(qp, a, MROCE_CTX_POST);
		err = mroce_qp_bind(qp, &attr->ah_attr);
		a = mroce_qp_lock(qp);
	} else {
		err = mroce_qp_go(qp, cur, next);
	}
	if (err)
		qp->attr = old;
	mroce_qp_unlock(qp, a, MROCE_CTX_POST);
	return err;
}

int mroce_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	enum ib_qp_state cur, next;
	int err = -EINVAL;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;

	mutex_lock(&qp->mutex);
	cur = READ_ONCE(qp->state);
	next = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != cur)
		goto out;
	if (!ib_modify_qp_is_ok(cur, next, ibqp->qp_type, mask))
		goto out;
	/* an association is for one pair of addresses */
	if (mask & IB_QP_AV && cur != IB_QPS_INIT) {
		err = -EOPNOTSUPP;
		goto out;
	}
	err = mroce_check_attr(qp, attr, mask);
	if (!err)
		err = mroce_qp_change(qp, attr, mask, cur, next);
out:
	mutex_unlock(&qp->mutex);
	return err;
}

/* --- query -------------------------------------------------------------------------- */

int mroce_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct mroce_qp *qp = to_mqp(ibqp);
	struct mroce_assoc *a;

	mutex_lock(&qp->mutex);
	a = mroce_qp_lock(qp);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->sq_draining = qp->sq_draining;
	mroce_qp_unlock(qp, a, MROCE_CTX_POST);
	mutex_unlock(&qp->mutex);

	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->cap = qp->cap;
	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = 1;
	return 0;
}
