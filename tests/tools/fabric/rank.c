// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* One rank from its set-up to its end; and the process that executes the events. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fabric.h"

/* Starts what is due; returns when the next is, or the limit. */
static double start_due(void)
{
	double next = opt.limit;
	struct flow *f;

	for_my_flows (f) {
		if (f->rank[FROM] != me || f->first)
			continue;
		if (f->begin <= now())
			start_flow(f);
		else if (f->begin < next)
			next = f->begin;
	}
	return next;
}

/* Nothing more comes or goes. */
static bool finished(void)
{
	struct flow *f;

	for_my_flows (f) {
		if (!f->ended ||
		    (f->op == SEND && !f->status && f->rank[TO] == me && f->received < f->done))
			return false;
	}
	return true;
}

/* When a run does not come to its end, what is open is said, and the figures so far are shown. */
static void stalled(void)
{
	struct flow *f;

	for_my_flows (f) {
		if (f->rank[FROM] == me && !f->ended)
			printf("error rank=%u peer=%u status='stalled' posted=%llu done=%llu last=%.6f\n",
			       me, f->rank[TO], (unsigned long long)f->posted,
			       (unsigned long long)f->done, f->last);
	}
	fflush(stdout);
	exit(3);
}

static void run(void)
{
	double next = start_due();
	struct ibv_wc wc;

	while (!finished()) {
		while (poll_one(&wc))
			completed(&wc);
		if (finished())
			break;
		if (now() >= next)
			next = start_due();
		if (now() >= opt.limit)
			stalled();
		await(next);
	}
}

/* LAST: what is to be done when all are connected */
static void start_together(void (*last)(void))
{
	pthread_barrier_wait(&sh->barrier);
	usleep(opt.settle * 1e6);
	if (last)
		last();
	if (pthread_barrier_wait(&sh->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		sh->start = clock_now();
	pthread_barrier_wait(&sh->barrier);
}

void run_rank(void)
{
	open_device(&sh->ranks[me]);
	make_qps();
	make_traffic();
	pthread_barrier_wait(&sh->barrier);
	connect_qps();
	start_together(limit_paths);
	run();
	if (opt.verbose)
		count_paths();
	pthread_barrier_wait(&sh->barrier);
	check_traffic();
	exit(0);
}

void run_events(void)
{
	unsigned int i;

	me = nranks;
	pthread_barrier_wait(&sh->barrier);
	start_together(NULL);
	for (i = 0; i < nevents; i++) {
		sleep_until(events[i].at);
		if (system(events[i].cmd))
			wrong("event failed: %s", events[i].cmd);
		printf("event at=%.6f command='%s'\n", now(), events[i].cmd);
		fflush(stdout);
	}
	pthread_barrier_wait(&sh->barrier);
	exit(0);
}
