// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets: length and version checks, decoding and building. Nothing here knows what a packet does.
 */
#include "internal.h"

/**
 * mroce_opcode_is_ctrl() - OPEN, OPENED, CLOSED, QUERY
 * @opcode:	enum mroce_opcode
 *
 * Return: true if it is
 */
bool mroce_opcode_is_ctrl(u8 opcode)
{
	return opcode >= MROCE_OP_OPEN && opcode <= MROCE_OP_QUERY;
}

/**
 * mroce_opcode_is_response() - READ_RESP, ATOMIC_RESP, RESP_ERROR
 * @opcode:	enum mroce_opcode
 *
 * Return: true if it is
 */
bool mroce_opcode_is_response(u8 opcode)
{
	return opcode >= MROCE_OP_READ_RESP && opcode <= MROCE_OP_RESP_ERROR;
}

/**
 * mroce_opcode_takes_recv() - does it consume a receive? SEND*, WRITE_IMM
 * @opcode:	enum mroce_opcode
 *
 * Return: true if it does
 */
bool mroce_opcode_takes_recv(u8 opcode)
{
	return opcode == MROCE_OP_SEND || opcode == MROCE_OP_SEND_IMM ||
	       opcode == MROCE_OP_SEND_INV || opcode == MROCE_OP_WRITE_IMM;
}

/**
 * mroce_opcode_valid() - is it one of enum mroce_opcode?
 * @opcode:	from the wire
 *
 * Return: true if it is
 */
bool mroce_opcode_valid(u8 opcode)
{
	return opcode <= MROCE_OP_FETCH_ADD || mroce_opcode_is_response(opcode) ||
	       mroce_opcode_is_ctrl(opcode);
}

static u32 pkt_min_len(u8 type)
{
	switch (type) {
	case MROCE_PT_CONNECT:
	case MROCE_PT_ACCEPT:
		return sizeof(struct mroce_connect);
	case MROCE_PT_RESET:
		return sizeof(struct mroce_reset);
	case MROCE_PT_DATA:
		return MROCE_DATA_HDR_LEN;
	case MROCE_PT_ACK:
		return sizeof(struct mroce_ack_hdr);
	case MROCE_PT_NAK:
		return sizeof(struct mroce_nak_hdr);
	case MROCE_PT_PROBE:
		return sizeof(struct mroce_probe);
	case MROCE_PT_DATAGRAM:
		return sizeof(struct mroce_datagram);
	}
	return 0;
}

/* What is too short, of another version or of no type has no meaning at all [M4, M5]. */
int mroce_pkt_type(const struct mroce_rx *rx, enum mroce_counter *cnt)
{
	const u8 *b = rx->hdr;
	u32 need;

	if (rx->len < 1) {
		*cnt = MROCE_CNT_DROP_SHORT;
		return 0;
	}
	if (b[0] >> 4 != MROCE_VERSION) {
		*cnt = MROCE_CNT_DROP_VERSION;
		return 0;
	}
	need = pkt_min_len(MROCE_TYPE_OF(b[0]));
	if (!need) {
		*cnt = MROCE_CNT_DROP_TYPE;
		return 0;
	}
	if (rx->len < need) {
		*cnt = MROCE_CNT_DROP_SHORT;
		return 0;
	}
	return MROCE_TYPE_OF(b[0]);
}

u32 mroce_pkt_conn_id(const struct mroce_rx *rx)
{
	__be32 id;

	/* Every type but CONNECT and DATAGRAM has it here. */
	memcpy(&id, rx->hdr + 4, sizeof(id));
	return be32_to_cpu(id);
}

/**
 * mroce_decode_data() - a DATA header in host order
 * @rx:	packet, its type checked
 * @d:	filled in
 *
 * Return: false if the packet contradicts itself, whatever the state [M8]
 */
