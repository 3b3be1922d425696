// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Set-up of the queue lock, apart because the adaptive mutex is a GNU extension.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "lock.h"

int mroce_lock_init(struct mroce_lock *lock, bool needed)
{
	pthread_mutexattr_t attr;
	int err;

	lock->needed = needed;
	err = pthread_mutexattr_init(&attr);
	if (err)
		return err;

	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	err = pthread_mutex_init(&lock->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	return err;
}

void mroce_lock_destroy(struct mroce_lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}
