/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints, in /sys/kernel/tracing/events/metaroce: packets sent, received and dropped; what an
 * ACK brings, losses, retransmissions, timeouts and changes of a path. The latter name a connection
 * by the id that packets to us carry. All are fired under the association's lock but those of
 * packets. scripts/trace-plot draws them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM metaroce

#if !defined(MROCE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MROCE_TRACE_H

#include <linux/tracepoint.h>
#include "compat.h"
#include "net.h"
#include "transport/internal.h"

#define MROCE_TRACE_TYPES			\
	{ MROCE_PT_CONNECT,	"CONNECT" },	\
	{ MROCE_PT_ACCEPT,	"ACCEPT" },	\
	{ MROCE_PT_RESET,	"RESET" },	\
	{ MROCE_PT_DATA,	"DATA" },	\
	{ MROCE_PT_ACK,		"ACK" },	\
	{ MROCE_PT_NAK,		"NAK" },	\
	{ MROCE_PT_PROBE,	"PROBE" },	\
	{ MROCE_PT_DATAGRAM,	"DATAGRAM" }

#ifndef MROCE_TRACE_ONCE	/* this file is read several times */
#define MROCE_TRACE_ONCE

/* What only DATA has; zero for other packets. */
struct mroce_trace_data {
	u8 opcode;
	u8 path;
	u32 psn;
	u32 qpn;
	u32 msn;
	u32 offset;
};

static inline void mroce_trace_data(const struct mroce_data_hdr *d, struct mroce_trace_data *to)
{
	memset(to, 0, sizeof(*to));
	if (MROCE_TYPE_OF(d->ver_type) != MROCE_PT_DATA)
		return;
	to->opcode = d->opcode;
	to->path = d->path;
	to->psn = get_unaligned_be32(&d->psn);
	to->qpn = get_unaligned_be32(&d->qpn) & 0xffffff;
	to->msn = get_unaligned_be32(&d->msn);
	to->offset = get_unaligned_be32(&d->offset);
}

#endif

DECLARE_EVENT_CLASS(metaroce_packet,
		    TP_PROTO(const struct mroce_assoc_key *gids, const void *hdr, u32 len,
			     const struct mroce_route *route),
		    TP_ARGS(gids, hdr, len, route),
		    TP_STRUCT__entry(__array(u8, local, 16)
				     __array(u8, remote, 16)
				     __field(u8, type)
				     __field(u8, flags)
				     __field(u32, conn)
				     __field(u32, len)
				     __field(u32, ifindex)
				     __field(u16, sport)
				     __field_struct(struct mroce_trace_data, data)
		    ),
		    TP_fast_assign(const struct mroce_data_hdr *d = hdr;

				   memcpy(__entry->local, gids->local.raw, 16);
				   memcpy(__entry->remote, gids->remote.raw, 16);
				   __entry->type = MROCE_TYPE_OF(d->ver_type);
				   __entry->flags = d->flags;
				   __entry->conn = get_unaligned_be32(&d->conn_id);
				   __entry->len = len;
				   __entry->ifindex = route->ifindex;
				   __entry->sport = route->sport;
				   mroce_trace_data(hdr, &__entry->data);
		    ),
		    TP_printk("%pI6c %pI6c %s flags=%x conn=%08x len=%u if=%u sport=%u path=%u psn=%08x op=%u qpn=%06x msn=%u off=%u",
			      __entry->local, __entry->remote,
			      __print_symbolic(__entry->type, MROCE_TRACE_TYPES), __entry->flags,
			      __entry->conn, __entry->len, __entry->ifindex, __entry->sport,
			      __entry->data.path, __entry->data.psn, __entry->data.opcode,
			      __entry->data.qpn, __entry->data.msn, __entry->data.offset)
);

DEFINE_EVENT(metaroce_packet, metaroce_tx,
	     TP_PROTO(const struct mroce_assoc_key *gids, const void *hdr, u32 len,
		      const struct mroce_route *route),
	     TP_ARGS(gids, hdr, len, route)
);

