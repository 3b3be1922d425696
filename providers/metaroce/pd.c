// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains, thread domains and parent domains. The latter two exist in this library only: a
 * parent domain is the kernel's protection domain below it, with a thread domain that spares its objects
 * their locks. Objects are freed in the order of their use; a domain in use answers EBUSY.
 */
#include "metaroce.h"

#include <stdlib.h>

struct ibv_pd *mroce_alloc_pd(struct ibv_context *ctx)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_alloc_pd cmd;
	struct mroce_pd *pd = calloc(1, sizeof(*pd));
	int err;

	if (!pd)
		return NULL;

	err = ibv_cmd_alloc_pd(ctx, &pd->ibv_pd, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (err) {
		free(pd);
		errno = err;
		return NULL;
	}
	return &pd->ibv_pd;
}

static void free_parent_domain(struct mroce_pd *pd)
{
	atomic_fetch_sub(&pd->base->users, 1);
	if (pd->td)
		atomic_fetch_sub(&pd->td->users, 1);
	free(pd);
}

int mroce_dealloc_pd(struct ibv_pd *ibpd)
{
	struct mroce_pd *pd = to_mpd(ibpd);
	int err;

	if (pd->base) {
		free_parent_domain(pd);
		return 0;
	}
	if (atomic_load(&pd->users))
		return EBUSY;

	err = mroce_destroyed(ibv_cmd_dealloc_pd(ibpd));
	if (!err)
		free(pd);
	return err;
}

struct ibv_td *mroce_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr)
{
	struct mroce_td *td;

	if (attr->comp_mask) {
		errno = EINVAL;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;

	td->ibv_td.context = ctx;
	return &td->ibv_td;
}

int mroce_dealloc_td(struct ibv_td *ibtd)
{
	struct mroce_td *td = to_mtd(ibtd);

	if (atomic_load(&td->users))
		return EBUSY;

	free(td);
	return 0;
}

/*
 * Allocators are taken and never called: they are for resources of a provider in memory of the application,
 * and ours are in memory of the kernel.
 */
static int check_parent_domain(const struct ibv_parent_domain_init_attr *attr)
{
	if (!check_comp_mask(attr->comp_mask, IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
					      IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT))
		return EINVAL;
	if ((attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) && (!attr->alloc || !attr->free))
		return EINVAL;
	return !attr->pd || to_mpd(attr->pd)->base ? EINVAL : 0;
}

struct ibv_pd *mroce_alloc_parent_domain(struct ibv_context *ctx, struct ibv_parent_domain_init_attr *attr)
{
	struct mroce_pd *pd;
	int err = check_parent_domain(attr);

	if (err) {
		errno = err;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	pd->ibv_pd.context = ctx;
	pd->ibv_pd.handle = attr->pd->handle;
	pd->base = to_mpd(attr->pd);
	atomic_fetch_add(&pd->base->users, 1);
	if (attr->td) {
		pd->td = to_mtd(attr->td);
		atomic_fetch_add(&pd->td->users, 1);
	}
	return &pd->ibv_pd;
}

struct ibv_pd *mroce_import_pd(struct ibv_context *ctx, uint32_t handle)
{
	struct mroce_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;

	pd->ibv_pd.context = ctx;
	pd->ibv_pd.handle = handle;
	return &pd->ibv_pd;
}

void mroce_unimport_pd(struct ibv_pd *pd)
{
	free(to_mpd(pd));
}
