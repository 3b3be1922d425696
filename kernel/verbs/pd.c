// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains: nothing but an identity, which regions, windows, address handles and QPs have
 * in common or not.
 */
#include "verbs.h"

int mroce_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

int mroce_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}