DEFINE_EVENT(metaroce_packet, metaroce_rx,
	     TP_PROTO(const struct mroce_assoc_key *gids, const void *hdr, u32 len,
		      const struct mroce_route *route),
	     TP_ARGS(gids, hdr, len, route)
);

/*
 * One per block of an ACK, after it was taken in: what it says, and what the path makes of it.
 * @block lies within the packet.
 */
TRACE_EVENT(metaroce_ack,
	    TP_PROTO(const struct mroce_path *p, const struct mroce_ack_block *block),
	    TP_ARGS(p, block),
	    TP_STRUCT__entry(__field(u32, conn)
			     __field(u8, path)
			     __field(u32, cum)
			     __field(u32, base)
			     __field(u64, sack)
			     __field(u32, ce)
			     __field(u32, dup)
			     __field(u32, rx)
			     __field(u64, rtt)
			     __field(u64, srtt)
			     __field(u32, cwnd)
			     __field(u32, inflight)
			     __field(u32, ce_permille)
	    ),
	    TP_fast_assign(__entry->conn = p->conn->rx_id;
			   __entry->path = p->index;
			   __entry->cum = get_unaligned_be32(&block->cum_psn);
			   __entry->base = get_unaligned_be32(&block->base_psn);
			   __entry->sack = get_unaligned_be64(&block->sack[0]);
			   __entry->ce = get_unaligned_be32(&block->ce_count);
			   __entry->dup = get_unaligned_be32(&block->dup_count);
			   __entry->rx = get_unaligned_be32(&block->rx_count);
			   __entry->rtt = p->rtt.latest;
			   __entry->srtt = p->rtt.srtt;
			   __entry->cwnd = p->cc.cwnd;
			   __entry->inflight = p->inflight_bytes;
			   __entry->ce_permille = mroce_path_ce_permille(p);
	    ),
	    TP_printk("conn=%08x path=%u rtt_ns=%llu srtt_ns=%llu cwnd=%u inflight=%u ce=%u ce_permille=%u cum=%08x base=%08x sack=%016llx dup=%u rx=%u",
		      __entry->conn, __entry->path, __entry->rtt, __entry->srtt, __entry->cwnd,
		      __entry->inflight, __entry->ce, __entry->ce_permille, __entry->cum,
		      __entry->base, __entry->sack, __entry->dup, __entry->rx)
);

/* A packet goes out again; under its own PSN, so it tells what was lost. */
TRACE_EVENT(metaroce_retransmit,
	    TP_PROTO(const struct mroce_path *p, const struct mroce_data_hdr *d, u32 len),
	    TP_ARGS(p, d, len),
	    TP_STRUCT__entry(__field(u32, conn)
			     __field(u8, path)
			     __field(u8, opcode)
			     __field(u32, psn)
			     __field(u32, qpn)
			     __field(u32, len)
			     __field(u32, ifindex)
			     __field(u16, sport)
	    ),
	    TP_fast_assign(__entry->conn = p->conn->rx_id;
			   __entry->path = p->index;
			   __entry->opcode = d->opcode;
			   __entry->psn = get_unaligned_be32(&d->psn);
			   __entry->qpn = get_unaligned_be32(&d->qpn) & 0xffffff;
			   __entry->len = len;
			   __entry->ifindex = p->route.ifindex;
			   __entry->sport = p->route.sport;
	    ),
	    TP_printk("conn=%08x path=%u psn=%08x op=%u qpn=%06x len=%u if=%u sport=%u",
		      __entry->conn, __entry->path, __entry->psn, __entry->opcode, __entry->qpn,
		      __entry->len, __entry->ifindex, __entry->sport)
);

