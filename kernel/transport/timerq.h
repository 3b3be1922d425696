/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An intrusive pairing heap of deadlines: all timers of one peer behind the single timer that its
 * host arms. Arm and cancel need no memory. Callers hold the peer's lock.
 */
#ifndef MROCE_TIMERQ_H
#define MROCE_TIMERQ_H

#include <linux/types.h>

struct mroce_timer;

typedef void (*mroce_timer_fn)(struct mroce_timer *t, u64 now);

/**
 * struct mroce_timer - one deadline; all zero is a valid, unarmed timer
 * @fn:		called by mroce_timerq_run(), unarmed; the owner sets it once
 * @expires:	ns, valid while @armed
 * @child:	leftmost child in the heap
 * @next:	right sibling
 * @prev:	left sibling, or the parent for a leftmost child
 * @armed:	in a heap
 *
 * Written by the heap only, but for @fn. Under the peer's lock.
 */
struct mroce_timer {
	mroce_timer_fn fn;
	u64 expires;
	struct mroce_timer *child;
	struct mroce_timer *next;
	struct mroce_timer *prev;
	bool armed;
};

/**
 * struct mroce_timerq - the heap; all zero is empty
 * @root:	earliest timer, NULL: none
 * @floor:	ns; while mroce_timerq_run() runs no timer can be armed before it, so that the run
 *		ends
 *
 * Under the peer's lock.
 */
struct mroce_timerq {
	struct mroce_timer *root;
	u64 floor;
};

/**
 * mroce_timer_arm() - (re)arm @t for @expires, earlier or later than before
 * @q:		heap
 * @t:		timer, its fn set
 * @expires:	ns; in the past: at the next run
 *
 * Context: peer's lock
 */
void mroce_timer_arm(struct mroce_timerq *q, struct mroce_timer *t, u64 expires);

/**
 * mroce_timer_cancel() - unarm; harmless when not armed
 * @q:	heap that it is in
 * @t:	timer
 *
 * Context: peer's lock
 */
void mroce_timer_cancel(struct mroce_timerq *q, struct mroce_timer *t);

/**
 * mroce_timerq_next() - earliest deadline
 * @q:	heap
 *
 * Context: peer's lock
 * Return: ns; ~0ULL when none
 */
u64 mroce_timerq_next(const struct mroce_timerq *q);

/**
 * mroce_timerq_run() - call every timer that is due
 * @q:		heap
 * @now:	current time, ns
 *
 * A timer that re-arms for no later than @now waits for the next run.
 *
 * Context: peer's lock; the timers may arm and cancel any other
 */
void mroce_timerq_run(struct mroce_timerq *q, u64 now);

#endif /* MROCE_TIMERQ_H */