bool mroce_decode_data(const struct mroce_rx *rx, struct mroce_data *d)
{
	struct mroce_data_hdr h;

	memcpy(&h, rx->hdr, sizeof(h));
	d->flags = h.flags;
	d->path = h.path;
	d->opcode = h.opcode;
	d->epoch = h.epoch;
	d->backlog = be32_to_cpu(h.qpn) >> 24;
	d->psn = be32_to_cpu(h.psn);
	d->tstamp = be32_to_cpu(h.tstamp);
	d->qpn = be32_to_cpu(h.qpn) & 0xffffff;
	d->tag = be32_to_cpu(h.tag);
	d->msn = be32_to_cpu(h.msn);
	d->msg_len = be32_to_cpu(h.msg_len);
	d->offset = be32_to_cpu(h.offset);
	d->rsn = be32_to_cpu(h.rsn);
	d->addr = be64_to_cpu(h.addr);
	d->rkey = be32_to_cpu(h.rkey);
	d->imm = (__force u32)h.imm;
	if (d->opcode == MROCE_OP_SEND_INV || d->opcode == MROCE_OP_RESP_ERROR)
		d->imm = be32_to_cpu(h.imm);
	d->len = rx->len - MROCE_DATA_HDR_LEN;

	if (!mroce_opcode_valid(d->opcode))
		return false;
	switch (d->opcode) {
	case MROCE_OP_CMP_SWAP:
	case MROCE_OP_FETCH_ADD:
		return d->len == sizeof(struct mroce_atomic_operands) && d->msg_len == 8 &&
		       !d->offset;
	case MROCE_OP_ATOMIC_RESP:
		return d->len == 8 && !d->offset;
	case MROCE_OP_READ:
		return !d->len && !d->offset && d->msg_len <= MROCE_MAX_MSG_LEN;
	case MROCE_OP_SEND:
	case MROCE_OP_SEND_IMM:
	case MROCE_OP_SEND_INV:
	case MROCE_OP_WRITE:
	case MROCE_OP_WRITE_IMM:
	case MROCE_OP_READ_RESP:
		if (d->msg_len > MROCE_MAX_MSG_LEN || d->offset > d->msg_len ||
		    d->len > d->msg_len - d->offset)
			return false;
		return d->len || !d->msg_len;
	}
	return !d->len;
}

/**
 * mroce_tx_init() - fill in all of @tx but its header
 * @tx:		packet to fill in
 * @conn:	connection, NULL for a stateless answer
 * @route:	egress and source port
 * @tclass:	traffic class
 */
void mroce_tx_init(struct mroce_tx *tx, struct mroce_conn *conn, struct mroce_route route,
		   u8 tclass)
{
	tx->hdr_len = 0;
	tx->tclass = tclass;
	tx->ect = false;
	tx->df = true;
	tx->route = route;
	tx->src = MROCE_SRC_NONE;
	tx->stream = NULL;
	tx->msg = NULL;
	tx->rkey = 0;
	tx->addr = 0;
	tx->offset = 0;
	tx->len = 0;
	tx->conn = conn;
	tx->path = -1;
	tx->seg = NULL;
}

/**
 * mroce_backlog_code() - backlog, logarithmic [M132]
 * @bytes:	posted and not yet cut
 *
 * Return: 0: none, else 1 + 4 log2(bytes) with two bits of mantissa
 */
u8 mroce_backlog_code(u64 bytes)
{
	u32 exp;

	if (!bytes)
		return 0;
	exp = ilog2(bytes);
	if (exp < 2)
		return 1 + 4 * exp;
	return min_t(u32, 1 + 4 * exp + (bytes >> (exp - 2) & 3), 255);
}

/**
 * mroce_backlog_bytes() - the least backlog that has this code [M132]
 * @code:	of mroce_backlog_code()
 *
 * Return: bytes
 */
u64 mroce_backlog_bytes(u8 code)
{
	u32 exp = (code - 1) / 4, part = (code - 1) % 4;

	if (!code)
		return 0;
	return exp < 2 ? 1ULL << exp : (4ULL + part) << (exp - 2);
}

