/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The objects of the provider and who may touch what. Each embeds the libibverbs object that it extends;
 * to_m*() leads from one to the other. Functions return 0 or a positive errno, or NULL with errno set.
 */
#ifndef METAROCE_PROVIDER_H
#define METAROCE_PROVIDER_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "metaroce-abi.h"
#include "lock.h"
#include "qpmap.h"
#include "ring.h"
#include "wqe.h"

struct mroce_context {
	struct verbs_context ibv_ctx;
};

/**
 * struct mroce_td - a thread domain: its objects are used by one thread at a time
 * @users: parent domains made with it
 */
struct mroce_td {
	struct ibv_td ibv_td;
	atomic_uint users;
};

/**
 * struct mroce_pd - a protection domain, or a parent domain on top of one
 * @users: parent domains on top
 * @base: the protection domain below; NULL in a protection domain
 * @td: thread domain of a parent domain, or NULL
 */
struct mroce_pd {
	struct ibv_pd ibv_pd;
	atomic_uint users;
	struct mroce_pd *base;
	struct mroce_td *td;
};

struct mroce_ah {
	struct ibv_ah ibv_ah;
	uint32_t num;
};

/**
 * struct mroce_queue - the application's end of a send or receive ring
 * @lock: of the fields below but @freed
 * @posted: counter of the next request; the ring's prod follows it
 * @freed: send queue: requests below are free again; written under the lock of the send CQ, atomic
 * @max_wr: how many requests may be outstanding
 * @max_sge: receive queues: entries that fit a slot
 */
struct mroce_queue {
	struct mroce_uring ring;
	struct mroce_lock lock;
	uint32_t posted;
	uint32_t freed;
	uint32_t max_wr;
	uint32_t max_sge;
};

/**
 * struct mroce_cq - a completion queue
 * @lock: of all fields
 * @cons: counter of the next completion to read; the ring's cons follows it
 * @broken: the ring was lost in a resize; polling fails from then on
 * @cur: extended polling: the completion that the read functions look at
 * @qps: QPs that send into this CQ, by number
 * @users: QPs that complete here; one that sends and receives counts twice
 */
struct mroce_cq {
	struct verbs_cq vcq;
	struct mroce_lock lock;
	struct mroce_uring ring;
	uint32_t cons;
	bool broken;
	const struct mroce_cqe *cur;
	struct mroce_qpmap qps;
	atomic_uint users;
};

/**
 * struct mroce_qp - a queue pair
 * @map: entry in the send CQ's @qps, under its lock
 * @sq: send queue
 * @rq: receive queue; without a ring if there is an SRQ or no receive requests
 * @caps: limits of the send queue, constant
 * @wqe: ibv_wr_*: slot of the request being built, under @sq.lock
 * @next: ibv_wr_*: counter behind it
 * @err: ibv_wr_*: first error since wr_start
 */
struct mroce_qp {
	struct verbs_qp vqp;
	struct mroce_qpmap_entry map;
	struct mroce_queue sq;
	struct mroce_queue rq;
	struct mroce_send_caps caps;
	struct mroce_send_wqe *wqe;
	uint32_t next;
	int err;
};

struct mroce_srq {
	struct verbs_srq vsrq;
	struct mroce_queue rq;
};

static inline struct mroce_context *to_mctx(struct ibv_context *ctx)
{
	return container_of(ctx, struct mroce_context, ibv_ctx.context);
}

static inline struct mroce_td *to_mtd(struct ibv_td *td)
{
	return container_of(td, struct mroce_td, ibv_td);
}

static inline struct mroce_pd *to_mpd(struct ibv_pd *pd)
{
	return container_of(pd, struct mroce_pd, ibv_pd);
}

static inline struct mroce_ah *to_mah(struct ibv_ah *ah)
{
	return container_of(ah, struct mroce_ah, ibv_ah);
}

static inline struct mroce_cq *to_mcq(struct ibv_cq *cq)
{
	return container_of(cq, struct mroce_cq, vcq.cq);
}

static inline struct mroce_qp *to_mqp(struct ibv_qp *qp)
{
	return container_of(qp, struct mroce_qp, vqp.qp);
}

