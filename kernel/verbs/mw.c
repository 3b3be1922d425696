// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: keys for a part of a region. Allocated by uverbs in process context; bound by a
 * send queue under the QP's data path lock.
 *
 * Type 1 belongs to a protection domain and is bound over and over. Type 2 (2B) belongs to the QP
 * that has bound it, and is free again when it was invalidated. A region with windows bound to it
 * cannot be deregistered.
 */
#include "verbs.h"

int mroce_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct mroce_mw *mw = to_mmw(ibmw);
	int err;

	mw->region = mroce_region_alloc(MROCE_REGION_WINDOW, ibmw->pd, 0);
	if (!mw->region)
		return -ENOMEM;
	mw->region->type2 = ibmw->type == IB_MW_TYPE_2;
	err = mroce_region_publish(to_mdev(ibmw->device), mw->region);
	if (err) {
		mroce_region_free(mw->region);
		return err;
	}
	ibmw->rkey = mw->region->key;
	return 0;
}

/* Take the binding away. The window's lock is held for writing. */
void mroce_window_release(struct mroce_region *w)
{
	lockdep_assert_held_write(&w->lock);
	w->valid = false;
	w->qpn = 0;
	if (w->parent)
		atomic_dec(&w->parent->windows);
	w->parent = NULL;
}

/*
 * Who has found the window and waits for its lock may not bind it any more: it belongs to no
 * protection domain.
 */
int mroce_dealloc_mw(struct ib_mw *ibmw)
{
	struct mroce_region *w = to_mmw(ibmw)->region;

	write_lock_bh(&w->lock);
	mroce_window_release(w);
	w->pd = NULL;
	write_unlock_bh(&w->lock);
	mroce_region_unpublish(to_mdev(ibmw->device), w);
	mroce_region_free(w);
	return 0;
}

/* LOCAL_WRITE says nothing of a window, but consumers set it as they do for regions. */
#define MROCE_WINDOW_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | IB_ZERO_BASED)

static bool mroce_window_may(const struct mroce_region *w, const struct mroce_region *r,
			     const struct mroce_user_of_key *u, const struct mroce_bind *b)
{
	int need = IB_ACCESS_MW_BIND;

	if (b->access & ~MROCE_WINDOW_ACCESS || (b->access & IB_ZERO_BASED && !w->type2))
		return false;
	if (b->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC))
		need |= IB_ACCESS_LOCAL_WRITE;
	return r->key == b->lkey && r->valid && r->pd == u->pd && r->type != MROCE_REGION_WINDOW &&
	       (r->access & need) == need && b->addr >= r->iova && b->len <= r->len &&
	       b->addr - r->iova <= r->len - b->len;
}

/* Both locks are held, the window's for writing. */
static void mroce_window_set(struct mroce_region *w, struct mroce_region *r,
			     const struct mroce_user_of_key *u, const struct mroce_bind *b)
{
	mroce_window_release(w);
	atomic_inc(&r->windows);
	w->parent = r;
	w->access = b->access;
	w->base = b->addr;
	w->iova = b->access & IB_ZERO_BASED ? 0 : b->addr;
	w->len = b->len;
	w->qpn = w->type2 ? u->qpn : 0;
	w->valid = true;
}

static u8 mroce_window_bind_locked(struct mroce_region *w, const struct mroce_user_of_key *u,
				   const struct mroce_bind *b)
{
	struct mroce_region *r;
	u8 status = MROCE_ST_OK;

	if (w->type != MROCE_REGION_WINDOW || w->pd != u->pd || (w->key ^ b->new_key) >> 8 ||
	    (w->type2 && w->valid) || (w->type2 && !b->len))
		return MROCE_ST_MW_BIND;
	if (!b->len) {
		mroce_window_release(w);
		w->key = b->new_key;
		return MROCE_ST_OK;
	}
	r = mroce_region_find(u->dev, b->lkey);
	if (!r || r == w)
		return MROCE_ST_MW_BIND;
	if (r->type == MROCE_REGION_WINDOW)
		return MROCE_ST_MW_BIND;
	read_lock(&r->lock);
	if (mroce_window_may(w, r, u, b)) {
		mroce_window_set(w, r, u, b);
		w->key = b->new_key;
	} else {
		status = MROCE_ST_MW_BIND;
	}
	read_unlock(&r->lock);
	return status;
}

/**
 * mroce_window_bind() - a bind request has its turn
 * @u:		on whose behalf
 * @b:		what to bind to what
 */
u8 mroce_window_bind(const struct mroce_user_of_key *u, const struct mroce_bind *b)
{
	struct mroce_region *w;
	u8 status = MROCE_ST_MW_BIND;

	rcu_read_lock();
	w = mroce_region_find(u->dev, b->window);
	if (w && w->type == MROCE_REGION_WINDOW) {
		write_lock(&w->lock);
		status = mroce_window_bind_locked(w, u, b);
		write_unlock(&w->lock);
	}
	rcu_read_unlock();
	return status;
}
