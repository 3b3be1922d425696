// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kernel and libibverbs played for the provider, see fake_uverbs.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fake_uverbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OBJECTS	64

struct fake fake = { .next_qpn = 17, .fail_err = ENOSPC };

/* The driver's mapping of each object's rings, by handle. */
static struct fake_object {
	struct mroce_ring *ring[2];
	size_t len[2];
} objects[OBJECTS];

static struct verbs_device device;

/* ---- calls that may fail ---- */

static bool fails(void)
{
	return fake.fail_in && !--fake.fail_in;
}

static int command(void)
{
	if (fake.gone)
		return errno = EIO;
	return fails() ? (errno = fake.fail_err) : 0;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	if (fails()) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_calloc(n, size);
}

void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (fails()) {
		errno = EAGAIN;
		return MAP_FAILED;
	}
	fake.maps++;
	return __real_mmap(addr, len, prot, flags, fd, offset);
}

int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len)
{
	fake.maps--;
	return __real_munmap(addr, len);
}

static int doorbell_index(uint32_t command)
{
	return command == IB_USER_VERBS_CMD_POST_SEND ? 0 :
	       command == IB_USER_VERBS_CMD_POST_RECV ? 1 :
	       command == IB_USER_VERBS_CMD_POST_SRQ_RECV ? 2 : -1;
}

/* Checks a doorbell as uverbs does. */
ssize_t __wrap_write(int fd, const void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len)
{
	const struct ibv_post_send *cmd = buf;
	int i = len == sizeof(*cmd) ? doorbell_index(cmd->hdr.command) : -1;
	uint32_t wqe_min = i ? sizeof(struct ib_uverbs_recv_wr) : sizeof(struct ib_uverbs_send_wr);

	if (i < 0 || cmd->hdr.in_words * 4U != len || cmd->hdr.out_words != 1 || !cmd->core_payload.response ||
	    cmd->core_payload.wr_count || cmd->core_payload.sge_count || cmd->core_payload.wqe_size < wqe_min) {
		errno = EINVAL;
		return -1;
	}
	if (fake.write_err || fake.gone) {
		errno = fake.write_err ? fake.write_err : EIO;
		return -1;
	}
	__atomic_store_n(&fake.last_handle, cmd->core_payload.qp_handle, __ATOMIC_RELAXED);
	__atomic_fetch_add(&fake.doorbells[i], 1, __ATOMIC_RELAXED);
	return len;
}

/* ---- objects ---- */

static uint32_t object_new(void)
{
	uint32_t h;

	for (h = 1; objects[h].ring[0] || objects[h].ring[1]; h++)
		;
	fake.live++;
	return h;
}

static int object_destroy(uint32_t handle)
{
	struct fake_object *o = &objects[handle];
	int i, err = command();

	if (err && !fake.gone)
		return err;
	for (i = 0; i < 2; i++)
		if (o->ring[i])
			__real_munmap(o->ring[i], o->len[i]);
	memset(o, 0, sizeof(*o));
	fake.live--;
	return err;
}

/* A ring behind what is in the file already. */
static uint64_t ring_new(struct fake_object *o, int i, int fd, uint32_t entries, uint32_t stride)
{
	struct stat st;

	fstat(fd, &st);
	o->len[i] = (MROCE_RING_ENTRIES + (size_t)entries * stride + 4095) & ~4095UL;
	if (ftruncate(fd, st.st_size + o->len[i]))
		abort();
	o->ring[i] = __real_mmap(NULL, o->len[i], PROT_READ | PROT_WRITE, MAP_SHARED, fd, st.st_size);
	return st.st_size;
}

