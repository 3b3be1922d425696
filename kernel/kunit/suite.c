// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The KUnit module: runs the shared cases (cases.c) in the real kernel, one KUnit case for each.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sched.h>
#include "world.h"

#define CASES_MAX	64

static struct kunit_case cases[CASES_MAX + 1];

void check_failed(const char *file, int line, const char *what, u64 a, u64 b)
{
	const char *base = strrchr(file, '/');
	struct kunit *test = current->kunit_test;

	kunit_err(test, "%s:%d: %s (%lld, %lld)", base ? base + 1 : file, line, what, a, b);
	KUNIT_FAIL(test, "check failed");
	kunit_try_catch_throw(&test->try_catch);
}

static struct kunit_suite suite = {
	.name = "metaroce-transport",
	.test_cases = cases,
};

kunit_test_suite(suite);

/* KUnit looks at the suite when this has returned. */
static int __init cases_init(void)
{
	unsigned int i;

	if (shared_cases_n > CASES_MAX)
		return -E2BIG;
	for (i = 0; i < shared_cases_n; i++) {
		cases[i].name = shared_cases[i].name;
		cases[i].run_case = shared_cases[i].run;
	}
	return 0;
}

static void __exit cases_exit(void)
{
}

module_init(cases_init);
module_exit(cases_exit);

MODULE_DESCRIPTION("Tests of the MetaRoCE transport core");
MODULE_LICENSE("Dual BSD/GPL");
