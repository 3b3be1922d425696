/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Powers of two under the kernel's names. */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

#include <linux/bitops.h>

#define ilog2(n)		(fls64(n) - 1)
#define is_power_of_2(n)	({ u64 n_ = (n); n_ && !(n_ & (n_ - 1)); })
#define rounddown_pow_of_two(n)	((__typeof__(n))(1ULL << ilog2(n)))
#define roundup_pow_of_two(n)	((__typeof__(n))((n) <= 1 ? 1 : 1ULL << fls64((n) - 1)))

#endif /* SHIM_LINUX_LOG2_H */
