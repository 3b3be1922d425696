/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the files of kernel/verbs share: the objects, one file each, and what they call of each
 * other.
 *
 *	device.c	the ib_device: attributes, registration, end
 *	port.c		the port, and the netdev's events
 *	ucontext.c	user contexts, mmap
 *	pd.c		protection domains
 *	ah.c		address handles
 *	ring.c		memory shared with user space; copies of its entries
 *	region.c	memory by key, and copying to and from it (region.h)
 *	mr.c, mw.c	memory regions, windows (region.h)
 *	cq.c		completion queues
 *	qp.c		QPs: life, lock, events
 *	qp_state.c	modify and query
 *	sq.c		sends: copy, check, post, complete
 *	rq.c, srq.c	receives of a QP, of many
 *	ud.c		data path of UD and GSI
 *	host.c		what the transport asks of verbs
 *	counters.c	rdma statistic
 *	restrack.c	rdma resource
 *	dv.c		direct verbs: a QP's connection and paths
 *
 * Locks, outer to inner:
 *
 *	mroce_qp.mutex		modify, query and destroy of one QP; process context
 *	mroce_assoc.lock	BHs off: the data path of every QP that is bound to the association
 *	mroce_qp_entry.lock	BHs off: the data path of a QP without association (UD, GSI, RC
 *				before RTR), and changes of mroce_qp.assoc, which need both
 *	mroce_region.lock	of a window, then that of its region: read while copying, written to
 *				revoke
 *	mroce_sq.lock, mroce_rq.lock, mroce_srq.lock, mroce_cq.lock
 *				leaves, irqs off: kernel consumers post and poll from any context
 *
 * "The QP's data path lock" below is the association's if there is one, else the entry's:
 * mroce_qp_lock() takes it.
 *
 * Order of posted sends. A user QP's work requests are ordered by its ring, and are taken from it
 * only under the data path lock: whichever doorbell comes first takes what is there, in ring order,
 * and gives it to the stream before it lets go. A kernel QP's are numbered in its SQ under
 * mroce_sq.lock as they are posted, and go to the stream in the same way. So concurrent posters
 * cannot overtake, and no poster needs the data path lock with a consumer's irqs off: it leaves
 * that to the work.
 *
 * Nothing of a consumer is called with one of these locks held: completions and events are
 * collected, see mroce_event.
 */
#ifndef MROCE_VERBS_H
#define MROCE_VERBS_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/skbuff.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/metaroce-abi.h>
#include "compat.h"
#include "driver.h"
#include "region.h"

#define MROCE_VENDOR_ID		0x026d72	/* no OUI is ours: a locally administered one */
#define MROCE_MAX_OBJECTS	BIT(20)
#define MROCE_MAX_SGE		32
#define MROCE_MAX_INLINE	512
#define MROCE_SQ_BATCH		64	/* sends taken under the lock in one go */
#define MROCE_RQ_BATCH		64	/* receives flushed under the lock in one go */
#define MROCE_MAX_WR		BIT(15)
#define MROCE_MAX_CQE		BIT(20)
#define MROCE_MAX_RD_ATOMIC	128
#define MROCE_MAX_FAST_PAGES	1024
#define MROCE_MAX_QPN		0xffffff
#define MROCE_MIN_QPN		16
#define MROCE_GSI_QPN		1
#define MROCE_GSI_QKEY		0x80010000U
#define MROCE_GRH_LEN		40
#define MROCE_PKEY		0xffff
#define MROCE_LOCAL_DMA_LKEY	0	/* kernel consumers only; no region has key 0 */

/* mroce_cqe.wc_flags: user space's bits, of which the kernel's own differ */
#define MROCE_WC_GRH		1
#define MROCE_WC_WITH_IMM	2
#define MROCE_WC_WITH_INV	8

/* one more object of a kind; false: there are @max already */
static inline bool mroce_count_in(atomic_t *n, int max)
{
	return atomic_add_unless(n, 1, max);
}

/* --- ring.c ------------------------------------------------------------------------- */

