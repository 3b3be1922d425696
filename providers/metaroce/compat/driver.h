/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The private provider ABI of libibverbs 44 (number 34), which Debian's libibverbs-dev does not ship: the
 * objects that a provider embeds, the table of its operations and the functions that it may call. Written
 * from the layout, not from rdma-core's header; layout.h asserts every offset.
 *
 * Included by rdma-core.h only, when the real infiniband/driver.h is not there.
 */
#ifndef METAROCE_COMPAT_DRIVER_H
#define METAROCE_COMPAT_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#define IBVERBS_PABI_VERSION	34

struct list_node {
	struct list_node *next;
	struct list_node *prev;
};

/* ---- devices and matching ---- */

enum {
	VERBS_MATCH_SENTINEL,
	VERBS_MATCH_PCI,
	VERBS_MATCH_MODALIAS,
	VERBS_MATCH_DRIVER_ID,
};

struct verbs_match_ent {
	void *driver_data;
	union {
		const char *modalias;
		uint64_t driver_id;
	} u;
	uint16_t vendor;
	uint16_t device;
	uint8_t kind;
};

enum {
	VSYSFS_READ_MODALIAS = 1,
	VSYSFS_READ_NODE_GUID = 2,
};

struct verbs_sysfs_dev {
	struct list_node entry;
	void *provider_data;
	const struct verbs_match_ent *match;
	unsigned int flags;
	char sysfs_name[64];
	dev_t sysfs_cdev;
	char ibdev_name[64];
	char ibdev_path[256];
	char modalias[512];
	uint64_t node_guid;
	uint32_t driver_id;
	enum ibv_node_type node_type;
	int ibdev_idx;
	uint32_t num_ports;
	uint32_t abi_ver;
	struct timespec time_created;
};

struct verbs_device_ops {
	const char *name;
	uint32_t match_min_abi_version;
	uint32_t match_max_abi_version;
	const struct verbs_match_ent *match_table;
	const struct verbs_device_ops **static_providers;
	bool (*match_device)(struct verbs_sysfs_dev *sysfs_dev);
	struct verbs_context *(*alloc_context)(struct ibv_device *ibdev, int cmd_fd, void *private_data);
	struct verbs_context *(*import_context)(struct ibv_device *ibdev, int cmd_fd);
	struct verbs_device *(*alloc_device)(struct verbs_sysfs_dev *sysfs_dev);
	void (*uninit_device)(struct verbs_device *vdev);
};

struct verbs_device {
	struct ibv_device device;
	const struct verbs_device_ops *ops;
	atomic_int refcount;
	struct list_node entry;
	struct verbs_sysfs_dev *sysfs;
	uint64_t core_support;
};

/* ---- objects ---- */

enum {
	VERBS_XRCD_HANDLE = 1,
};

struct verbs_xrcd {
	struct ibv_xrcd xrcd;
	uint32_t comp_mask;
	uint32_t handle;
};

struct verbs_srq {
	struct ibv_srq srq;
	enum ibv_srq_type srq_type;
	struct verbs_xrcd *xrcd;
	struct ibv_cq *cq;
	uint32_t srq_num;
};

enum ibv_mr_type {
	IBV_MR_TYPE_MR,
	IBV_MR_TYPE_NULL_MR,
	IBV_MR_TYPE_IMPORTED_MR,
	IBV_MR_TYPE_DMABUF_MR,
};

struct verbs_mr {
	struct ibv_mr ibv_mr;
	enum ibv_mr_type mr_type;
	int access;
};

enum {
	VERBS_QP_XRCD = 1,
	VERBS_QP_EX = 2,
};

struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint32_t comp_mask;
	struct verbs_xrcd *xrcd;
};

enum {
	CREATE_CQ_CMD_FLAGS_TS_IGNORED_EX = 1,
};

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

struct verbs_counters {
	struct ibv_counters counters;
	uint32_t handle;
};

struct verbs_dm {
	struct ibv_dm dm;
	uint32_t handle;
};

enum ibv_gid_type_sysfs {
	IBV_GID_TYPE_SYSFS_IB_ROCE_V1,
	IBV_GID_TYPE_SYSFS_ROCE_V2,
};

