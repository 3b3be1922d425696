/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Direct verbs of MetaRoCE: look at the connection below an RC queue pair and at its paths, and
 * choose which of them are used. Link with -lmetaroce -libverbs; see metaroce_dv(7).
 */
#ifndef METAROCE_DV_H
#define METAROCE_DV_H

#include <stdint.h>
#include <sys/types.h>

#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

enum metaroce_dv_path_state {
	METAROCE_DV_PATH_RESTS,		/* carries nothing new */
	METAROCE_DV_PATH_USED,
	METAROCE_DV_PATH_SUSPECT,	/* silent for a retransmission timeout */
	METAROCE_DV_PATH_AWAY,		/* its route failed, it borrows one */
};

#define METAROCE_DV_HINT_NONE	0xffff

/**
 * struct metaroce_dv_conn - the connection of a queue pair
 * @comp_mask: which fields behind the last one here are valid; none yet
 * @srtt_ns: smoothed round trip; 0 before the first sample
 * @cwnd: bytes that the paths in use may have in flight
 * @inflight: bytes in flight
 * @backlog: bytes posted and not sent yet
 * @accepted: packets that the peer accepted
 * @marked: of these, CE-marked
 * @retransmits: packets sent again
 * @spurious: of these, needless
 * @conn_id: as in tracepoints and rdma resource
 * @payload: bytes of a full packet
 * @num_paths: paths agreed with the peer
 * @max_paths: how many of them may be used
 * @used_paths: how many are
 * @num_planes: planes (egress interfaces) met so far
 * @plane_mask: those that may be used, bit by number
 * @hint: rate that the peer grants, as on the wire; METAROCE_DV_HINT_NONE: no limit
 * @num_qps: queue pairs of this end that share the connection
 */
struct metaroce_dv_conn {
	uint64_t comp_mask;
	uint64_t srtt_ns;
	uint64_t cwnd;
	uint64_t inflight;
	uint64_t backlog;
	uint64_t accepted;
	uint64_t marked;
	uint64_t retransmits;
	uint64_t spurious;
	uint32_t conn_id;
	uint32_t payload;
	uint32_t num_paths;
	uint32_t max_paths;
	uint32_t used_paths;
	uint32_t num_planes;
	uint32_t plane_mask;
	uint32_t hint;
	uint32_t num_qps;
	uint32_t reserved;
};

/**
 * struct metaroce_dv_path - one path
 * @comp_mask: which fields behind the last one here are valid; none yet
 * @srtt_ns: smoothed round trip; 0 before the first sample
 * @min_rtt_ns: smallest one of the last seconds
 * @index: its number
 * @state: enum metaroce_dv_path_state
 * @ifindex: egress interface
 * @plane: number of its plane, or UINT32_MAX
 * @sport: UDP source port
 * @cwnd: bytes that it may have in flight
 * @inflight: bytes in flight
 * @ce_permille: smoothed share of packets that are CE-marked
 * @accepted: packets that the peer accepted; wraps, as the following
 * @marked: of these, CE-marked
 * @retransmits: packets sent again
 * @spurious: of these, needless
 */
struct metaroce_dv_path {
	uint64_t comp_mask;
	uint64_t srtt_ns;
	uint64_t min_rtt_ns;
	uint32_t index;
	uint32_t state;
	uint32_t ifindex;
	uint32_t plane;
	uint32_t sport;
	uint32_t cwnd;
	uint32_t inflight;
	uint32_t ce_permille;
	uint32_t accepted;
	uint32_t marked;
	uint32_t retransmits;
	uint32_t spurious;
};

enum metaroce_dv_modify_mask {
	METAROCE_DV_MODIFY_MAX_PATHS	= 1 << 0,
	METAROCE_DV_MODIFY_PLANE_MASK	= 1 << 1,
};

/**
 * struct metaroce_dv_modify - what metaroce_dv_modify_conn() is to change
 * @comp_mask: enum metaroce_dv_modify_mask: which of the others hold a value
 * @max_paths: 1 to metaroce_dv_conn.num_paths
 * @plane_mask: bit by number of plane; at least one must have a route
 */
struct metaroce_dv_modify {
	uint64_t comp_mask;
	uint32_t max_paths;
	uint32_t plane_mask;
};

int metaroce_dv_query_conn(struct ibv_qp *qp, struct metaroce_dv_conn *conn, uint32_t outlen);
int metaroce_dv_modify_conn(struct ibv_qp *qp, const struct metaroce_dv_modify *modify,
			    uint32_t inlen);
ssize_t _metaroce_dv_query_paths(struct ibv_qp *qp, struct metaroce_dv_path *paths, uint32_t max,
				 uint32_t entry_size);

/* The number of paths written to @paths, or a negative errno. */
static inline ssize_t metaroce_dv_query_paths(struct ibv_qp *qp, struct metaroce_dv_path *paths,
					      uint32_t max)
{
	return _metaroce_dv_query_paths(qp, paths, max, sizeof(*paths));
}

#ifdef __cplusplus
}
#endif

#endif /* METAROCE_DV_H */