/**
 * struct mroce_rbuf - a ring's memory; the ABI has its layout
 * @mmap:	the mapping's offset and the reference count; user rings only
 * @hdr:	the memory; user space may write to all of it at any time
 * @entries:	slots, a power of two; constant
 * @stride:	bytes from slot to slot; constant
 * @len:	bytes in all, whole pages; constant
 * @user:	shared with user space; constant
 */
struct mroce_rbuf {
	struct rdma_user_mmap_entry mmap;
	struct mroce_ring *hdr;
	u32 entries;
	u32 stride;
	size_t len;
	bool user;
};

static inline void *mroce_rbuf_slot(const struct mroce_rbuf *rb, u32 counter)
{
	return (void *)rb->hdr + MROCE_RING_ENTRIES +
		(size_t)(counter & (rb->entries - 1)) * rb->stride;
}

struct mroce_rbuf *mroce_rbuf_create(struct ib_ucontext *uctx, u32 entries, u32 stride);
void mroce_rbuf_destroy(struct mroce_rbuf *rb);
u64 mroce_rbuf_offset(struct mroce_rbuf *rb);
void mroce_rbuf_free_mmap(struct rdma_user_mmap_entry *entry);

/**
 * struct mroce_slots - the kernel's copies of work requests, in chunks allocated when first used
 * @chunk:	pointers to chunks, NULL until used; set once, by cmpxchg()
 * @size:	bytes of a copy; constant
 * @shift:	log2 of copies in a chunk; constant
 * @nchunks:	length of @chunk; constant
 *
 * The owner's lock guards what is in a copy.
 */
struct mroce_slots {
	void **chunk;
	u32 size;
	u32 shift;
	u32 nchunks;
};

int mroce_slots_init(struct mroce_slots *s, u32 count, u32 size);
int mroce_slots_fill(struct mroce_slots *s);
void *mroce_slot_get(struct mroce_slots *s, u32 i, gfp_t gfp);
void mroce_slots_free(struct mroce_slots *s);

static inline void *mroce_slot(const struct mroce_slots *s, u32 i)
{
	void *chunk = READ_ONCE(s->chunk[i >> s->shift]);

	return chunk ? chunk + (i & ((1U << s->shift) - 1)) * s->size : NULL;
}

/* --- small objects ------------------------------------------------------------------ */

/**
 * struct mroce_ucontext - user context
 * @ib:		ib_core's
 */
struct mroce_ucontext {
	struct ib_ucontext ib;
};

/**
 * struct mroce_pd - protection domain
 * @ib:		ib_core's
 */
struct mroce_pd {
	struct ib_pd ib;
};

int mroce_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata);
void mroce_dealloc_ucontext(struct ib_ucontext *uctx);
void mroce_disassociate_ucontext(struct ib_ucontext *uctx);
int mroce_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
int mroce_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int mroce_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);

/**
 * struct mroce_av - where an address handle points to; outlives the handle while sends use it
 * @ref:	the handle's, and one per send that waits
 * @rcu:	frees it after the last reader that found it by number
 * @sgid:	source, referenced; constant
 * @pd:		only compared; constant
 * @dgid:	destination; constant
 * @tclass:	traffic class; constant
 * @hop_limit:	constant
 */
struct mroce_av {
	refcount_t ref;
	struct rcu_head rcu;
	const struct ib_gid_attr *sgid;
	const struct ib_pd *pd;
	union ib_gid dgid;
	u8 tclass;
	u8 hop_limit;
};

/**
 * struct mroce_ah - address handle
 * @ib:		ib_core's
 * @av:		referenced; constant
 * @attr:	for query; constant
 * @num:	in mroce_dev.ahs, 0 for a kernel consumer's; constant
 */
struct mroce_ah {
	struct ib_ah ib;
	struct mroce_av *av;
	struct rdma_ah_attr attr;
	u32 num;
};

static inline struct mroce_ah *to_mah(struct ib_ah *ah)
{
	return container_of(ah, struct mroce_ah, ib);
}

