// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads against each other: several that post, several that poll, and one that plays the driver; and the
 * race between arming, a last poll and a completion, which must not lose a wake-up.
 */
#include "fake_uverbs.h"
#include "tap.h"

#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#define POSTERS	2
#define POLLERS	2
#define SENDS	20000	/* by each poster */
#define WAKEUPS	20000

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static unsigned int polled;
static uint64_t sum;
static sem_t event;
static bool wrong;

static void setup(void)
{
	ctx = fake_open();
	pd = fake.ops.alloc_pd(ctx);
	cq = fake_create_cq(ctx, 8);
	qp = fake_create_qp(pd, cq, cq, NULL, IBV_QPT_RC);
	CHECK(qp && fake_modify_qp(qp, IBV_QPS_RTS) == 0);
	polled = 0;
	sum = 0;
	wrong = false;
}

static void teardown(void)
{
	CHECK(fake.ops.destroy_qp(qp) == 0 && fake.ops.destroy_cq(cq) == 0 && fake.ops.dealloc_pd(pd) == 0);
	fake_close(ctx);
}

static void *poster(void *arg)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	uintptr_t first = (uintptr_t)arg * SENDS, i;

	for (i = 0; i < SENDS; i++) {
		wr.wr_id = first + i;
		while (ibv_post_send(qp, &wr, &bad))
			sched_yield();
	}
	return NULL;
}

static void *poller(void *arg)
{
	struct ibv_wc wc[3];
	int n, i;

	(void)arg;
	while (__atomic_load_n(&polled, __ATOMIC_RELAXED) < POSTERS * SENDS) {
		n = ibv_poll_cq(cq, 3, wc);
		for (i = 0; i < n; i++)
			__atomic_fetch_add(&sum, wc[i].wr_id, __ATOMIC_RELAXED);
		__atomic_fetch_add(&polled, n, __ATOMIC_RELAXED);
		if (!n)
			sched_yield();
	}
	return NULL;
}

/* Takes sends as they are posted and completes them, room in the CQ permitting. */
static void *driver(void *arg)
{
	struct mroce_ring *sq = fake_sq(qp);
	uint32_t c;

	(void)arg;
	for (c = 0; c < POSTERS * SENDS; c++) {
		while (mroce_load_acquire(&sq->prod) == c ||
		       fake_cq(cq)->prod - mroce_load_acquire(&fake_cq(cq)->cons) == 8)
			sched_yield();
		fake_send_done(qp, c);
		mroce_store_release(&sq->cons, c + 1);
	}
	return NULL;
}

static void posters_and_pollers__lose_nothing(void)
{
	pthread_t t[POSTERS + POLLERS + 1];
	uint64_t n = POSTERS * SENDS;
	uintptr_t i;

	CALL(setup());
	CHECK(!pthread_create(&t[0], NULL, driver, NULL));
	for (i = 0; i < POSTERS; i++)
		CHECK(!pthread_create(&t[1 + i], NULL, poster, (void *)i));
	for (i = 0; i < POLLERS; i++)
		CHECK(!pthread_create(&t[1 + POSTERS + i], NULL, poller, NULL));
	for (i = 0; i < POSTERS + POLLERS + 1; i++)
		pthread_join(t[i], NULL);
	CHECK(polled == n && sum == n * (n - 1) / 2);
	teardown();
}

/* Publishes, passes a full barrier, and swaps arm: what the kernel does for each completion. */
static void *completer(void *arg)
{
	struct mroce_cqe cqe = { .is_recv = 1 };
	int i;

	(void)arg;
	for (i = 0; i < WAKEUPS; i++) {
		while (fake_cq(cq)->prod != mroce_load_acquire(&fake_cq(cq)->cons))
			sched_yield();
		fake_complete(cq, &cqe);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (__atomic_exchange_n(&fake_cq(cq)->arm, MROCE_ARM_NONE, __ATOMIC_SEQ_CST) == MROCE_ARM_NEXT)
			sem_post(&event);
	}
	return NULL;
}

static int wait_event(void)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 20;
	return sem_timedwait(&event, &end);
}

static void arm__loses_no_wakeup(void)
{
	struct ibv_wc wc;
	pthread_t t;
	int got = 0;

	CALL(setup());
	CHECK(!sem_init(&event, 0, 0));
	CHECK(!pthread_create(&t, NULL, completer, NULL));
	while (got < WAKEUPS && !wrong) {
		CHECK(ibv_req_notify_cq(cq, 0) == 0);
		if (ibv_poll_cq(cq, 1, &wc) == 1)
			got++;
		else
			wrong = wait_event();
	}
	CHECK(!wrong);
	pthread_join(t, NULL);
	sem_destroy(&event);
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(posters_and_pollers__lose_nothing),
	TAP_CASE(arm__loses_no_wakeup),
};

TAP_MAIN(cases)
