/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Compiler attributes and access macros under the kernel's names. */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ volatile("" : : : "memory")
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define fallthrough		__attribute__((__fallthrough__))

#ifndef __must_check
#define __must_check		__attribute__((__warn_unused_result__))
#endif
#ifndef __packed
#define __packed		__attribute__((__packed__))
#endif
#ifndef __aligned
#define __aligned(n)		__attribute__((__aligned__(n)))
#endif
#ifndef __maybe_unused
#define __maybe_unused		__attribute__((__unused__))
#endif
#ifndef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#endif
#ifndef __noreturn
#define __noreturn		__attribute__((__noreturn__))
#endif
#ifndef noinline
#define noinline		__attribute__((__noinline__))
#endif
#define __must_hold(x)
#define __acquires(x)
#define __releases(x)

#endif /* SHIM_LINUX_COMPILER_H */
