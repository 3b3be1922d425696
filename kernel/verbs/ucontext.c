// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User contexts, and the mapping of rings into them. Called by uverbs, process context.
 */
#include <linux/vmalloc.h>
#include "verbs.h"

/* What is asked for in words that we do not know is refused, not ignored. */
int mroce_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	struct mroce_alloc_ucontext_resp resp = { .max_inline = MROCE_MAX_INLINE };
	struct mroce_alloc_ucontext_req req = {};
	int err;

	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	err = ib_copy_from_udata(&req, udata, min(sizeof(req), udata->inlen));
	if (err)
		return err;
	if (req.comp_mask || req.rsvd)
		return -EOPNOTSUPP;
	if (udata->inlen > sizeof(req) &&
	    !ib_is_udata_cleared(udata, sizeof(req), udata->inlen - sizeof(req)))
		return -EOPNOTSUPP;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

void mroce_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

/*
 * The device leaves while applications have it open. uverbs has destroyed all objects of the
 * context by now, and each ring got its word `dead` in that: who polls in shared memory learns it
 * there. The pages live on by the references that the mappings have; nothing of ours is left in
 * them (rule 23).
 */
void mroce_disassociate_ucontext(struct ib_ucontext *uctx)
{
}

/*
 * Pages are inserted under the vm_ops that uverbs has set, without private data: what follows
 * (fork, munmap, exit) needs no code of this module. The write lock of the mm is held.
 */
static int mroce_map_ring(const struct mroce_rbuf *rb, struct vm_area_struct *vma)
{
	unsigned long off;
	int err;

	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	for (off = 0; off < rb->len; off += PAGE_SIZE) {
		err = vm_insert_page(vma, vma->vm_start + off,
				     vmalloc_to_page((void *)rb->hdr + off));
		if (err)
			return err;
	}
	return 0;
}

int mroce_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int err;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	entry = rdma_user_mmap_entry_get(uctx, vma);	/* checks the size */
	if (!entry)
		return -EINVAL;
	err = mroce_map_ring(container_of(entry, struct mroce_rbuf, mmap), vma);
	rdma_user_mmap_entry_put(entry);
	return err;
}
