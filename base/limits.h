// Every limit of the product has its name, default and unit here, and, where a site may change it, a line in conf/.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dragoman::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- TDS (bytes unless said) ---------------------------------------------------------------------------------------
inline constexpr std::size_t packet_size_min = 512;
inline constexpr std::size_t packet_size_default = 4096;  // before and during login, MS-TDS 2.2.6.4
inline constexpr std::size_t packet_size_max = 32767;
inline constexpr std::size_t prelogin_max = 4096;                        // one PRELOGIN message
inline constexpr std::size_t login7_max = 128 * 1024;                    // a reassembled LOGIN7
inline constexpr std::size_t request_max = 16 * 1024 * 1024;             // a reassembled SQLBatch or RPC
inline constexpr std::size_t rpc_parameters_max = 2100;                  // as SQL Server
inline constexpr std::size_t rpc_calls_max = 256;                        // calls in one RPC message
inline constexpr std::size_t prepared_handles_max = 4096;                // per session
inline constexpr std::size_t cursors_max = 64;                           // open at once, per session
inline constexpr std::size_t cursor_memory_bytes = 1024 * 1024;          // of one cursor's rows; the rest is in a file
inline constexpr std::uint64_t cursor_bytes_max = 256ull * 1024 * 1024;  // of all rows of a session's cursors
inline constexpr seconds login_timeout{15};                              // first byte to end of LOGIN7
inline constexpr seconds request_read_timeout{60};                       // first packet of a message to its last
inline constexpr seconds client_write_timeout{300};  // a client that takes no byte for so long is gone
inline constexpr std::size_t sessions_max = 12000;
inline constexpr std::size_t response_queue_bytes = 512 * 1024;  // encoded and not yet taken by the client

// --- T-SQL ---------------------------------------------------------------------------------------------------------
inline constexpr std::size_t statement_bytes_max = 4 * 1024 * 1024;  // text of a batch in UTF-8
inline constexpr std::size_t expression_depth_max = 256;  // brackets, calls, CASE and subqueries inside each other
inline constexpr std::size_t tree_height_max = 1000;      // nodes from root to leaf, chains of operators included
inline constexpr std::size_t syntax_nodes_max = 60'000;   // nodes in the tree of one text
inline constexpr std::size_t tokens_max = 200'000;        // in one text
inline constexpr std::size_t in_list_max = 4096;
inline constexpr std::size_t joins_max = 64;  // table sources in one statement
inline constexpr std::size_t subquery_depth_max = 32;
inline constexpr std::size_t ctes_max = 64;
inline constexpr std::size_t select_items_max = 4096;
inline constexpr std::size_t select_bytes_max = 64 * 1024;  // one SELECT that is to be forwarded
inline constexpr std::size_t expressions_max = 20'000;      // nodes in one SELECT
inline constexpr std::size_t condition_terms_max = 1024;    // operands of one AND or OR
inline constexpr std::size_t set_operations_max = 256;      // SELECTs joined by UNION, EXCEPT, INTERSECT
inline constexpr double cross_rows_max = 1e8;               // estimate for sources that no predicate ties together
inline constexpr std::uint32_t recursion_max = 1000;        // OPTION (MAXRECURSION n)
inline constexpr double series_rows_max = 1e6;              // GENERATE_SERIES
inline constexpr std::uint32_t repeat_max = 100'000;        // count of REPLICATE and SPACE
inline constexpr std::size_t identifier_max = 128;          // UTF-16 code units, as SQL Server

// --- Running ---------------------------------------------------------------------------------------------------------
inline constexpr std::uint64_t row_cap_default = 1'000'000;  // rows of a person's SELECT
inline constexpr std::uint64_t row_cap_generated = 10'000;   // rows of an answer to a question
inline constexpr seconds query_timeout_default{60};
inline constexpr milliseconds lease_timeout_default{10'000};
inline constexpr milliseconds upstream_lock_timeout{10'000};
inline constexpr std::size_t upstream_connections_max = 30;  // 10 kept, 20 more at need
inline constexpr std::size_t upstream_connections_kept = 10;
inline constexpr std::size_t value_bytes_max = 64 * 1024 * 1024;  // one (max) value
inline constexpr std::size_t fetch_rows = 256;                    // rows per ODBC block
inline constexpr seconds cancel_grace{2};                         // then the upstream connection is dropped
inline constexpr std::uint32_t upstream_packet_size = 16384;      // asked of the upstream; TLS keeps it in one record
inline constexpr milliseconds upstream_connect_timeout{5'000};
inline constexpr milliseconds upstream_send_timeout{10'000};     // of a request that the upstream does not take
inline constexpr milliseconds upstream_idle_max{120'000};        // a connection beyond the kept ones closes
inline constexpr milliseconds upstream_age_max{3'600'000};       // any connection is renewed, when idle
inline constexpr std::size_t upstream_waiting_max = 4096;        // statements that wait for a connection
inline constexpr std::size_t fetch_bytes_max = 2 * 1024 * 1024;  // bound buffers of one block of rows

// --- Questions
// ---------------------------------------------------------------------------------------------------------
inline constexpr std::size_t question_chars_max = 1000;  // code points after NFKC
inline constexpr unsigned corrections_max = 2;
inline constexpr std::size_t insight_rows_max = 100;           // of a result, looked at for one sentence
inline constexpr std::size_t prompt_prefix_tokens_max = 6000;  // beyond it the schema is chosen per question
inline constexpr unsigned retrieved_tables = 6;                // top k; two more after a missing name
inline constexpr unsigned bridge_tables_max = 5;               // joined in between, in all
inline constexpr unsigned bridge_hops_max = 4;                 // of one path
inline constexpr unsigned model_tries_max = 3;
inline constexpr seconds model_timeout_default{60};
inline constexpr seconds model_connect_timeout{5};
inline constexpr seconds model_first_byte_timeout{45};
inline constexpr milliseconds model_backoff_first{500};
inline constexpr milliseconds model_backoff_max{8'000};
inline constexpr std::size_t model_reply_bytes_max = 1024 * 1024;
inline constexpr std::size_t audit_file_bytes = 64 * 1024 * 1024;
inline constexpr unsigned audit_files_kept = 8;
inline constexpr std::size_t audit_queue_records = 8192;  // written by one thread; a full queue makes requests wait
inline constexpr milliseconds audit_wait{250};            // then the record is counted as lost, and that is audited
inline constexpr std::size_t history_kept = 200;          // questions per login
inline constexpr std::size_t confirmations_kept = 64;     // unspent tokens per login
inline constexpr seconds confirmation_lifetime{600};
inline constexpr seconds drain_timeout{20};         // SIGTERM: running requests may end, then are cut
inline constexpr std::size_t password_bytes = 512;  // of a login; longer ones are refused unread

}  // namespace dragoman::limits