/**
 * mroce_hint_code() - a rate as a hint [M130]
 * @rate:	bytes per second; 0: no limit
 *
 * Return: never more than @rate but for the smallest
 */
u16 mroce_hint_code(u64 rate)
{
	u64 units = div_u64(rate, MROCE_HINT_UNIT);
	u32 exp = max(fls64(units), MROCE_HINT_BITS) - MROCE_HINT_BITS;

	if (!rate)
		return MROCE_HINT_NONE;
	if (exp > MROCE_HINT_NONE >> MROCE_HINT_BITS)
		return MROCE_HINT_NONE;
	return max(exp << MROCE_HINT_BITS | units >> exp, 1ULL);
}

/**
 * mroce_hint_rate() - the rate that a hint stands for [M130]
 * @hint:	as on the wire
 *
 * Return: bytes per second; 0: no limit
 */
u64 mroce_hint_rate(u16 hint)
{
	u64 units = hint & (BIT(MROCE_HINT_BITS) - 1);

	if (hint == MROCE_HINT_NONE)
		return 0;
	return max(units << (hint >> MROCE_HINT_BITS), 1ULL) * MROCE_HINT_UNIT;
}

static void build_msg(struct mroce_tx *tx, struct mroce_data_hdr *h, const struct mroce_seg *seg)
{
	const struct mroce_msg *m = seg->msg;
	const struct mroce_stream *s = seg->stream;

	h->qpn = cpu_to_be32(s->attr.dst_qpn);
	h->tag = cpu_to_be32(s->tx_tag);
	h->msn = cpu_to_be32(m->msn);
	h->msg_len = cpu_to_be32(m->len);
	h->offset = cpu_to_be32(seg->offset);
	h->rsn = cpu_to_be32(m->rsn);
	h->addr = cpu_to_be64(m->raddr);
	h->rkey = cpu_to_be32(m->rkey);
	if (m->flags & MROCE_MSG_F_IMM)
		h->imm = (__force __be32)m->imm;
	else if (m->flags & MROCE_MSG_F_INV)
		h->imm = cpu_to_be32(m->imm);
	if (m->flags & MROCE_MSG_F_SOLICITED)
		h->flags |= MROCE_F_SOLICITED;
	if (m->kind == MROCE_MSG_CMP_SWAP || m->kind == MROCE_MSG_FETCH_ADD) {
		struct mroce_atomic_operands ops = {
			.swap_add = cpu_to_be64(m->swap_add),
			.compare = cpu_to_be64(m->compare),
		};

		memcpy(tx->hdr + MROCE_DATA_HDR_LEN, &ops, sizeof(ops));
		tx->hdr_len += sizeof(ops);
		return;
	}
	if (seg->len) {
		tx->src = MROCE_SRC_MSG;
		tx->msg = seg->msg;
		tx->offset = seg->offset;
		tx->len = seg->len;
	}
}

/* Named by the requester's tag and its request's MSN; no number of our own direction [M102]. */
static void build_resp(struct mroce_tx *tx, struct mroce_data_hdr *h, const struct mroce_seg *seg)
{
	const struct mroce_rmsg *r = seg->resp;
	const struct mroce_stream *s = seg->stream;
	__be64 old;

	h->qpn = cpu_to_be32(s->attr.dst_qpn);
	h->tag = cpu_to_be32(s->tx_tag);
	h->msn = cpu_to_be32(r->msn);
	h->msg_len = cpu_to_be32(r->len);
	h->offset = cpu_to_be32(seg->offset);
	switch (seg->opcode) {
	case MROCE_OP_RESP_ERROR:
		h->imm = cpu_to_be32(r->resp_syn);
		break;
	case MROCE_OP_ATOMIC_RESP:
		old = cpu_to_be64(r->old);
		memcpy(tx->hdr + MROCE_DATA_HDR_LEN, &old, sizeof(old));
		tx->hdr_len += sizeof(old);
		break;
	case MROCE_OP_READ_RESP:
		if (!seg->len)
			break;
		tx->src = MROCE_SRC_MR;
		tx->rkey = r->rkey;
		tx->addr = r->addr + seg->offset;
		tx->len = seg->len;
		break;
	}
}

