// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/wire.c: what is taken for a packet, how it is read, how packets are built.
 */
#include "lab.h"

static int type_of(const void *bytes, u32 len, enum mroce_counter *why)
{
	/* An exact copy, so that reading too far is seen. */
	u8 *copy = malloc(len ? len : 1);
	struct mroce_rx rx = { .hdr = copy, .len = len };
	int type;

	memcpy(copy, bytes, len);
	type = mroce_pkt_type(&rx, why);
	free(copy);
	return type;
}

/* [M4, M5] */
TEST(pkt_type__least_length_of_each_type)
{
	static const u8 least[] = {
		[MROCE_PT_CONNECT] = 64, [MROCE_PT_ACCEPT] = 64, [MROCE_PT_RESET] = 16, [MROCE_PT_DATA] = 64,
		[MROCE_PT_ACK] = 16, [MROCE_PT_NAK] = 8, [MROCE_PT_PROBE] = 16, [MROCE_PT_DATAGRAM] = 32,
	};
	enum mroce_counter why;
	u8 pkt[64] = {};
	int type;

	for (type = MROCE_PT_CONNECT; type <= MROCE_PT_DATAGRAM; type++) {
		pkt[0] = MROCE_VER_TYPE(type);
		CHECK_EQ(type_of(pkt, least[type], &why), type);
		CHECK_EQ(type_of(pkt, least[type] - 1, &why), 0);
		CHECK_EQ(why, MROCE_CNT_DROP_SHORT);
		CHECK_EQ(type_of(pkt, 1, &why), 0);
		CHECK_EQ(why, MROCE_CNT_DROP_SHORT);
	}
}

TEST(pkt_type__empty_datagram)
{
	enum mroce_counter why;

	CHECK_EQ(type_of("", 0, &why), 0);
	CHECK_EQ(why, MROCE_CNT_DROP_SHORT);
}

/* [M4] */
TEST(pkt_type__other_versions)
{
	enum mroce_counter why;
	u8 pkt[64] = {};
	int version;

	for (version = 0; version < 16; version++) {
		if (version == MROCE_VERSION)
			continue;
		pkt[0] = version << 4 | MROCE_PT_DATA;
		CHECK_EQ(type_of(pkt, 64, &why), 0);
		CHECK_EQ(why, MROCE_CNT_DROP_VERSION);
	}
}

TEST(pkt_type__unknown_types)
{
	static const u8 unknown[] = { 0, 9, 10, 11, 12, 13, 14, 15 };
	enum mroce_counter why;
	u8 pkt[64] = {};
	u32 i;

	for (i = 0; i < sizeof(unknown); i++) {
		pkt[0] = MROCE_VER_TYPE(unknown[i]);
		CHECK_EQ(type_of(pkt, 64, &why), 0);
		CHECK_EQ(why, MROCE_CNT_DROP_TYPE);
	}
}

TEST(pkt_conn_id__same_place_in_all_types)
{
	u8 pkt[8] = { 0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78 };
	struct mroce_rx rx = { .hdr = pkt, .len = 8 };

	CHECK_EQ(mroce_pkt_conn_id(&rx), 0x12345678);
	CHECK_EQ(offsetof(struct mroce_data_hdr, conn_id), 4);
	CHECK_EQ(offsetof(struct mroce_ack_hdr, conn_id), 4);
	CHECK_EQ(offsetof(struct mroce_nak_hdr, conn_id), 4);
	CHECK_EQ(offsetof(struct mroce_probe, conn_id), 4);
	CHECK_EQ(offsetof(struct mroce_connect, conn_id), 4);
	CHECK_EQ(offsetof(struct mroce_reset, conn_id), 4);
}