int mroce_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int mroce_query_ah(struct ib_ah *ah, struct rdma_ah_attr *attr);
int mroce_destroy_ah(struct ib_ah *ah, u32 flags);
struct mroce_av *mroce_av_find(struct mroce_dev *dev, u32 num);
void mroce_av_put(struct mroce_av *av);

/* --- cq.c --------------------------------------------------------------------------- */

/**
 * struct mroce_kernel_cqe - a slot of a kernel consumer's queue
 * @cqe:	as user space has it; rsvd[0] is the network header type
 * @qp:		what ib_wc tells instead of the number
 */
struct mroce_kernel_cqe {
	struct mroce_cqe cqe;
	struct ib_qp *qp;
};

/**
 * struct mroce_cq - completion queue
 * @ib:		ib_core's
 * @lock:	irqs off, leaf
 * @user:	polled in the ring by user space, else a kernel consumer's; constant
 * @ring:	completions; under @lock, RESIZE_CQ replaces it
 * @prod:	ours, user space cannot change it; under @lock
 * @cons:	kernel consumers: ours too; under @lock
 * @event:	delivers what @comp_due and @error_due say
 * @queued:	@event is on a list or being delivered; under @lock
 * @comp_due:	a completion event is to be raised; under @lock
 * @error_due:	the overflow is to be told; under @lock
 * @error:	it overflowed, and takes nothing any more; under @lock
 * @ref:	the object's, and one while @queued
 * @gone:	@ref is 0
 */
struct mroce_cq {
	struct ib_cq ib;
	spinlock_t lock;	/* see @lock */
	bool user;
	struct mroce_rbuf *ring;
	u32 prod;
	u32 cons;
	struct mroce_event event;
	bool queued;
	bool comp_due;
	bool error_due;
	bool error;
	refcount_t ref;
	struct completion gone;
};

static inline struct mroce_cq *to_mcq(struct ib_cq *cq)
{
	return container_of(cq, struct mroce_cq, ib);
}

int mroce_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		    struct mroce_create_cq_arg *arg);
int mroce_destroy_cq(struct ib_cq *cq, struct ib_udata *udata);
int mroce_resize_cq(struct ib_cq *cq, int cqe, struct ib_udata *udata);
int mroce_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc);
int mroce_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags);
bool mroce_cq_push(struct mroce_cq *cq, struct mroce_cqe *cqe, struct ib_qp *qp, bool solicited,
		   struct list_head *events);
void mroce_cq_forget(struct mroce_cq *cq, const struct ib_qp *qp);

/* --- receives ----------------------------------------------------------------------- */

/**
 * struct mroce_rwqe - a receive work request, copied
 * @recv:	the transport's
 * @link:	SRQ: in mroce_srq.free, .ready or .returned, under mroce_srq.lock
 * @wr_id:	the consumer's
 * @wqe_cnt:	number in its queue
 * @num_sge:	entries in @sge
 * @sge:	where to
 */
struct mroce_rwqe {
	struct mroce_recv recv;
	struct list_head link;
	u64 wr_id;
	u32 wqe_cnt;
	u32 num_sge;
	struct mroce_sge sge[];
};

static inline struct mroce_rwqe *to_rwqe(struct mroce_recv *recv)
{
	return container_of(recv, struct mroce_rwqe, recv);
}

/**
 * struct mroce_rq - receive queue of a QP
 * @ring:	user QPs; constant
 * @slots:	copies, by counter
 * @lock:	kernel posters, irqs off, leaf
 * @entries:	a power of two, 0: there is none; constant
 * @max_wr:	what the consumer may post; constant
 * @max_sge:	constant
 * @prod:	kernel QPs: posted; under @lock
 * @bind:	given to messages; under the QP's data path lock
 * @done:	completed; under the QP's data path lock
 *
 * Counters are those of the ring; a stream's RSN is the counter of the entry.
 */
struct mroce_rq {
	struct mroce_rbuf *ring;
	struct mroce_slots slots;
	spinlock_t lock;	/* see @lock */
	u32 entries;
	u32 max_wr;
	u32 max_sge;
	u32 prod;
	u32 bind;
	u32 done;
};

