/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Every counter of the transport and the driver: one list, from which the enum and the names shown
 * by `rdma statistic` are made. Each dropped packet is in exactly one rx_drop_* counter.
 */
#ifndef MROCE_COUNTERS_H
#define MROCE_COUNTERS_H

#define MROCE_COUNTERS(C)					\
	/* traffic */						\
	C(TX_DATA,		"tx_data")			\
	C(TX_BYTES,		"tx_payload_bytes")		\
	C(TX_RETX,		"tx_retransmit")		\
	C(TX_EMPTY,		"tx_empty")			\
	C(TX_ACK,		"tx_ack")			\
	C(TX_NAK,		"tx_nak")			\
	C(TX_PROBE,		"tx_probe")			\
	C(TX_PACED,		"tx_paced")			\
	C(TX_CTRL,		"tx_handshake")			\
	C(RX_DATA,		"rx_data")			\
	C(RX_BYTES,		"rx_payload_bytes")		\
	C(RX_ACK,		"rx_ack")			\
	C(RX_NAK,		"rx_nak")			\
	C(RX_CE,		"rx_ce_marked")			\
	C(RX_DUP,		"rx_duplicate")			\
	C(RX_GAP,		"rx_out_of_order")		\
	C(RX_HELD,		"rx_held")			\
	/* recovery */						\
	C(LOSS_GAP,		"loss_gap")			\
	C(LOSS_TAIL_PROBE,	"loss_tail_probe")		\
	C(LOSS_RTO,		"loss_rto")			\
	C(RTO_UNDONE,		"loss_rto_undone")		\
	C(SPURIOUS,		"retransmit_spurious")		\
	C(PATH_REROUTE,		"path_reroute")			\
	C(PATH_HOME,		"path_home")			\
	C(PATH_SWAP,		"path_swap")			\
	C(PATH_REORDER,		"path_reorder_raised")		\
	C(TX_SELF_REORDER,	"tx_self_reordered")		\
	C(CWND_CE,		"cwnd_reduced_ce")		\
	C(CWND_LOSS,		"cwnd_reduced_loss")		\
	C(CWND_DELAY,		"cwnd_held_delay")		\
	/* refusals given and met */				\
	C(REFUSE_RNR,		"refused_rnr")			\
	C(REFUSE_NO_STREAM,	"refused_no_stream")		\
	C(REFUSE_LATER,		"refused_later")		\
	C(REFUSE_INVALID,	"refused_invalid")		\
	C(REFUSE_ACCESS,	"refused_access")		\
	C(REFUSE_OP,		"refused_operation")		\
	C(MET_RNR,		"met_rnr")			\
	C(MET_NO_STREAM,	"met_no_stream")		\
	C(MET_LATER,		"met_later")			\
	C(MET_ERROR,		"met_remote_error")		\
	/* connections and streams */				\
	C(CONN_OPEN,		"conn_opened")			\
	C(CONN_RESET,		"conn_reset")			\
	C(CONN_EXPIRED,		"conn_expired")			\
	C(STREAM_OPEN,		"stream_opened")		\
	C(STREAM_RETRY_EXC,	"stream_retry_exceeded")	\
	C(STREAM_RNR_EXC,	"stream_rnr_exceeded")		\
	C(STREAM_QUERY,		"stream_query")			\
	C(ACCESS_LATE,		"access_revoked_late")		\
	/* dropped on receipt */				\
	C(DROP_SHORT,		"rx_drop_short")		\
	C(DROP_VERSION,		"rx_drop_version")		\
	C(DROP_TYPE,		"rx_drop_type")			\
	C(DROP_NO_CONN,		"rx_drop_no_connection")	\
	C(DROP_ADDR,		"rx_drop_address")		\
	C(DROP_CONN_STATE,	"rx_drop_connection_state")	\
	C(DROP_PATH,		"rx_drop_path")			\
	C(DROP_PSN,		"rx_drop_psn")			\
	C(DROP_MALFORMED,	"rx_drop_malformed")		\
	C(DROP_ACK,		"rx_drop_ack")			\
	C(DROP_NAK,		"rx_drop_nak")			\
	C(DROP_RESET,		"rx_drop_reset")		\
	C(DROP_CONNECT,		"rx_drop_connect")		\
	C(DROP_NOMEM,		"rx_drop_no_memory")		\
	C(DROP_CSUM,		"rx_drop_checksum")		\
	C(DROP_NO_QP,		"rx_drop_no_qp")		\
	C(DROP_QKEY,		"rx_drop_qkey")			\
	C(DROP_PKEY,		"rx_drop_pkey")			\
	C(DROP_NO_RECV,		"rx_drop_no_receive")		\
	C(DROP_TOO_LONG,	"rx_drop_too_long")		\
	/* dropped on sending */				\
	C(TXDROP_NOMEM,		"tx_drop_no_memory")		\
	C(TXDROP_ROUTE,		"tx_drop_no_route")		\
	C(TXDROP_LOCAL,		"tx_drop_local")

enum mroce_counter {
#define MROCE_CNT_ENUM(id, name)	MROCE_CNT_##id,
	MROCE_COUNTERS(MROCE_CNT_ENUM)
#undef MROCE_CNT_ENUM
	MROCE_CNT_MAX
};

#endif /* MROCE_COUNTERS_H */
