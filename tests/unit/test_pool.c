// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/pool.c: objects from chunks.
 */
#include "lab.h"

TEST(pool_get__zeroed_even_when_used_before)
{
	struct lab l = lab_new(NULL);
	struct mroce_pool pool;
	u8 *a, i;

	mroce_pool_init(&pool, 24);
	a = mroce_pool_get(&l.wp->p, &pool);
	memset(a, 0xff, 24);
	mroce_pool_put(&pool, a);
	a = mroce_pool_get(&l.wp->p, &pool);
	for (i = 0; i < 24; i++)
		CHECK_EQ(a[i], 0);
	mroce_pool_put(&pool, a);
	mroce_pool_trim(&l.wp->p, &pool);
	lab_end(&l);
}

TEST(pool_get__objects_do_not_overlap)
{
	struct lab l = lab_new(NULL);
	struct mroce_pool pool;
	u32 *a[500], i;

	mroce_pool_init(&pool, 20);
	for (i = 0; i < 500; i++) {
		a[i] = mroce_pool_get(&l.wp->p, &pool);
		CHECK_EQ((u64)(uintptr_t)a[i] % 8, 0);
		a[i][0] = i;
		a[i][4] = ~i;
	}
	CHECK_EQ(pool.in_use, 500);
	for (i = 0; i < 500; i++) {
		CHECK_EQ(a[i][0], i);
		CHECK_EQ(a[i][4], ~i);
		mroce_pool_put(&pool, a[i]);
	}
	mroce_pool_trim(&l.wp->p, &pool);
	lab_end(&l);
}

TEST(pool_get__allocates_chunks_not_objects)
{
	struct lab l = lab_new(NULL);
	struct mroce_pool pool;
	void *a[100];
	u64 before = l.w->host[0].allocs;
	int i;

	mroce_pool_init(&pool, 40);
	for (i = 0; i < 100; i++)
		a[i] = mroce_pool_get(&l.wp->p, &pool);
	CHECK_LE(l.w->host[0].allocs - before, 2);
	for (i = 0; i < 100; i++)
		mroce_pool_put(&pool, a[i]);
	mroce_pool_trim(&l.wp->p, &pool);
	lab_end(&l);
}

TEST(pool_get__no_memory)
{
	struct lab l = lab_new(NULL);
	struct mroce_pool pool;

	mroce_pool_init(&pool, 40);
	l.w->host[0].alloc_fail = 1000000;
	CHECK(!mroce_pool_get(&l.wp->p, &pool));
	CHECK_EQ(pool.in_use, 0);
	l.w->host[0].alloc_fail = 0;
	mroce_pool_put(&pool, mroce_pool_get(&l.wp->p, &pool));
	mroce_pool_trim(&l.wp->p, &pool);
	lab_end(&l);
}

TEST(pool_trim__keeps_what_is_in_use)
{
	struct lab l = lab_new(NULL);
	struct mroce_pool pool;
	u64 held;
	void *a;

	mroce_pool_init(&pool, 40);
	a = mroce_pool_get(&l.wp->p, &pool);
	held = l.w->host[0].alloc_bytes;
	mroce_pool_trim(&l.wp->p, &pool);
	CHECK_EQ(l.w->host[0].alloc_bytes, held);
	mroce_pool_put(&pool, a);
	mroce_pool_trim(&l.wp->p, &pool);
	CHECK_EQ(l.w->host[0].alloc_bytes, held - MROCE_POOL_CHUNK);
	lab_end(&l);
}
