/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the test world needs from where it runs: memory, and a way to end a failing test. In the
 * kernel that is KUnit (suite.c), in user space tests/unit/harness.
 */
#ifndef MROCE_KUNIT_OS_H
#define MROCE_KUNIT_OS_H

#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/list.h>
#include <linux/compiler.h>

#ifdef __KERNEL__
#include <linux/slab.h>
#include <linux/mm.h>
#include <linux/math64.h>
#include <linux/log2.h>
#include <linux/bitops.h>

static inline void *os_alloc(size_t size)
{
	return kvzalloc(size, GFP_KERNEL | __GFP_NOFAIL);
}

static inline void os_free(void *p)
{
	kvfree(p);
}
#else
#include <stdlib.h>

static inline void *os_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

static inline void os_free(void *p)
{
	free(p);
}
#endif

/** check_failed() - the running test has failed and ends here: it does not return */
void __noreturn check_failed(const char *file, int line, const char *what, u64 a, u64 b);

#define CHECK(cond)									\
	do {										\
		if (unlikely(!(cond)))							\
			check_failed(__FILE__, __LINE__, #cond, 0, 0);			\
	} while (0)

#define CHECK_OP(a, op, b)								\
	do {										\
		u64 check_a = (u64)(a), check_b = (u64)(b);				\
											\
		if (unlikely(!(check_a op check_b)))					\
			check_failed(__FILE__, __LINE__, #a " " #op " " #b, check_a, check_b); \
	} while (0)

#define CHECK_EQ(a, b)	CHECK_OP(a, ==, b)
#define CHECK_LE(a, b)	CHECK_OP(a, <=, b)
#define CHECK_GE(a, b)	CHECK_OP(a, >=, b)
#define CHECK_LT(a, b)	CHECK_OP(a, <, b)
#define CHECK_GT(a, b)	CHECK_OP(a, >, b)
#define CHECK_NE(a, b)	CHECK_OP(a, !=, b)

#endif /* MROCE_KUNIT_OS_H */
