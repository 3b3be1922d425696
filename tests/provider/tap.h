/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The frame of a test program: tests are functions named subject__case, run one after the other, reported
 * as TAP. A failed CHECK ends its test and says where.
 */
#ifndef METAROCE_TESTS_PROVIDER_TAP_H
#define METAROCE_TESTS_PROVIDER_TAP_H

#include <stdio.h>

struct tap_case {
	const char *name;
	void (*run)(void);
};

#define TAP_CASE(fn)	{ #fn, fn }

static int tap_failed;

#define CHECK(cond)									\
	do {										\
		if (!(cond)) {								\
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);		\
			tap_failed = 1;							\
			return;								\
		}									\
	} while (0)

/* Calls a helper that CHECKs, and ends the test with it. */
#define CALL(expr)			\
	do {				\
		expr;			\
		if (tap_failed)		\
			return;		\
	} while (0)

static inline int tap_run(const struct tap_case *cases, int n)
{
	int i, failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < n; i++) {
		tap_failed = 0;
		cases[i].run();
		failures += tap_failed;
		printf("%sok %d - %s\n", tap_failed ? "not " : "", i + 1, cases[i].name);
	}
	printf("1..%d\n", n);
	return failures != 0;
}

#define TAP_MAIN(cases)								\
	int main(void)								\
	{									\
		return tap_run(cases, sizeof(cases) / sizeof((cases)[0]));	\
	}

#endif /* METAROCE_TESTS_PROVIDER_TAP_H */
