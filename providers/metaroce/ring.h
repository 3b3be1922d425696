/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arithmetic of the rings shared with the kernel: slots, counters, room. No verbs, no system calls; the
 * unit tests drive it with memory of their own.
 *
 * Counters are 32 bits, free-running, and compared by difference only. What the kernel writes is read with
 * acquire, what it reads is written with release. The ring is ordinary memory of the application, which may
 * scribble on it: a counter read from it never becomes an index unmasked and never bounds a loop alone.
 */
#ifndef METAROCE_PROVIDER_RING_H
#define METAROCE_PROVIDER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/metaroce-abi.h>

_Static_assert(offsetof(struct mroce_ring, cons) == 64, "prod and cons share a cache line");
_Static_assert(offsetof(struct mroce_ring, arm) == 128, "arm moved");
_Static_assert(offsetof(struct mroce_ring, dead) == 192, "dead moved");
_Static_assert(offsetof(struct mroce_ring, flags) == 196, "flags moved");
_Static_assert(sizeof(struct mroce_ring) == MROCE_RING_ENTRIES, "the header ends where slots begin");
_Static_assert(sizeof(struct mroce_sge) == 16, "mroce_sge");
_Static_assert(sizeof(struct mroce_send_wqe) == 64, "mroce_send_wqe");
_Static_assert(sizeof(struct mroce_recv_wqe) == 16, "mroce_recv_wqe");
_Static_assert(sizeof(struct mroce_cqe) == 64, "mroce_cqe");

/**
 * struct mroce_uring - one mapped ring
 * @hdr: the mapping; NULL if there is none
 * @len: its length in bytes
 * @entries: slots, a power of two
 * @stride: bytes from slot to slot
 */
struct mroce_uring {
	struct mroce_ring *hdr;
	size_t len;
	uint32_t entries;
	uint32_t stride;
};

/* Whether a ring of this shape lies within its mapping and its slots can hold @slot_min bytes. */
static inline bool mroce_ring_fits(uint64_t len, uint32_t entries, uint32_t stride, uint32_t slot_min)
{
	return entries && !(entries & (entries - 1)) && stride >= slot_min && stride % 8 == 0 &&
	       len <= SIZE_MAX && len >= MROCE_RING_ENTRIES + (uint64_t)entries * stride;
}

static inline void *mroce_ring_slot(const struct mroce_uring *ring, uint32_t counter)
{
	return (char *)ring->hdr + MROCE_RING_ENTRIES +
	       (size_t)(counter & (ring->entries - 1)) * ring->stride;
}

static inline uint32_t mroce_load_acquire(const __u32 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void mroce_store_release(__u32 *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

/* Set by the kernel when the device has left us. A ring that was never mapped is not dead. */
static inline bool mroce_ring_dead(const struct mroce_uring *ring)
{
	return ring->hdr && __atomic_load_n(&ring->hdr->dead, __ATOMIC_RELAXED);
}

/*
 * Room for more requests between what was posted and what is free again. A difference above @max comes
 * from a counter that someone overwrote: there is no room then.
 */
static inline uint32_t mroce_room(uint32_t posted, uint32_t freed, uint32_t max)
{
	uint32_t used = posted - freed;

	return used < max ? max - used : 0;
}

/*
 * The counter from which on send entries are free after a completion reported @wqe_cnt: one past it, if
 * that lies between what was free (@freed) and what was posted (@posted). Anything else changes nothing.
 */
static inline uint32_t mroce_retire(uint32_t freed, uint32_t posted, uint32_t wqe_cnt)
{
	uint32_t upto = wqe_cnt + 1;

	return upto - freed <= posted - freed ? upto : freed;
}

/*
 * Takes the completions of @qpn out of the @cons..@prod part of a completion ring: the ones to keep move up
 * to @prod, in order, and the consumer starts after the gap. Returns the new consumer counter. The kernel
 * does not touch slots between the two counters.
 */
static inline uint32_t mroce_ring_drop(const struct mroce_uring *ring, uint32_t cons, uint32_t prod,
				       uint32_t qpn)
{
	uint32_t n = prod - cons <= ring->entries ? prod - cons : ring->entries;
	uint32_t from, to = prod;

	for (from = prod; n; n--) {
		const struct mroce_cqe *cqe = mroce_ring_slot(ring, --from);

		if (cqe->qp_num == qpn)
			continue;
		if (--to != from)
			*(struct mroce_cqe *)mroce_ring_slot(ring, to) = *cqe;
	}
	return to;
}

#endif /* METAROCE_PROVIDER_RING_H */
