// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The KUnit module: runs the shared cases of the transport core in the real kernel.
 */
#ifdef __KERNEL__
#include <kunit/test.h>
#include <linux/module.h>
#include "world.h"

static struct kunit *running;

void check_failed(const char *file, int line, const char *what, u64 a, u64 b)
{
	const char *base = strrchr(file, '/');

	kunit_err(running, "%s:%d: %s (%lld, %lld)", base ? base + 1 : file, line, what, a, b);
	KUNIT_FAIL(running, "check failed");
	kunit_try_catch_throw(&running->try_catch);
}

static void case_desc(const struct shared_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

static const void *case_next(const void *prev, char *desc)
{
	const struct shared_case *c = prev ? (const struct shared_case *)prev + 1 : shared_cases;

	if (c == shared_cases + shared_cases_n)
		return NULL;
	case_desc(c, desc);
	return c;
}

static void core(struct kunit *test)
{
	const struct shared_case *c = test->param_value;

	running = test;
	c->run();
	running = NULL;
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(core, case_next),
	{}
};

static struct kunit_suite suite = {
	.name = "metaroce-transport",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Tests of the MetaRoCE transport core");
MODULE_LICENSE("Dual BSD/GPL");
#endif
