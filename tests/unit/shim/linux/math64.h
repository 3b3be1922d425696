/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* 64-bit division under the kernel's names. */
#ifndef SHIM_LINUX_MATH64_H
#define SHIM_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 a, u32 b) { return a / b; }
static inline u64 div64_u64(u64 a, u64 b) { return a / b; }
#define DIV64_U64_ROUND_UP(a, b)	(((a) + (b) - 1) / (b))
static inline s64 div_s64(s64 a, s32 b) { return a / b; }
static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int s) { return (u64)((unsigned __int128)a * b >> s); }

#endif /* SHIM_LINUX_MATH64_H */