TEST(wire_layout__as_documented)
{
	CHECK_EQ(offsetof(struct mroce_data_hdr, qpn), 16);
	CHECK_EQ(offsetof(struct mroce_data_hdr, tag), 20);
	CHECK_EQ(offsetof(struct mroce_data_hdr, msn), 24);
	CHECK_EQ(offsetof(struct mroce_data_hdr, rsn), 36);
	CHECK_EQ(offsetof(struct mroce_data_hdr, addr), 40);
	CHECK_EQ(offsetof(struct mroce_data_hdr, imm), 52);
	CHECK_EQ(offsetof(struct mroce_data_hdr, epoch), 56);
	CHECK_EQ(offsetof(struct mroce_ctrl_hdr, src_qpn), 24);
	CHECK_EQ(offsetof(struct mroce_ctrl_hdr, syndrome), 40);
	CHECK_EQ(offsetof(struct mroce_ctrl_hdr, epoch), 56);
	CHECK_EQ(offsetof(struct mroce_ack_block, sack), 32);
	CHECK_EQ(offsetof(struct mroce_connect, seed), 24);
	CHECK_EQ(offsetof(struct mroce_connect, max_payload), 48);
}

static bool decodes(u8 opcode, u32 msg_len, u32 offset, u32 len)
{
	struct wpkt *pkt = wpkt_new(MROCE_DATA_HDR_LEN + len);
	struct mroce_data_hdr h = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_DATA),
		.opcode = opcode,
		.msg_len = cpu_to_be32(msg_len),
		.offset = cpu_to_be32(offset),
	};
	struct mroce_rx rx = lab_rx(pkt);
	struct mroce_data d;
	bool ok;

	memcpy(pkt->data, &h, sizeof(h));
	ok = mroce_decode_data(&rx, &d);
	wpkt_free(pkt);
	return ok;
}

TEST(decode_data__all_fields)
{
	struct wpkt *pkt = wpkt_new(MROCE_DATA_HDR_LEN + 100);
	struct mroce_data_hdr h = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_DATA), .flags = MROCE_F_SOLICITED, .path = 3,
		.opcode = MROCE_OP_WRITE_IMM, .psn = cpu_to_be32(0x11223344), .tstamp = cpu_to_be32(0x55667788),
		.qpn = cpu_to_be32(0xaa123456), .tag = cpu_to_be32(0xdeadbeef), .msn = cpu_to_be32(7),
		.msg_len = cpu_to_be32(1000), .offset = cpu_to_be32(900), .rsn = cpu_to_be32(9),
		.addr = cpu_to_be64(0x123456789abcdef0ULL), .rkey = cpu_to_be32(0x99), .imm = cpu_to_be32(0x01020304),
		.epoch = 5,
	};
	struct mroce_rx rx = lab_rx(pkt);
	struct mroce_data d;

	memcpy(pkt->data, &h, sizeof(h));
	CHECK(mroce_decode_data(&rx, &d));
	CHECK_EQ(d.flags, MROCE_F_SOLICITED);
	CHECK_EQ(d.path, 3);
	CHECK_EQ(d.opcode, MROCE_OP_WRITE_IMM);
	CHECK_EQ(d.psn, 0x11223344);
	CHECK_EQ(d.tstamp, 0x55667788);
	CHECK_EQ(d.qpn, 0x123456);
	CHECK_EQ(d.tag, 0xdeadbeef);
	CHECK_EQ(d.msn, 7);
	CHECK_EQ(d.msg_len, 1000);
	CHECK_EQ(d.offset, 900);
	CHECK_EQ(d.rsn, 9);
	CHECK_EQ(d.addr, 0x123456789abcdef0ULL);
	CHECK_EQ(d.rkey, 0x99);
	CHECK_EQ(d.imm, (u32)h.imm);	/* immediate data stays as the application gave it */
	CHECK_EQ(d.len, 100);
	CHECK_EQ(d.epoch, 5);
	wpkt_free(pkt);
}

TEST(decode_data__keys_and_syndromes_are_numbers)
{
	struct wpkt *pkt = wpkt_new(MROCE_DATA_HDR_LEN);
	struct mroce_data_hdr h = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_DATA), .opcode = MROCE_OP_SEND_INV, .imm = cpu_to_be32(0x01020304),
	};
	struct mroce_rx rx = lab_rx(pkt);
	struct mroce_data d;

	memcpy(pkt->data, &h, sizeof(h));
	CHECK(mroce_decode_data(&rx, &d));
	CHECK_EQ(d.imm, 0x01020304);
	pkt->data[3] = MROCE_OP_RESP_ERROR;
	CHECK(mroce_decode_data(&rx, &d));
	CHECK_EQ(d.imm, 0x01020304);
	wpkt_free(pkt);
}

