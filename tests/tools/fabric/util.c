// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The clock, and the ways out. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fabric.h"

const char *const op_names[] = { [WRITE] = "write", [SEND] = "send", [READ] = "read" };
const char *const kind_names[] = { [BULK] = "bulk", [RPC] = "rpc", [RING] = "ring" };

static void say(const char *fmt, va_list ap)
{
	fprintf(stderr, "rdma_fabric: ");
	if (sh && me < nranks)
		fprintf(stderr, "%s: ", sh->ranks[me].dev);
	vfprintf(stderr, fmt, ap);
}

/* With what errno says */
void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(err));
	exit(1);
}

void wrong(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	fputs("\n", stderr);
	exit(1);
}

double clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Seconds since the common start */
double now(void)
{
	return clock_now() - sh->start;
}

void sleep_until(double at)
{
	double left = at - now();

	if (left > 0)
		usleep(left * 1e6);
}
