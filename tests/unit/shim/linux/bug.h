/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the kernel reports, a test ends on. */
#ifndef SHIM_LINUX_BUG_H
#define SHIM_LINUX_BUG_H

#include <stdio.h>
#include <stdlib.h>

#define BUG()									\
	do {									\
		fprintf(stderr, "BUG at %s:%d\n", __FILE__, __LINE__);		\
		abort();							\
	} while (0)
#define BUG_ON(c)		do { if (c) BUG(); } while (0)
#define WARN_ON(c)		({ bool c_ = !!(c); if (c_) BUG(); c_; })
#define WARN_ON_ONCE(c)		WARN_ON(c)
#define WARN(c, ...)		WARN_ON(c)
#define WARN_ONCE(c, ...)	WARN_ON(c)

#define BUILD_BUG_ON(c)		_Static_assert(!(c), "BUILD_BUG_ON: " #c)
#ifndef static_assert
#define static_assert(c, ...)	_Static_assert(c, "" #c)
#endif

#endif /* SHIM_LINUX_BUG_H */
