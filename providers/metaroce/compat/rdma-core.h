/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The one place that decides whose private headers the provider is built with: rdma-core's own, inside an
 * rdma-core tree (copy this directory to providers/metaroce and include/uapi/rdma/metaroce-abi.h to
 * kernel-headers/rdma, name both in the CMakeLists.txt there), or ours for the installed libibverbs 44.
 * The differences between releases of the private ABI are folded here, so the sources have no #if.
 */
#ifndef METAROCE_COMPAT_RDMA_CORE_H
#define METAROCE_COMPAT_RDMA_CORE_H

#if __has_include(<infiniband/driver.h>)
#include <config.h>
#include <infiniband/driver.h>
#include <infiniband/kern-abi.h>
#else
#include "driver.h"
#include "kern-abi.h"
#include "layout.h"
#define MROCE_DMABUF_DRIVER_ARG	1
#endif

/* 57: get_context takes descriptors to close; 59: create_cq_ex takes provider attributes. None for us. */
#if IBVERBS_PABI_VERSION >= 57
#define mroce_cmd_get_context(ctx, cmd, cmd_len, resp, resp_len) \
	ibv_cmd_get_context(ctx, cmd, cmd_len, NULL, resp, resp_len)
#else
#define mroce_cmd_get_context	ibv_cmd_get_context
#endif

#if IBVERBS_PABI_VERSION >= 59
#define mroce_cmd_create_cq_ex(ctx, attr, ...)	ibv_cmd_create_cq_ex(ctx, attr, NULL, __VA_ARGS__)
#else
#define mroce_cmd_create_cq_ex	ibv_cmd_create_cq_ex
#endif

/* CMakeLists.txt defines this from release 54 on, where the private number does not tell. */
#if defined(MROCE_DMABUF_DRIVER_ARG) || IBVERBS_PABI_VERSION >= 57
#define mroce_cmd_reg_dmabuf_mr(...)	ibv_cmd_reg_dmabuf_mr(__VA_ARGS__, NULL)
#else
#define mroce_cmd_reg_dmabuf_mr	ibv_cmd_reg_dmabuf_mr
#endif

#endif /* METAROCE_COMPAT_RDMA_CORE_H */
