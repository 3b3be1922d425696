/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Every layout that driver.h and kern-abi.h promise, asserted: struct offsets and sizes, the index of each
 * operation, the enums, and the sizes of the commands with their core request and response. A libibverbs-dev
 * of another release that moves one of them fails to compile here instead of at run time.
 *
 * Included by rdma-core.h only.
 */
#ifndef METAROCE_COMPAT_LAYOUT_H
#define METAROCE_COMPAT_LAYOUT_H

#define MROCE_OFF(type, field, off) \
	_Static_assert(offsetof(type, field) == (off), #type "." #field " is not at " #off)
#define MROCE_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type " is not " #size " bytes")
#define MROCE_OP(op, index) MROCE_OFF(struct verbs_context_ops, op, 8 * (index))
#define MROCE_ENUM(name, value) _Static_assert(name == (value), #name " is not " #value)

/* ---- objects ---- */

MROCE_OFF(struct list_node, next, 0);
MROCE_OFF(struct list_node, prev, 8);
MROCE_OFF(struct verbs_device_ops, name, 0);
MROCE_OFF(struct verbs_device_ops, match_min_abi_version, 8);
MROCE_OFF(struct verbs_device_ops, match_max_abi_version, 12);
MROCE_OFF(struct verbs_device_ops, match_table, 16);
MROCE_OFF(struct verbs_device_ops, static_providers, 24);
MROCE_OFF(struct verbs_device_ops, match_device, 32);
MROCE_OFF(struct verbs_device_ops, alloc_context, 40);
MROCE_OFF(struct verbs_device_ops, import_context, 48);
MROCE_OFF(struct verbs_device_ops, alloc_device, 56);
MROCE_OFF(struct verbs_device_ops, uninit_device, 64);
MROCE_OFF(struct verbs_match_ent, driver_data, 0);
MROCE_OFF(struct verbs_match_ent, u, 8);
MROCE_OFF(struct verbs_match_ent, vendor, 16);
MROCE_OFF(struct verbs_match_ent, device, 18);
MROCE_OFF(struct verbs_match_ent, kind, 20);
MROCE_OFF(struct verbs_sysfs_dev, entry, 0);
MROCE_OFF(struct verbs_sysfs_dev, provider_data, 16);
MROCE_OFF(struct verbs_sysfs_dev, match, 24);
MROCE_OFF(struct verbs_sysfs_dev, flags, 32);
MROCE_OFF(struct verbs_sysfs_dev, sysfs_name, 36);
MROCE_OFF(struct verbs_sysfs_dev, sysfs_cdev, 104);
MROCE_OFF(struct verbs_sysfs_dev, ibdev_name, 112);
MROCE_OFF(struct verbs_sysfs_dev, ibdev_path, 176);
MROCE_OFF(struct verbs_sysfs_dev, modalias, 432);
MROCE_OFF(struct verbs_sysfs_dev, node_guid, 944);
MROCE_OFF(struct verbs_sysfs_dev, driver_id, 952);
MROCE_OFF(struct verbs_sysfs_dev, node_type, 956);
MROCE_OFF(struct verbs_sysfs_dev, ibdev_idx, 960);
MROCE_OFF(struct verbs_sysfs_dev, num_ports, 964);
MROCE_OFF(struct verbs_sysfs_dev, abi_ver, 968);
MROCE_OFF(struct verbs_sysfs_dev, time_created, 976);
MROCE_OFF(struct verbs_device, device, 0);
MROCE_OFF(struct verbs_device, ops, 664);
MROCE_OFF(struct verbs_device, refcount, 672);
MROCE_OFF(struct verbs_device, entry, 680);
MROCE_OFF(struct verbs_device, sysfs, 696);
MROCE_OFF(struct verbs_device, core_support, 704);
MROCE_OFF(struct verbs_xrcd, xrcd, 0);
MROCE_OFF(struct verbs_xrcd, comp_mask, 8);
MROCE_OFF(struct verbs_xrcd, handle, 12);
MROCE_OFF(struct verbs_srq, srq, 0);
MROCE_OFF(struct verbs_srq, srq_type, 128);
MROCE_OFF(struct verbs_srq, xrcd, 136);
MROCE_OFF(struct verbs_srq, cq, 144);
MROCE_OFF(struct verbs_srq, srq_num, 152);
MROCE_OFF(struct verbs_mr, ibv_mr, 0);
MROCE_OFF(struct verbs_mr, mr_type, 48);
MROCE_OFF(struct verbs_mr, access, 52);
MROCE_OFF(struct verbs_qp, comp_mask, 352);
MROCE_OFF(struct verbs_qp, xrcd, 360);
MROCE_OFF(struct verbs_counters, counters, 0);
MROCE_OFF(struct verbs_counters, handle, 8);
MROCE_OFF(struct verbs_dm, dm, 0);
MROCE_OFF(struct verbs_dm, handle, 32);
MROCE_OFF(struct ibv_command_buffer, next, 0);
MROCE_OFF(struct ibv_command_buffer, next_attr, 8);
MROCE_OFF(struct ibv_command_buffer, last_attr, 16);
MROCE_OFF(struct ibv_command_buffer, uhw_in_idx, 24);
MROCE_OFF(struct ibv_command_buffer, uhw_out_idx, 25);
MROCE_OFF(struct ibv_command_buffer, uhw_in_headroom_dwords, 26);
MROCE_OFF(struct ibv_command_buffer, uhw_out_headroom_dwords, 27);
MROCE_OFF(struct ibv_command_buffer, hdr, 32);
MROCE_OFF(struct ex_hdr, hdr, 0);
MROCE_OFF(struct ex_hdr, ex_hdr, 8);
MROCE_SIZE(struct list_node, 16);
MROCE_SIZE(struct verbs_device_ops, 72);
MROCE_SIZE(struct verbs_match_ent, 24);
MROCE_SIZE(struct verbs_sysfs_dev, 992);
MROCE_SIZE(struct verbs_device, 712);
MROCE_SIZE(struct verbs_xrcd, 16);
MROCE_SIZE(struct verbs_srq, 160);
MROCE_SIZE(struct verbs_mr, 56);
MROCE_SIZE(struct verbs_qp, 368);
MROCE_SIZE(struct verbs_cq, 288);
MROCE_SIZE(struct verbs_counters, 16);
MROCE_SIZE(struct verbs_dm, 40);
MROCE_SIZE(struct ibv_command_buffer, 56);
MROCE_SIZE(struct ex_hdr, 24);
MROCE_SIZE(struct verbs_context, 648);
MROCE_OFF(struct verbs_context, priv, 208);
MROCE_OFF(struct verbs_context, query_device_ex, 216);
MROCE_OFF(struct verbs_context, create_qp_ex, 264);
MROCE_OFF(struct verbs_context, create_srq_ex, 280);
MROCE_OFF(struct verbs_context, sz, 312);
MROCE_OFF(struct verbs_context, context, 320);
MROCE_SIZE(struct ibv_context, 328);
MROCE_OFF(struct ibv_context, device, 0);
MROCE_OFF(struct ibv_context, ops, 8);
MROCE_SIZE(struct ibv_context_ops, 256);
MROCE_OFF(struct ibv_context, cmd_fd, 264);
MROCE_OFF(struct ibv_context, async_fd, 268);
MROCE_OFF(struct ibv_context, num_comp_vectors, 272);
MROCE_OFF(struct ibv_context, mutex, 280);
MROCE_OFF(struct ibv_context, abi_compat, 320);
MROCE_SIZE(struct ibv_device, 664);
MROCE_SIZE(struct ibv_qp, 160);
MROCE_SIZE(struct ibv_qp_ex, 352);
MROCE_SIZE(struct ibv_cq, 128);
MROCE_SIZE(struct ibv_cq_ex, 288);
MROCE_SIZE(struct ibv_srq, 128);
MROCE_SIZE(struct ibv_mr, 48);
MROCE_SIZE(struct ib_uverbs_ioctl_hdr, 24);
MROCE_SIZE(struct ib_uverbs_attr, 16);

/* ---- operations ---- */

MROCE_OP(advise_mr, 0);
MROCE_OP(alloc_dm, 1);
MROCE_OP(alloc_mw, 2);
MROCE_OP(alloc_null_mr, 3);
MROCE_OP(alloc_parent_domain, 4);
MROCE_OP(alloc_pd, 5);
MROCE_OP(alloc_td, 6);
MROCE_OP(async_event, 7);
MROCE_OP(attach_counters_point_flow, 8);
MROCE_OP(attach_mcast, 9);
MROCE_OP(bind_mw, 10);
MROCE_OP(close_xrcd, 11);
MROCE_OP(cq_event, 12);
MROCE_OP(create_ah, 13);
MROCE_OP(create_counters, 14);
MROCE_OP(create_cq, 15);
MROCE_OP(create_cq_ex, 16);
MROCE_OP(create_flow, 17);
MROCE_OP(create_flow_action_esp, 18);
MROCE_OP(create_qp, 19);
MROCE_OP(create_qp_ex, 20);
MROCE_OP(create_rwq_ind_table, 21);
MROCE_OP(create_srq, 22);
MROCE_OP(create_srq_ex, 23);
MROCE_OP(create_wq, 24);
MROCE_OP(dealloc_mw, 25);
MROCE_OP(dealloc_pd, 26);
MROCE_OP(dealloc_td, 27);
MROCE_OP(dereg_mr, 28);
MROCE_OP(destroy_ah, 29);
MROCE_OP(destroy_counters, 30);
MROCE_OP(destroy_cq, 31);
MROCE_OP(destroy_flow, 32);
MROCE_OP(destroy_flow_action, 33);
MROCE_OP(destroy_qp, 34);
MROCE_OP(destroy_rwq_ind_table, 35);
MROCE_OP(destroy_srq, 36);
MROCE_OP(destroy_wq, 37);
MROCE_OP(detach_mcast, 38);
MROCE_OP(free_context, 39);
MROCE_OP(free_dm, 40);
MROCE_OP(get_srq_num, 41);
MROCE_OP(import_dm, 42);
MROCE_OP(import_mr, 43);
MROCE_OP(import_pd, 44);
MROCE_OP(modify_cq, 45);
MROCE_OP(modify_flow_action_esp, 46);
MROCE_OP(modify_qp, 47);
MROCE_OP(modify_qp_rate_limit, 48);
MROCE_OP(modify_srq, 49);
MROCE_OP(modify_wq, 50);
MROCE_OP(open_qp, 51);
MROCE_OP(open_xrcd, 52);
MROCE_OP(poll_cq, 53);
MROCE_OP(post_recv, 54);
MROCE_OP(post_send, 55);
MROCE_OP(post_srq_ops, 56);
MROCE_OP(post_srq_recv, 57);
MROCE_OP(query_device_ex, 58);
MROCE_OP(query_ece, 59);
MROCE_OP(query_port, 60);
MROCE_OP(query_qp, 61);
MROCE_OP(query_qp_data_in_order, 62);
MROCE_OP(query_rt_values, 63);
MROCE_OP(query_srq, 64);
MROCE_OP(read_counters, 65);
MROCE_OP(reg_dm_mr, 66);
MROCE_OP(reg_dmabuf_mr, 67);
MROCE_OP(reg_mr, 68);
MROCE_OP(req_notify_cq, 69);
MROCE_OP(rereg_mr, 70);
MROCE_OP(resize_cq, 71);
MROCE_OP(set_ece, 72);
MROCE_OP(unimport_dm, 73);
MROCE_OP(unimport_mr, 74);
MROCE_OP(unimport_pd, 75);
MROCE_SIZE(struct verbs_context_ops, 608);

/* ---- enums ---- */

MROCE_ENUM(VERBS_MATCH_SENTINEL, 0);
MROCE_ENUM(VERBS_MATCH_PCI, 1);
MROCE_ENUM(VERBS_MATCH_MODALIAS, 2);
MROCE_ENUM(VERBS_MATCH_DRIVER_ID, 3);
MROCE_ENUM(VERBS_QP_XRCD, 1);
MROCE_ENUM(VERBS_QP_EX, 2);
MROCE_ENUM(VERBS_XRCD_HANDLE, 1);
MROCE_ENUM(IBV_MR_TYPE_MR, 0);
MROCE_ENUM(IBV_MR_TYPE_NULL_MR, 1);
MROCE_ENUM(IBV_MR_TYPE_IMPORTED_MR, 2);
MROCE_ENUM(IBV_MR_TYPE_DMABUF_MR, 3);
MROCE_ENUM(CREATE_CQ_CMD_FLAGS_TS_IGNORED_EX, 1);

/* ---- commands: number, header + request, core response ---- */

#define MROCE_CMD(cmd, value, name, total, core, resp)						\
	_Static_assert((cmd) == (value), #cmd " is not " #value);				\
	MROCE_SIZE(struct name, total);								\
	_Static_assert(sizeof(((struct name *)0)->core_payload) == (core), #name ".core_payload is not " #core); \
	MROCE_OFF(struct name, core_payload, (total) - (core));					\
	_Static_assert(sizeof(mroce_resp_##cmd) == (resp), "response of " #name " is not " #resp)

MROCE_SIZE(struct ib_uverbs_cmd_hdr, 8);
MROCE_SIZE(struct empty, 0);
MROCE_CMD(IB_USER_VERBS_CMD_GET_CONTEXT, 0, ibv_get_context, 16, 8, 8);
MROCE_CMD(IB_USER_VERBS_CMD_QUERY_DEVICE, 1, ibv_query_device, 16, 8, 176);
MROCE_CMD(IB_USER_VERBS_CMD_QUERY_PORT, 2, ibv_query_port, 24, 16, 40);
MROCE_CMD(IB_USER_VERBS_CMD_ALLOC_PD, 3, ibv_alloc_pd, 16, 8, 4);
MROCE_CMD(IB_USER_VERBS_CMD_CREATE_AH, 5, ibv_create_ah, 64, 56, 4);
MROCE_CMD(IB_USER_VERBS_CMD_REG_MR, 9, ibv_reg_mr, 48, 40, 12);
MROCE_CMD(IB_USER_VERBS_CMD_REREG_MR, 11, ibv_rereg_mr, 56, 48, 8);
MROCE_CMD(IB_USER_VERBS_CMD_ALLOC_MW, 14, ibv_alloc_mw, 24, 16, 8);
MROCE_CMD(IB_USER_VERBS_CMD_CREATE_CQ, 18, ibv_create_cq, 40, 32, 8);
MROCE_CMD(IB_USER_VERBS_CMD_RESIZE_CQ, 19, ibv_resize_cq, 24, 16, 8);
MROCE_CMD(IB_USER_VERBS_CMD_CREATE_QP, 24, ibv_create_qp, 64, 56, 32);
MROCE_CMD(IB_USER_VERBS_CMD_QUERY_QP, 25, ibv_query_qp, 24, 16, 128);
MROCE_CMD(IB_USER_VERBS_CMD_MODIFY_QP, 26, ibv_modify_qp, 120, 112, 0);
MROCE_CMD(IB_USER_VERBS_CMD_POST_SEND, 28, ibv_post_send, 32, 24, 4);
MROCE_CMD(IB_USER_VERBS_CMD_POST_RECV, 29, ibv_post_recv, 32, 24, 4);
MROCE_CMD(IB_USER_VERBS_CMD_CREATE_SRQ, 32, ibv_create_srq, 40, 32, 16);
MROCE_CMD(IB_USER_VERBS_CMD_MODIFY_SRQ, 33, ibv_modify_srq, 24, 16, 0);
MROCE_CMD(IB_USER_VERBS_CMD_QUERY_SRQ, 34, ibv_query_srq, 24, 16, 16);
MROCE_CMD(IB_USER_VERBS_CMD_POST_SRQ_RECV, 36, ibv_post_srq_recv, 32, 24, 4);
MROCE_CMD(IB_USER_VERBS_CMD_CREATE_XSRQ, 39, ibv_create_xsrq, 56, 48, 16);
MROCE_CMD(IB_USER_VERBS_EX_CMD_QUERY_DEVICE, 1, ibv_query_device_ex, 32, 8, 304);
MROCE_CMD(IB_USER_VERBS_EX_CMD_CREATE_CQ, 18, ibv_create_cq_ex, 56, 32, 16);
MROCE_CMD(IB_USER_VERBS_EX_CMD_CREATE_QP, 24, ibv_create_qp_ex, 88, 64, 40);
MROCE_CMD(IB_USER_VERBS_EX_CMD_MODIFY_QP, 26, ibv_modify_qp_ex, 144, 120, 8);
MROCE_CMD(IB_USER_VERBS_EX_CMD_MODIFY_CQ, 57, ibv_modify_cq, 40, 16, 0);

#endif /* METAROCE_COMPAT_LAYOUT_H */