/* [M8] */
TEST(decode_data__unknown_opcodes)
{
	int op;

	for (op = 0; op < 256; op++) {
		bool known = op <= 8 || (op >= 16 && op <= 18) || (op >= 24 && op <= 27);

		CHECK_EQ(mroce_opcode_valid(op), known);
		if (!known)
			CHECK(!decodes(op, 0, 0, 0));
	}
}

TEST(decode_data__payload_within_the_message)
{
	static const u8 ops[] = {
		MROCE_OP_SEND, MROCE_OP_SEND_IMM, MROCE_OP_SEND_INV, MROCE_OP_WRITE, MROCE_OP_WRITE_IMM, MROCE_OP_READ_RESP,
	};
	u32 i;

	for (i = 0; i < sizeof(ops); i++) {
		CHECK(decodes(ops[i], 100, 0, 100));
		CHECK(decodes(ops[i], 100, 99, 1));
		CHECK(decodes(ops[i], 0, 0, 0));
		CHECK(decodes(ops[i], 0x80000000u, 0x7fffffffu, 1));
		CHECK(!decodes(ops[i], 100, 0, 101));
		CHECK(!decodes(ops[i], 100, 99, 2));
		CHECK(!decodes(ops[i], 100, 101, 0));
		CHECK(!decodes(ops[i], 100, 0xffffffffu, 2));
		CHECK(!decodes(ops[i], 100, 0, 0));
		CHECK(!decodes(ops[i], 0, 0, 1));
		CHECK(!decodes(ops[i], 0x80000001u, 0, 1));
	}
}

TEST(decode_data__read_has_no_payload)
{
	CHECK(decodes(MROCE_OP_READ, 1000, 0, 0));
	CHECK(decodes(MROCE_OP_READ, 0, 0, 0));
	CHECK(decodes(MROCE_OP_READ, 0x80000000u, 0, 0));
	CHECK(!decodes(MROCE_OP_READ, 1000, 0, 1));
	CHECK(!decodes(MROCE_OP_READ, 1000, 8, 0));
	CHECK(!decodes(MROCE_OP_READ, 0x80000001u, 0, 0));
}

TEST(decode_data__atomics_have_operands)
{
	static const u8 ops[] = { MROCE_OP_CMP_SWAP, MROCE_OP_FETCH_ADD };
	u32 i;

	for (i = 0; i < 2; i++) {
		CHECK(decodes(ops[i], 8, 0, 16));
		CHECK(!decodes(ops[i], 8, 0, 15));
		CHECK(!decodes(ops[i], 8, 0, 17));
		CHECK(!decodes(ops[i], 16, 0, 16));
		CHECK(!decodes(ops[i], 8, 8, 16));
	}
	CHECK(decodes(MROCE_OP_ATOMIC_RESP, 8, 0, 8));
	CHECK(!decodes(MROCE_OP_ATOMIC_RESP, 8, 0, 7));
	CHECK(!decodes(MROCE_OP_ATOMIC_RESP, 8, 0, 0));
}

TEST(decode_data__control_and_empty_have_no_payload)
{
	static const u8 ops[] = {
		MROCE_OP_EMPTY, MROCE_OP_RESP_ERROR, MROCE_OP_OPEN, MROCE_OP_OPENED, MROCE_OP_CLOSED, MROCE_OP_QUERY,
	};
	u32 i;

	for (i = 0; i < sizeof(ops); i++) {
		CHECK(decodes(ops[i], 0x12345678, 0x9abcdef0, 0));
		CHECK(!decodes(ops[i], 0, 0, 1));
	}
}

TEST(opcode__classes)
{
	int op;

	for (op = 0; op < 256; op++) {
		CHECK_EQ(mroce_opcode_is_ctrl(op), op >= 24 && op <= 27);
		CHECK_EQ(mroce_opcode_is_response(op), op >= 16 && op <= 18);
		CHECK_EQ(mroce_opcode_takes_recv(op), op == 1 || op == 2 || op == 3 || op == 5);
	}
}

