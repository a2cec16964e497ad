// Questions asked of question understanding and run against the embedded demo engine itself: no client, guard or
// gateway between. Shared by the developer's tool and the challenge test.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nlq/understanding.h"
#include "proxy/row_compare.h"
#include "proxy/sandbox/engine.h"

namespace dragoman::nlq_eval {

struct table {
  std::vector<std::string> columns;
  proxy::value_rows rows;
  std::string error;  // empty: it ran
};

// One line of a question file.
struct question {
  std::string id, language, kind, text, expect, sql, session;
  std::vector<std::string> also;  // further ends that are as good
  bool order_matters = false;
};

// Dies with a message on standard error when the file cannot be read.
std::vector<question> read_questions(const std::string& file);

class bench {
 public:
  // Generates (once) and opens the small demo under `directory`. Throws std::runtime_error.
  explicit bench(const std::string& directory);

  table run(std::string_view sql);
  const nlq::knowledge& known() const { return *known_; }
  nlq::question_context context() const;

  // right, wrong (other rows than the gold ones), answered (rows where none may come), error, gold-error, or the end it
  // took instead: clarified, confirmed, rejected, out-of-scope, schema, refused.
  std::string judge(const question&, const nlq::understanding&, table& mine, table& gold);

 private:
  std::shared_ptr<sandbox::engine> engine_;
  std::shared_ptr<const nlq::knowledge> known_;
};

std::string text_of(const sql_value&);
// The end of an understanding in the words of question files: rows, clarify, confirm, reject, out_of_scope, no_model.
std::string_view end_of(const nlq::understanding&);

}  // namespace dragoman::nlq_eval
