// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Direct verbs: what an application may ask about the connection below its QP, and set. Methods of
 * our own on uverbs' QP objects; process context.
 */
#include <linux/overflow.h>
#include "compat.h"
#include "transport/internal.h"
#include "verbs.h"

#define UVERBS_MODULE_NAME metaroce
#include <rdma/uverbs_named_ioctl.h>

#define MROCE_DV_MAX_ENTRY	512	/* bytes: no newer struct mroce_dv_path will be longer */

static_assert(sizeof(struct mroce_dv_conn) == 112);
static_assert(sizeof(struct mroce_dv_path) == 72);
static_assert((int)MROCE_DV_PATH_RESTS == MROCE_PATH_RESTS);
static_assert((int)MROCE_DV_PATH_USED == MROCE_PATH_USED);
static_assert((int)MROCE_DV_PATH_SUSPECT == MROCE_PATH_SUSPECT);
static_assert((int)MROCE_DV_PATH_AWAY == MROCE_PATH_AWAY);

/**
 * struct mroce_dv - a QP with its connection
 * @qp:		QP
 * @assoc:	its association
 * @conn:	NULL while it has none
 *
 * From mroce_dv_lock() to mroce_dv_unlock().
 */
struct mroce_dv {
	struct mroce_qp *qp;
	struct mroce_assoc *assoc;
	struct mroce_conn *conn;
};

static void mroce_dv_unlock(struct mroce_dv *dv)
{
	mroce_qp_unlock(dv->qp, dv->assoc, MROCE_CTX_RX);
}

static int mroce_dv_lock(struct mroce_dv *dv, struct uverbs_attr_bundle *attrs, u16 id)
{
	struct ib_qp *ibqp = uverbs_attr_get_obj(attrs, id);

	if (IS_ERR(ibqp))
		return PTR_ERR(ibqp);
	if (ibqp->qp_type != IB_QPT_RC)
		return -EOPNOTSUPP;
	dv->qp = to_mqp(ibqp);
	dv->assoc = mroce_qp_lock(dv->qp);
	dv->conn = dv->assoc ? dv->qp->stream.conn : NULL;
	if (dv->conn)
		return 0;
	mroce_dv_unlock(dv);
	return -ENOTCONN;
}

/* --- the connection ----------------------------------------------------------------- */

/**
 * mroce_dv_fill_conn() - a connection in numbers, also for rdma resource
 * @to:		filled in
 * @conn:	under its association's lock
 */
void mroce_dv_fill_conn(struct mroce_dv_conn *to, const struct mroce_conn *conn)
{
	u32 i;

	memset(to, 0, sizeof(*to));
	to->srtt_ns = conn->rtt.srtt;
	to->inflight = conn->inflight_bytes;
	to->backlog = conn->backlog;
	to->conn_id = conn->rx_id;
	to->payload = conn->payload;
	to->num_paths = conn->npaths;
	to->max_paths = min(conn->npaths, conn->path_limit);
	to->used_paths = conn->nactive;
	to->num_planes = conn->nplanes;
	to->plane_mask = conn->plane_mask;
	to->hint = conn->hint;
	to->num_qps = conn->nstreams;
	for (i = 0; i < conn->npaths; i++) {
		const struct mroce_path *p = conn->paths[i];

		if (mroce_path_active(p))
			to->cwnd += p->cc.cwnd;
		to->accepted += p->accepted;
		to->marked += p->ce_seen;
		to->retransmits += p->retx;
		to->spurious += p->spurious;
	}
}

static int UVERBS_HANDLER(MROCE_METHOD_QUERY_CONN)(struct uverbs_attr_bundle *attrs)
{
	struct mroce_dv_conn resp;
	struct mroce_dv dv;
	int err;

	err = mroce_dv_lock(&dv, attrs, MROCE_ATTR_QUERY_CONN_HANDLE);
	if (err)
		return err;
	mroce_dv_fill_conn(&resp, dv.conn);
	mroce_dv_unlock(&dv);
	return uverbs_copy_to_struct_or_zero(attrs, MROCE_ATTR_QUERY_CONN_RESP, &resp,
					     sizeof(resp));
}

static int UVERBS_HANDLER(MROCE_METHOD_MODIFY_CONN)(struct uverbs_attr_bundle *attrs)
{
	bool paths = uverbs_attr_is_valid(attrs, MROCE_ATTR_MODIFY_CONN_MAX_PATHS);
	bool planes = uverbs_attr_is_valid(attrs, MROCE_ATTR_MODIFY_CONN_PLANE_MASK);
	u32 max_paths = 0, mask = 0;
	struct mroce_dv dv;
	int err = 0;

	if (paths)
		err = uverbs_copy_from(&max_paths, attrs, MROCE_ATTR_MODIFY_CONN_MAX_PATHS);
	if (!err && planes)
		err = uverbs_copy_from(&mask, attrs, MROCE_ATTR_MODIFY_CONN_PLANE_MASK);
	if (err)
		return err;
	err = mroce_dv_lock(&dv, attrs, MROCE_ATTR_MODIFY_CONN_HANDLE);
	if (err)
		return err;
	if (paths && (!max_paths || max_paths > dv.conn->npaths))
		err = -EINVAL;
	else if (planes && !mroce_conn_use_planes(dv.conn, mask))
		err = -ENETUNREACH;
	else if (paths)
		mroce_select_limit(dv.conn, max_paths);
	mroce_dv_unlock(&dv);
	return err;
}