/* [M132] */
TEST(backlog_code__as_documented)
{
	u64 b;

	CHECK_EQ(mroce_backlog_code(0), 0);
	CHECK_EQ(mroce_backlog_code(1), 1);
	CHECK_EQ(mroce_backlog_code(2), 5);
	CHECK_EQ(mroce_backlog_code(3), 5);
	CHECK_EQ(mroce_backlog_code(4), 9);
	CHECK_EQ(mroce_backlog_code(5), 10);
	CHECK_EQ(mroce_backlog_code(7), 12);
	CHECK_EQ(mroce_backlog_code(1 << 20), 81);
	CHECK_EQ(mroce_backlog_code(~0ULL), 255);
	for (b = 1; b < 1 << 22; b += 1 + b / 16)
		CHECK_LE(mroce_backlog_code(b), mroce_backlog_code(b + 1));
}

/* [M32, M28] */
TEST(build_reset__answers_data_only)
{
	static struct mroce_tx tx;
	struct mroce_data_hdr h = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_DATA), .path = 2, .conn_id = cpu_to_be32(5), .psn = cpu_to_be32(6),
		.tstamp = cpu_to_be32(7),
	};
	struct wpkt *pkt = wpkt_new(sizeof(h));
	struct mroce_reset r;
	struct mroce_rx rx;
	int type;

	memcpy(pkt->data, &h, sizeof(h));
	pkt->route = (struct mroce_route){ .ifindex = 3, .sport = 4 };
	rx = lab_rx(pkt);
	CHECK_EQ(mroce_build_reset(&rx, &tx), 1);
	CHECK_EQ(tx.hdr_len, sizeof(r));
	CHECK_LT(tx.hdr_len, pkt->len);
	memcpy(&r, tx.hdr, sizeof(r));
	CHECK_EQ(r.ver_type, MROCE_VER_TYPE(MROCE_PT_RESET));
	CHECK(r.path == 2 && r.conn_id == h.conn_id && r.psn == h.psn && r.tstamp == h.tstamp);
	CHECK(!tx.conn && tx.route.ifindex == 3 && tx.route.sport == 4);
	for (type = MROCE_PT_CONNECT; type <= MROCE_PT_DATAGRAM; type++) {
		pkt->data[0] = MROCE_VER_TYPE(type);
		CHECK_EQ(mroce_build_reset(&rx, &tx), type == MROCE_PT_DATA);
	}
	wpkt_free(pkt);
}

TEST(build_reset__short_packets_are_not_read_beyond_their_end)
{
	static struct mroce_tx tx;
	struct wpkt *pkt = wpkt_new(16);
	struct mroce_rx rx = lab_rx(pkt);

	pkt->data[0] = MROCE_VER_TYPE(MROCE_PT_ACK);
	CHECK_EQ(mroce_build_reset(&rx, &tx), 0);
	wpkt_free(pkt);
}

/* [M36] */
TEST(isn__splitmix64_of_the_seed)
{
	u64 state = 0x0123456789abcdefULL;
	struct rng r = { .state = state };
	u32 path;

	for (path = 0; path < 128; path++)
		CHECK_EQ(mroce_isn(state, path), (u32)rng_next(&r));
}

/* What leaves, field by field. */
static struct mroce_data_hdr sent_hdr;
static u8 sent_payload[64];
static u32 sent_len;
static int want_op;

static enum wverdict grab(struct world *w, struct wpkt *pkt)
{
	if (wpkt_opcode(pkt) == want_op && pkt->from == 0) {
		memcpy(&sent_hdr, pkt->data, sizeof(sent_hdr));
		sent_len = pkt->len - MROCE_DATA_HDR_LEN;
		memcpy(sent_payload, pkt->data + MROCE_DATA_HDR_LEN, min_t(u32, sent_len, 64));
		want_op = -1;
	}
	return W_PASS;
}

static struct wmsg *leaves(struct lab *l, u8 op, struct wmsg *m)
{
	want_op = op;
	l->w->filter = grab;
	l->wp->depth--;
	wmsg_post(m);
	world_settle(l->w, 100 * MS);
	l->wp->depth++;
	CHECK_EQ(want_op, -1);
	CHECK_EQ(be32_to_cpu(sent_hdr.qpn) & 0xffffff, l->b->qpn);
	CHECK_EQ(be32_to_cpu(sent_hdr.tag), l->b->s.rx_tag);
	CHECK_EQ(be32_to_cpu(sent_hdr.msn), m->m.msn);
	CHECK_EQ(be32_to_cpu(sent_hdr.msg_len), m->m.len);
	return m;
}