static uint32_t pow2(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* ---- context ---- */

void verbs_register_driver_34(const struct verbs_device_ops *ops)
{
	fake.dev_ops = ops;
}

void *_verbs_init_and_alloc_context(struct ibv_device *dev, int cmd_fd, size_t size,
				    struct verbs_context *offset, uint32_t driver_id)
{
	struct verbs_context *ctx;
	char *p;

	if (driver_id != MROCE_DRIVER_ID || fails()) {
		close(cmd_fd);
		errno = EINVAL;
		return NULL;
	}
	p = __real_calloc(1, size);
	ctx = (void *)(p + (uintptr_t)offset);
	ctx->context.device = dev;
	ctx->context.cmd_fd = cmd_fd;
	ctx->context.abi_compat = (void *)UINTPTR_MAX;
	ctx->sz = sizeof(*ctx);
	return p;
}

void verbs_uninit_context(struct verbs_context *ctx)
{
	close(ctx->context.cmd_fd);
}

void verbs_set_ops(struct verbs_context *ctx, const struct verbs_context_ops *ops)
{
	fake.ops = *ops;
	ctx->context.ops.poll_cq = ops->poll_cq;
	ctx->context.ops.req_notify_cq = ops->req_notify_cq;
	ctx->context.ops.post_send = ops->post_send;
	ctx->context.ops.post_recv = ops->post_recv;
	ctx->context.ops.post_srq_recv = ops->post_srq_recv;
	ctx->context.ops.alloc_mw = ops->alloc_mw;
	ctx->context.ops.bind_mw = ops->bind_mw;
	ctx->context.ops.dealloc_mw = ops->dealloc_mw;
}

int ibv_cmd_get_context(struct verbs_context *ctx, struct ibv_get_context *cmd, size_t cmd_len,
			struct ib_uverbs_get_context_resp *resp, size_t resp_len)
{
	if (cmd_len != 16 + sizeof(struct mroce_alloc_ucontext_req) ||
	    resp_len != 8 + sizeof(struct mroce_alloc_ucontext_resp))
		return EINVAL;
	return command();
}

int ibv_cmd_query_context(struct ibv_context *ctx, struct ibv_command_buffer *driver)
{
	return command();
}

int ibv_cmd_query_device_any(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp, size_t *resp_size)
{
	memset(attr, 0, attr_size);
	resp->base.fw_ver = 1ULL << 32 | 2 << 16 | 3;
	return command();
}

int ibv_cmd_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr,
		       struct ibv_query_port *cmd, size_t cmd_size)
{
	attr->state = port == 1 ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
	return command();
}

struct ibv_context *fake_open(void)
{
	int fd = memfd_create("uverbs", 0);
	struct verbs_context *ctx;

	device.ops = fake.dev_ops;
	ctx = fake.dev_ops->alloc_context(&device.device, fd, NULL);
	return ctx ? &ctx->context : NULL;
}

void fake_close(struct ibv_context *ctx)
{
	fake.ops.free_context(ctx);
}

/* ---- pd, mr, mw, ah ---- */

int ibv_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd, struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	int err = command();

	if (err)
		return err;
	pd->context = ctx;
	pd->handle = 1000;
	fake.live++;
	return 0;
}

/* Objects without rings share this handle, which is never used for others. */
static int bare_destroy(void)
{
	return object_destroy(0);
}

int ibv_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return bare_destroy();
}

static int mr_new(struct ibv_pd *pd, struct verbs_mr *vmr)
{
	int err = command();

	if (err)
		return err;
	vmr->ibv_mr.context = pd->context;
	vmr->ibv_mr.pd = pd;
	vmr->ibv_mr.lkey = 1;
	vmr->ibv_mr.rkey = 2;
	fake.live++;
	return 0;
}

int ibv_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access,
		   struct verbs_mr *vmr, struct ibv_reg_mr *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size)
{
	vmr->access = access;
	return mr_new(pd, vmr);
}

int ibv_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
			  struct verbs_mr *vmr, struct ibv_command_buffer *driver)
{
	return driver ? EINVAL : mr_new(pd, vmr);
}

int ibv_cmd_query_mr(struct ibv_pd *pd, struct verbs_mr *vmr, uint32_t handle)
{
	vmr->ibv_mr.handle = handle;
	vmr->ibv_mr.pd = pd;
	return command();
}

int ibv_cmd_rereg_mr(struct verbs_mr *vmr, uint32_t flags, void *addr, size_t length, uint64_t iova, int access,
		     struct ibv_pd *pd, struct ibv_rereg_mr *cmd, size_t cmd_size,
		     struct ib_uverbs_rereg_mr_resp *resp, size_t resp_size)
{
	vmr->ibv_mr.lkey++;
	return command();
}

int ibv_cmd_dereg_mr(struct verbs_mr *vmr)
{
	return bare_destroy();
}

int ibv_cmd_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sgl,
		      uint32_t n)
{
	return EOPNOTSUPP;
}

int ibv_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type, struct ibv_mw *mw, struct ibv_alloc_mw *cmd,
		     size_t cmd_size, struct ib_uverbs_alloc_mw_resp *resp, size_t resp_size)
{
	int err = command();

	if (err)
		return err;
	*mw = (struct ibv_mw) { .context = pd->context, .pd = pd, .rkey = 0x1ff, .type = type };
	fake.live++;
	return 0;
}

