/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The command structures of libibverbs: a header that the library fills, then the request of the kernel's
 * own ib_user_verbs.h, then what the driver adds. Beside each struct stand the typedefs and the alignment
 * through which DECLARE_DRV_CMD finds them by the number of the command.
 *
 * Included by rdma-core.h only, when the real infiniband/kern-abi.h is not there.
 */
#ifndef METAROCE_COMPAT_KERN_ABI_H
#define METAROCE_COMPAT_KERN_ABI_H

#include <rdma/ib_user_verbs.h>

/* The core structs end in a flexible array, and the driver's part lies behind it by design. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"
#endif

struct ex_hdr {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex_hdr;
};

struct empty {
};

#define MROCE_COMPAT_CMD(cmd, name, hdr_type, req, resp, align)	\
	struct name {							\
		hdr_type hdr;						\
		struct req core_payload;				\
	};								\
	typedef struct name mroce_req_##cmd;				\
	typedef struct resp mroce_resp_##cmd;				\
	enum { mroce_align_##cmd = (align) }

#define MROCE_COMPAT_WRITE(op, name, req, resp) \
	MROCE_COMPAT_CMD(IB_USER_VERBS_CMD_##op, name, struct ib_uverbs_cmd_hdr, req, resp, 4)
#define MROCE_COMPAT_EX(op, name, req, resp) \
	MROCE_COMPAT_CMD(IB_USER_VERBS_EX_CMD_##op, name, struct ex_hdr, req, resp, 8)

MROCE_COMPAT_WRITE(GET_CONTEXT, ibv_get_context, ib_uverbs_get_context, ib_uverbs_get_context_resp);
MROCE_COMPAT_WRITE(QUERY_DEVICE, ibv_query_device, ib_uverbs_query_device,
	ib_uverbs_query_device_resp);
MROCE_COMPAT_WRITE(QUERY_PORT, ibv_query_port, ib_uverbs_query_port, ib_uverbs_query_port_resp);
MROCE_COMPAT_WRITE(ALLOC_PD, ibv_alloc_pd, ib_uverbs_alloc_pd, ib_uverbs_alloc_pd_resp);
MROCE_COMPAT_WRITE(CREATE_AH, ibv_create_ah, ib_uverbs_create_ah, ib_uverbs_create_ah_resp);
MROCE_COMPAT_WRITE(REG_MR, ibv_reg_mr, ib_uverbs_reg_mr, ib_uverbs_reg_mr_resp);
MROCE_COMPAT_WRITE(REREG_MR, ibv_rereg_mr, ib_uverbs_rereg_mr, ib_uverbs_rereg_mr_resp);
MROCE_COMPAT_WRITE(ALLOC_MW, ibv_alloc_mw, ib_uverbs_alloc_mw, ib_uverbs_alloc_mw_resp);
MROCE_COMPAT_WRITE(CREATE_CQ, ibv_create_cq, ib_uverbs_create_cq, ib_uverbs_create_cq_resp);
MROCE_COMPAT_WRITE(RESIZE_CQ, ibv_resize_cq, ib_uverbs_resize_cq, ib_uverbs_resize_cq_resp);
MROCE_COMPAT_WRITE(CREATE_QP, ibv_create_qp, ib_uverbs_create_qp, ib_uverbs_create_qp_resp);
MROCE_COMPAT_WRITE(QUERY_QP, ibv_query_qp, ib_uverbs_query_qp, ib_uverbs_query_qp_resp);
MROCE_COMPAT_WRITE(MODIFY_QP, ibv_modify_qp, ib_uverbs_modify_qp, empty);
MROCE_COMPAT_WRITE(POST_SEND, ibv_post_send, ib_uverbs_post_send, ib_uverbs_post_send_resp);
MROCE_COMPAT_WRITE(POST_RECV, ibv_post_recv, ib_uverbs_post_recv, ib_uverbs_post_recv_resp);
MROCE_COMPAT_WRITE(CREATE_SRQ, ibv_create_srq, ib_uverbs_create_srq, ib_uverbs_create_srq_resp);
MROCE_COMPAT_WRITE(MODIFY_SRQ, ibv_modify_srq, ib_uverbs_modify_srq, empty);
MROCE_COMPAT_WRITE(QUERY_SRQ, ibv_query_srq, ib_uverbs_query_srq, ib_uverbs_query_srq_resp);
MROCE_COMPAT_WRITE(POST_SRQ_RECV, ibv_post_srq_recv, ib_uverbs_post_srq_recv,
	ib_uverbs_post_srq_recv_resp);
MROCE_COMPAT_WRITE(CREATE_XSRQ, ibv_create_xsrq, ib_uverbs_create_xsrq, ib_uverbs_create_srq_resp);
MROCE_COMPAT_EX(QUERY_DEVICE, ibv_query_device_ex, ib_uverbs_ex_query_device,
	ib_uverbs_ex_query_device_resp);
MROCE_COMPAT_EX(CREATE_CQ, ibv_create_cq_ex, ib_uverbs_ex_create_cq, ib_uverbs_ex_create_cq_resp);
MROCE_COMPAT_EX(CREATE_QP, ibv_create_qp_ex, ib_uverbs_ex_create_qp, ib_uverbs_ex_create_qp_resp);
MROCE_COMPAT_EX(MODIFY_QP, ibv_modify_qp_ex, ib_uverbs_ex_modify_qp, ib_uverbs_ex_modify_qp_resp);
MROCE_COMPAT_EX(MODIFY_CQ, ibv_modify_cq, ib_uverbs_ex_modify_cq, empty);

#define DECLARE_DRV_CMD(name, cmd, drv_req, drv_resp)						\
	struct name {										\
		mroce_req_##cmd ibv_cmd;							\
		struct drv_req drv_payload;							\
	};											\
	struct name##_resp {									\
		mroce_resp_##cmd ibv_resp;							\
		struct drv_resp drv_payload;							\
	};											\
	_Static_assert(sizeof(struct name) ==							\
		       sizeof(mroce_req_##cmd) + sizeof(struct drv_req), #name " has padding");	\
	_Static_assert(sizeof(struct name##_resp) ==						\
		       sizeof(mroce_resp_##cmd) + sizeof(struct drv_resp), #name "_resp has padding");	\
	_Static_assert(sizeof(struct name) % mroce_align_##cmd == 0 &&				\
		       sizeof(struct name##_resp) % mroce_align_##cmd == 0, #name " is not whole words")

#endif /* METAROCE_COMPAT_KERN_ABI_H */
