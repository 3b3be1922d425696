// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory by key: the table of keys, who may use one for what, and copying between memory and
 * packets.
 *
 * Keys are looked up for each packet, under RCU, and no pointer is kept (rule 28). While memory is
 * copied its region is locked for reading, so who has written "not valid" under the lock knows that
 * nobody touches the memory any more: deregistration need not wait for a grace period, and
 * invalidation works in softirq context.
 *
 * The data path calls this with BHs off (a QP's data path lock is held); the rest is process
 * context.
 */
#include <linux/slab.h>
#include "verbs.h"

#define MROCE_KEY_INDEX(key)	((key) >> 8)
#define MROCE_MAX_INDEX		0xffffff
#define MROCE_MAX_REGIONS	(2 * MROCE_MAX_OBJECTS)	/* and windows */
#define MROCE_LINE		64

/* A window's lock is taken before that of its region. */
static struct lock_class_key mroce_window_lock_key;

/* --- life --------------------------------------------------------------------------- */

struct mroce_region *mroce_region_alloc(enum mroce_region_type type, const struct ib_pd *pd,
					int access)
{
	struct mroce_region *r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);

	if (!r)
		return NULL;
	r->type = type;
	r->pd = pd;
	r->access = access;
	rwlock_init(&r->lock);
	if (type == MROCE_REGION_WINDOW)
		lockdep_set_class(&r->lock, &mroce_window_lock_key);
	return r;
}

/*
 * The whole key is random, so that knowing one does not help to guess another. 0 is no index: it
 * would make MROCE_LOCAL_DMA_LKEY a key. Of the numbers at most one in eight is in use, so a free
 * one is soon found.
 */
int mroce_region_publish(struct mroce_dev *dev, struct mroce_region *r)
{
	u32 index;
	int err;

	if (!mroce_count_in(&dev->n_mrs, MROCE_MAX_REGIONS))
		return -ENOMEM;
	do {
		r->key = get_random_u32();
		index = MROCE_KEY_INDEX(r->key);
		err = index ? xa_insert(&dev->mrs, index, r, GFP_KERNEL_ACCOUNT) : -EBUSY;
	} while (err == -EBUSY);
	if (err)
		atomic_dec(&dev->n_mrs);
	return err;
}

/*
 * No key leads to it, nobody is in the memory, and nobody gets there any more. -EBUSY while windows
 * are bound to it: who binds one holds the lock and looks at @valid.
 */
int mroce_region_unpublish(struct mroce_dev *dev, struct mroce_region *r)
{
	int err = 0;

	write_lock_bh(&r->lock);
	if (atomic_read(&r->windows))
		err = -EBUSY;
	else
		r->valid = false;
	write_unlock_bh(&r->lock);
	if (err)
		return err;
	xa_erase(&dev->mrs, MROCE_KEY_INDEX(r->key));
	atomic_dec(&dev->n_mrs);
	return 0;
}

void mroce_region_free(struct mroce_region *r)
{
	if (!r)
		return;
	if (r->umem)
		ib_umem_release(r->umem);
	kvfree(r->blocks);
	r->blocks = NULL;
	kfree_rcu(r, rcu);
}

/* --- looking up --------------------------------------------------------------------- */

/* Under RCU. The lower bits of the key may change until the region is locked. */
struct mroce_region *mroce_region_find(struct mroce_dev *dev, u32 key)
{
	return xa_load(&dev->mrs, MROCE_KEY_INDEX(key));
}

static bool mroce_region_covers(const struct mroce_region *r, u64 addr, u64 len)
{
	if (r->type == MROCE_REGION_DMA)
		return addr + len >= addr;
	return addr >= r->iova && len <= r->len && addr - r->iova <= r->len - len;
}

/* With the lock held. */
static bool mroce_region_may(const struct mroce_region *r, const struct mroce_user_of_key *u,
			     u64 addr, u32 len, int access)
{
	return r->valid && r->pd == u->pd && (r->access & access) == access &&
	       (!r->qpn || r->qpn == u->qpn) && mroce_region_covers(r, addr, len);
}

#define MROCE_REMOTE	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

static void mroce_region_enter(struct mroce_region *r)
{
	read_lock(&r->lock);
	__release(&r->lock);
}

static void mroce_region_leave(struct mroce_region *r)
{
	__acquire(&r->lock);
	read_unlock(&r->lock);
}

/* The region of a locked window, locked too, or NULL. */
static struct mroce_region *mroce_window_enter(struct mroce_region *win, int access)
{
	struct mroce_region *r = win->parent;

	if (!(access & MROCE_REMOTE))
		return NULL;
	mroce_region_enter(r);
	if (r->valid)
		return r;
	mroce_region_leave(r);
	return NULL;
}

/*
 * Lock the memory that @key stands for: a region, or by a remote access a window and its region.
 * @win is the window, or NULL. Returns NULL when there is no such right; else to be unlocked with
 * mroce_region_unlock(). Under RCU.
 */