struct ibv_command_buffer {
	struct ibv_command_buffer *next;
	struct ib_uverbs_attr *next_attr;
	struct ib_uverbs_attr *last_attr;
	uint8_t uhw_in_idx;
	uint8_t uhw_out_idx;
	uint8_t uhw_in_headroom_dwords;
	uint8_t uhw_out_headroom_dwords;
	uint8_t buffer_error : 1;
	uint8_t fallback_require_ex : 1;
	uint8_t fallback_ioctl_only : 1;
	struct ib_uverbs_ioctl_hdr hdr;
};

/* ---- operations; alphabetical, all pointers ---- */

struct verbs_context_ops {
	int (*advise_mr)(struct ibv_pd *, enum ibv_advise_mr_advice, uint32_t, struct ibv_sge *,
		uint32_t);
	struct ibv_dm *(*alloc_dm)(struct ibv_context *, struct ibv_alloc_dm_attr *);
	struct ibv_mw *(*alloc_mw)(struct ibv_pd *, enum ibv_mw_type);
	struct ibv_mr *(*alloc_null_mr)(struct ibv_pd *);
	struct ibv_pd *(*alloc_parent_domain)(struct ibv_context *,
		struct ibv_parent_domain_init_attr *);
	struct ibv_pd *(*alloc_pd)(struct ibv_context *);
	struct ibv_td *(*alloc_td)(struct ibv_context *, struct ibv_td_init_attr *);
	void (*async_event)(struct ibv_context *, struct ibv_async_event *);
	int (*attach_counters_point_flow)(struct ibv_counters *, struct ibv_counter_attach_attr *,
		struct ibv_flow *);
	int (*attach_mcast)(struct ibv_qp *, const union ibv_gid *, uint16_t);
	int (*bind_mw)(struct ibv_qp *, struct ibv_mw *, struct ibv_mw_bind *);
	int (*close_xrcd)(struct ibv_xrcd *);
	void (*cq_event)(struct ibv_cq *);
	struct ibv_ah *(*create_ah)(struct ibv_pd *, struct ibv_ah_attr *);
	struct ibv_counters *(*create_counters)(struct ibv_context *,
		struct ibv_counters_init_attr *);
	struct ibv_cq *(*create_cq)(struct ibv_context *, int, struct ibv_comp_channel *, int);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *, struct ibv_cq_init_attr_ex *);
	struct ibv_flow *(*create_flow)(struct ibv_qp *, struct ibv_flow_attr *);
	struct ibv_flow_action *(*create_flow_action_esp)(struct ibv_context *,
		struct ibv_flow_action_esp_attr *);
	struct ibv_qp *(*create_qp)(struct ibv_pd *, struct ibv_qp_init_attr *);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *, struct ibv_qp_init_attr_ex *);
	struct ibv_rwq_ind_table *(*create_rwq_ind_table)(struct ibv_context *,
		struct ibv_rwq_ind_table_init_attr *);
	struct ibv_srq *(*create_srq)(struct ibv_pd *, struct ibv_srq_init_attr *);
	struct ibv_srq *(*create_srq_ex)(struct ibv_context *, struct ibv_srq_init_attr_ex *);
	struct ibv_wq *(*create_wq)(struct ibv_context *, struct ibv_wq_init_attr *);
	int (*dealloc_mw)(struct ibv_mw *);
	int (*dealloc_pd)(struct ibv_pd *);
	int (*dealloc_td)(struct ibv_td *);
	int (*dereg_mr)(struct verbs_mr *);
	int (*destroy_ah)(struct ibv_ah *);
	int (*destroy_counters)(struct ibv_counters *);
	int (*destroy_cq)(struct ibv_cq *);
	int (*destroy_flow)(struct ibv_flow *);
	int (*destroy_flow_action)(struct ibv_flow_action *);
	int (*destroy_qp)(struct ibv_qp *);
	int (*destroy_rwq_ind_table)(struct ibv_rwq_ind_table *);
	int (*destroy_srq)(struct ibv_srq *);
	int (*destroy_wq)(struct ibv_wq *);
	int (*detach_mcast)(struct ibv_qp *, const union ibv_gid *, uint16_t);
	void (*free_context)(struct ibv_context *);
	int (*free_dm)(struct ibv_dm *);
	int (*get_srq_num)(struct ibv_srq *, uint32_t *);
	struct ibv_dm *(*import_dm)(struct ibv_context *, uint32_t);
	struct ibv_mr *(*import_mr)(struct ibv_pd *, uint32_t);
	struct ibv_pd *(*import_pd)(struct ibv_context *, uint32_t);
	int (*modify_cq)(struct ibv_cq *, struct ibv_modify_cq_attr *);
	int (*modify_flow_action_esp)(struct ibv_flow_action *, struct ibv_flow_action_esp_attr *);
	int (*modify_qp)(struct ibv_qp *, struct ibv_qp_attr *, int);
	int (*modify_qp_rate_limit)(struct ibv_qp *, struct ibv_qp_rate_limit_attr *);
	int (*modify_srq)(struct ibv_srq *, struct ibv_srq_attr *, int);
	int (*modify_wq)(struct ibv_wq *, struct ibv_wq_attr *);
	struct ibv_qp *(*open_qp)(struct ibv_context *, struct ibv_qp_open_attr *);
	struct ibv_xrcd *(*open_xrcd)(struct ibv_context *, struct ibv_xrcd_init_attr *);
	int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *);
	int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **);
	int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
	int (*post_srq_ops)(struct ibv_srq *, struct ibv_ops_wr *, struct ibv_ops_wr **);
	int (*post_srq_recv)(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **);
	int (*query_device_ex)(struct ibv_context *, const struct ibv_query_device_ex_input *,
		struct ibv_device_attr_ex *, size_t);
	int (*query_ece)(struct ibv_qp *, struct ibv_ece *);
	int (*query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *);
	int (*query_qp)(struct ibv_qp *, struct ibv_qp_attr *, int, struct ibv_qp_init_attr *);
	int (*query_qp_data_in_order)(struct ibv_qp *, enum ibv_wr_opcode, uint32_t);
	int (*query_rt_values)(struct ibv_context *, struct ibv_values_ex *);
	int (*query_srq)(struct ibv_srq *, struct ibv_srq_attr *);
	int (*read_counters)(struct ibv_counters *, uint64_t *, uint32_t, uint32_t);
	struct ibv_mr *(*reg_dm_mr)(struct ibv_pd *, struct ibv_dm *, uint64_t, size_t,
		unsigned int);
	struct ibv_mr *(*reg_dmabuf_mr)(struct ibv_pd *, uint64_t, size_t, uint64_t, int, int);
	struct ibv_mr *(*reg_mr)(struct ibv_pd *, void *, size_t, uint64_t, int);
	int (*req_notify_cq)(struct ibv_cq *, int);
	int (*rereg_mr)(struct verbs_mr *, int, struct ibv_pd *, void *, size_t, int);
	int (*resize_cq)(struct ibv_cq *, int);
	int (*set_ece)(struct ibv_qp *, struct ibv_ece *);
	void (*unimport_dm)(struct ibv_dm *);
	void (*unimport_mr)(struct ibv_mr *);
	void (*unimport_pd)(struct ibv_pd *);
};

