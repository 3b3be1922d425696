// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles. The kernel resolves and keeps the address; UD send requests name it by its number.
 */
#include "metaroce.h"

#include <stdlib.h>

struct ibv_ah *mroce_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct umroce_create_ah_resp resp = {};
	struct mroce_ah *ah = calloc(1, sizeof(*ah));
	int err;

	if (!ah)
		return NULL;

	err = ibv_cmd_create_ah(pd, &ah->ibv_ah, attr, &resp.ibv_resp, sizeof(resp));
	if (err) {
		free(ah);
		errno = err;
		return NULL;
	}
	ah->num = resp.drv_payload.ah_num;
	return &ah->ibv_ah;
}

int mroce_destroy_ah(struct ibv_ah *ibah)
{
	int err = mroce_destroyed(ibv_cmd_destroy_ah(ibah));

	if (!err)
		free(to_mah(ibah));
	return err;
}
