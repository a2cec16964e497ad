// The procedures that ask, continue, remember.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "guard/catalog/names.h"
#include "nlq/text_tokens.h"
#include "nlq/understanding.h"
#include "proxy/procedures.h"
#include "proxy/question_text.h"

namespace dragoman::proxy {
namespace {

std::string time_text_of(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

// The number of the source that was asked for; nothing where none was. False: there is none of that name for this
// principal, the error is written.
bool read_source(gateway_session& session, const std::string& name, std::optional<std::size_t>& source, response& out) {
  if (name.empty()) return true;
  source = session.shared().find_source(name);
  if (source && (*source == 0 || !session.view().shares[*source].empty())) return true;
  session.fail(failure(errc::bad_argument, fmt::format("There is no source '{}'.", name)), out);
  return false;
}

}  // namespace

awaitable<void> nlq_ask(gateway_session& session, const procedure_arguments& arguments, response& out) {
  session.record().kind = "question";
  nlq::ask_mode mode = nlq::ask_mode::result;
  const std::string word = arguments.text(1);
  if (catalog::same_name(word, "sql")) {
    mode = nlq::ask_mode::sql;
  } else if (catalog::same_name(word, "full")) {
    mode = nlq::ask_mode::full;
  } else if (!word.empty() && !catalog::same_name(word, "result")) {
    session.fail(failure(errc::bad_argument, fmt::format("'{}' is no mode: use 'result', 'sql' or 'full'.", word)),
                 out);
    co_return;
  }
  std::optional<std::size_t> source;
  if (!read_source(session, arguments.text(2), source, out)) co_return;
  co_await session.ask(arguments.text(0), mode, source, out);
}

awaitable<void> nlq_sql(gateway_session& session, const procedure_arguments& arguments, response& out) {
  session.record().kind = "question";
  std::optional<std::size_t> source;
  if (!read_source(session, arguments.text(1), source, out)) co_return;
  co_await session.ask(arguments.text(0), nlq::ask_mode::sql, source, out);
}

awaitable<void> nlq_choose(gateway_session& session, const procedure_arguments& arguments, response& out) {
  const auto number = arguments.whole(0);
  const auto& pending = session.talk().pending;
  if (pending.empty()) {
    session.fail(failure(errc::bad_argument, "There is nothing to choose from: no question waits for a choice."), out);
    co_return;
  }
  std::string question;
  for (const auto& option : pending)
    if (number && option.choice == *number) question = option.value;
  if (question.empty() && number && *number >= 1 && *number <= static_cast<std::int64_t>(pending.size()))
    question = pending[static_cast<std::size_t>(*number - 1)].value;
  if (question.empty()) {
    session.fail(failure(errc::bad_argument, fmt::format("Choose a number from 1 to {}.", pending.size())), out);
    co_return;
  }
  session.record().kind = "question";
  co_await session.ask(std::move(question), nlq::ask_mode::result, session.source_of_choice(), out);
}

awaitable<void> nlq_confirm(gateway_session& session, const procedure_arguments& arguments, response& out) {
  auto pending = session.shared().notes().take_confirmation(session.login(), arguments.text(0));
  if (!pending) {
    session.fail(
        failure(errc::bad_argument, "This token is not known: it was used, has expired or is another login's."), out);
    co_return;
  }
  session.record().kind = "question";
  co_await session.run_confirmed(std::move(*pending), out);
}

awaitable<void> nlq_attempts(gateway_session& session, const procedure_arguments&, response& out) {
  session.write(attempts_result(session.last_attempts()), out);
  co_return;
}

awaitable<void> nlq_history(gateway_session& session, const procedure_arguments& arguments, response& out) {
  const std::int64_t top = arguments.whole(0).value_or(20);
  if (top < 1) {
    session.fail(failure(errc::bad_argument, "Ask for at least one question."), out);
    co_return;
  }
  local_result rows;
  rows.add_int_column("number");
  rows.add_text_column("time_utc", 20);
  rows.add_text_column("question");
  rows.add_text_column("outcome", 40);
  rows.add_text_column("sql");
  rows.add_int_column("rows");
  rows.add_int_column("milliseconds");
  for (const history_entry& e : session.shared().notes().history(session.login(), static_cast<std::size_t>(top)))
    rows.rows.push_back({static_cast<std::int64_t>(e.number), time_text_of(e.time), e.question, e.outcome,
                         e.sql.empty() ? sql_value(null_value{}) : sql_value(e.sql), static_cast<std::int64_t>(e.rows),
                         e.milliseconds});
  session.write(rows, out);
}

awaitable<void> nlq_save(gateway_session& session, const procedure_arguments& arguments, response& out) {
  saved_question saved;
  saved.name = arguments.text(0);
  saved.question = arguments.text(1);
  saved.created = std::chrono::system_clock::now();
  if (saved.name.empty() || saved.name.size() > 128 || catalog::same_name(saved.name, "ask")) {
    session.fail(failure(errc::bad_argument, "A saved question needs a name of 1 to 128 bytes other than 'ask'."), out);
    co_return;
  }
  if (const std::size_t most = session.shared().settings().nlq.question_chars_max;
      nlq::code_points(saved.question) > most) {
    session.fail(failure(errc::bad_argument, fmt::format("A question has {} characters at most.", most)), out);
    co_return;
  }
  if (saved.question.empty()) {
    const auto last = session.last_question();
    if (!last) {
      session.fail(failure(errc::bad_argument, "There is no last question: give one."), out);
      co_return;
    }
    saved.question = last->question;
    saved.sql = last->sql;
  }
  local_result rows;
  rows.add_text_column("name", 128);
  rows.add_text_column("question");
  rows.rows.push_back({saved.name, saved.question});
  session.shared().notes().save(session.login(), std::move(saved));
  session.write(rows, out);
}

awaitable<void> nlq_saved(gateway_session& session, const procedure_arguments&, response& out) {
  local_result rows;
  rows.add_text_column("name", 128);
  rows.add_text_column("question");
  rows.add_text_column("created_utc", 20);
  for (const saved_question& q : session.shared().notes().saved(session.login()))
    rows.rows.push_back({q.name, q.question, time_text_of(q.created)});
  session.write(rows, out);
  co_return;
}

awaitable<void> nlq_forget(gateway_session& session, const procedure_arguments& arguments, response& out) {
  if (!session.shared().notes().forget(session.login(), arguments.text(0))) {
    session.fail(failure(errc::bad_argument, fmt::format("There is no saved question '{}'.", arguments.text(0))), out);
    co_return;
  }
  local_result rows;
  rows.add_text_column("forgotten", 128);
  rows.rows.push_back({arguments.text(0)});
  session.write(rows, out);
}

awaitable<void> nlq_feedback(gateway_session& session, const procedure_arguments& arguments, response& out) {
  const auto score = arguments.whole(0);
  const auto last = session.last_question();
  if (!score || (*score != 1 && *score != -1)) {
    session.fail(failure(errc::bad_argument, "Say 1 for a right answer or -1 for a wrong one."), out);
    co_return;
  }
  if (!last) {
    session.fail(failure(errc::bad_argument, "There is no question yet that feedback could be about."), out);
    co_return;
  }
  feedback_entry entry{std::chrono::system_clock::now(), last->question, static_cast<std::int32_t>(*score),
                       arguments.text(1)};
  session.shared().notes().add_feedback(session.login(), entry);
  // What was called wrong is not served again.
  if (*score < 0)
    session.shared().answers().forget(nlq::question_form(last->question, session.here().database().case_sensitive()),
                                      session.view().scope);
  local_result rows;
  rows.add_text_column("question");
  rows.add_int_column("score");
  rows.rows.push_back({last->question, *score});
  session.write(rows, out);
}

}  // namespace dragoman::proxy
