// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: user memory, all of kernel memory, and fast registration. Called by uverbs and
 * kernel consumers in process context; mroce_fast_register() by a send queue under the QP's data
 * path lock.
 */
#include <linux/slab.h>
#include "verbs.h"

static struct ib_mr *mroce_mr_publish(struct mroce_dev *dev, struct mroce_region *r)
{
	struct mroce_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (mr)
		err = mroce_region_publish(dev, r);
	if (err) {
		kfree(mr);
		mroce_region_free(r);
		return ERR_PTR(err);
	}
	mr->region = r;
	mr->ib.lkey = r->key;
	mr->ib.rkey = r->key;
	return &mr->ib;
}

/* Kernel consumers look at memory only after a completion, so no order is kept for them. */
struct ib_mr *mroce_get_dma_mr(struct ib_pd *pd, int access)
{
	struct mroce_region *r = mroce_region_alloc(MROCE_REGION_DMA, pd, access);

	if (!r)
		return ERR_PTR(-ENOMEM);
	r->relaxed = true;
	r->valid = true;
	return mroce_mr_publish(to_mdev(pd->device), r);
}

static int mroce_region_alloc_blocks(struct mroce_region *r, size_t n)
{
	if (n > U32_MAX)
		return -ENOMEM;
	r->blocks = kvcalloc(n, sizeof(*r->blocks), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!r->blocks)
		return -ENOMEM;
	r->max_blocks = n;
	return 0;
}

/* Pages are found by index, whatever the order in which they were pinned together. */
static int mroce_region_pin(struct mroce_region *r, struct ib_device *ib, u64 start, u64 len,
			    u64 iova, int access)
{
	struct sg_page_iter it;
	struct ib_umem *umem;
	int err;

	umem = ib_umem_get(ib, start, len, access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	r->umem = umem;
	err = mroce_region_alloc_blocks(r, ib_umem_num_pages(umem));
	if (err)
		return err;
	__sg_page_iter_start(&it, umem->sgt_append.sgt.sgl, umem->sgt_append.sgt.orig_nents, 0);
	while (__sg_page_iter_next(&it) && r->nblocks < r->max_blocks)
		r->blocks[r->nblocks++] = (unsigned long)page_address(sg_page_iter_page(&it));
	r->iova = iova;
	r->len = len;
	r->base = iova - (start & ~PAGE_MASK);
	r->block_shift = PAGE_SHIFT;
	r->relaxed = access & IB_ACCESS_RELAXED_ORDERING;
	return 0;
}

#define MROCE_MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ACCESS_OPTIONAL)

static int mroce_user_check(u64 len, u64 iova, int access)
{
	if (access & ~MROCE_MR_ACCESS)
		return -EOPNOTSUPP;
	return iova + len < iova ? -EINVAL : 0;
}

struct ib_mr *mroce_reg_user_mr(struct ib_pd *pd, u64 start, u64 len, u64 iova, int access,
				struct ib_udata *udata)
{
	struct mroce_region *r;
	int err;

	BUILD_BUG_ON(!IS_ENABLED(CONFIG_64BIT));	/* page_address() is always there */
	err = mroce_user_check(len, iova, access);
	if (err)
		return ERR_PTR(err);
	r = mroce_region_alloc(MROCE_REGION_USER, pd, access);
	if (!r)
		return ERR_PTR(-ENOMEM);
	err = mroce_region_pin(r, pd->device, start, len, iova, access);
	if (err) {
		mroce_region_free(r);
		return ERR_PTR(err);
	}
	r->valid = true;
	return mroce_mr_publish(to_mdev(pd->device), r);
}

/* What changes, changes in one step; the key stays. @fresh has new memory, and gets the old. */
static int mroce_region_replace(struct mroce_region *r, struct mroce_region *fresh, int flags,
				int access, const struct ib_pd *pd)
{
	int err = 0;

	write_lock_bh(&r->lock);
	if (atomic_read(&r->windows)) {
		err = -EBUSY;
	} else {
		if (fresh->umem) {
			swap(r->umem, fresh->umem);
			swap(r->blocks, fresh->blocks);
			r->nblocks = fresh->nblocks;
			r->max_blocks = fresh->max_blocks;
			r->iova = fresh->iova;
			r->len = fresh->len;
			r->base = fresh->base;
		}
		if (flags & IB_MR_REREG_PD)
			r->pd = pd;
		r->access = access;
		r->relaxed = access & IB_ACCESS_RELAXED_ORDERING;
	}
	write_unlock_bh(&r->lock);
	return err;
}

/*
 * The memory is pinned anew when it changes, or when it was pinned to be read only. If anything
 * fails the region is as it was.
 */
struct ib_mr *mroce_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 len, u64 iova,
				  int access, struct ib_pd *pd, struct ib_udata *udata)
{
	struct mroce_region *r = to_mmr(ibmr)->region, *fresh;
	int err = 0;

	if (flags & ~IB_MR_REREG_SUPPORTED || r->type != MROCE_REGION_USER)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = r->access;
	if (!(flags & IB_MR_REREG_TRANS)) {
		start = r->umem->address;
		len = r->len;
		iova = r->iova;
	}
	err = mroce_user_check(len, iova, access);
	if (err)
		return ERR_PTR(err);

	fresh = mroce_region_alloc(MROCE_REGION_USER, pd, access);
	if (!fresh)
		return ERR_PTR(-ENOMEM);
	if (flags & IB_MR_REREG_TRANS || (ib_access_writable(access) && !r->umem->writable))
		err = mroce_region_pin(fresh, pd->device, start, len, iova, access);
	if (!err)
		err = mroce_region_replace(r, fresh, flags, access, pd);
	mroce_region_free(fresh);
	return err ? ERR_PTR(err) : NULL;
}