TEST(build_data__sends)
{
	struct lab l = lab_pair(NULL);
	struct wmsg *m;

	post_recvs(l.b, 4, 256);
	m = leaves(&l, MROCE_OP_SEND, wmsg_new(l.a, MROCE_MSG_SEND, 200, MROCE_MSG_F_SOLICITED));
	CHECK(sent_hdr.flags & MROCE_F_SOLICITED);
	CHECK_EQ(sent_hdr.imm, 0);
	CHECK_EQ(sent_len, 200);
	CHECK_EQ(sent_payload[3], pattern(m->seed, 3));
	m = leaves(&l, MROCE_OP_SEND_IMM, wmsg_new(l.a, MROCE_MSG_SEND, 0, MROCE_MSG_F_IMM));
	CHECK_EQ(sent_hdr.imm, m->m.imm);
	CHECK_EQ(be32_to_cpu(sent_hdr.rsn), 1);
	CHECK(!(sent_hdr.flags & MROCE_F_SOLICITED));
	lab_end(&l);
}

TEST(build_data__send_invalidate)
{
	struct lab l = lab_pair(NULL);
	struct wmsg *m = wmsg_new(l.a, MROCE_MSG_SEND, 8, MROCE_MSG_F_INV);
	struct wmr *mr = mr_new(l.b->h, 64, MROCE_ACC_WRITE, false);

	post_recvs(l.b, 1, 256);
	m->m.imm = mr->rkey;
	leaves(&l, MROCE_OP_SEND_INV, m);
	CHECK_EQ(be32_to_cpu(sent_hdr.imm), mr->rkey);
	CHECK(mr->dead);
	lab_end(&l);
}

TEST(build_data__writes)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 4096, MROCE_ACC_WRITE, true);
	struct wmsg *m = wmsg_new(l.a, MROCE_MSG_WRITE, 600, MROCE_MSG_F_IMM);

	post_recvs(l.b, 1, 0);
	m->m.raddr = mr->addr + 5;
	m->m.rkey = mr->rkey;
	leaves(&l, MROCE_OP_WRITE_IMM, m);
	CHECK_EQ(be64_to_cpu(sent_hdr.addr), mr->addr + 5);
	CHECK_EQ(be32_to_cpu(sent_hdr.rkey), mr->rkey);
	CHECK_EQ(sent_hdr.imm, m->m.imm);
	CHECK_EQ(sent_len, 256);
	m = wmsg_new(l.a, MROCE_MSG_WRITE, 10, 0);
	m->m.raddr = mr->addr;
	m->m.rkey = mr->rkey;
	leaves(&l, MROCE_OP_WRITE, m);
	CHECK_EQ(sent_hdr.imm, 0);
	lab_end(&l);
}

TEST(build_data__reads_and_atomics)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 64, MROCE_ACC_READ | MROCE_ACC_ATOMIC, false);
	struct mroce_atomic_operands ops;
	struct wmsg *m = wmsg_new(l.a, MROCE_MSG_READ, 48, 0);

	m->m.raddr = mr->addr + 1;
	m->m.rkey = mr->rkey;
	leaves(&l, MROCE_OP_READ, m);
	CHECK_EQ(sent_len, 0);
	CHECK_EQ(be64_to_cpu(sent_hdr.addr), mr->addr + 1);
	m = wmsg_new(l.a, MROCE_MSG_CMP_SWAP, 8, 0);
	m->m.raddr = mr->addr + 8;
	m->m.rkey = mr->rkey;
	m->m.swap_add = 0x1122334455667788ULL;
	m->m.compare = 99;
	leaves(&l, MROCE_OP_CMP_SWAP, m);
	CHECK_EQ(sent_len, sizeof(ops));
	memcpy(&ops, sent_payload, sizeof(ops));
	CHECK_EQ(be64_to_cpu(ops.swap_add), 0x1122334455667788ULL);
	CHECK_EQ(be64_to_cpu(ops.compare), 99);
	lab_end(&l);
}

static struct mroce_connect wire_connect(struct mroce_tx *tx)
{
	struct mroce_connect c;

