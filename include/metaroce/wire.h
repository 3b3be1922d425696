/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire format: every packet that metaroce puts into a UDP datagram. One header for kernel, user
 * space and tests. Documentation/protocol.rst is its text; "M<n>" there are the numbered
 * requirements.
 *
 * All fields are big endian. Every packet starts with version and type; reserved fields are sent as
 * zero and ignored on receipt [M6]. Multi-byte fields are naturally aligned from the start of the
 * UDP payload.
 */
#ifndef METAROCE_WIRE_H
#define METAROCE_WIRE_H

#include <linux/types.h>

#define MROCE_UDP_PORT		4795	/* [M1]; unassigned by IANA (Debian's services list) */
#define MROCE_VERSION		0

/* ver_type: version in the high, type in the low four bits [M4] */
#define MROCE_VER_TYPE(type)	((MROCE_VERSION << 4) | (type))
#define MROCE_TYPE_OF(ver_type)	((ver_type) & 0xf)	/* enum mroce_pkt_type */

enum mroce_pkt_type {
	MROCE_PT_CONNECT	= 1,
	MROCE_PT_ACCEPT		= 2,
	MROCE_PT_RESET		= 3,
	MROCE_PT_DATA		= 4,
	MROCE_PT_ACK		= 5,
	MROCE_PT_NAK		= 6,
	MROCE_PT_PROBE		= 7,
	MROCE_PT_DATAGRAM	= 8,
};

/* Limits that the format itself sets */
#define MROCE_MAX_PATHS		128
#define MROCE_MIN_PSN_WINDOW	256
#define MROCE_MAX_PSN_WINDOW	8192
#define MROCE_MIN_MSN_WINDOW	16
#define MROCE_MAX_MSN_WINDOW	8192
#define MROCE_SACK_BITS		256
#define MROCE_PAYLOAD_ALIGN	128
#define MROCE_MIN_PAYLOAD	128
#define MROCE_MAX_MSG_LEN	0x80000000U	/* 2 GiB, as in IBTA */

/* Opcodes of DATA packets. Each is carried under a PSN and gets exactly one verdict. */
enum mroce_opcode {
	MROCE_OP_EMPTY		= 0,	/* no content: the PSN's content was refused or cancelled */
	MROCE_OP_SEND		= 1,
	MROCE_OP_SEND_IMM	= 2,
	MROCE_OP_SEND_INV	= 3,	/* imm = rkey to invalidate */
	MROCE_OP_WRITE		= 4,
	MROCE_OP_WRITE_IMM	= 5,
	MROCE_OP_READ		= 6,	/* msg_len = bytes asked for; no payload */
	MROCE_OP_CMP_SWAP	= 7,	/* payload: struct mroce_atomic_operands */
	MROCE_OP_FETCH_ADD	= 8,
	MROCE_OP_READ_RESP	= 16,	/* msn and offset of the request */
	MROCE_OP_ATOMIC_RESP	= 17,	/* payload: the old value, 8 bytes */
	MROCE_OP_RESP_ERROR	= 18,	/* imm = enum mroce_syndrome: the response ends here */
	MROCE_OP_OPEN		= 24,	/* struct mroce_ctrl in place of the stream fields */
	MROCE_OP_OPENED		= 25,
	MROCE_OP_CLOSED		= 26,
	MROCE_OP_QUERY		= 27,
};

/* mroce_data_hdr.flags */
#define MROCE_F_ACK_REQ		0x01	/* acknowledge at once */
#define MROCE_F_RETX		0x02	/* not the first transmission of this PSN */
#define MROCE_F_SOLICITED	0x04	/* raise a solicited event */
#define MROCE_F_UNLIMITED	0x08	/* OPENED: receives are shared, there is no credit */

/*
 * DATA: one fixed length for every opcode, so that the payload is 1408 bytes at MTU 1500 over IPv4
 * and equal packets can be segmented and coalesced by the host's UDP offloads. The payload is what
 * follows.
 */
