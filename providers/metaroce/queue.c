// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mapping of rings and set-up of queues: what QPs, SRQs and CQs share.
 */
#include "metaroce.h"

#include <sys/mman.h>

/* Maps the ring that a create command described. On error the ring is as it was. */
int mroce_ring_map(struct mroce_uring *ring, int fd, uint64_t offset, uint64_t len, uint32_t entries,
		   uint32_t stride, uint32_t slot_min)
{
	void *p;

	if (!mroce_ring_fits(len, entries, stride, slot_min))
		return EINVAL;

	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (p == MAP_FAILED)
		return errno;

	ring->hdr = p;
	ring->len = len;
	ring->entries = entries;
	ring->stride = stride;
	return 0;
}

void mroce_ring_unmap(struct mroce_uring *ring)
{
	if (ring->hdr)
		munmap(ring->hdr, ring->len);
	ring->hdr = NULL;
}

int mroce_queue_init(struct mroce_queue *q, bool threads)
{
	return mroce_lock_init(&q->lock, threads);
}

void mroce_queue_destroy(struct mroce_queue *q)
{
	mroce_ring_unmap(&q->ring);
	mroce_lock_destroy(&q->lock);
}

/* The QP is in RESET: the kernel set its counter to 0, now ours. */
void mroce_queue_restart(struct mroce_queue *q)
{
	mroce_lock(&q->lock);
	q->posted = 0;
	__atomic_store_n(&q->freed, 0, __ATOMIC_RELEASE);
	if (q->ring.hdr)
		mroce_store_release(&q->ring.hdr->prod, 0);
	mroce_unlock(&q->lock);
}