static struct mroce_region *mroce_region_lock(const struct mroce_user_of_key *u, u32 key, u64 addr,
					      u32 len, int access, struct mroce_region **win)
{
	struct mroce_region *r = mroce_region_find(u->dev, key), *parent;

	*win = NULL;
	if (!r)
		return NULL;
	mroce_region_enter(r);
	if (r->key == key && mroce_region_may(r, u, addr, len, access)) {
		if (r->type != MROCE_REGION_WINDOW)
			return r;
		*win = r;
		parent = mroce_window_enter(r, access);
		if (parent)
			return parent;
	}
	mroce_region_leave(r);
	return NULL;
}

static void mroce_region_unlock(struct mroce_region *r, struct mroce_region *win)
{
	mroce_region_leave(r);
	if (win)
		mroce_region_leave(win);
}

/* Where a window of zero-based addresses lies in its region. */
static u64 mroce_region_addr(const struct mroce_region *win, u64 addr)
{
	return win && win->access & IB_ZERO_BASED ? win->base + addr : addr;
}

/**
 * mroce_region_check() - may this be done to the memory behind a remote key?
 * @u:		on whose behalf
 * @rkey:	key
 * @addr:	start
 * @len:	bytes, not 0
 * @access:	IB_ACCESS_REMOTE_*
 *
 * Return: -EACCES, 0, or MROCE_MR_RELAXED.
 */
int mroce_region_check(const struct mroce_user_of_key *u, u32 rkey, u64 addr, u32 len, int access)
{
	struct mroce_region *r, *win;
	int ret = -EACCES;

	rcu_read_lock();
	r = mroce_region_lock(u, rkey, addr, len, access, &win);
	if (r) {
		ret = r->relaxed ? MROCE_MR_RELAXED : 0;
		mroce_region_unlock(r, win);
	}
	rcu_read_unlock();
	return ret;
}

/* --- copying ------------------------------------------------------------------------ */

/*
 * [M117, M118] Pollers look at the last byte, or at a flag in the last word, so this becomes
 * visible last, in ascending order, after all that is before it; and all of it before what comes
 * next.
 */
static void mroce_write_ordered(u8 *to, const u8 *from, u32 n)
{
	smp_wmb();	/* all that is before */
	for (; n && !IS_ALIGNED((uintptr_t)to, 8); n--)
		WRITE_ONCE(*to++, *from++);
	for (; n >= 8; n -= 8, to += 8, from += 8) {
		u64 v;

		memcpy(&v, from, sizeof(v));
		WRITE_ONCE(*(u64 *)to, v);
	}
	for (; n; n--)
		WRITE_ONCE(*to++, *from++);
	smp_wmb();	/* what comes next */
}

static int mroce_copy_strict(void *mem, u32 n, struct mroce_copy *c)
{
	void *tail = max(mem, (void *)((uintptr_t)(mem + n - 1) & ~(uintptr_t)(MROCE_LINE - 1)));
	u32 head = tail - mem;
	u8 line[MROCE_LINE];

	if (head && skb_copy_bits(c->skb, c->off, mem, head))
		return -EFAULT;
	if (skb_copy_bits(c->skb, c->off + head, line, n - head))
		return -EFAULT;
	mroce_write_ordered(tail, line, n - head);
	return 0;
}

/* One contiguous piece of memory. */
static int mroce_copy_piece(void *mem, u32 n, struct mroce_copy *c)
{
	int err = 0;

	switch (c->dir) {
	case MROCE_COPY_TO_BUF:
		memcpy(c->buf, mem, n);
		c->buf += n;
		break;
	case MROCE_COPY_FROM_BUF:
		memcpy(mem, c->buf, n);
		c->buf += n;
		break;
	case MROCE_COPY_FROM_SKB:
		err = skb_copy_bits(c->skb, c->off, mem, n);
		c->off += n;
		break;
	case MROCE_COPY_FROM_SKB_STRICT:
		err = mroce_copy_strict(mem, n, c);
		c->off += n;
		break;
	}
	return err;
}

/* The memory at @addr and how many bytes of it lie together. */
static void *mroce_region_at(const struct mroce_region *r, u64 addr, u32 *n)
{
	u64 off = addr - r->base;
	u64 in_block = off & ((1ULL << r->block_shift) - 1);
	u64 block = off >> r->block_shift;

	if (r->type == MROCE_REGION_DMA)
		return (void *)(uintptr_t)addr;
	if (unlikely(block >= r->nblocks))
		return NULL;
	*n = min_t(u64, *n, (1ULL << r->block_shift) - in_block);
	return (void *)(r->blocks[block] + in_block);
}

static int mroce_region_copy_locked(const struct mroce_region *r, u64 addr, u32 len,
				    struct mroce_copy *c)
{
	int err = 0;

	while (len && !err) {
		u32 n = len;
		void *mem = mroce_region_at(r, addr, &n);

		err = mem ? mroce_copy_piece(mem, n, c) : -EFAULT;
		addr += n;
		len -= n;
	}
	return err;
}

/**
 * mroce_region_copy() - copy to or from the memory behind a key
 * @u:		on whose behalf
 * @key:	local or remote key, which @access says
 * @addr:	start
 * @len:	bytes
 * @access:	IB_ACCESS_* that are needed; 0: local read
 * @c:		the other end
 *
 * Return: 0, or -errno when there is no such right (any more).
 */
