// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How libibverbs finds the driver, opens a device with it, and asks about the device. The match is by the
 * driver id alone: the device may have any name and any parent.
 */
#include "metaroce.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int mroce_query_device_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
				 struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t fw;
	int err;

	err = ibv_cmd_query_device_any(ctx, input, attr, attr_size, &resp, &resp_size);
	if (err)
		return err;

	fw = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u",
		 (unsigned int)(fw >> 32), (unsigned int)(fw >> 16 & 0xffff), (unsigned int)(fw & 0xffff));

	/* Completions carry nanoseconds, whatever the kernel says of a hardware clock. */
	if (attr_size >= offsetof(struct ibv_device_attr_ex, device_cap_flags_ex)) {
		attr->completion_timestamp_mask = UINT64_MAX;
		attr->hca_core_clock = 1000000;
	}
	return 0;
}

static int mroce_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(ctx, port, attr, &cmd, sizeof(cmd));
}

/* The clock of completion timestamps. Like other drivers, all of it is in tv_nsec: it counts clock ticks. */
static int mroce_query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *values)
{
	struct timespec now;

	(void)ctx;
	if (!check_comp_mask(values->comp_mask, IBV_VALUES_MASK_RAW_CLOCK))
		return EINVAL;
	if (!(values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK))
		return 0;
	if (clock_gettime(CLOCK_REALTIME, &now))
		return errno;

	values->raw_clock.tv_sec = 0;
	values->raw_clock.tv_nsec = now.tv_sec * 1000000000L + now.tv_nsec;
	return 0;
}

static void mroce_free_context(struct ibv_context *ctx)
{
	struct mroce_context *mctx = to_mctx(ctx);

	verbs_uninit_context(&mctx->ibv_ctx);
	free(mctx);
}

/*
 * Absent on purpose, so that libibverbs says EOPNOTSUPP: create_srq_ex and get_srq_num (only reached for
 * SRQs other than basic ones), ECE, device memory, flows, work queues, XRC.
 */
static const struct verbs_context_ops mroce_ops = {
	.advise_mr = ibv_cmd_advise_mr,
	.alloc_mw = mroce_alloc_mw,
	.alloc_parent_domain = mroce_alloc_parent_domain,
	.alloc_pd = mroce_alloc_pd,
	.alloc_td = mroce_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = mroce_bind_mw,
	.create_ah = mroce_create_ah,
	.create_cq = mroce_create_cq,
	.create_cq_ex = mroce_create_cq_ex,
	.create_qp = mroce_create_qp,
	.create_qp_ex = mroce_create_qp_ex,
	.create_srq = mroce_create_srq,
	.dealloc_mw = mroce_dealloc_mw,
	.dealloc_pd = mroce_dealloc_pd,
	.dealloc_td = mroce_dealloc_td,
	.dereg_mr = mroce_dereg_mr,
	.destroy_ah = mroce_destroy_ah,
	.destroy_cq = mroce_destroy_cq,
	.destroy_qp = mroce_destroy_qp,
	.destroy_srq = mroce_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = mroce_free_context,
	.import_mr = mroce_import_mr,
	.import_pd = mroce_import_pd,
	.modify_cq = mroce_modify_cq,
	.modify_qp = mroce_modify_qp,
	.modify_srq = mroce_modify_srq,
	.poll_cq = mroce_poll_cq,
	.post_recv = mroce_post_recv,
	.post_send = mroce_post_send,
	.post_srq_recv = mroce_post_srq_recv,
	.query_device_ex = mroce_query_device_ex,
	.query_port = mroce_query_port,
	.query_qp = mroce_query_qp,
	.query_rt_values = mroce_query_rt_values,
	.query_srq = mroce_query_srq,
	.reg_dmabuf_mr = mroce_reg_dmabuf_mr,
	.reg_mr = mroce_reg_mr,
	.req_notify_cq = mroce_req_notify_cq,
	.rereg_mr = mroce_rereg_mr,
	.resize_cq = mroce_resize_cq,
	.unimport_mr = mroce_unimport_mr,
	.unimport_pd = mroce_unimport_pd,
};

static int mroce_get_context(struct mroce_context *ctx)
{
	struct umroce_alloc_ucontext cmd = {};
	struct umroce_alloc_ucontext_resp resp;

	return mroce_cmd_get_context(&ctx->ibv_ctx, &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp, sizeof(resp));
}

/* @cmd_fd is ours from here on: every failure has closed it. */
static struct verbs_context *mroce_open(struct ibv_device *dev, int cmd_fd, bool import)
{
	struct mroce_context *ctx;
	int err;

	ctx = _verbs_init_and_alloc_context(dev, cmd_fd, sizeof(*ctx),
					    (void *)offsetof(struct mroce_context, ibv_ctx), MROCE_DRIVER_ID);
	if (!ctx)
		return NULL;

	err = import ? ibv_cmd_query_context(&ctx->ibv_ctx.context, NULL) : mroce_get_context(ctx);
	if (err) {
		verbs_uninit_context(&ctx->ibv_ctx);
		free(ctx);
		errno = err;
		return NULL;
	}
	verbs_set_ops(&ctx->ibv_ctx, &mroce_ops);
	return &ctx->ibv_ctx;
}

static struct verbs_context *mroce_alloc_context(struct ibv_device *dev, int cmd_fd, void *private_data)
{
	(void)private_data;
	return mroce_open(dev, cmd_fd, false);
}

static struct verbs_context *mroce_import_context(struct ibv_device *dev, int cmd_fd)
{
	return mroce_open(dev, cmd_fd, true);
}

static struct verbs_device *mroce_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	(void)sysfs_dev;
	return calloc(1, sizeof(struct verbs_device));
}

static void mroce_uninit_device(struct verbs_device *vdev)
{
	free(vdev);
}

static const struct verbs_match_ent mroce_match[] = {
	{ .u.driver_id = MROCE_DRIVER_ID, .kind = VERBS_MATCH_DRIVER_ID },
	{},
};

static const struct verbs_device_ops mroce_dev_ops = {
	.name = "metaroce",
	.match_min_abi_version = MROCE_UVERBS_ABI_VERSION,
	.match_max_abi_version = MROCE_UVERBS_ABI_VERSION,
	.match_table = mroce_match,
	.alloc_context = mroce_alloc_context,
	.import_context = mroce_import_context,
	.alloc_device = mroce_alloc_device,
	.uninit_device = mroce_uninit_device,
};

bool mroce_is_ours(const struct ibv_context *ctx)
{
	return verbs_get_device(ctx->device)->ops == &mroce_dev_ops;
}

PROVIDER_DRIVER(metaroce, mroce_dev_ops);
