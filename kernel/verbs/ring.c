// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of rings, and the kernel's own copies of what is in them. Rings are created and destroyed
 * in process context; slots belong to their queue's lock.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "verbs.h"

/**
 * mroce_rbuf_create() - a zeroed ring
 * @uctx:	the user context that may map it; NULL: a kernel consumer's, which nobody maps
 * @entries:	slots, a power of two
 * @stride:	bytes from slot to slot
 *
 * Return: ERR_PTR when there is no memory, or none that the user may take.
 */
struct mroce_rbuf *mroce_rbuf_create(struct ib_ucontext *uctx, u32 entries, u32 stride)
{
	struct mroce_rbuf *rb = kzalloc(sizeof(*rb), GFP_KERNEL);
	int err;

	if (!rb)
		return ERR_PTR(-ENOMEM);
	rb->entries = entries;
	rb->stride = stride;
	rb->user = uctx;
	rb->len = PAGE_ALIGN(MROCE_RING_ENTRIES + (size_t)entries * stride);
	rb->hdr = __vmalloc(rb->len, (uctx ? GFP_KERNEL_ACCOUNT : GFP_KERNEL) | __GFP_ZERO |
			    __GFP_NOWARN);
	if (!rb->hdr) {
		kfree(rb);
		return ERR_PTR(-ENOMEM);
	}
	if (!uctx)
		return rb;

	err = rdma_user_mmap_entry_insert(uctx, &rb->mmap, rb->len);
	if (err) {
		vfree(rb->hdr);
		kfree(rb);
		return ERR_PTR(err);
	}
	return rb;
}

static void mroce_rbuf_free(struct mroce_rbuf *rb)
{
	vfree(rb->hdr);
	kfree(rb);
}

/* ib_device_ops.mmap_free: the last of the ring and the mmap() calls that look at it */
void mroce_rbuf_free_mmap(struct rdma_user_mmap_entry *entry)
{
	mroce_rbuf_free(container_of(entry, struct mroce_rbuf, mmap));
}

/**
 * mroce_rbuf_destroy() - the kernel is through with a ring
 * @rb:		ring or NULL
 *
 * Mappings that are left read the word from now on: there is nobody at the other end.
 */
void mroce_rbuf_destroy(struct mroce_rbuf *rb)
{
	if (!rb)
		return;
	WRITE_ONCE(rb->hdr->dead, 1);
	if (rb->user)
		rdma_user_mmap_entry_remove(&rb->mmap);
	else
		mroce_rbuf_free(rb);
}

u64 mroce_rbuf_offset(struct mroce_rbuf *rb)
{
	return rdma_user_mmap_get_offset(&rb->mmap);
}

/**
 * mroce_slots_init() - room for copies, without the copies
 * @s:		zeroed
 * @count:	copies, a power of two
 * @size:	of one, a multiple of 8
 */
int mroce_slots_init(struct mroce_slots *s, u32 count, u32 size)
{
	u32 per_chunk = size >= PAGE_SIZE ? 1 : rounddown_pow_of_two(PAGE_SIZE / size);

	per_chunk = min(per_chunk, count);
	s->size = size;
	s->shift = ilog2(per_chunk);
	s->nchunks = count >> s->shift;
	s->chunk = kvcalloc(s->nchunks, sizeof(*s->chunk), GFP_KERNEL_ACCOUNT);
	return s->chunk ? 0 : -ENOMEM;
}

/* For a kernel consumer, to whom posting must not fail: all chunks now. */
int mroce_slots_fill(struct mroce_slots *s)
{
	u32 i;

	for (i = 0; i < s->nchunks; i++)
		if (!mroce_slot_get(s, i << s->shift, GFP_KERNEL))
			return -ENOMEM;
	return 0;
}

/*
 * Copy @i, with its chunk allocated if need be. Two callers may race for a chunk. Chunks that are
 * allocated in softirq, when a message takes a receive, are charged to nobody; they are bounded by
 * the length of the queue, whose ring, as large, was charged when it was created.
 */
void *mroce_slot_get(struct mroce_slots *s, u32 i, gfp_t gfp)
{
	u32 c = i >> s->shift;
	void *chunk;

	if (likely(READ_ONCE(s->chunk[c])))
		return mroce_slot(s, i);
	chunk = kzalloc((size_t)s->size << s->shift, gfp | __GFP_NOWARN);
	if (chunk && cmpxchg(&s->chunk[c], NULL, chunk))
		kfree(chunk);
	return mroce_slot(s, i);
}

void mroce_slots_free(struct mroce_slots *s)
{
	u32 i;

	for (i = 0; s->chunk && i < s->nchunks; i++)
		kfree(s->chunk[i]);
	kvfree(s->chunk);
	s->chunk = NULL;
}
