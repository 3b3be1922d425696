/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fixed-size objects from page chunks, so that the data path does not allocate per packet. Memory is taken when
 * a flow first needs it and goes back when a pool has been unused for a while (rule: idle connections are small).
 * Callers hold the peer's lock.
 */
#ifndef MROCE_POOL_H
#define MROCE_POOL_H

#include <linux/types.h>

struct mroce_peer;

#define MROCE_POOL_CHUNK	4096	/* bytes */

struct mroce_pool_item;
struct mroce_pool_chunk;

/**
 * struct mroce_pool - a free list over chunks
 * @size:	bytes of an object
 * @in_use:	objects given out
 * @free:	free objects
 * @chunks:	all chunks
 */
struct mroce_pool {
	u32 size;
	u32 in_use;
	struct mroce_pool_item *free;
	struct mroce_pool_chunk *chunks;
};

void mroce_pool_init(struct mroce_pool *pool, u32 size);

/** mroce_pool_get() - a zeroed object, or NULL without memory */
void *mroce_pool_get(struct mroce_peer *peer, struct mroce_pool *pool);

void mroce_pool_put(struct mroce_pool *pool, void *obj);

/** mroce_pool_trim() - give all memory back; only if nothing is in use */
void mroce_pool_trim(struct mroce_peer *peer, struct mroce_pool *pool);

#endif /* MROCE_POOL_H */
