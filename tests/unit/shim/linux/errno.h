/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The C library's <errno.h> asks for this header by name and wants the numbers from it. */
#ifndef SHIM_LINUX_ERRNO_H
#define SHIM_LINUX_ERRNO_H

#include <asm/errno.h>

#endif /* SHIM_LINUX_ERRNO_H */
