// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Object pools: see pool.h. A chunk is one allocation of the host; its first words link it to the
 * next.
 */
#include "transport.h"

struct mroce_pool_item {
	struct mroce_pool_item *next;
};

struct mroce_pool_chunk {
	struct mroce_pool_chunk *next;
	u64 align;
};

void mroce_pool_init(struct mroce_pool *pool, u32 size)
{
	memset(pool, 0, sizeof(*pool));
	pool->size = (size + 7) & ~7U;
}

static bool mroce_pool_grow(struct mroce_peer *peer, struct mroce_pool *pool)
{
	struct mroce_pool_chunk *chunk = peer->ops->alloc(peer, MROCE_POOL_CHUNK);
	u32 off;

	if (!chunk)
		return false;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	for (off = sizeof(*chunk); off + pool->size <= MROCE_POOL_CHUNK; off += pool->size) {
		struct mroce_pool_item *item = (void *)chunk + off;

		item->next = pool->free;
		pool->free = item;
	}
	return true;
}

void *mroce_pool_get(struct mroce_peer *peer, struct mroce_pool *pool)
{
	struct mroce_pool_item *item;

	if (!pool->free && !mroce_pool_grow(peer, pool))
		return NULL;
	item = pool->free;
	pool->free = item->next;
	pool->in_use++;
	memset(item, 0, pool->size);
	return item;
}

void mroce_pool_put(struct mroce_pool *pool, void *obj)
{
	struct mroce_pool_item *item = obj;

	item->next = pool->free;
	pool->free = item;
	pool->in_use--;
}

void mroce_pool_trim(struct mroce_peer *peer, struct mroce_pool *pool)
{
	struct mroce_pool_chunk *chunk;

	if (pool->in_use)
		return;
	pool->free = NULL;
	while ((chunk = pool->chunks)) {
		pool->chunks = chunk->next;
		peer->ops->free(peer, chunk, MROCE_POOL_CHUNK);
	}
}
