/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The uverbs commands of the provider: each core command of libibverbs with what our driver adds to it,
 * as the kernel/user ABI defines.
 */
#ifndef METAROCE_PROVIDER_ABI_H
#define METAROCE_PROVIDER_ABI_H

#include "compat/rdma-core.h"
#include <rdma/metaroce-abi.h>
#if __has_include(<kernel-abi/metaroce-abi.h>)
#include <kernel-abi/metaroce-abi.h>
#endif

DECLARE_DRV_CMD(umroce_alloc_ucontext, IB_USER_VERBS_CMD_GET_CONTEXT,
		mroce_alloc_ucontext_req, mroce_alloc_ucontext_resp);
DECLARE_DRV_CMD(umroce_create_cq, IB_USER_VERBS_CMD_CREATE_CQ, empty, mroce_create_cq_resp);
DECLARE_DRV_CMD(umroce_create_cq_ex, IB_USER_VERBS_EX_CMD_CREATE_CQ, empty, mroce_create_cq_resp);
DECLARE_DRV_CMD(umroce_resize_cq, IB_USER_VERBS_CMD_RESIZE_CQ, empty, mroce_resize_cq_resp);
DECLARE_DRV_CMD(umroce_create_qp, IB_USER_VERBS_CMD_CREATE_QP, empty, mroce_create_qp_resp);
DECLARE_DRV_CMD(umroce_create_srq, IB_USER_VERBS_CMD_CREATE_SRQ, empty, mroce_create_srq_resp);
DECLARE_DRV_CMD(umroce_create_ah, IB_USER_VERBS_CMD_CREATE_AH, empty, mroce_create_ah_resp);

#endif /* METAROCE_PROVIDER_ABI_H */