int ibv_cmd_dealloc_mw(struct ibv_mw *mw)
{
	return bare_destroy();
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah, struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size)
{
	int err = command();

	if (err)
		return err;
	if (resp_size != 8)
		return EINVAL;
	ah->context = pd->context;
	container_of(resp, struct umroce_create_ah_resp, ibv_resp)->drv_payload.ah_num = 4321;
	fake.live++;
	return 0;
}

int ibv_cmd_destroy_ah(struct ibv_ah *ah)
{
	return bare_destroy();
}

int ibv_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return EOPNOTSUPP;
}

int ibv_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return ibv_cmd_attach_mcast(qp, gid, lid);
}

/* ---- cq ---- */

static int cq_new(struct ibv_context *ctx, struct ibv_cq *cq, int cqe, struct mroce_create_cq_resp *resp)
{
	uint32_t entries = pow2(cqe), h;
	int err = command();

	if (err)
		return err;
	h = object_new();
	cq->context = ctx;
	cq->handle = h;
	cq->cqe = cqe;
	resp->entries = entries;
	resp->stride = sizeof(struct mroce_cqe);
	resp->mmap_offset = ring_new(&objects[h], 0, ctx->cmd_fd, entries, resp->stride);
	resp->mmap_len = fake.bad_ring ? 64 : objects[h].len[0];
	return 0;
}

int ibv_cmd_create_cq(struct ibv_context *ctx, int cqe, struct ibv_comp_channel *channel, int vector,
		      struct ibv_cq *cq, struct ibv_create_cq *cmd, size_t cmd_size,
		      struct ib_uverbs_create_cq_resp *resp, size_t resp_size)
{
	return cq_new(ctx, cq, cqe, &container_of(resp, struct umroce_create_cq_resp, ibv_resp)->drv_payload);
}

int ibv_cmd_create_cq_ex(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr, struct verbs_cq *cq,
			 struct ibv_create_cq_ex *cmd, size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size, uint32_t flags)
{
	if (flags != CREATE_CQ_CMD_FLAGS_TS_IGNORED_EX)
		return EINVAL;
	return cq_new(ctx, &cq->cq, attr->cqe,
		      &container_of(resp, struct umroce_create_cq_ex_resp, ibv_resp)->drv_payload);
}

/* Moves the completions to a new ring, where counting starts anew. */
int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd, size_t cmd_size,
		      struct ib_uverbs_resize_cq_resp *resp, size_t resp_size)
{
	struct mroce_resize_cq_resp *drv =
		&container_of(resp, struct umroce_resize_cq_resp, ibv_resp)->drv_payload;
	struct fake_object old = objects[cq->handle], *o = &objects[cq->handle];
	uint32_t n = old.ring[0]->prod - old.ring[0]->cons, i;
	struct mroce_uring from = { old.ring[0], old.len[0], pow2(cq->cqe), sizeof(struct mroce_cqe) };
	struct mroce_uring to;
	int err = command();

	if (err)
		return err;
	if (n > (uint32_t)cqe)
		return errno = EINVAL;

	drv->entries = pow2(cqe);
	drv->stride = sizeof(struct mroce_cqe);
	drv->mmap_offset = ring_new(o, 0, cq->context->cmd_fd, drv->entries, drv->stride);
	drv->mmap_len = o->len[0];
	to = (struct mroce_uring) { o->ring[0], o->len[0], drv->entries, drv->stride };
	for (i = 0; i < n; i++)
		*(struct mroce_cqe *)mroce_ring_slot(&to, 3 + i) =
			*(struct mroce_cqe *)mroce_ring_slot(&from, old.ring[0]->cons + i);
	to.hdr->cons = 3;
	to.hdr->prod = 3 + n;
	to.hdr->arm = old.ring[0]->arm;
	__real_munmap(old.ring[0], old.len[0]);
	cq->cqe = cqe;
	return 0;
}

int ibv_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr, struct ibv_modify_cq *cmd,
		      size_t cmd_size)
{
	return command();
}

int ibv_cmd_destroy_cq(struct ibv_cq *cq)
{
	return object_destroy(cq->handle);
}

struct ibv_cq *fake_create_cq(struct ibv_context *ctx, int cqe)
{
	return fake.ops.create_cq(ctx, cqe, NULL, 0);
}

/* ---- srq ---- */

