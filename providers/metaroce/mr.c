// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions and windows: objects around the commands of libibverbs. Windows are bound by work
 * requests, see post.c.
 */
#include "metaroce.h"

#include <stdlib.h>

static struct ibv_mr *mr_made(struct verbs_mr *vmr, int err)
{
	if (!err)
		return &vmr->ibv_mr;

	free(vmr);
	errno = err;
	return NULL;
}

struct ibv_mr *mroce_reg_mr(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova, int access)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));

	if (!vmr)
		return NULL;

	return mr_made(vmr, ibv_cmd_reg_mr(pd, addr, len, iova, access, vmr, &cmd, sizeof(cmd), &resp,
					   sizeof(resp)));
}

struct ibv_mr *mroce_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t len, uint64_t iova, int fd,
				   int access)
{
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));

	if (!vmr)
		return NULL;

	vmr->access = access;
	return mr_made(vmr, mroce_cmd_reg_dmabuf_mr(pd, offset, len, iova, fd, access, vmr));
}

int mroce_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr, size_t len, int access)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ibv_rereg_mr cmd;

	return ibv_cmd_rereg_mr(vmr, flags, addr, len, (uintptr_t)addr, access, pd, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
}

int mroce_dereg_mr(struct verbs_mr *vmr)
{
	int err = mroce_destroyed(ibv_cmd_dereg_mr(vmr));

	if (!err)
		free(vmr);
	return err;
}

struct ibv_mr *mroce_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));

	if (!vmr)
		return NULL;

	return mr_made(vmr, ibv_cmd_query_mr(pd, vmr, handle));
}

void mroce_unimport_mr(struct ibv_mr *mr)
{
	free(verbs_get_mr(mr));
}

struct ibv_mw *mroce_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp;
	struct ibv_alloc_mw cmd;
	struct ibv_mw *mw = calloc(1, sizeof(*mw));
	int err;

	if (!mw)
		return NULL;

	err = ibv_cmd_alloc_mw(pd, type, mw, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (err) {
		free(mw);
		errno = err;
		return NULL;
	}
	return mw;
}

int mroce_dealloc_mw(struct ibv_mw *mw)
{
	int err = mroce_destroyed(ibv_cmd_dealloc_mw(mw));

	if (!err)
		free(mw);
	return err;
}
