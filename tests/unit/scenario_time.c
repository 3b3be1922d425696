// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How long things take, in virtual time: each test has a most that it may take. A change that makes recovery slower
 * fails here.
 */
#include "lab.h"

#define GBIT10	819	/* ns per 1024 bytes at 10 Gb/s */

/* @n Writes of @len, all posted at once, over 10 Gb/s and @rtt; the best and worst of five seeds in us. */
static void bulk(struct wlink link, u64 rtt, u32 npaths, u32 n, u32 len, u64 *best, u64 *worst)
{
	u32 s, i;

	*best = ~0ULL;
	*worst = 0;
	link.delay = rtt / 2;
	link.ns_per_kb = GBIT10;
	for (s = 0; s < 5; s++) {
		struct world *w = world_new(&(struct world_cfg){ .npaths = npaths, .payload = 1408, .psn_window = 1024,
								 .msn_window = 1024, .link = link }, s + 1);
		struct wqp *a, *b;
		struct wmr *mr;
		u64 took;

		w->phantom = true;
		qp_pair(w, 0, 1, &a, &b);
		mr = mr_new(b->h, len, MROCE_ACC_WRITE, true);
		world_until(w, a->s.opened && b->s.opened, 5 * SEC);
		/* The window has opened: what is timed is the steady state. */
		for (i = 0; i < 30; i++)
			post_write(a, mr, 0, len, 0);
		world_settle(w, 10 * SEC);
		for (i = 0; i < n; i++)
			post_write(a, mr, 0, len, 0);
		took = world_settle(w, 10 * SEC) / US;
		*best = min(*best, took);
		*worst = max(*worst, took);
		world_end(w);
	}
}

static void bulk_within(const char *what, struct wlink link, u64 rtt, u32 npaths, u64 most)
{
	u32 n = 100, len = 65536;
	/* 64 bytes of header and 42 of UDP, IP and Ethernet with each 1408. */
	u64 ideal = (u64)n * len * 1514 / 1408 * GBIT10 / 1024 / US;
	u64 best, worst;

	bulk(link, rtt, npaths, n, len, &best, &worst);
	test_note("%s: %llu to %llu us, at line rate %llu", what, best, worst, ideal);
	CHECK_LE(worst, ideal * most / 100);
}

TEST(time__bulk_clean)
{
	bulk_within("clean, 4 paths", (struct wlink){ 0 }, 10 * US, 4, 112);
	bulk_within("clean, 16 paths", (struct wlink){ 0 }, 10 * US, 16, 112);
}

TEST(time__bulk_one_percent_loss)
{
	bulk_within("1 % loss, 4 paths", (struct wlink){ .loss = 10000 }, 10 * US, 4, 130);
	bulk_within("1 % loss, 16 paths", (struct wlink){ .loss = 10000 }, 10 * US, 16, 130);
}

TEST(time__bulk_ten_percent_loss)
{
	bulk_within("10 % loss, 4 paths", (struct wlink){ .loss = 100000 }, 10 * US, 4, 250);
}

TEST(time__bulk_one_percent_loss_over_a_millisecond)
{
	bulk_within("1 % loss, 1 ms", (struct wlink){ .loss = 10000 }, MS, 16, 250);
}

/* One message after the other: a loss costs its repair and no more. */
static u64 rpc(u32 loss, u64 *p99)
{
	enum { N = 2000 };
	static u64 took[N];
	struct world *w = world_new(&(struct world_cfg){ .npaths = 4, .link = { .loss = loss } }, 1);
	struct wqp *a, *b;
	u32 i, k;

	qp_pair(w, 0, 1, &a, &b);
	world_until(w, a->s.opened && b->s.opened, 5 * SEC);
	for (i = 0; i < N; i++) {
		post_recvs(b, 1, 64);
		post_recvs(a, 1, 64);
		took[i] = w->now;
		post_send(a, 64, 0);
		world_until(w, b->received == i + 1, SEC);
		post_send(b, 64, 0);
		world_until(w, a->received == i + 1, SEC);
		took[i] = w->now - took[i];
		for (k = i; k && took[k] < took[k - 1]; k--)
			swap(took[k], took[k - 1]);
	}
	*p99 = took[N * 99 / 100];
	world_end(w);
	return took[N / 2];
}

TEST(time__small_messages_clean)
{
	u64 p99, p50 = rpc(0, &p99);

	test_note("64-byte call and answer over 10 us: %llu ns, 99 %%: %llu", p50, p99);
	CHECK_LE(p50, 10 * US + 100);
	CHECK_LE(p99, 10 * US + 100);
}

TEST(time__small_messages_with_loss)
{
	u64 p99, p50 = rpc(10000, &p99);

	test_note("64-byte call and answer over 10 us at 1 %% loss: %llu ns, 99 %%: %llu", p50, p99);
	CHECK_LE(p50, 10 * US + 100);
	CHECK_LE(p99, 200 * US);
}

TEST(time__set_up)
{
	struct world *w = world_new(NULL, 1);
	struct wqp *a, *b;
	u64 start = w->now;

	qp_pair(w, 0, 1, &a, &b);
	post_recvs(b, 1, 64);
	post_send(a, 64, 0);
	world_settle(w, SEC);
	/* CONNECT, ACCEPT; OPEN, OPENED; the message and its ACK: three round trips of 10 us. */
	CHECK_LE(w->now - start, 35 * US);
	world_end(w);
}
