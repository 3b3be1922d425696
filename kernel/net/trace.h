/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints of the packet path, in /sys/kernel/tracing/events/metaroce: what is sent and
 * received, what ACKs say, and what is dropped for which counter. A packet that was lost shows as
 * the one sent again: its flags hold MROCE_F_RETX.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM metaroce

#if !defined(MROCE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MROCE_TRACE_H

#include <linux/tracepoint.h>
#include "compat.h"
#include "net.h"

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
	if ((d->ver_type & 15) != MROCE_PT_DATA)
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
				   __entry->type = d->ver_type & 15;
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

/* One per block of an ACK that was received; @block is not checked, and lies within the packet. */
TRACE_EVENT(metaroce_ack,
	    TP_PROTO(u32 conn, const struct mroce_ack_block *block),
	    TP_ARGS(conn, block),
	    TP_STRUCT__entry(__field(u32, conn)
			     __field(u8, path)
			     __field(u32, cum)
			     __field(u32, base)
			     __field(u64, sack)
			     __field(u32, ce)
			     __field(u32, dup)
			     __field(u32, rx)
	    ),
	    TP_fast_assign(__entry->conn = conn;
			   __entry->path = block->path;
			   __entry->cum = get_unaligned_be32(&block->cum_psn);
			   __entry->base = get_unaligned_be32(&block->base_psn);
			   __entry->sack = get_unaligned_be64(&block->sack[0]);
			   __entry->ce = get_unaligned_be32(&block->ce_count);
			   __entry->dup = get_unaligned_be32(&block->dup_count);
			   __entry->rx = get_unaligned_be32(&block->rx_count);
	    ),
	    TP_printk("conn=%08x path=%u cum=%08x base=%08x sack=%016llx ce=%u dup=%u rx=%u",
		      __entry->conn, __entry->path, __entry->cum, __entry->base, __entry->sack,
		      __entry->ce, __entry->dup, __entry->rx)
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
