// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * `rdma statistic`: every counter of transport/counters.h, summed over associations. Process
 * context.
 */
#include "verbs.h"

static const struct rdma_stat_desc mroce_stats[] = {
#define MROCE_STAT_DESC(id, text)	\
	[MROCE_CNT_##id] = { .name = text },
	MROCE_COUNTERS(MROCE_STAT_DESC)
#undef MROCE_STAT_DESC
};

struct rdma_hw_stats *mroce_alloc_port_stats(struct ib_device *ib, u32 port)
{
	BUILD_BUG_ON(ARRAY_SIZE(mroce_stats) != MROCE_CNT_MAX);

	return rdma_alloc_hw_stats_struct(mroce_stats, MROCE_CNT_MAX, 0);
}

int mroce_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	if (port != 1)
		return -EINVAL;
	BUILD_BUG_ON(sizeof(stats->value[0]) != sizeof(u64));
	mroce_net_counters(to_mdev(ib), stats->value);
	return MROCE_CNT_MAX;
}