int mroce_region_copy(const struct mroce_user_of_key *u, u32 key, u64 addr, u32 len, int access,
		      struct mroce_copy *c)
{
	struct mroce_region *r, *win;
	int err = -EACCES;

	if (u->kernel && key == MROCE_LOCAL_DMA_LKEY && !(access & MROCE_REMOTE))
		return mroce_copy_piece((void *)(uintptr_t)addr, len, c);

	rcu_read_lock();
	r = mroce_region_lock(u, key, addr, len, access, &win);
	if (r) {
		err = mroce_region_copy_locked(r, mroce_region_addr(win, addr), len, c);
		mroce_region_unlock(r, win);
	}
	rcu_read_unlock();
	return err;
}

/**
 * mroce_region_atomic() - an atomic operation on 8 aligned bytes
 * @u:		on whose behalf
 * @rkey:	remote key
 * @addr:	aligned
 * @add:	fetch and add, else compare and swap
 * @compare:	expected value
 * @swap_add:	new value or addend
 * @old:	what was there
 *
 * [M106] Done by the CPU's own atomic instructions, so it is atomic towards applications on this
 * host as well. The address that is aligned may belong to memory that is not: then there is no such
 * operation.
 */
int mroce_region_atomic(const struct mroce_user_of_key *u, u32 rkey, u64 addr, bool add,
			u64 compare, u64 swap_add, u64 *old)
{
	struct mroce_region *r, *win;
	int err = -EACCES;
	u32 n = sizeof(u64);
	u64 *mem;

	rcu_read_lock();
	r = mroce_region_lock(u, rkey, addr, n, IB_ACCESS_REMOTE_ATOMIC, &win);
	if (!r)
		goto out;
	mem = mroce_region_at(r, mroce_region_addr(win, addr), &n);
	if (mem && n == sizeof(u64) && IS_ALIGNED((uintptr_t)mem, sizeof(u64))) {
		if (add)
			*old = atomic64_fetch_add(swap_add, (atomic64_t *)mem);
		else
			*old = atomic64_cmpxchg((atomic64_t *)mem, compare, swap_add);
		err = 0;
	}
	mroce_region_unlock(r, win);
out:
	rcu_read_unlock();
	return err;
}

/**
 * mroce_region_invalidate() - LOCAL_INV, or SEND with invalidate
 * @u:		on whose behalf
 * @key:	of a fast registration or a window of type 2
 *
 * When it returns 0, nobody touches the memory by this key any more.
 */
int mroce_region_invalidate(const struct mroce_user_of_key *u, u32 key)
{
	struct mroce_region *r;
	int err = -EACCES;

	rcu_read_lock();
	r = mroce_region_find(u->dev, key);
	if (!r)
		goto out;
	write_lock(&r->lock);
	if (r->key == key && r->pd == u->pd && (!r->qpn || r->qpn == u->qpn)) {
		if (r->type == MROCE_REGION_FAST && !atomic_read(&r->windows)) {
			r->valid = false;
			err = 0;
		} else if (r->type == MROCE_REGION_WINDOW && r->type2) {
			mroce_window_release(r);
			err = 0;
		}
	}
	write_unlock(&r->lock);
out:
	rcu_read_unlock();
	return err;
}

/* --- lists of entries --------------------------------------------------------------- */

static int mroce_lkey_check(const struct mroce_user_of_key *u, const struct mroce_sge *sge,
			    int access)
{
	struct mroce_region *r, *win;

	if (u->kernel && sge->lkey == MROCE_LOCAL_DMA_LKEY)
		return 0;
	r = mroce_region_lock(u, sge->lkey, sge->addr, sge->length, access, &win);
	if (!r)
		return -EACCES;
	mroce_region_unlock(r, win);
	return 0;
}

/* May all of them be used? Empty ones name nothing. */
int mroce_sge_check(const struct mroce_user_of_key *u, const struct mroce_sge *sge, u32 n,
		    int access)
{
	int err = 0;
	u32 i;

	rcu_read_lock();
	for (i = 0; i < n && !err; i++)
		if (sge[i].length)
			err = mroce_lkey_check(u, &sge[i], access);
	rcu_read_unlock();
	return err;
}

/**
 * mroce_sge_copy() - copy to or from scattered memory
 * @u:		on whose behalf
 * @sge:	entries
 * @n:		their number
 * @offset:	in all of them
 * @len:	bytes
 * @access:	IB_ACCESS_LOCAL_WRITE, or 0
 * @c:		the other end
 */
int mroce_sge_copy(const struct mroce_user_of_key *u, const struct mroce_sge *sge, u32 n,
		   u32 offset, u32 len, int access, struct mroce_copy *c)
{
	int err;
	u32 l;

	for (; n && len; n--, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		l = min(len, sge->length - offset);
		err = mroce_region_copy(u, sge->lkey, sge->addr + offset, l, access, c);
		if (err)
			return err;
		len -= l;
		offset = 0;
	}
	return len ? -EFAULT : 0;
}
