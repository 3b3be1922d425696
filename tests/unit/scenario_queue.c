// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queues that overflow: what is sent for nothing must not keep the rest from getting through. [M126]
 */
#include "lab.h"

/* A queue of ten packets below, and far more outstanding [U36]. */
static void through_queue(u32 queue_bytes)
{
	struct wqp *a, *b;
	struct world *w;
	struct wmr *mr;
	u64 took;
	u32 i;

	w = world_new(&(struct world_cfg){ .npaths = 16, .payload = 1408, .psn_window = 8192,
			.link = { .delay = 5 * US, .ns_per_kb = 800, .queue_bytes = queue_bytes } }, test_seed());
	qp_pair(w, 0, 1, &a, &b);
	mr = mr_new(b->h, 16 << 20, MROCE_ACC_WRITE, true);
	for (i = 0; i < 16; i++)
		post_write(a, mr, i << 20, 1 << 20, 0);
	took = world_settle(w, 2 * SEC);
	CHECK_LE(took, 60 * MS);
	test_note("16 MB through a queue of %u bytes: %llu us, sent %llu, RTOs %llu", queue_bytes,
		  took / US,
		  host_stat(a->h, MROCE_CNT_TX_DATA), host_stat(a->h, MROCE_CNT_LOSS_RTO));
	world_end(w);
}

TEST(queue__that_overflows)
{
	through_queue(30000);
	through_queue(15000);
	through_queue(8000);
	through_queue(4000);
}