/* ---- what libibverbs exports to providers; kern-abi.h declares the command structures ---- */

struct ibv_get_context;
struct ibv_alloc_mw;
struct ibv_alloc_pd;
struct ibv_create_cq;
struct ibv_create_cq_ex;
struct ibv_create_qp;
struct ibv_create_qp_ex;
struct ibv_create_srq;
struct ibv_create_xsrq;
struct ibv_modify_cq;
struct ibv_modify_qp;
struct ibv_modify_qp_ex;
struct ibv_modify_srq;
struct ibv_query_port;
struct ibv_query_qp;
struct ibv_query_srq;
struct ibv_reg_mr;
struct ibv_rereg_mr;
struct ibv_resize_cq;

void verbs_register_driver_34(const struct verbs_device_ops *);
void *_verbs_init_and_alloc_context(struct ibv_device *, int, size_t, struct verbs_context *,
	uint32_t);
void verbs_uninit_context(struct verbs_context *);
void verbs_set_ops(struct verbs_context *, const struct verbs_context_ops *);
void verbs_init_cq(struct ibv_cq *, struct ibv_context *, struct ibv_comp_channel *, void *);
struct ibv_context *verbs_open_device(struct ibv_device *, void *);
void __verbs_log(struct verbs_context *, uint32_t, const char *, ...);
int ibv_cmd_get_context(struct verbs_context *, struct ibv_get_context *, size_t,
	struct ib_uverbs_get_context_resp *, size_t);