struct ib_mr *mroce_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_sg)
{
	struct mroce_region *r;
	struct ib_mr *ibmr;
	unsigned long *map;
	int err;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_sg || max_sg > MROCE_MAX_FAST_PAGES)
		return ERR_PTR(-EINVAL);
	r = mroce_region_alloc(MROCE_REGION_FAST, pd, 0);
	if (!r)
		return ERR_PTR(-ENOMEM);
	map = kvcalloc(max_sg, sizeof(*map), GFP_KERNEL);
	err = map ? mroce_region_alloc_blocks(r, max_sg) : -ENOMEM;
	if (err) {
		kvfree(map);
		mroce_region_free(r);
		return ERR_PTR(err);
	}
	r->relaxed = true;
	ibmr = mroce_mr_publish(to_mdev(pd->device), r);
	if (IS_ERR(ibmr))
		kvfree(map);
	else
		to_mmr(ibmr)->map = map;
	return ibmr;
}

static int mroce_set_page(struct ib_mr *ibmr, u64 addr)
{
	struct mroce_mr *mr = to_mmr(ibmr);

	if (mr->mapped == mr->region->max_blocks)
		return -ENOMEM;
	mr->map[mr->mapped++] = addr;	/* dma addresses are kernel addresses here */
	return 0;
}

/*
 * Consumers map while the region may still be registered, and post LOCAL_INV and REG_MR in one
 * chain later: the map is apart from the blocks until REG_MR. Blocks are of the size that the
 * consumer chose.
 */
int mroce_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n, unsigned int *offset)
{
	struct mroce_mr *mr = to_mmr(ibmr);
	int ret;

	mr->mapped = 0;
	ret = ib_sg_to_pages(ibmr, sg, n, offset, mroce_set_page);
	mr->map_off = ibmr->iova & (ibmr->page_size - 1);
	return ret;
}

/* REG_MR: what was mapped takes effect, under a key of the consumer's choice. */
u8 mroce_fast_register(const struct mroce_user_of_key *u, struct mroce_mr *mr, u32 key, int access)
{
	struct mroce_region *r = mr->region;
	u8 status = MROCE_ST_OK;

	write_lock(&r->lock);
	if (r->valid || r->type != MROCE_REGION_FAST || r->pd != u->pd || (key ^ r->key) >> 8 ||
	    !mr->mapped) {
		status = MROCE_ST_LOC_OP;
	} else {
		r->key = key;
		r->access = access;
		r->iova = mr->ib.iova;
		r->len = mr->ib.length;
		r->base = r->iova - mr->map_off;
		r->block_shift = ilog2(mr->ib.page_size);
		r->nblocks = mr->mapped;
		memcpy(r->blocks, mr->map, mr->mapped * sizeof(*r->blocks));
		r->valid = true;
	}
	write_unlock(&r->lock);
	return status;
}

int mroce_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct mroce_mr *mr = to_mmr(ibmr);
	int err;

	err = mroce_region_unpublish(to_mdev(ibmr->device), mr->region);
	if (err)
		return err;
	mroce_region_free(mr->region);
	kvfree(mr->map);
	kfree(mr);
	return 0;
}
