// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/timerq.c: the heap of deadlines.
 */
#include "test.h"

#define N	300

struct alarm {
	struct mroce_timer t;
	u32 rings;
	u64 rang_at;
};

static struct mroce_timerq *queue;
static u64 last_expiry;

static void ring(struct mroce_timer *t, u64 now)
{
	struct alarm *a = container_of(t, struct alarm, t);

	CHECK(!t->armed);
	CHECK_LE(t->expires, now);
	CHECK_GE(t->expires, last_expiry);
	last_expiry = t->expires;
	a->rings++;
	a->rang_at = now;
}

static void again(struct mroce_timer *t, u64 now)
{
	ring(t, now);
	mroce_timer_arm(queue, t, now);
}

TEST(timerq_next__empty_is_never)
{
	struct mroce_timerq q = {};

	CHECK_EQ(mroce_timerq_next(&q), ~0ULL);
	mroce_timerq_run(&q, ~0ULL - 1);
}

TEST(timerq_arm__earliest_is_next)
{
	struct mroce_timerq q = {};
	struct alarm a[3] = {};

	mroce_timer_arm(&q, &a[0].t, 30);
	CHECK_EQ(mroce_timerq_next(&q), 30);
	mroce_timer_arm(&q, &a[1].t, 10);
	CHECK_EQ(mroce_timerq_next(&q), 10);
	mroce_timer_arm(&q, &a[2].t, 20);
	CHECK_EQ(mroce_timerq_next(&q), 10);
}

TEST(timerq_arm__again_earlier)
{
	struct mroce_timerq q = {};
	struct alarm a = {}, b = {};

	mroce_timer_arm(&q, &a.t, 30);
	mroce_timer_arm(&q, &b.t, 20);
	mroce_timer_arm(&q, &a.t, 5);
	CHECK_EQ(mroce_timerq_next(&q), 5);
}

TEST(timerq_arm__again_later)
{
	struct mroce_timerq q = {};
	struct alarm a = {}, b = {};

	mroce_timer_arm(&q, &a.t, 5);
	mroce_timer_arm(&q, &b.t, 20);
	mroce_timer_arm(&q, &a.t, 30);
	CHECK_EQ(mroce_timerq_next(&q), 20);
}

TEST(timerq_arm__same_time_stays)
{
	struct mroce_timerq q = {};
	struct alarm a = {};

	mroce_timer_arm(&q, &a.t, 5);
	mroce_timer_arm(&q, &a.t, 5);
	CHECK(a.t.armed);
	CHECK_EQ(mroce_timerq_next(&q), 5);
	mroce_timer_cancel(&q, &a.t);
	CHECK_EQ(mroce_timerq_next(&q), ~0ULL);
}

TEST(timerq_cancel__not_armed_is_harmless)
{
	struct mroce_timerq q = {};
	struct alarm a = {};

	mroce_timer_cancel(&q, &a.t);
	CHECK_EQ(mroce_timerq_next(&q), ~0ULL);
}

TEST(timerq_cancel__root_with_children)
{
	struct mroce_timerq q = {};
	struct alarm a[5] = {};
	int i;

	for (i = 0; i < 5; i++)
		mroce_timer_arm(&q, &a[i].t, 10 + i);
	mroce_timer_cancel(&q, &a[0].t);
	CHECK(!a[0].t.armed);
	CHECK_EQ(mroce_timerq_next(&q), 11);
}

TEST(timerq_cancel__middle_of_siblings)
{
	struct mroce_timerq q = {};
	struct alarm a[5] = {};
	int i;

	last_expiry = 0;
	for (i = 0; i < 5; i++) {
		a[i].t.fn = ring;
		mroce_timer_arm(&q, &a[i].t, 10 + i);
	}
	mroce_timer_cancel(&q, &a[2].t);
	mroce_timerq_run(&q, 100);
	for (i = 0; i < 5; i++)
		CHECK_EQ(a[i].rings, i != 2);
}

TEST(timerq_run__only_what_is_due)
{
	struct mroce_timerq q = {};
	struct alarm a[4] = {};
	int i;

	last_expiry = 0;
	for (i = 0; i < 4; i++) {
		a[i].t.fn = ring;
		mroce_timer_arm(&q, &a[i].t, 10 * i);
	}
	mroce_timerq_run(&q, 20);
	CHECK(a[0].rings && a[1].rings && a[2].rings && !a[3].rings);
	CHECK_EQ(mroce_timerq_next(&q), 30);
}

TEST(timerq_run__rearmed_for_now_waits_for_the_next_run)
{
	struct mroce_timerq q = {};
	struct alarm a = { .t.fn = again };

	queue = &q;
	last_expiry = 0;
	mroce_timer_arm(&q, &a.t, 5);
	mroce_timerq_run(&q, 7);
	CHECK_EQ(a.rings, 1);
	CHECK_EQ(mroce_timerq_next(&q), 8);
	mroce_timerq_run(&q, 8);
	CHECK_EQ(a.rings, 2);
}

static struct alarm *victim;

static void cancel_other(struct mroce_timer *t, u64 now)
{
	mroce_timer_cancel(queue, &victim->t);
}

TEST(timerq_run__a_timer_may_cancel_another)
{
	struct mroce_timerq q = {};
	struct alarm a = { .t.fn = cancel_other }, b = { .t.fn = ring };

	queue = &q;
	victim = &b;
	mroce_timer_arm(&q, &a.t, 5);
	mroce_timer_arm(&q, &b.t, 6);
	mroce_timerq_run(&q, 10);
	CHECK_EQ(b.rings, 0);
}

/* Against the obvious implementation. */
TEST(timerq_run__random_against_a_model)
{
	static struct alarm a[N];
	struct mroce_timerq q = {};
	struct rng r = { .state = test_seed() };
	u64 due[N], now = 0;
	int i, k;

	memset(a, 0, sizeof(a));
	for (i = 0; i < N; i++) {
		a[i].t.fn = ring;
		due[i] = ~0ULL;
	}
	for (k = 0; k < 20000; k++) {
		u64 least = ~0ULL;

		i = rng_below(&r, N);
		switch (rng_below(&r, 4)) {
		case 0:
		case 1:
			due[i] = now + 1 + rng_below(&r, 1000);
			mroce_timer_arm(&q, &a[i].t, due[i]);
			break;
		case 2:
			due[i] = ~0ULL;
			mroce_timer_cancel(&q, &a[i].t);
			break;
		case 3:
			last_expiry = 0;
			now += rng_below(&r, 50);
			for (i = 0; i < N; i++)
				a[i].rings = 0;
			mroce_timerq_run(&q, now);
			for (i = 0; i < N; i++) {
				CHECK_EQ(a[i].rings, due[i] <= now);
				if (due[i] <= now)
					due[i] = ~0ULL;
			}
			break;
		}
		for (i = 0; i < N; i++)
			least = min(least, due[i]);
		CHECK_EQ(mroce_timerq_next(&q), least);
	}
}
