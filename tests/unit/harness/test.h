/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The frame of the unit tests: each TEST is registered by itself and runs until it returns or a CHECK fails. One line
 * of TAP per test. A test that needs chance takes its seed from test_seed(), which --seed overrides.
 */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include "world.h"

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

void test_register(struct test *t);

/* TEST(function__case) { ... } */
#define TEST(id)									\
	static void id(void);								\
	static struct test test_##id = { .name = #id, .run = id };			\
	static void __attribute__((constructor)) register_##id(void)			\
	{										\
		test_register(&test_##id);						\
	}										\
	static void id(void)

/** test_seed() - of the running test: of its name, or --seed */
u64 test_seed(void);
/** test_seed_now() - the seed that a failure should name from now on */
void test_seed_now(u64 seed);
/** test_schedules() - how many schedules to play in all; 1 with --seed */
u32 test_schedules(void);
/** test_note() - a comment in the output */
void test_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** test_skip() - the running test cannot run here */
void test_skip(const char *why) __attribute__((noreturn));

#endif /* TESTS_UNIT_TEST_H */