struct mroce_data_hdr {
	__u8	ver_type;
	__u8	flags;
	__u8	path;
	__u8	opcode;
	__be32	conn_id;	/* chosen by the receiver */
	__be32	psn;
	__be32	tstamp;		/* sender's clock, MROCE_TICK_NS units; echoed, not interpreted */
	__be32	qpn;		/* low 24 bits: destination QPN; high 8: sender's backlog */
	__be32	tag;		/* incarnation of the destination stream, from OPENED */
	__be32	msn;
	__be32	msg_len;
	__be32	offset;		/* of the payload within the message */
	__be32	rsn;		/* receive entry that SEND* and WRITE_IMM consume */
	__be64	addr;		/* of the message's first byte: WRITE*, READ, atomics */
	__be32	rkey;
	__be32	imm;
	__u8	epoch;		/* entropy epoch of the path: changes with its route */
	__u8	rsvd[7];
};

/*
 * Control opcodes (OPEN..QUERY) use this view of a DATA header; it ends where mroce_data_hdr ends.
 */
struct mroce_ctrl_hdr {
	__u8	ver_type;
	__u8	flags;
	__u8	path;
	__u8	opcode;
	__be32	conn_id;
	__be32	psn;
	__be32	tstamp;
	__be32	qpn;		/* destination QPN */
	__be32	tag;		/* OPENED: its sender's; CLOSED, QUERY: the destination's */
	__be32	src_qpn;
	__be32	nonce;		/* OPEN; echoed in OPENED */
	__be32	msn;		/* CLOSED: next MSN to be executed; QUERY: oldest unanswered */
	__be32	rsn_limit;	/* OPENED: first RSN without a posted receive */
	__be32	syndrome;	/* CLOSED */
	__u8	rsvd[12];
	__u8	epoch;
	__u8	rsvd2[7];
};

struct mroce_atomic_operands {
	__be64	swap_add;
	__be64	compare;
};

/* Why a PSN's content was refused (NAK), or a response or stream ended (RESP_ERROR, CLOSED) */
enum mroce_syndrome {
	MROCE_SYN_NONE		= 0,
	MROCE_SYN_RNR		= 1,	/* arg: IBTA's 5-bit RNR timer code */
	MROCE_SYN_NO_STREAM	= 2,
	MROCE_SYN_LATER		= 3,	/* it holds what it may; again when the stream advances */
	MROCE_SYN_INVALID	= 4,	/* remote invalid request error */
	MROCE_SYN_ACCESS	= 5,	/* remote access error */
	MROCE_SYN_OP		= 6,	/* remote operational error */
	MROCE_SYN_MAX
};

/* Rate hint: 5-bit exponent, 11-bit mantissa, unit 64 kb/s; all ones: none */
#define MROCE_HINT_NONE		0xffff
#define MROCE_HINT_BITS		11	/* mantissa */
#define MROCE_HINT_UNIT		8000	/* bytes per second */

/*
 * ACK: header, then nblocks mroce_ack_block, then ncredits mroce_credit. Without blocks it only
 * confirms a connection. tstamp_delay: ticks between arrival of the packet echoed and this ACK,
 * saturating.
 */
struct mroce_ack_hdr {
	__u8	ver_type;
	__u8	flags;
	__u8	nblocks;
	__u8	ncredits;
	__be32	conn_id;
	__be16	hint;
	__be16	rsvd;
	__be32	proof;		/* confirming ACK: high half of the ACCEPT's seed; else 0 */
};

struct mroce_ack_block {
	__u8	path;
	__u8	rsvd[3];
	__be32	cum_psn;	/* every PSN before it was accepted */
	__be32	base_psn;	/* PSN of bit 0 of sack */
	__be32	tstamp_echo;
	__be32	tstamp_delay;
	__be32	ce_count;	/* CE-marked packets received on this path, ever */
	__be32	dup_count;	/* duplicates received on this path, ever */
	__be32	rx_count;	/* packets received on this path, ever */
	/* bit i of word w (LSB first): base_psn + 64 w + i accepted */
	__be64	sack[MROCE_SACK_BITS / 64];
};

#define MROCE_MAX_ACK_BLOCKS	4
#define MROCE_MAX_CREDITS	8

struct mroce_credit {
	__be32	qpn;		/* of the stream's sender */
	__be32	tag;		/* of the stream */
	__be32	rsn_limit;	/* first RSN without a posted receive */
};

/* NAK: header, then count records */
struct mroce_nak_hdr {
	__u8	ver_type;
	__u8	flags;
	__u8	count;
	__u8	rsvd;
	__be32	conn_id;
};