static void build_ctrl(struct mroce_ctrl_hdr *h, const struct mroce_ctrl *c)
{
	h->flags |= c->flags;
	h->qpn = cpu_to_be32(c->qpn);
	h->tag = cpu_to_be32(c->tag);
	h->src_qpn = cpu_to_be32(c->src_qpn);
	h->nonce = cpu_to_be32(c->nonce);
	h->msn = cpu_to_be32(c->msn);
	h->rsn_limit = cpu_to_be32(c->rsn_limit);
	h->syndrome = cpu_to_be32(c->syndrome);
}

/**
 * mroce_build_data() - the packet of @sent as it leaves now on @p
 * @conn:	connection
 * @p:		path
 * @sent:	PSN and its content, NULL content: EMPTY
 * @flags:	MROCE_F_*
 * @tx:		packet to fill in
 * @now:	current time, ns
 *
 * ECN capable [M3], the same content each time [M39].
 */
void mroce_build_data(struct mroce_conn *conn, struct mroce_path *p, struct mroce_sent *sent,
		      u8 flags, struct mroce_tx *tx, u64 now)
{
	struct mroce_data_hdr *h = (void *)tx->hdr;
	const struct mroce_seg *seg = sent->seg;

	mroce_tx_init(tx, conn, p->route, conn->tclass);
	memset(h, 0, sizeof(*h));
	tx->hdr_len = MROCE_DATA_HDR_LEN;
	tx->ect = true;
	tx->stream = seg ? seg->stream : NULL;
	tx->path = p->index;
	tx->seg = sent->seg;

	h->ver_type = MROCE_VER_TYPE(MROCE_PT_DATA);
	h->flags = flags;
	h->path = p->index;
	h->conn_id = cpu_to_be32(conn->tx_id);
	h->psn = cpu_to_be32(sent->psn);
	h->tstamp = cpu_to_be32(mroce_tick(now));
	h->epoch = p->epoch;
	if (!seg) {
		h->opcode = MROCE_OP_EMPTY;
	} else {
		h->opcode = seg->opcode;
		switch (seg->kind) {
		case MROCE_SEG_MSG:
			build_msg(tx, h, seg);
			break;
		case MROCE_SEG_RESP:
			build_resp(tx, h, seg);
			break;
		case MROCE_SEG_CTRL:
			build_ctrl((struct mroce_ctrl_hdr *)h, &seg->ctrl);
			break;
		}
	}
	h->qpn |= cpu_to_be32((u32)mroce_backlog_code(conn->backlog) << 24);
	/* cut for a route that carried more [M65] */
	tx->df = tx->len <= p->route_payload;
}

int mroce_build_reset(const struct mroce_rx *rx, struct mroce_tx *tx)
{
	struct mroce_data_hdr h;
	struct mroce_reset r = { .ver_type = MROCE_VER_TYPE(MROCE_PT_RESET) };

	/*
	 * Only DATA carries what proves to its sender that the answer is genuine [M32], and is
	 * longer than it [M28].
	 */
	if (*(const u8 *)rx->hdr != MROCE_VER_TYPE(MROCE_PT_DATA))
		return 0;
	memcpy(&h, rx->hdr, sizeof(h));
	r.path = h.path;
	r.conn_id = h.conn_id;
	r.psn = h.psn;
	r.tstamp = h.tstamp;
	mroce_tx_init(tx, NULL, rx->from, 0);
	memcpy(tx->hdr, &r, sizeof(r));
	tx->hdr_len = sizeof(r);
	return 1;
}
