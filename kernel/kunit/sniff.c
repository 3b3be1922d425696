// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What any observer of the wire may expect of every packet that a host sends: lengths, reserved
 * fields, marks, and that a PSN keeps its content until it goes out as EMPTY, which it then
 * remains for ever.
 */
#include "world.h"

/**
 * struct seen - DATA that was seen
 * @key:	names (hosts, connection id, path, PSN); 0: free slot
 * @content:	hash of what it carried; CONTENT_EMPTY: nothing
 */
struct seen {
	u64 key;
	u64 content;
};

/**
 * struct sniff - an open hash table
 * @n:		entries
 * @size:	slots, a power of two
 * @seen:	slots
 */
struct sniff {
	u32 n;
	u32 size;
	struct seen *seen;
};

#define CONTENT_EMPTY	1

struct sniff *sniff_new(void)
{
	struct sniff *s = os_alloc(sizeof(*s));

	s->size = 1024;
	s->seen = os_alloc(s->size * sizeof(*s->seen));
	return s;
}

void sniff_free(struct sniff *s)
{
	os_free(s->seen);
	os_free(s);
}

static struct seen *seen_slot(const struct sniff *s, u64 key)
{
	u32 i = (u32)key;

	while (s->seen[i & (s->size - 1)].key && s->seen[i & (s->size - 1)].key != key)
		i++;
	return &s->seen[i & (s->size - 1)];
}

static void seen_grow(struct sniff *s)
{
	struct sniff bigger = { .n = s->n, .size = s->size * 2 };
	u32 i;

	bigger.seen = os_alloc(bigger.size * sizeof(*bigger.seen));
	for (i = 0; i < s->size; i++)
		if (s->seen[i].key)
			*seen_slot(&bigger, s->seen[i].key) = s->seen[i];
	os_free(s->seen);
	*s = bigger;
}

/* All that a retransmission must repeat: not flags of the transmission, time, backlog and epoch. */
static u64 content_of(const struct mroce_data_hdr *hdr, u32 len)
{
	struct mroce_data_hdr h = *hdr;
	u64 word[sizeof(h) / 8], x = len;
	u32 i;

	if (h.opcode == MROCE_OP_EMPTY)
		return CONTENT_EMPTY;
	h.flags &= ~(MROCE_F_ACK_REQ | MROCE_F_RETX);
	h.tstamp = 0;
	h.qpn &= cpu_to_be32(0xffffff);
	h.epoch = 0;
	memcpy(word, &h, sizeof(h));
	for (i = 0; i < ARRAY_SIZE(word); i++)
		x = (x ^ word[i]) * 0x9e3779b97f4a7c15ULL + (x >> 29);
	return mix64(x) | 2;
}

static void check_empty(const struct mroce_data_hdr *h)
{
	CHECK(!(h->qpn & cpu_to_be32(0xffffff)));
	CHECK(!h->tag && !h->msn && !h->msg_len && !h->offset);
	CHECK(!h->rsn && !h->addr && !h->rkey && !h->imm);
}

/* [M6, M39, M40, M64] */
static void sniff_data(struct world *w, const struct mroce_tx *tx, const struct wpkt *pkt)
{
	struct sniff *s = w->sniff;
	struct mroce_data_hdr h;
	struct seen *seen;
	u64 key, content;
	u32 i, len = pkt->len - MROCE_DATA_HDR_LEN;

	memcpy(&h, pkt->data, sizeof(h));
	CHECK(pkt->ect);
	CHECK(!(h.flags & 0xf0));
	CHECK_LE(len, w->cfg.payload);
	CHECK_EQ(tx->path, h.path);
	for (i = 0; i < sizeof(h.rsvd); i++)
		CHECK_EQ(h.rsvd[i], 0);
	CHECK(mroce_opcode_valid(h.opcode));
	if (h.opcode == MROCE_OP_EMPTY)
		check_empty(&h);

	key = mix64((u64)be32_to_cpu(h.conn_id) << 32 | be32_to_cpu(h.psn)) ^
	      mix64(pkt->from << 16 | pkt->to << 8 | h.path) * 3;
	key = key ?: 1;
	content = content_of(&h, len);
	seen = seen_slot(s, key);
	if (!seen->key) {
		seen->key = key;
		seen->content = content;
		if (++s->n * 2 > s->size)
			seen_grow(s);
		return;
	}
	CHECK(h.flags & MROCE_F_RETX);
	if (content != CONTENT_EMPTY)
		CHECK_EQ(content, seen->content);
	seen->content = content;
}

static void sniff_ack(const struct wpkt *pkt)
{
	struct mroce_ack_hdr h;

	memcpy(&h, pkt->data, sizeof(h));
	CHECK_EQ(h.flags, 0);
	CHECK_LE(h.nblocks, MROCE_MAX_ACK_BLOCKS);
	CHECK_LE(h.ncredits, MROCE_MAX_CREDITS);
	CHECK_EQ(pkt->len, sizeof(h) + h.nblocks * sizeof(struct mroce_ack_block) +
			   h.ncredits * sizeof(struct mroce_credit));
}

static void sniff_nak(const struct wpkt *pkt)
{
	struct mroce_nak_hdr h;

	memcpy(&h, pkt->data, sizeof(h));
	CHECK_EQ(h.flags, 0);
	CHECK(h.count && h.count <= MROCE_MAX_NAK_RECS);
	CHECK_EQ(pkt->len, sizeof(h) + h.count * sizeof(struct mroce_nak_rec));
}

void sniff_packet(struct world *w, const struct mroce_tx *tx, const struct wpkt *pkt)
{
	CHECK_EQ(pkt->data[0] >> 4, MROCE_VERSION);
	if (wpkt_type(pkt) == MROCE_PT_DATA) {
		sniff_data(w, tx, pkt);
		return;
	}
	/* [M3] */
	CHECK(!pkt->ect);
	switch (wpkt_type(pkt)) {
	case MROCE_PT_CONNECT:
	case MROCE_PT_ACCEPT:
		CHECK_EQ(pkt->len, sizeof(struct mroce_connect));
		break;
	case MROCE_PT_RESET:
		CHECK_EQ(pkt->len, sizeof(struct mroce_reset));
		break;
	case MROCE_PT_ACK:
		sniff_ack(pkt);
		break;
	case MROCE_PT_NAK:
		sniff_nak(pkt);
		break;
	case MROCE_PT_PROBE:
		CHECK_GE(pkt->len, sizeof(struct mroce_probe));
		break;
	default:
		CHECK(!"a known type");
	}
}
