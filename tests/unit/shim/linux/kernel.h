/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The helpers that the kernel's <linux/kernel.h> brings along, own versions. */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/byteorder.h>
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/math64.h>

#define U8_MAX			((u8)~0U)
#define U16_MAX			((u16)~0U)
#define U32_MAX			((u32)~0U)
#define U64_MAX			((u64)~0ULL)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ALIGN(x, a)		(((x) + (a) - 1) / (a) * (a))
#define round_up(x, a)		ALIGN(x, a)
#define round_down(x, a)	((x) / (a) * (a))

/* Both sides must have one type, as in the kernel. */
#define SHIM_PICK(a, b, op)	({				\
	__typeof__(a) a_ = (a);					\
	__typeof__(b) b_ = (b);					\
	(void)(&a_ == &b_);					\
	a_ op b_ ? a_ : b_; })
#define min(a, b)		SHIM_PICK(a, b, <)
#define max(a, b)		SHIM_PICK(a, b, >)
#define min3(a, b, c)		min((__typeof__(a))min(a, b), c)
#define max3(a, b, c)		max((__typeof__(a))max(a, b), c)
#define min_t(t, a, b)		({ t c_ = (a), d_ = (b); c_ < d_ ? c_ : d_; })
#define max_t(t, a, b)		({ t c_ = (a), d_ = (b); c_ > d_ ? c_ : d_; })
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)
#define swap(a, b)		do { __typeof__(a) t_ = (a); (a) = (b); (b) = t_; } while (0)

#ifndef container_of
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#endif

#endif /* SHIM_LINUX_KERNEL_H */