int ibv_cmd_query_context(struct ibv_context *, struct ibv_command_buffer *);
int ibv_cmd_query_device_any(struct ibv_context *, const struct ibv_query_device_ex_input *,
	struct ibv_device_attr_ex *, size_t, struct ib_uverbs_ex_query_device_resp *, size_t *);
int ibv_cmd_query_port(struct ibv_context *, uint8_t, struct ibv_port_attr *,
	struct ibv_query_port *, size_t);
int ibv_cmd_alloc_pd(struct ibv_context *, struct ibv_pd *, struct ibv_alloc_pd *, size_t,
	struct ib_uverbs_alloc_pd_resp *, size_t);
int ibv_cmd_dealloc_pd(struct ibv_pd *);
int ibv_cmd_reg_mr(struct ibv_pd *, void *, size_t, uint64_t, int, struct verbs_mr *,
	struct ibv_reg_mr *, size_t, struct ib_uverbs_reg_mr_resp *, size_t);
int ibv_cmd_rereg_mr(struct verbs_mr *, uint32_t, void *, size_t, uint64_t, int, struct ibv_pd *,
	struct ibv_rereg_mr *, size_t, struct ib_uverbs_rereg_mr_resp *, size_t);
int ibv_cmd_dereg_mr(struct verbs_mr *);
int ibv_cmd_query_mr(struct ibv_pd *, struct verbs_mr *, uint32_t);
int ibv_cmd_advise_mr(struct ibv_pd *, enum ibv_advise_mr_advice, uint32_t, struct ibv_sge *,
	uint32_t);
int ibv_cmd_alloc_mw(struct ibv_pd *, enum ibv_mw_type, struct ibv_mw *, struct ibv_alloc_mw *,
	size_t, struct ib_uverbs_alloc_mw_resp *, size_t);
int ibv_cmd_dealloc_mw(struct ibv_mw *);
int ibv_cmd_create_cq(struct ibv_context *, int, struct ibv_comp_channel *, int, struct ibv_cq *,
	struct ibv_create_cq *, size_t, struct ib_uverbs_create_cq_resp *, size_t);
int ibv_cmd_create_cq_ex(struct ibv_context *, const struct ibv_cq_init_attr_ex *,
	struct verbs_cq *, struct ibv_create_cq_ex *, size_t, struct ib_uverbs_ex_create_cq_resp *,
	size_t, uint32_t);
int ibv_cmd_poll_cq(struct ibv_cq *, int, struct ibv_wc *);
int ibv_cmd_req_notify_cq(struct ibv_cq *, int);
int ibv_cmd_resize_cq(struct ibv_cq *, int, struct ibv_resize_cq *, size_t,
	struct ib_uverbs_resize_cq_resp *, size_t);
int ibv_cmd_modify_cq(struct ibv_cq *, struct ibv_modify_cq_attr *, struct ibv_modify_cq *, size_t);
int ibv_cmd_destroy_cq(struct ibv_cq *);
int ibv_cmd_create_srq(struct ibv_pd *, struct ibv_srq *, struct ibv_srq_init_attr *,
	struct ibv_create_srq *, size_t, struct ib_uverbs_create_srq_resp *, size_t);
int ibv_cmd_create_srq_ex(struct ibv_context *, struct verbs_srq *, struct ibv_srq_init_attr_ex *,
	struct ibv_create_xsrq *, size_t, struct ib_uverbs_create_srq_resp *, size_t);