struct mroce_nak_rec {
	__u8	path;
	__u8	syndrome;
	__u8	arg;
	__u8	rsvd;
	__be32	psn;
};

#define MROCE_MAX_NAK_RECS	32

/*
 * PROBE: asks for (or, with the reply flag, gives) a sign of life of one route; never larger in
 * reply.
 */
#define MROCE_PROBE_F_REPLY	0x01

struct mroce_probe {
	__u8	ver_type;
	__u8	flags;
	__u8	path;
	__u8	rsvd;
	__be32	conn_id;
	__be32	seq;
	__be32	tstamp;		/* echoed in the reply */
	/* zero padding may follow: a padded probe tests the route's MTU */
};

/*
 * CONNECT and ACCEPT have one layout and size. my_id is the connection id that the sender wants to
 * receive; conn_id (ACCEPT) is the one that the CONNECT offered. The initial PSN of path p in the
 * sender's direction is mroce_isn(seed, p). Limits are what the sender can receive; both ends use
 * the smaller value of each.
 */
struct mroce_connect {
	__u8	ver_type;
	__u8	flags;
	__u8	tclass;
	__u8	npaths;
	__be32	conn_id;	/* ACCEPT: the initiator's my_id; CONNECT: 0 */
	__be32	my_id;
	__be32	features;
	__be64	instance;	/* random, fixed while the device exists */
	__be64	seed;		/* random per connection attempt; it is the attempt's nonce too */
	__be64	echo;		/* ACCEPT: the seed of the CONNECT answered */
	__be64	cookie;		/* ACCEPT with RETRY: to be returned in the next CONNECT */
	__be16	max_payload;
	__be16	psn_window;
	__be16	msn_window;
	__be16	rsvd;
	__u8	rsvd2[8];
};

#define MROCE_CONNECT_F_RETRY	0x01	/* ACCEPT: nothing kept; CONNECT again with its cookie */

/*
 * RESET: no such connection. Echoes the packet that it answers, which only an on-path host can
 * know.
 */
struct mroce_reset {
	__u8	ver_type;
	__u8	flags;
	__u8	path;
	__u8	rsvd;
	__be32	conn_id;	/* as received */
	__be32	psn;
	__be32	tstamp;
};

/* DATAGRAM: UD and GSI; no connection, no acknowledgement. The payload follows. */
#define MROCE_DGRAM_F_IMM	0x01
#define MROCE_DGRAM_F_SOLICITED	0x02

struct mroce_datagram {
	__u8	ver_type;
	__u8	flags;
	__be16	pkey;
	__be32	dst_qpn;
	__be32	src_qpn;
	__be32	qkey;
	__be32	imm;
	__u8	rsvd[12];
};

#define MROCE_DATA_HDR_LEN	64

#define MROCE_TICK_NS		16	/* unit of tstamp: wraps after 68 s */

/* Initial PSN of a path: both ends derive it from the seed (splitmix64's finaliser) [M36]. */
static inline __u32 mroce_isn(__u64 seed, unsigned int path)
{
	__u64 z = seed + (path + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (__u32)(z ^ (z >> 31));
}

#define MROCE_WIRE_ASSERT(type, size) \
	_Static_assert(sizeof(struct type) == (size), "wire size of " #type)

MROCE_WIRE_ASSERT(mroce_data_hdr, MROCE_DATA_HDR_LEN);
MROCE_WIRE_ASSERT(mroce_ctrl_hdr, MROCE_DATA_HDR_LEN);
MROCE_WIRE_ASSERT(mroce_atomic_operands, 16);
MROCE_WIRE_ASSERT(mroce_ack_hdr, 16);
MROCE_WIRE_ASSERT(mroce_ack_block, 64);
MROCE_WIRE_ASSERT(mroce_credit, 12);
MROCE_WIRE_ASSERT(mroce_nak_hdr, 8);
MROCE_WIRE_ASSERT(mroce_nak_rec, 8);
MROCE_WIRE_ASSERT(mroce_probe, 16);
MROCE_WIRE_ASSERT(mroce_connect, 64);
MROCE_WIRE_ASSERT(mroce_reset, 16);
MROCE_WIRE_ASSERT(mroce_datagram, 32);

#endif /* METAROCE_WIRE_H */
