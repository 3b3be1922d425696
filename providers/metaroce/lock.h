/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The lock of one queue. A mutex that spins shortly before it sleeps: on few CPUs the holder may have been
 * preempted, and a pure spinlock would burn the waiter's time slice. Not taken when the application has
 * promised one thread per object (thread domain, IBV_CREATE_CQ_ATTR_SINGLE_THREADED).
 *
 * No lock is taken under another, and no system call is made under one, but for mroce_resize_cq().
 */
#ifndef METAROCE_PROVIDER_LOCK_H
#define METAROCE_PROVIDER_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct mroce_lock {
	pthread_mutex_t mutex;
	bool needed;
};

int mroce_lock_init(struct mroce_lock *lock, bool needed);
void mroce_lock_destroy(struct mroce_lock *lock);

static inline void mroce_lock(struct mroce_lock *lock)
{
	if (lock->needed)
		pthread_mutex_lock(&lock->mutex);
}

static inline void mroce_unlock(struct mroce_lock *lock)
{
	if (lock->needed)
		pthread_mutex_unlock(&lock->mutex);
}

#endif /* METAROCE_PROVIDER_LOCK_H */