int ibv_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq, struct ibv_srq_init_attr *attr,
		       struct ibv_create_srq *cmd, size_t cmd_size, struct ib_uverbs_create_srq_resp *resp,
		       size_t resp_size)
{
	struct mroce_create_srq_resp *drv =
		&container_of(resp, struct umroce_create_srq_resp, ibv_resp)->drv_payload;
	int err = command();

	if (err)
		return err;
	srq->context = pd->context;
	srq->handle = object_new();
	attr->attr.max_sge = FAKE_SGES;
	drv->entries = pow2(attr->attr.max_wr);
	drv->stride = sizeof(struct mroce_recv_wqe) + FAKE_SGES * sizeof(struct mroce_sge);
	drv->mmap_offset = ring_new(&objects[srq->handle], 0, pd->context->cmd_fd, drv->entries, drv->stride);
	drv->mmap_len = fake.bad_ring ? 64 : objects[srq->handle].len[0];
	return 0;
}

int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask, struct ibv_modify_srq *cmd,
		       size_t cmd_size)
{
	return command();
}

int ibv_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, struct ibv_query_srq *cmd,
		      size_t cmd_size)
{
	return command();
}

int ibv_cmd_destroy_srq(struct ibv_srq *srq)
{
	return object_destroy(srq->handle);
}

/* ---- qp ---- */

static void qp_rings(struct ibv_context *ctx, uint32_t h, const struct ibv_qp_init_attr_ex *attr,
		     struct mroce_create_qp_resp *drv)
{
	struct fake_object *o = &objects[h];

	drv->sq_entries = pow2(attr->cap.max_send_wr ? attr->cap.max_send_wr : 1);
	drv->sq_stride = sizeof(struct mroce_send_wqe) + FAKE_INLINE;
	drv->sq_mmap_offset = ring_new(o, 0, ctx->cmd_fd, drv->sq_entries, drv->sq_stride);
	drv->sq_mmap_len = fake.bad_ring ? 64 : o->len[0];
	if (attr->srq || !attr->cap.max_recv_wr)
		return;
	drv->rq_entries = pow2(attr->cap.max_recv_wr);
	drv->rq_stride = sizeof(struct mroce_recv_wqe) + FAKE_SGES * sizeof(struct mroce_sge);
	drv->rq_mmap_offset = ring_new(o, 1, ctx->cmd_fd, drv->rq_entries, drv->rq_stride);
	drv->rq_mmap_len = o->len[1];
}

int ibv_cmd_create_qp_ex(struct ibv_context *ctx, struct verbs_qp *vqp, struct ibv_qp_init_attr_ex *attr,
			 struct ibv_create_qp *cmd, size_t cmd_size, struct ib_uverbs_create_qp_resp *resp,
			 size_t resp_size)
{
	struct ibv_qp *qp = &vqp->qp;
	int err = command();

	if (err)
		return err;
	if (attr->comp_mask & ~(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return EINVAL;
	vqp->comp_mask = 0;
	qp->context = ctx;
	qp->qp_context = attr->qp_context;
	qp->pd = attr->pd;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->srq = attr->srq;
	qp->qp_type = attr->qp_type;
	qp->state = IBV_QPS_RESET;
	qp->qp_num = fake.next_qpn++;
	qp->handle = object_new();
	attr->cap.max_send_sge = FAKE_SGES;
	attr->cap.max_recv_sge = FAKE_SGES;
	attr->cap.max_inline_data = FAKE_INLINE;
	qp_rings(ctx, qp->handle, attr,
		 &container_of(resp, struct umroce_create_qp_resp, ibv_resp)->drv_payload);
	return 0;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_modify_qp *cmd,
		      size_t cmd_size)
{
	int err = command();

	if (err || !(mask & IBV_QP_STATE) || attr->qp_state != IBV_QPS_RESET)
		return err;
	fake_sq(qp)->cons = 0;
	if (fake_rq(qp))
		fake_rq(qp)->cons = 0;
	return 0;
}

int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init,
		     struct ibv_query_qp *cmd, size_t cmd_size)
{
	return command();
}

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	return object_destroy(qp->handle);
}

int ibv_cmd_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	fake.ioctls++;
	return wr ? EINVAL : command();
}

int ibv_cmd_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	fake.ioctls++;
	return wr ? EINVAL : command();
}

int ibv_cmd_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	fake.ioctls++;
	return wr ? EINVAL : command();
}

/* ---- ioctls of the driver's own ---- */