static inline struct mroce_srq *to_msrq(struct ibv_srq *srq)
{
	return container_of(srq, struct mroce_srq, vsrq.srq);
}

/* The protection domain that decides about access: a parent domain has that of its base. */
static inline const struct mroce_pd *mroce_base_pd(struct ibv_pd *pd)
{
	return to_mpd(pd)->base ? to_mpd(pd)->base : to_mpd(pd);
}

/* Whether objects of @pd, which may be NULL, are shared by threads. */
static inline bool mroce_pd_threads(struct ibv_pd *pd)
{
	return !pd || !to_mpd(pd)->td;
}

/*
 * The result of a destroy command. EIO comes from uverbs alone, when the device is gone and every object of
 * the context with it: then only our memory is left to free, and the destroy has succeeded.
 */
static inline int mroce_destroyed(int err)
{
	return err == EIO ? 0 : err;
}

/* queue.c */
int mroce_ring_map(struct mroce_uring *ring, int fd, uint64_t offset, uint64_t len, uint32_t entries,
		   uint32_t stride, uint32_t slot_min);
void mroce_ring_unmap(struct mroce_uring *ring);
int mroce_queue_init(struct mroce_queue *q, bool threads);
void mroce_queue_destroy(struct mroce_queue *q);
void mroce_queue_restart(struct mroce_queue *q);

/* doorbell.c */
int mroce_doorbell_send(struct ibv_qp *qp);
int mroce_doorbell_recv(struct ibv_qp *qp);

/* pd.c */
struct ibv_pd *mroce_alloc_pd(struct ibv_context *ctx);
int mroce_dealloc_pd(struct ibv_pd *pd);
struct ibv_td *mroce_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr);
int mroce_dealloc_td(struct ibv_td *td);
struct ibv_pd *mroce_alloc_parent_domain(struct ibv_context *ctx, struct ibv_parent_domain_init_attr *attr);
struct ibv_pd *mroce_import_pd(struct ibv_context *ctx, uint32_t handle);
void mroce_unimport_pd(struct ibv_pd *pd);

/* mr.c */
struct ibv_mr *mroce_reg_mr(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova, int access);
struct ibv_mr *mroce_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t len, uint64_t iova, int fd,
				   int access);
int mroce_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr, size_t len, int access);
int mroce_dereg_mr(struct verbs_mr *vmr);
struct ibv_mr *mroce_import_mr(struct ibv_pd *pd, uint32_t handle);
void mroce_unimport_mr(struct ibv_mr *mr);
struct ibv_mw *mroce_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int mroce_dealloc_mw(struct ibv_mw *mw);

/* ah.c */
struct ibv_ah *mroce_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int mroce_destroy_ah(struct ibv_ah *ah);

/* cq.c */
struct ibv_cq *mroce_create_cq(struct ibv_context *ctx, int cqe, struct ibv_comp_channel *channel,
			       int comp_vector);
struct ibv_cq_ex *mroce_create_cq_ex(struct ibv_context *ctx, struct ibv_cq_init_attr_ex *attr);
int mroce_resize_cq(struct ibv_cq *cq, int cqe);
int mroce_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int mroce_destroy_cq(struct ibv_cq *cq);
int mroce_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void mroce_cq_add_qp(struct mroce_cq *cq, struct mroce_qp *qp);
void mroce_cq_clean(struct mroce_cq *cq, struct mroce_qp *qp, bool forget);

/* poll.c */
int mroce_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
void mroce_cq_ex_init(struct ibv_cq_ex *cq, uint64_t wc_flags);

/* qp.c */
struct ibv_qp *mroce_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *mroce_create_qp_ex(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr);
int mroce_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
int mroce_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init);
int mroce_destroy_qp(struct ibv_qp *qp);

/* post.c */
int mroce_send_ready(const struct mroce_qp *qp);
int mroce_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int mroce_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int mroce_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int mroce_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);

/* wr.c */
uint64_t mroce_send_ops(enum ibv_qp_type type);
void mroce_qp_ex_init(struct mroce_qp *qp, uint64_t ops);

/* srq.c */
struct ibv_srq *mroce_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
int mroce_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int mroce_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int mroce_destroy_srq(struct ibv_srq *srq);

#endif /* METAROCE_PROVIDER_H */
