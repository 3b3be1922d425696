/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory by key: regions, windows, and copying to and from them. Part of verbs.h, which has the
 * order of locks.
 */
#ifndef MROCE_REGION_H
#define MROCE_REGION_H

#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>
#include <rdma/metaroce-abi.h>
#include "driver.h"

/* --- region.c ----------------------------------------------------------------------- */

/* enum mroce_region_type: what kind of memory */
enum mroce_region_type {
	MROCE_REGION_USER,
	MROCE_REGION_DMA,	/* all of kernel memory */
	MROCE_REGION_FAST,	/* REG_MR makes it valid */
	MROCE_REGION_WINDOW,
};

/**
 * struct mroce_region - what a key stands for
 * @key:	index in mroce_dev.mrs in the upper 24 bits; the lower 8 change with REG_MR and
 *		binding, under @lock
 * @type:	enum mroce_region_type; constant
 * @valid:	may be used; under @lock
 * @relaxed:	order of placement does not matter; under @lock
 * @access:	IB_ACCESS_*; under @lock
 * @pd:		only compared; under @lock
 * @iova:	address of the first byte; under @lock
 * @len:	bytes; under @lock
 * @lock:	read while the memory is copied to or from, written to revoke: who has written
 *		@valid may be sure that nobody touches the memory any more
 * @base:	address of the first byte of block 0; of a window: its start in the region; under
 *		@lock
 * @block_shift: log2 of a block's bytes; under @lock
 * @nblocks:	blocks in use; under @lock
 * @max_blocks:	length of @blocks; under @lock
 * @blocks:	kernel addresses of blocks; under @lock
 * @umem:	pinned user memory; under @lock
 * @windows:	bound to it
 * @parent:	window: the region that it is bound to, counted in @windows; under @lock
 * @qpn:	window of type 2: the only QP that may use it, 0: any; under @lock
 * @type2:	window of type 2; constant
 * @rcu:	frees it after the last reader that found it by key
 */
struct mroce_region {
	u32 key;
	u8 type;
	bool valid;
	bool relaxed;
	int access;
	const struct ib_pd *pd;
	u64 iova;
	u64 len;
	rwlock_t lock;

	u64 base;
	u32 block_shift;
	u32 nblocks;
	u32 max_blocks;
	unsigned long *blocks;
	struct ib_umem *umem;
	atomic_t windows;

	struct mroce_region *parent;
	u32 qpn;
	bool type2;
	struct rcu_head rcu;
};

/* enum mroce_copy_dir: seen from the region */
enum mroce_copy_dir {
	MROCE_COPY_TO_BUF,
	MROCE_COPY_FROM_BUF,
	MROCE_COPY_FROM_SKB,
	MROCE_COPY_FROM_SKB_STRICT,	/* bytes appear in ascending order (rule 29) */
};

/**
 * struct mroce_copy - the other end of a copy; moves on with each piece
 * @dir:	enum mroce_copy_dir
 * @buf:	kernel memory
 * @skb:	packet
 * @off:	in @skb
 */
struct mroce_copy {
	enum mroce_copy_dir dir;
	void *buf;
	const struct sk_buff *skb;
	u32 off;
};

/**
 * struct mroce_user_of_key - on whose behalf memory is looked up
 * @dev:	device
 * @pd:		protection domain of the QP
 * @qpn:	the QP, for windows
 * @kernel:	a kernel consumer's QP, for which MROCE_LOCAL_DMA_LKEY holds
 */
struct mroce_user_of_key {
	struct mroce_dev *dev;
	const struct ib_pd *pd;
	u32 qpn;
	bool kernel;
};

struct mroce_region *mroce_region_alloc(enum mroce_region_type type, const struct ib_pd *pd,
					int access);
int mroce_region_publish(struct mroce_dev *dev, struct mroce_region *r);
int mroce_region_unpublish(struct mroce_dev *dev, struct mroce_region *r);
void mroce_region_free(struct mroce_region *r);
struct mroce_region *mroce_region_find(struct mroce_dev *dev, u32 key);
int mroce_region_check(const struct mroce_user_of_key *u, u32 rkey, u64 addr, u32 len, int access);
int mroce_region_copy(const struct mroce_user_of_key *u, u32 key, u64 addr, u32 len, int access,
		      struct mroce_copy *c);
int mroce_region_atomic(const struct mroce_user_of_key *u, u32 rkey, u64 addr, bool add,
			u64 compare, u64 swap_add, u64 *old);
int mroce_region_invalidate(const struct mroce_user_of_key *u, u32 key);
int mroce_sge_check(const struct mroce_user_of_key *u, const struct mroce_sge *sge, u32 n,
		    int access);
int mroce_sge_copy(const struct mroce_user_of_key *u, const struct mroce_sge *sge, u32 n,
		   u32 offset, u32 len, int access, struct mroce_copy *c);

/* --- mr.c, mw.c --------------------------------------------------------------------- */

/**
 * struct mroce_mr - memory region
 * @ib:		ib_core's
 * @region:	what its key stands for; constant
 * @map:	fast registration: blocks that the next REG_MR registers; the consumer's until it
 *		posts that
 * @map_off:	fast registration: offset of the first byte in block 0
 * @mapped:	fast registration: length of @map in use
 */
struct mroce_mr {
	struct ib_mr ib;
	struct mroce_region *region;
	unsigned long *map;
	u32 map_off;
	u32 mapped;
};

static inline struct mroce_mr *to_mmr(struct ib_mr *mr)
{
	return container_of(mr, struct mroce_mr, ib);
}

/**
 * struct mroce_mw - memory window
 * @ib:		ib_core's
 * @region:	what its key stands for; constant
 */
struct mroce_mw {
	struct ib_mw ib;
	struct mroce_region *region;
};

static inline struct mroce_mw *to_mmw(struct ib_mw *mw)
{
	return container_of(mw, struct mroce_mw, ib);
}

/**
 * struct mroce_bind - a request to bind a window
 * @window:	a key of the window
 * @new_key:	the key that it gets
 * @lkey:	of the region
 * @access:	IB_ACCESS_*
 * @addr:	start
 * @len:	bytes, 0: take the binding away
 */
struct mroce_bind {
	u32 window;
	u32 new_key;
	u32 lkey;
	u32 access;
	u64 addr;
	u64 len;
};

struct ib_mr *mroce_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *mroce_reg_user_mr(struct ib_pd *pd, u64 start, u64 len, u64 iova, int access,
				struct ib_udata *udata);
struct ib_mr *mroce_rereg_user_mr(struct ib_mr *mr, int flags, u64 start, u64 len, u64 iova,
				  int access, struct ib_pd *pd, struct ib_udata *udata);
struct ib_mr *mroce_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_sg);
int mroce_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int n, unsigned int *offset);
int mroce_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);
u8 mroce_fast_register(const struct mroce_user_of_key *u, struct mroce_mr *mr, u32 key, int access);
int mroce_alloc_mw(struct ib_mw *mw, struct ib_udata *udata);
int mroce_dealloc_mw(struct ib_mw *mw);
u8 mroce_window_bind(const struct mroce_user_of_key *u, const struct mroce_bind *b);
void mroce_window_release(struct mroce_region *w);

#endif /* MROCE_REGION_H */
