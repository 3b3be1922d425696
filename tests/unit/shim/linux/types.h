/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User-space stand-in for the kernel's <linux/types.h>: the integer types and the attributes that the transport
 * core uses. It shadows the C library's header of that name, so it must come first in the include path.
 */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char		u8;
typedef unsigned short		u16;
typedef unsigned int		u32;
typedef unsigned long long	u64;
typedef signed char		s8;
typedef short			s16;
typedef int			s32;
typedef long long		s64;

typedef unsigned long		uintptr_t;

typedef u8	__u8;
typedef u16	__u16;
typedef u32	__u32;
typedef u64	__u64;
typedef s8	__s8;
typedef s16	__s16;
typedef s32	__s32;
typedef s64	__s64;

#define __bitwise
#define __force

typedef u16	__le16;
typedef u16	__be16;
typedef u32	__le32;
typedef u32	__be32;
typedef u64	__le64;
typedef u64	__be64;

struct list_head {
	struct list_head *next, *prev;
};

#endif /* SHIM_LINUX_TYPES_H */