/* --- its paths ---------------------------------------------------------------------- */

static void mroce_dv_fill_path(struct mroce_dv_path *to, const struct mroce_path *p)
{
	memset(to, 0, sizeof(*to));
	to->srtt_ns = p->rtt.srtt;
	to->min_rtt_ns = p->rtt.min;
	to->index = p->index;
	to->state = mroce_path_state(p);
	to->ifindex = p->route.ifindex;
	to->plane = mroce_conn_plane(p->conn, p->route.ifindex);
	to->sport = p->route.sport;
	to->cwnd = p->cc.cwnd;
	to->inflight = p->inflight_bytes;
	to->ce_permille = mroce_path_ce_permille(p);
	to->accepted = p->accepted;
	to->marked = p->ce_seen;
	to->retransmits = p->retx;
	to->spurious = p->spurious;
}

static int mroce_dv_put_paths(struct uverbs_attr_bundle *attrs, void *entries, size_t size, int max)
{
	struct mroce_dv_path path;
	struct mroce_dv dv;
	u32 i, n;
	int err;

	err = mroce_dv_lock(&dv, attrs, MROCE_ATTR_QUERY_PATHS_HANDLE);
	if (err)
		return err;
	n = min_t(u32, dv.conn->npaths, max);
	for (i = 0; i < n; i++) {
		mroce_dv_fill_path(&path, dv.conn->paths[i]);
		memcpy(entries + i * size, &path, min(size, sizeof(path)));
	}
	mroce_dv_unlock(&dv);
	err = uverbs_copy_to(attrs, MROCE_ATTR_QUERY_PATHS_RESP_ENTRIES, entries, n * size);
	return err ?: uverbs_copy_to(attrs, MROCE_ATTR_QUERY_PATHS_RESP_NUM, &n, sizeof(n));
}

static int UVERBS_HANDLER(MROCE_METHOD_QUERY_PATHS)(struct uverbs_attr_bundle *attrs)
{
	void *entries;
	int max, err;
	size_t size;

	err = uverbs_get_const(&size, attrs, MROCE_ATTR_QUERY_PATHS_ENTRY_SIZE);
	if (err)
		return err;
	if (!size || size > MROCE_DV_MAX_ENTRY)
		return -EINVAL;
	max = uverbs_attr_ptr_get_array_size(attrs, MROCE_ATTR_QUERY_PATHS_RESP_ENTRIES, size);
	if (max <= 0)
		return max ?: -EINVAL;
	max = min(max, MROCE_MAX_PATHS);
	entries = uverbs_kcalloc(attrs, max, size);
	if (IS_ERR(entries))
		return PTR_ERR(entries);
	return mroce_dv_put_paths(attrs, entries, size, max);
}

/* --- tables ------------------------------------------------------------------------- */

DECLARE_UVERBS_NAMED_METHOD(MROCE_METHOD_QUERY_CONN,
			    UVERBS_ATTR_IDR(MROCE_ATTR_QUERY_CONN_HANDLE, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MROCE_ATTR_QUERY_CONN_RESP,
						UVERBS_ATTR_STRUCT(struct mroce_dv_conn, rsvd),
						UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MROCE_METHOD_QUERY_PATHS,
			    UVERBS_ATTR_IDR(MROCE_ATTR_QUERY_PATHS_HANDLE, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_CONST_IN(MROCE_ATTR_QUERY_PATHS_ENTRY_SIZE, u64,
						 UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MROCE_ATTR_QUERY_PATHS_RESP_ENTRIES,
						UVERBS_ATTR_MIN_SIZE(0), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MROCE_ATTR_QUERY_PATHS_RESP_NUM,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MROCE_METHOD_MODIFY_CONN,
			    UVERBS_ATTR_IDR(MROCE_ATTR_MODIFY_CONN_HANDLE, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_WRITE, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MROCE_ATTR_MODIFY_CONN_MAX_PATHS,
					       UVERBS_ATTR_TYPE(u32), UA_OPTIONAL),
			    UVERBS_ATTR_PTR_IN(MROCE_ATTR_MODIFY_CONN_PLANE_MASK,
					       UVERBS_ATTR_TYPE(u32), UA_OPTIONAL));

ADD_UVERBS_METHODS(mroce_dv_qp, UVERBS_OBJECT_QP,
		   &UVERBS_METHOD(MROCE_METHOD_QUERY_CONN),
		   &UVERBS_METHOD(MROCE_METHOD_QUERY_PATHS),
		   &UVERBS_METHOD(MROCE_METHOD_MODIFY_CONN));

const struct uapi_definition mroce_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_QP, &mroce_dv_qp),
	{},
};