/**
 * struct mroce_srq - shared receive queue
 * @ib:		ib_core's
 * @lock:	guards all that follows; irqs off, leaf
 * @ring:	user queues
 * @slots:	storage of copies
 * @entries:	a power of two; constant
 * @max_wr:	what the consumer may post; constant
 * @max_sge:	constant
 * @used_slots:	of @slots, those that were ever taken
 * @free:	copies that can be taken
 * @ready:	kernel queues: posted
 * @returned:	taken by a QP that died without using them; they go out first
 * @nready:	length of @ready
 * @nreturned:	length of @returned
 * @cons:	user queues: taken from the ring
 * @posted:	kernel queues: number of the next
 * @limit:	raise the event when fewer are left, 0: never
 * @event:	delivers it
 * @work:	calls @event when modify raised it
 * @queued:	@event is on a list, or @work is queued
 * @ref:	the object's, and one while @queued
 * @gone:	@ref is 0
 */
struct mroce_srq {
	struct ib_srq ib;
	spinlock_t lock;	/* see @lock */
	struct mroce_rbuf *ring;
	struct mroce_slots slots;
	u32 entries;
	u32 max_wr;
	u32 max_sge;
	u32 used_slots;
	struct list_head free;
	struct list_head ready;
	struct list_head returned;
	u32 nready;
	u32 nreturned;
	u32 cons;
	u32 posted;
	u32 limit;
	struct mroce_event event;
	struct work_struct work;
	bool queued;
	refcount_t ref;
	struct completion gone;
};

static inline struct mroce_srq *to_msrq(struct ib_srq *srq)
{
	return container_of(srq, struct mroce_srq, ib);
}

int mroce_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr, struct ib_udata *udata);
int mroce_modify_srq(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata);
int mroce_query_srq(struct ib_srq *srq, struct ib_srq_attr *attr);
int mroce_destroy_srq(struct ib_srq *srq, struct ib_udata *udata);
int mroce_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad);
struct mroce_rwqe *mroce_srq_take(struct mroce_srq *srq);
void mroce_srq_kept(struct mroce_srq *srq, struct list_head *events);
void mroce_srq_return(struct mroce_srq *srq, struct mroce_rwqe *w);
void mroce_srq_done(struct mroce_srq *srq, struct mroce_rwqe *w);

/* --- sends -------------------------------------------------------------------------- */

/**
 * struct mroce_swqe - a send work request, copied and checked
 * @msg:	the transport's
 * @wr_id:	the consumer's
 * @wqe_cnt:	number in the SQ
 * @opcode:	enum ib_wr_opcode
 * @signaled:	its success is reported
 * @inl:	@data holds the payload, else entries
 * @num_sge:	entries in @data
 * @ud:		datagrams: where to; the address vector is referenced
 * @reg:	REG_MR
 * @bind:	BIND_MW
 * @data:	entries or inline data
 */
struct mroce_swqe {
	struct mroce_msg msg;
	u64 wr_id;
	u32 wqe_cnt;
	u8 opcode;
	bool signaled;
	bool inl;
	u8 num_sge;
	union {
		struct {
			struct mroce_av *av;
			u32 qpn;
			u32 qkey;
		} ud;
		struct {
			struct mroce_mr *mr;
			u32 key;
			int access;
		} reg;
		struct mroce_bind bind;
	};
	u8 data[] __aligned(8);
};

static inline struct mroce_swqe *to_swqe(struct mroce_msg *msg)
{
	return container_of(msg, struct mroce_swqe, msg);
}

static inline struct mroce_sge *mroce_swqe_sge(struct mroce_swqe *w)
{
	return (struct mroce_sge *)w->data;
}

/**
 * struct mroce_sq - send queue
 * @ring:	user QPs; constant
 * @slots:	copies, by counter
 * @lock:	kernel posters, irqs off, leaf
 * @entries:	a power of two; constant
 * @max_wr:	what the consumer may post; constant
 * @max_sge:	constant
 * @max_data:	bytes behind a work request: entries or inline data; constant
 * @max_inline:	constant
 * @staged:	kernel QPs: copied and posted by the consumer; under @lock
 * @head:	given to the stream; under the QP's data path lock
 * @tail:	completed; under the QP's data path lock
 * @busy:	UD: somebody sends, without the lock; under the QP's data path lock
 */
