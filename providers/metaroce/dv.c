// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Direct verbs: ioctls of the driver's own on queue pairs. What the kernel does not know it says by
 * EPROTONOSUPPORT or ENOTTY; callers get EOPNOTSUPP for that, as for a device of another driver.
 */
#include "metaroce.h"

#pragma GCC visibility push(default)	/* all else is hidden */
#include "metaroce_dv.h"
#pragma GCC visibility pop

#include <string.h>

#define SAME(dv, abi, field)	\
	_Static_assert(offsetof(struct dv, field) == offsetof(struct abi, field), #field)

_Static_assert(sizeof(struct metaroce_dv_conn) == sizeof(struct mroce_dv_conn), "conn");
_Static_assert(sizeof(struct metaroce_dv_path) == sizeof(struct mroce_dv_path), "path");
SAME(metaroce_dv_conn, mroce_dv_conn, spurious);
SAME(metaroce_dv_conn, mroce_dv_conn, conn_id);
SAME(metaroce_dv_conn, mroce_dv_conn, num_qps);
SAME(metaroce_dv_path, mroce_dv_path, index);
SAME(metaroce_dv_path, mroce_dv_path, spurious);

#define MAX_ATTRS	4

/* A command with room for its attributes, which lie behind hdr. */
struct dv_cmd {
	struct ibv_command_buffer buf;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
};

_Static_assert(offsetof(struct dv_cmd, attrs) == sizeof(struct ibv_command_buffer), "attrs follow");

static struct ib_uverbs_attr *dv_attr(struct dv_cmd *cmd, uint16_t id, uint16_t len, uint64_t data)
{
	struct ib_uverbs_attr *attr = cmd->buf.next_attr++;

	attr->attr_id = id;
	attr->len = len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->data = data;
	return attr;
}

static void dv_start(struct dv_cmd *cmd, uint16_t method, uint16_t handle_id, const struct ibv_qp *qp)
{
	memset(cmd, 0, sizeof(*cmd));
	cmd->buf.hdr.object_id = UVERBS_OBJECT_QP;
	cmd->buf.hdr.method_id = method;
	cmd->buf.uhw_in_idx = 0xff;
	cmd->buf.uhw_out_idx = 0xff;
	cmd->buf.next_attr = cmd->attrs;
	cmd->buf.last_attr = cmd->attrs + MAX_ATTRS;
	dv_attr(cmd, handle_id, 0, qp->handle);
}

static int dv_run(struct dv_cmd *cmd, const struct ibv_qp *qp)
{
	int err = execute_ioctl(qp->context, &cmd->buf);

	return err == EPROTONOSUPPORT || err == ENOTTY ? EOPNOTSUPP : err;
}

static int dv_check(const struct ibv_qp *qp)
{
	return mroce_is_ours(qp->context) && qp->qp_type == IBV_QPT_RC ? 0 : EOPNOTSUPP;
}

/* Where the caller's struct has fields that we do not know, zeros say so. */
int metaroce_dv_query_conn(struct ibv_qp *qp, struct metaroce_dv_conn *conn, uint32_t outlen)
{
	struct metaroce_dv_conn known;
	struct dv_cmd cmd;
	int err = dv_check(qp);

	if (err)
		return err;
	if (outlen < sizeof(conn->comp_mask))
		return EINVAL;
	dv_start(&cmd, MROCE_METHOD_QUERY_CONN, MROCE_ATTR_QUERY_CONN_HANDLE, qp);
	dv_attr(&cmd, MROCE_ATTR_QUERY_CONN_RESP, sizeof(known), (uintptr_t)&known);
	err = dv_run(&cmd, qp);
	if (err)
		return err;
	memset(conn, 0, outlen);
	memcpy(conn, &known, outlen < sizeof(known) ? outlen : sizeof(known));
	return 0;
}

ssize_t _metaroce_dv_query_paths(struct ibv_qp *qp, struct metaroce_dv_path *paths, uint32_t max,
				 uint32_t entry_size)
{
	struct dv_cmd cmd;
	uint32_t num = 0;
	int err = dv_check(qp);

	if (err)
		return -err;
	if (!max || entry_size < sizeof(paths->comp_mask))
		return -EINVAL;
	/* An attribute is shorter than 64 KB, and there are at most 128 paths. */
	if (max > UINT16_MAX / entry_size)
		max = UINT16_MAX / entry_size;
	dv_start(&cmd, MROCE_METHOD_QUERY_PATHS, MROCE_ATTR_QUERY_PATHS_HANDLE, qp);
	dv_attr(&cmd, MROCE_ATTR_QUERY_PATHS_ENTRY_SIZE, sizeof(uint64_t), entry_size);
	dv_attr(&cmd, MROCE_ATTR_QUERY_PATHS_RESP_ENTRIES, max * entry_size, (uintptr_t)paths);
	dv_attr(&cmd, MROCE_ATTR_QUERY_PATHS_RESP_NUM, sizeof(num), (uintptr_t)&num);
	err = dv_run(&cmd, qp);
	return err ? -err : (ssize_t)num;
}

static bool is_zero(const void *from, const void *to)
{
	const char *c;

	for (c = from; c < (const char *)to; c++)
		if (*c)
			return false;
	return true;
}

int metaroce_dv_modify_conn(struct ibv_qp *qp, const struct metaroce_dv_modify *modify, uint32_t inlen)
{
	const uint64_t known = METAROCE_DV_MODIFY_MAX_PATHS | METAROCE_DV_MODIFY_PLANE_MASK;
	struct dv_cmd cmd;
	int err = dv_check(qp);

	if (err)
		return err;
	if (inlen < sizeof(*modify))
		return EINVAL;
	if (!check_comp_mask(modify->comp_mask, known) ||
	    !is_zero(modify + 1, (const char *)modify + inlen))
		return EOPNOTSUPP;
	dv_start(&cmd, MROCE_METHOD_MODIFY_CONN, MROCE_ATTR_MODIFY_CONN_HANDLE, qp);
	if (modify->comp_mask & METAROCE_DV_MODIFY_MAX_PATHS)
		dv_attr(&cmd, MROCE_ATTR_MODIFY_CONN_MAX_PATHS, sizeof(modify->max_paths),
			modify->max_paths);
	if (modify->comp_mask & METAROCE_DV_MODIFY_PLANE_MASK)
		dv_attr(&cmd, MROCE_ATTR_MODIFY_CONN_PLANE_MASK, sizeof(modify->plane_mask),
			modify->plane_mask);
	return dv_run(&cmd, qp);
}
