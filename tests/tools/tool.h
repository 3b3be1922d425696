/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What small programs share: the way out with a reason, and the clock. Wants _GNU_SOURCE. */
#ifndef TOOL_H
#define TOOL_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With what errno says, if anything */
__attribute__((noreturn, format(printf, 1, 2)))
static inline void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "%s%s\n", err ? ": " : "", err ? strerror(err) : "");
	va_end(ap);
	exit(1);
}

/* As die(), when errno says nothing */
#define wrong(...) do { errno = 0; die(__VA_ARGS__); } while (0)

/* Seconds of CLOCK_MONOTONIC, the simulated one in simulated time */
static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

#endif /* TOOL_H */
