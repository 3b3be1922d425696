/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Byte order under the kernel's names, and unaligned access. */
#ifndef SHIM_LINUX_BYTEORDER_H
#define SHIM_LINUX_BYTEORDER_H

#include <linux/types.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SHIM_BE(bits, x)	__builtin_bswap##bits(x)
#define SHIM_LE(bits, x)	(x)
#else
#define SHIM_BE(bits, x)	(x)
#define SHIM_LE(bits, x)	__builtin_bswap##bits(x)
#endif

#define SHIM_ORDER(bits)								\
static inline u##bits be##bits##_to_cpu(__be##bits x) { return SHIM_BE(bits, x); }	\
static inline u##bits le##bits##_to_cpu(__le##bits x) { return SHIM_LE(bits, x); }

SHIM_ORDER(16)
SHIM_ORDER(32)
SHIM_ORDER(64)

/* Usable in initialisers of static objects, hence macros. */
#define cpu_to_be16(x)		((__be16)SHIM_BE(16, (u16)(x)))
#define cpu_to_be32(x)		((__be32)SHIM_BE(32, (u32)(x)))
#define cpu_to_be64(x)		((__be64)SHIM_BE(64, (u64)(x)))
#define cpu_to_le16(x)		((__le16)SHIM_LE(16, (u16)(x)))
#define cpu_to_le32(x)		((__le32)SHIM_LE(32, (u32)(x)))
#define cpu_to_le64(x)		((__le64)SHIM_LE(64, (u64)(x)))

#define get_unaligned(p)	({ __typeof__(*(p)) v_; __builtin_memcpy(&v_, (p), sizeof(v_)); v_; })
#define put_unaligned(v, p)	do { __typeof__(*(p)) v_ = (v); __builtin_memcpy((p), &v_, sizeof(v_)); } while (0)

#endif /* SHIM_LINUX_BYTEORDER_H */
