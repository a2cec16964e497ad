// What the question pipeline asks of its driver, and what it is told in return.
//
// The pipeline never does a thing itself: it hands out one action at a time, the driver (the proxy) carries it out
// beside the client's attention, and `pipeline::resume` takes the event. Each action has exactly one kind of event;
// `interrupted` may come in place of any.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/errc.h"
#include "guard/tsql/ast.h"
#include "llm/chat_client.h"

namespace dragoman::nlq {

using tree_ptr = std::shared_ptr<const tsql::select_statement>;

// ---- actions ------------------------------------------------------------------------------------------------------

// Send to the model; answer with model_answered. `attempt` counts from 1; 0: about the rows, which are no attempt.
// Those must then be on their way to the client, all of them, before the model is waited for.
struct call_model {
  std::vector<llm::message> messages;
  unsigned attempt = 1;
  std::chrono::milliseconds time_limit{0};  // shorter than the configured one; 0: that one
  std::string json_schema;                  // the answer is to be JSON of this shape; empty: free text
  std::string grammar;                      // the answer is to be a sentence of this GBNF; empty: free text
};

// Only where the source's index carries embeddings; answer with embedded. A failed embedding is no failure of the
// question: ranking then goes by words alone.
struct embed_question {
  std::string text;
};

// Give to the guard with profile `generated`; answer with checked. Exactly one of the two is set: `tree` when the
// question was compiled without a model, else `text`.
struct check_sql {
  std::string source;
  tree_ptr tree;
  std::string text;
};

// SHOWPLAN on a lease of its own; answer with estimated. `sql` is what the guard printed.
struct estimate_cost {
  std::string source;
  std::string sql;
};

// Run and relay to the client; answer with ran. `sql` is what the guard printed. `interpretation` is for the message
// that stands before the rows.
struct run_sql {
  std::string source;
  std::string sql;
  std::uint64_t row_cap = 0;
  std::string interpretation;
};

// The end: pipeline::report() tells which and everything about it. Not to be resumed.
struct finish {};

using action = std::variant<call_model, embed_question, check_sql, estimate_cost, run_sql, finish>;

// ---- events -------------------------------------------------------------------------------------------------------

struct model_answered {
  llm::chat_result result;
};

struct embedded {
  llm::embedding_result result;
};

struct checked {
  bool accepted = false;
  errc reason = errc::internal;     // of a refusal
  std::string message;              // of a refusal: for the model when it is asked again, and for the person
  std::string printed;              // of an acceptance: the only text that may run
  std::vector<std::string> tables;  // schema.name of what it reads
};

struct estimated {
  bool known = false;  // false: no plan could be had; the statement runs all the same
  double cost = 0;     // the plan's subtree cost, in the optimiser's units
  double rows = 0;
};

// The head of a result, kept by the driver while it relays, for the insight. Values as text with a decimal point, no
// grouping; is_null marks NULL.
struct result_head {
  struct cell {
    std::string text;
    bool is_null = false;
  };
  struct column {
    std::string name;
    bool numeric = false;
  };
  std::vector<column> columns;
  std::vector<std::vector<cell>> rows;  // at most limits::insight_rows_max
  bool complete = false;                // these are all rows
};

struct ran {
  bool ok = false;
  errc reason = errc::internal;  // of a failure: query_timeout, cancelled, upstream_unavailable, upstream_error, …
  std::int32_t number = 0;       // of an upstream_error
  std::string message;           // of a failure
  std::uint64_t rows = 0;        // relayed to the client
  bool rows_sent = false;        // of a failure: the client has met column metadata or rows; no second attempt then
  bool capped = false;           // more rows were there than row_cap let through
  result_head head;
  std::optional<std::vector<std::string>> suggestions;  // where the driver had pipeline::suggester() run meanwhile
};

// The client's attention, its connection's end, or the driver's time limit for the whole question.
struct interrupted {
  bool by_time_limit = false;
};

using pipeline_event = std::variant<model_answered, embedded, checked, estimated, ran, interrupted>;

}  // namespace dragoman::nlq