int ibv_cmd_modify_srq(struct ibv_srq *, struct ibv_srq_attr *, int, struct ibv_modify_srq *,
	size_t);
int ibv_cmd_query_srq(struct ibv_srq *, struct ibv_srq_attr *, struct ibv_query_srq *, size_t);
int ibv_cmd_destroy_srq(struct ibv_srq *);
int ibv_cmd_create_qp(struct ibv_pd *, struct ibv_qp *, struct ibv_qp_init_attr *,
	struct ibv_create_qp *, size_t, struct ib_uverbs_create_qp_resp *, size_t);
int ibv_cmd_create_qp_ex(struct ibv_context *, struct verbs_qp *, struct ibv_qp_init_attr_ex *,
	struct ibv_create_qp *, size_t, struct ib_uverbs_create_qp_resp *, size_t);
int ibv_cmd_create_qp_ex2(struct ibv_context *, struct verbs_qp *, struct ibv_qp_init_attr_ex *,
	struct ibv_create_qp_ex *, size_t, struct ib_uverbs_ex_create_qp_resp *, size_t);
int ibv_cmd_query_qp(struct ibv_qp *, struct ibv_qp_attr *, int, struct ibv_qp_init_attr *,
	struct ibv_query_qp *, size_t);
int ibv_cmd_modify_qp(struct ibv_qp *, struct ibv_qp_attr *, int, struct ibv_modify_qp *, size_t);
int ibv_cmd_modify_qp_ex(struct ibv_qp *, struct ibv_qp_attr *, int, struct ibv_modify_qp_ex *,
	size_t, struct ib_uverbs_ex_modify_qp_resp *, size_t);
int ibv_cmd_destroy_qp(struct ibv_qp *);
int ibv_cmd_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
int ibv_cmd_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int ibv_cmd_post_srq_recv(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int ibv_cmd_create_ah(struct ibv_pd *, struct ibv_ah *, struct ibv_ah_attr *,
	struct ib_uverbs_create_ah_resp *, size_t);
int ibv_cmd_destroy_ah(struct ibv_ah *);
int ibv_cmd_attach_mcast(struct ibv_qp *, const union ibv_gid *, uint16_t);
int ibv_cmd_detach_mcast(struct ibv_qp *, const union ibv_gid *, uint16_t);
int execute_ioctl(struct ibv_context *, struct ibv_command_buffer *);
unsigned int __ioctl_final_num_attrs(unsigned int, struct ibv_command_buffer *);
int ibv_query_gid_type(struct ibv_context *, uint8_t, unsigned int, enum ibv_gid_type_sysfs *);
int ibv_read_ibdev_sysfs_file(char *, size_t, struct verbs_sysfs_dev *, const char *, ...);
int ibv_dontfork_range(void *, size_t);
int ibv_dofork_range(void *, size_t);
const char *ibv_get_sysfs_path(void);
int ibv_read_sysfs_file(const char *, const char *, char *, size_t);

/*
 * 44 takes seven arguments, 54 and later an eighth under the same symbol version. On x86-64 and arm64 an
 * argument too many is ignored, and NULL is right where it is read: so one binary serves both.
 */
int ibv_cmd_reg_dmabuf_mr(struct ibv_pd *, uint64_t, size_t, uint64_t, int, int, struct verbs_mr *,
	struct ibv_command_buffer *);

/* ---- helpers that the real header has inline ---- */

#ifndef container_of
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#endif

static inline struct verbs_device *verbs_get_device(const struct ibv_device *dev)
{
	return container_of(dev, struct verbs_device, device);
}

static inline struct verbs_mr *verbs_get_mr(struct ibv_mr *mr)
{
	return container_of(mr, struct verbs_mr, ibv_mr);
}

static inline bool check_comp_mask(uint64_t input, uint64_t supported)
{
	return !(input & ~supported);
}

#define PROVIDER_DRIVER(name, ops)						\
	static __attribute__((constructor)) void name##_provider_register(void)	\
	{									\
		verbs_register_driver_34(&(ops));				\
	}

#endif /* METAROCE_COMPAT_DRIVER_H */
