/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fixed-size objects from page chunks, so that the data path does not allocate per packet. Memory
 * is taken when a flow first needs it and goes back when a pool has been unused for a while (rule:
 * idle connections are small). Callers hold the peer's lock.
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
 * @size:	bytes of an object, a multiple of 8
 * @in_use:	objects given out
 * @free:	free objects
 * @chunks:	all chunks
 *
 * Under the peer's lock.
 */
struct mroce_pool {
	u32 size;
	u32 in_use;
	struct mroce_pool_item *free;
	struct mroce_pool_chunk *chunks;
};

/**
 * mroce_pool_init() - an empty pool; takes no memory yet
 * @pool:	whatever was in it is forgotten
 * @size:	bytes of an object
 *
 * Context: peer's lock
 */
void mroce_pool_init(struct mroce_pool *pool, u32 size);

/**
 * mroce_pool_get() - take an object
 * @peer:	whose host gives memory when none is free
 * @pool:	pool
 *
 * Context: peer's lock
 * Return: the object, zeroed, or NULL without memory
 */
void *mroce_pool_get(struct mroce_peer *peer, struct mroce_pool *pool);

/**
 * mroce_pool_put() - give an object back
 * @pool:	where it came from
 * @obj:	object
 *
 * Context: peer's lock
 */
void mroce_pool_put(struct mroce_pool *pool, void *obj);

/**
 * mroce_pool_trim() - give all memory back; nothing is done while an object is in use
 * @peer:	whose host takes it
 * @pool:	pool
 *
 * Context: peer's lock
 */
void mroce_pool_trim(struct mroce_peer *peer, struct mroce_pool *pool);

#endif /* MROCE_POOL_H */