static void answer_paths(void)
{
	size_t size = fake.ioctl_attrs[1];
	uint32_t i, n = fake.ioctl_lens[2] / size;

	if (n > fake.num_paths)
		n = fake.num_paths;
	for (i = 0; i < n; i++) {
		struct mroce_dv_path path = { .index = i, .spurious = 100 + i };

		memset((char *)fake.ioctl_attrs[2] + i * size, 0, size);
		memcpy((char *)fake.ioctl_attrs[2] + i * size, &path,
		       size < sizeof(path) ? size : sizeof(path));
	}
	*(uint32_t *)fake.ioctl_attrs[3] = n;
}

int execute_ioctl(struct ibv_context *ctx, struct ibv_command_buffer *cmd)
{
	const struct ib_uverbs_attr *attr = cmd->hdr.attrs;
	int err = command();

	fake.ioctl = cmd->hdr.method_id;
	fake.ioctl_num = cmd->next_attr - attr;
	memset(fake.ioctl_attrs, 0, sizeof(fake.ioctl_attrs));
	memset(fake.ioctl_lens, 0, sizeof(fake.ioctl_lens));
	if (cmd->hdr.object_id != UVERBS_OBJECT_QP || cmd->next_attr > cmd->last_attr)
		return EINVAL;
	for (; attr < cmd->next_attr; attr++) {
		int k = attr->attr_id - (1 << UVERBS_ID_NS_SHIFT);

		if (k < 0 || k >= 4 || attr->flags != UVERBS_ATTR_F_MANDATORY)
			return EINVAL;
		fake.ioctl_attrs[k] = attr->data;
		fake.ioctl_lens[k] = attr->len;
	}
	if (err || fake.ioctl_err)
		return err ? err : fake.ioctl_err;
	if (fake.ioctl == MROCE_METHOD_QUERY_PATHS)
		answer_paths();
	if (fake.ioctl == MROCE_METHOD_QUERY_CONN)
		*(struct mroce_dv_conn *)fake.ioctl_attrs[1] =
			(struct mroce_dv_conn){ .cwnd = 7, .num_paths = fake.num_paths, .num_qps = 3 };
	return 0;
}

struct ibv_qp *fake_create_qp(struct ibv_pd *pd, struct ibv_cq *send, struct ibv_cq *recv,
			      struct ibv_srq *srq, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = send, .recv_cq = recv, .srq = srq, .qp_type = type,
		.cap = { .max_send_wr = 5, .max_recv_wr = 5, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return fake.ops.create_qp(pd, &attr);
}

/* As ibv_modify_qp does. */
int fake_modify_qp(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int err = fake.ops.modify_qp(qp, &attr, IBV_QP_STATE);

	if (!err)
		qp->state = state;
	return err;
}

/* ---- the driver's side ---- */

struct mroce_ring *fake_sq(struct ibv_qp *qp)
{
	return objects[qp->handle].ring[0];
}

struct mroce_ring *fake_rq(struct ibv_qp *qp)
{
	return objects[qp->handle].ring[1];
}

struct mroce_ring *fake_cq(struct ibv_cq *cq)
{
	return objects[cq->handle].ring[0];
}

struct mroce_ring *fake_srq(struct ibv_srq *srq)
{
	return objects[srq->handle].ring[0];
}

struct mroce_send_wqe *fake_send_wqe(struct ibv_qp *qp, uint32_t counter)
{
	struct mroce_uring ring = to_mqp(qp)->sq.ring;

	ring.hdr = fake_sq(qp);
	return mroce_ring_slot(&ring, counter);
}

void fake_complete(struct ibv_cq *cq, const struct mroce_cqe *cqe)
{
	struct mroce_uring ring = to_mcq(cq)->ring;
	uint32_t prod;

	ring.hdr = fake_cq(cq);
	prod = ring.hdr->prod;
	*(struct mroce_cqe *)mroce_ring_slot(&ring, prod) = *cqe;
	mroce_store_release(&ring.hdr->prod, prod + 1);
}

/* The send at @counter has completed; its wr_id is in the slot. */
void fake_send_done(struct ibv_qp *qp, uint32_t counter)
{
	struct mroce_cqe cqe = {
		.wr_id = fake_send_wqe(qp, counter)->wr_id,
		.qp_num = qp->qp_num,
		.opcode = IBV_WC_SEND,
		.wqe_cnt = counter,
	};

	fake_complete(qp->send_cq, &cqe);
}