struct mroce_sq {
	struct mroce_rbuf *ring;
	struct mroce_slots slots;
	spinlock_t lock;	/* see @lock */
	u32 entries;
	u32 max_wr;
	u32 max_sge;
	u32 max_data;
	u32 max_inline;
	u32 staged;
	u32 head;
	u32 tail;
	bool busy;
};

/* --- QPs ---------------------------------------------------------------------------- */

/**
 * struct mroce_qp_entry - a QP number that packets may carry
 * @lock:	data path lock of a QP without association
 * @qp:		NULL once it is destroyed; under @lock
 * @peer:	of the association; under both locks: who holds the peer's lock and finds its peer
 *		here may use @qp
 * @rcu:	frees it after the last reader
 *
 * Receivers find the entry without a lock, so the QP itself need not wait for a grace period when
 * it goes.
 */
struct mroce_qp_entry {
	spinlock_t lock;	/* see @lock */
	struct mroce_qp *qp;
	struct mroce_peer *peer;
	struct rcu_head rcu;
};

/* enum mroce_qp_due: bits of mroce_qp.due, what mroce_qp.event is to do */
enum mroce_qp_due {
	MROCE_DUE_FATAL,
	MROCE_DUE_ACCESS,
	MROCE_DUE_REQUEST,
	MROCE_DUE_EST,
	MROCE_DUE_DRAINED,
	MROCE_DUE_LAST_WQE,
	MROCE_DUE_TO_ERR,	/* a CQ overflowed: the QP has to go to ERR */
	MROCE_DUE_QUEUED,	/* not a thing to do: the event is on a list */
};

/**
 * struct mroce_qp - queue pair
 * @ib:		ib_core's
 * @stream:	the transport's; under the association's lock
 * @entry:	in mroce_dev.qps; constant
 * @assoc:	RC from RTR until RESET, referenced; RCU, written under both data path locks
 * @sq:		send queue
 * @rq:		receive queue, empty with an SRQ
 * @mutex:	one modify, query or destroy at a time
 * @state:	enum ib_qp_state; written under the data path lock
 * @kernel:	of a kernel consumer; constant
 * @sig_all:	every send is reported; constant
 * @sq_draining: in SQD with messages in progress; under the data path lock
 * @attr:	as given to modify; written under @mutex and the data path lock
 * @cap:	as granted; constant
 * @event:	delivers what @due says
 * @due:	bits of enum mroce_qp_due
 * @events:	what to deliver while there is no association; under the entry's lock
 * @work:	takes sends that were posted with irqs off, goes on with what was too much for one
 *		go, and delivers @events
 * @ref:	the object's, and one while @event is on a list
 * @gone:	@ref is 0
 */
struct mroce_qp {
	struct ib_qp ib;
	struct mroce_stream stream;
	struct mroce_qp_entry *entry;
	struct mroce_assoc __rcu *assoc;
	struct mroce_sq sq;
	struct mroce_rq rq;
	struct mutex mutex;	/* see @mutex */
	enum ib_qp_state state;
	bool kernel;
	bool sig_all;
	bool sq_draining;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	struct mroce_event event;
	unsigned long due;
	struct list_head events;
	struct work_struct work;
	refcount_t ref;
	struct completion gone;
};

static inline struct mroce_qp *to_mqp(struct ib_qp *qp)
{
	return container_of(qp, struct mroce_qp, ib);
}

static inline struct mroce_qp *stream_qp(struct mroce_stream *s)
{
	return container_of(s, struct mroce_qp, stream);
}

static inline bool mroce_qp_is_ud(const struct mroce_qp *qp)
{
	return qp->ib.qp_type != IB_QPT_RC;
}

static inline struct mroce_user_of_key mroce_qp_keys(const struct mroce_qp *qp)
{
	return (struct mroce_user_of_key){
		.dev	= to_mdev(qp->ib.device),
		.pd	= qp->ib.pd,
		.qpn	= qp->ib.qp_num,
		.kernel	= qp->kernel,
	};
}