	CHECK_EQ(tx->hdr_len, sizeof(c));
	memcpy(&c, tx->hdr, sizeof(c));
	return c;
}

/* [M25, M28] */
TEST(build_cookie__an_accept_that_keeps_nothing)
{
	static struct mroce_tx tx;
	struct mroce_connect c = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_CONNECT), .tclass = 32, .npaths = 4, .my_id = cpu_to_be32(0x77),
		.seed = cpu_to_be64(0x1234), .cookie = cpu_to_be64(0x9),
	};
	struct mroce_rx rx = { .hdr = &c, .len = sizeof(c), .from = { .ifindex = 2, .sport = 9 } };
	struct mroce_connect a;
	u64 seed;

	CHECK_EQ(mroce_connect_cookie(&rx, &seed), 0x9);
	CHECK_EQ(seed, 0x1234);
	CHECK(!mroce_connect_valid(&rx));
	c.max_payload = cpu_to_be16(MROCE_MIN_PAYLOAD);
	c.psn_window = cpu_to_be16(MROCE_MIN_PSN_WINDOW);
	c.msn_window = cpu_to_be16(MROCE_MIN_MSN_WINDOW);
	CHECK(mroce_connect_valid(&rx));
	CHECK_EQ(mroce_build_cookie(&rx, 0xabc, 0xdef, &tx), 1);
	a = wire_connect(&tx);
	CHECK_EQ(a.ver_type, MROCE_VER_TYPE(MROCE_PT_ACCEPT));
	CHECK_EQ(a.flags, MROCE_CONNECT_F_RETRY);
	CHECK_EQ(a.conn_id, c.my_id);
	CHECK_EQ(a.echo, c.seed);
	CHECK_EQ(be64_to_cpu(a.cookie), 0xdef);
	CHECK_EQ(be64_to_cpu(a.instance), 0xabc);
	CHECK(tx.route.ifindex == 2 && tx.route.sport == 9 && !tx.conn);
}

/* [M132] */
TEST(backlog_bytes__the_least_of_each_code)
{
	u64 b;
	u32 c;

	CHECK_EQ(mroce_backlog_bytes(0), 0);
	CHECK_EQ(mroce_backlog_bytes(1), 1);
	CHECK_EQ(mroce_backlog_bytes(5), 2);
	for (b = 4; b < 3000; b++) {
		CHECK_LE(mroce_backlog_bytes(mroce_backlog_code(b)), b);
		CHECK_GT(mroce_backlog_bytes(mroce_backlog_code(b)) * 5 / 4 + 1, b);
	}
	for (c = 9; c < 254; c++)
		CHECK_EQ(mroce_backlog_code(mroce_backlog_bytes(c)), c);
}

/* [M130] */
TEST(hint_code__as_documented)
{
	CHECK_EQ(mroce_hint_code(0), MROCE_HINT_NONE);
	CHECK_EQ(mroce_hint_code(1), 1);
	CHECK_EQ(mroce_hint_code(8000), 1);
	CHECK_EQ(mroce_hint_code(2047 * 8000ULL), 2047);
	CHECK_EQ(mroce_hint_code(2048 * 8000ULL), 1 << 11 | 1024);
	CHECK_EQ(mroce_hint_code(2049 * 8000ULL), 1 << 11 | 1024);
	/* 10 Gb/s: 156250 units, 1220 x 2^7 */
	CHECK_EQ(mroce_hint_code(1250000000), 7 << 11 | 1220);
	CHECK_EQ(mroce_hint_code(~0ULL), MROCE_HINT_NONE);
}

TEST(hint_rate__is_what_was_coded_rounded_down)
{
	u64 rate;

	CHECK_EQ(mroce_hint_rate(MROCE_HINT_NONE), 0);
	CHECK_EQ(mroce_hint_rate(0), 8000);
	CHECK_EQ(mroce_hint_rate(1), 8000);
	CHECK_EQ(mroce_hint_rate(7 << 11 | 1220), 1220 * 128 * 8000ULL);
	for (rate = 8000; rate < 1ULL << 53; rate += rate / 7 + 1) {
		u64 told = mroce_hint_rate(mroce_hint_code(rate));

		CHECK_LE(told, rate);
		CHECK_GE(told + rate / 1024 + 8000, rate);
	}
}