#define MROCE_TRACE_PATH_EVENTS				\
	{ MROCE_PATH_EV_LOSS,	"loss" },		\
	{ MROCE_PATH_EV_PROBE,	"tail_probe" },		\
	{ MROCE_PATH_EV_RTO,	"rto" },		\
	{ MROCE_PATH_EV_UNDONE,	"rto_undone" },		\
	{ MROCE_PATH_EV_AWAY,	"away" },		\
	{ MROCE_PATH_EV_MOVED,	"moved" },		\
	{ MROCE_PATH_EV_USED,	"used" },		\
	{ MROCE_PATH_EV_RESTS,	"rests" }

#define MROCE_TRACE_PATH_STATES				\
	{ MROCE_PATH_RESTS,	"rests" },		\
	{ MROCE_PATH_USED,	"used" },		\
	{ MROCE_PATH_SUSPECT,	"suspect" },		\
	{ MROCE_PATH_AWAY,	"away" }

/* What befalls a path, and how it stands after that. */
DECLARE_EVENT_CLASS(metaroce_path,
		    TP_PROTO(const struct mroce_path *p, int what, u32 n),
		    TP_ARGS(p, what, n),
		    TP_STRUCT__entry(__field(u32, conn)
				     __field(u8, path)
				     __field(u8, what)
				     __field(u8, state)
				     __field(u8, rtos)
				     __field(u32, n)
				     __field(u64, srtt)
				     __field(u32, cwnd)
				     __field(u32, inflight)
				     __field(u32, ifindex)
				     __field(u16, sport)
		    ),
		    TP_fast_assign(__entry->conn = p->conn->rx_id;
				   __entry->path = p->index;
				   __entry->what = what;
				   __entry->state = mroce_path_state(p);
				   __entry->rtos = p->loss.rtos;
				   __entry->n = n;
				   __entry->srtt = p->rtt.srtt;
				   __entry->cwnd = p->cc.cwnd;
				   __entry->inflight = p->inflight_bytes;
				   __entry->ifindex = p->route.ifindex;
				   __entry->sport = p->route.sport;
		    ),
		    TP_printk("conn=%08x path=%u event=%s n=%u state=%s rtos=%u srtt_ns=%llu cwnd=%u inflight=%u if=%u sport=%u",
			      __entry->conn, __entry->path,
			      __print_symbolic(__entry->what, MROCE_TRACE_PATH_EVENTS), __entry->n,
			      __print_symbolic(__entry->state, MROCE_TRACE_PATH_STATES),
			      __entry->rtos, __entry->srtt, __entry->cwnd, __entry->inflight,
			      __entry->ifindex, __entry->sport)
);

DEFINE_EVENT(metaroce_path, metaroce_loss,
	     TP_PROTO(const struct mroce_path *p, int what, u32 n),
	     TP_ARGS(p, what, n)
);

DEFINE_EVENT(metaroce_path, metaroce_rto,
	     TP_PROTO(const struct mroce_path *p, int what, u32 n),
	     TP_ARGS(p, what, n)
);

DEFINE_EVENT(metaroce_path, metaroce_path_state,
	     TP_PROTO(const struct mroce_path *p, int what, u32 n),
	     TP_ARGS(p, what, n)
);

#define MROCE_TRACE_COUNTER(id, name)	{ MROCE_CNT_##id, name },

/* Drops that are found outside the transport; the transport's show in its counters. */
TRACE_EVENT(metaroce_drop,
	    TP_PROTO(const struct mroce_dev *dev, u32 counter),
	    TP_ARGS(dev, counter),
	    TP_STRUCT__entry(__array(char, name, IB_DEVICE_NAME_MAX)
			     __field(u32, counter)
	    ),
	    TP_fast_assign(strscpy(__entry->name, dev_name(&dev->ib.dev), IB_DEVICE_NAME_MAX);
			   __entry->counter = counter;
	    ),
	    TP_printk("%s %s", __entry->name,
		      __print_symbolic(__entry->counter,
				       MROCE_COUNTERS(MROCE_TRACE_COUNTER) { -1, NULL }))
);

#endif /* MROCE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH net
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
