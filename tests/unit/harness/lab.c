// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shorthands for tests of the core's insides: see lab.h.
 */
#include "lab.h"

struct lab lab_new(const struct world_cfg *cfg)
{
	struct lab l = { .w = world_new(cfg, 7) };

	l.wp = host_peer(&l.w->host[0], &l.w->host[1]);
	l.wp->depth++;
	return l;
}

struct lab lab_conn(const struct world_cfg *cfg)
{
	struct lab l = lab_new(cfg);

	l.conn = mroce_conn_create(&l.wp->p, 0, false, l.w->now);
	CHECK(l.conn);
	l.p = l.conn->paths[0];
	return l;
}

struct lab lab_pair_with(const struct world_cfg *cfg, void (*set)(struct wqp *a, struct wqp *b))
{
	struct lab l = { .w = world_new(cfg, 7) };

	l.a = qp_new(&l.w->host[0]);
	l.b = qp_new(&l.w->host[1]);
	l.a->allow_fail = true;
	l.b->allow_fail = true;
	if (set)
		set(l.a, l.b);
	qp_connect(l.a, l.b);
	world_until(l.w, l.a->s.opened && l.b->s.opened, 100 * MS);
	world_run(l.w, MS);
	l.w->lax = true;
	l.conn = host_conn(&l.w->host[1], &l.w->host[0], 0);
	l.p = l.conn->paths[0];
	l.wp = l.b->peer;
	l.wp->depth++;
	return l;
}

struct lab lab_pair(const struct world_cfg *cfg)
{
	return lab_pair_with(cfg, NULL);
}

void lab_end(struct lab *l)
{
	if (l->conn && !l->b)
		mroce_conn_destroy(l->conn);
	if (l->wp)
		l->wp->depth--;
	world_end(l->w);
}

void lab_sent(struct lab *l, u32 n, u32 len)
{
	while (n--) {
		struct mroce_sent *sent = mroce_txwin_add(l->conn, l->p);

		CHECK(sent);
		sent->bytes = len;
		mroce_txwin_sent(l->p, sent, l->w->now);
	}
}

struct mroce_rx lab_rx(struct wpkt *pkt)
{
	return (struct mroce_rx){
		.hdr	= pkt->data,
		.len	= pkt->len,
		.ce	= pkt->ce,
		.from	= pkt->route,
		.cookie	= pkt,
	};
}

static void fill_payload(u8 *out, const struct feed *f)
{
	struct mroce_atomic_operands ops = {
		.swap_add	= cpu_to_be64(f->swap_add),
		.compare	= cpu_to_be64(f->compare),
	};
	u32 i;

	if (f->opcode == MROCE_OP_CMP_SWAP || f->opcode == MROCE_OP_FETCH_ADD || f->opcode == MROCE_OP_ATOMIC_RESP) {
		memcpy(out, &ops, min_t(u32, f->len, sizeof(ops)));
		return;
	}
	for (i = 0; i < f->len; i++)
		out[i] = pattern(f->seed, f->offset + i);
}

struct wpkt *data_pkt(struct mroce_conn *conn, u8 path, u32 psn, const struct feed *f)
{
	struct wpkt *pkt = wpkt_new(MROCE_DATA_HDR_LEN + (f ? f->len : 0));
	struct mroce_data_hdr h = {
		.ver_type	= MROCE_VER_TYPE(MROCE_PT_DATA),
		.path		= path,
		.conn_id	= cpu_to_be32(conn->rx_id),
		.psn		= cpu_to_be32(psn),
	};

	pkt->route = (struct mroce_route){ .ifindex = 1, .sport = 50000 };
	if (f) {
		h.flags = f->flags;
		h.opcode = f->opcode;
		h.msn = cpu_to_be32(f->msn);
		h.msg_len = cpu_to_be32(f->msg_len);
		h.offset = cpu_to_be32(f->offset);
		h.rsn = cpu_to_be32(f->rsn);
		h.addr = cpu_to_be64(f->addr);
		h.rkey = cpu_to_be32(f->rkey);
		h.imm = cpu_to_be32(f->imm);
		h.tag = cpu_to_be32(f->tag);
		fill_payload(pkt->data + sizeof(h), f);
	}
	memcpy(pkt->data, &h, sizeof(h));
	return pkt;
}

struct mroce_verdict lab_feed(struct lab *l, struct feed f)
{
	struct wpkt *pkt = data_pkt(l->conn, 0, 0, &f);
	struct mroce_rx rx = lab_rx(pkt);
	struct mroce_verdict v;
	struct mroce_data d;

	CHECK(mroce_decode_data(&rx, &d));
	d.qpn = l->b->qpn;
	d.tag = f.tag ?: l->b->s.rx_tag;
	v = mroce_stream_input(l->conn, &d, &rx, l->w->now);
	if (!pkt->is_held)
		wpkt_free(pkt);
	return v;
}

static enum wverdict tap_filter(struct world *w, struct wpkt *pkt)
{
	struct tap *t = w->ctx;
	int type = wpkt_type(pkt);
	u8 op = wpkt_opcode(pkt);

	t->seen[type]++;
	t->bytes += pkt->len;
	if (type == MROCE_PT_ACK)
		t->last_ack = pkt->route;
	if (op != 0xff) {
		t->ops[op & 31]++;
		t->retx += !!(pkt->data[1] & MROCE_F_RETX);
	}
	if (t->drop_n && (!t->drop_from || t->drop_from == pkt->from + 1) &&
	    (t->drop_type == type || (op != 0xff && t->drop_op == op + 1))) {
		t->drop_n--;
		t->dropped++;
		return W_DROP;
	}
	if (op != 0xff && t->keep_op == op + 1) {
		t->keep_op = 0;
		if (t->keep_copy) {
			t->kept = wpkt_copy(pkt);
		} else {
			t->kept = pkt;
			return W_KEEP;
		}
	}
	return t->more ? t->more(w, pkt, t) : W_PASS;
}

void tap_on(struct world *w, struct tap *t)
{
	w->filter = tap_filter;
	w->ctx = t;
}