/* for receives: those of an SRQ are under its protection domain */
static inline struct mroce_user_of_key mroce_qp_recv_keys(const struct mroce_qp *qp)
{
	struct mroce_user_of_key u = mroce_qp_keys(qp);

	if (qp->ib.srq)
		u.pd = qp->ib.srq->pd;
	return u;
}

/* qp.c */
int mroce_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int mroce_destroy_qp(struct ib_qp *qp, struct ib_udata *udata);
struct mroce_assoc *mroce_qp_lock(struct mroce_qp *qp);
void mroce_qp_unlock(struct mroce_qp *qp, struct mroce_assoc *a, enum mroce_ctx ctx);
void mroce_qp_assert_locked(struct mroce_qp *qp);
struct list_head *mroce_qp_events(struct mroce_qp *qp);
void mroce_qp_note(struct mroce_qp *qp, enum mroce_qp_due what);
void mroce_qp_complete(struct mroce_qp *qp, struct ib_cq *cq, struct mroce_cqe *cqe,
		       bool solicited);
void mroce_qp_enter_error(struct mroce_qp *qp);
void mroce_qp_set_error(struct mroce_qp *qp);
void mroce_qp_unbind(struct mroce_qp *qp);

/* qp_state.c */
int mroce_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int mroce_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);

/* sq.c */
int mroce_post_send(struct ib_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad);
struct mroce_swqe *mroce_sq_next(struct mroce_qp *qp);
bool mroce_sq_drain(struct mroce_qp *qp);
void mroce_sq_done(struct mroce_qp *qp, struct mroce_swqe *w, u8 status);
void mroce_sq_drop(struct mroce_qp *qp);
enum ib_wc_status mroce_wc_status(u8 status);

/* rq.c */
int mroce_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad);
int mroce_rwqe_from_wr(struct mroce_rwqe *w, u32 max_sge, const struct ib_recv_wr *wr);
void mroce_rwqe_from_ring(struct mroce_rwqe *w, u32 max_sge, const struct mroce_rbuf *ring,
			  u32 counter);
u32 mroce_rq_limit(const struct mroce_qp *qp);
struct mroce_rwqe *mroce_recv_take(struct mroce_qp *qp);
void mroce_recv_keep(struct mroce_qp *qp);
void mroce_recv_untake(struct mroce_qp *qp, struct mroce_rwqe *w);
void mroce_recv_complete(struct mroce_qp *qp, struct mroce_rwqe *w, struct mroce_cqe *cqe,
			 bool solicited);
void mroce_rq_flush(struct mroce_qp *qp);
void mroce_rq_drop(struct mroce_qp *qp);

/* ud.c */
void mroce_ud_send(struct mroce_qp *qp);
void mroce_ud_quiesce(struct mroce_qp *qp);

/* --- device ------------------------------------------------------------------------- */

int mroce_device_add(const char *name, struct net_device *ndev);
int mroce_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr);
int mroce_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *imm);
enum rdma_link_layer mroce_link_layer(struct ib_device *ib, u32 port);
int mroce_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey);
int mroce_netdev_event(struct notifier_block *nb, unsigned long event, void *arg);
int mroce_inetaddr_event(struct notifier_block *nb, unsigned long event, void *arg);
int mroce_inet6addr_event(struct notifier_block *nb, unsigned long event, void *arg);
void mroce_rescan_gids(struct work_struct *work);
struct rdma_hw_stats *mroce_alloc_port_stats(struct ib_device *ib, u32 port);
int mroce_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index);
int mroce_fill_res_qp(struct sk_buff *msg, struct ib_qp *qp);
int mroce_fill_res_cq(struct sk_buff *msg, struct ib_cq *cq);
int mroce_fill_res_mr(struct sk_buff *msg, struct ib_mr *mr);
void mroce_dv_fill_conn(struct mroce_dv_conn *to, const struct mroce_conn *conn);
extern const struct uapi_definition mroce_uapi_defs[];

#endif /* MROCE_VERBS_H */
