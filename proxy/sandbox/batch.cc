#include "proxy/sandbox/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "guard/catalog/names.h"
#include "guard/tsql/build.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/languages.h"
#include "proxy/sandbox/text_collation.h"
#include "proxy/sandbox/types.h"

namespace dragoman::sandbox {
namespace {

// T-SQL reference, "SET statements". What is not here is answered with error 195.
constexpr std::string_view known_options[] = {"ANSI_DEFAULTS",
                                              "ANSI_NULL_DFLT_OFF",
                                              "ANSI_NULL_DFLT_ON",
                                              "ANSI_NULLS",
                                              "ANSI_PADDING",
                                              "ANSI_WARNINGS",
                                              "ARITHABORT",
                                              "ARITHIGNORE",
                                              "CONCAT_NULL_YIELDS_NULL",
                                              "CONTEXT_INFO",
                                              "CURSOR_CLOSE_ON_COMMIT",
                                              "DATEFIRST",
                                              "DATEFORMAT",
                                              "DEADLOCK_PRIORITY",
                                              "FIPS_FLAGGER",
                                              "FMTONLY",
                                              "FORCEPLAN",
                                              "IDENTITY_INSERT",
                                              "IMPLICIT_TRANSACTIONS",
                                              "LANGUAGE",
                                              "LOCK_TIMEOUT",
                                              "NO_BROWSETABLE",
                                              "NOCOUNT",
                                              "NOEXEC",
                                              "NUMERIC_ROUNDABORT",
                                              "OFFSETS",
                                              "PARSEONLY",
                                              "QUERY_GOVERNOR_COST_LIMIT",
                                              "QUOTED_IDENTIFIER",
                                              "REMOTE_PROC_TRANSACTIONS",
                                              "ROWCOUNT",
                                              "SHOWPLAN_ALL",
                                              "SHOWPLAN_TEXT",
                                              "SHOWPLAN_XML",
                                              "STATISTICS IO",
                                              "STATISTICS PROFILE",
                                              "STATISTICS TIME",
                                              "STATISTICS XML",
                                              "TEXTSIZE",
                                              "TRANSACTION ISOLATION LEVEL",
                                              "XACT_ABORT"};

std::optional<tsql::binary_operator> operator_of(tsql::assignment_operator op) {
  using tsql::assignment_operator;
  using tsql::binary_operator;
  switch (op) {
    case assignment_operator::assign: return std::nullopt;
    case assignment_operator::add: return binary_operator::add;
    case assignment_operator::subtract: return binary_operator::subtract;
    case assignment_operator::multiply: return binary_operator::multiply;
    case assignment_operator::divide: return binary_operator::divide;
    case assignment_operator::modulo: return binary_operator::modulo;
    case assignment_operator::bit_and: return binary_operator::bit_and;
    case assignment_operator::bit_or: return binary_operator::bit_or;
    case assignment_operator::bit_xor: return binary_operator::bit_xor;
    case assignment_operator::concat: return binary_operator::concat;
  }
  return std::nullopt;
}

failure undeclared(std::string_view name) {
  return sql_error(137, fmt::format("Must declare the scalar variable \"{}\".", name));
}

// printf as RAISERROR has it: %s, %d, %i, %u, %x and %%; other letters stay.
std::string filled(std::string_view format, const std::vector<std::string>& arguments) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 >= format.size()) {
      out += format[i];
      continue;
    }
    std::size_t end = i + 1;
    while (end < format.size() &&
           (std::string_view("-+0 #.*").find(format[end]) != std::string_view::npos ||
            (format[end] >= '0' && format[end] <= '9') || format[end] == 'l' || format[end] == 'h'))
      ++end;
    if (end < format.size() && format[end] == '%') {
      out += '%';
    } else if (end < format.size() && std::string_view("sdiuxX").find(format[end]) != std::string_view::npos) {
      out += next < arguments.size() ? arguments[next] : "(null)";
      ++next;
    } else {
      out += format.substr(i, end - i + 1);
    }
    i = end;
  }
  return out;
}

}  // namespace

bool assigns_variables(const tsql::select_statement& statement) {
  const auto* s = statement.query.specification();
  return s != nullptr && std::any_of(s->items.begin(), s->items.end(), [](const tsql::select_item& item) {
           return item.as<tsql::select_assignment>() != nullptr;
         });
}

parameter* batch_state::find(std::string_view name) noexcept {
  for (auto& v : variables_) {
    if (catalog::same_name(v.name, name)) return &v;
  }
  return nullptr;
}

result<void> batch_state::declare(const tsql::declare_statement& statement) {
  for (const auto& d : statement.variables) {
    if (d.table) return failure(errc::not_available, "This server cannot run DECLARE of a table variable.");
    const auto type = type_of(d.type);
    if (!type)
      return sql_error(2715, fmt::format("Column, parameter, or variable #{}: Cannot find data type {}.",
                                         variables_.size() + 1, d.type.name.name.value));
    if (find(d.name) != nullptr)
      return sql_error(
          134, fmt::format("The variable name '{}' has already been declared. Variable names must be unique within a "
                           "query batch or stored procedure.",
                           d.name));
    variables_.push_back({d.name, *type, null_value{}});
    if (d.value) {
      if (auto done = assign(d.name, tsql::assignment_operator::assign, *d.value); !done) return done;
    }
  }
  return {};
}

result<void> batch_state::assign(std::string_view name, tsql::assignment_operator op, const tsql::expression& value) {
  if (find(name) == nullptr) return undeclared(name);
  sql_type type;
  result<sql_value> v = sql_value(null_value{});
  if (const auto binary = operator_of(op)) {
    v = home_.evaluate(tsql::make_binary(*binary, tsql::make_variable(name), value), variables_, &type);
  } else {
    v = home_.evaluate(value, variables_, &type);
  }
  if (!v) return v.error();
  parameter* target = find(name);
  auto converted = convert(*v, type, target->type, reading_style(type, target->type, home_.facts()));
  if (!converted) return converted.error();
  target->value = std::move(*converted);
  return {};
}

result<std::int64_t> batch_state::assign_from(const tsql::select_statement& statement) {
  std::vector<std::string> names;
  tsql::select_statement plain = statement;
  for (auto& item : plain.query.specification()->items) {
    auto* a = item.as<tsql::select_assignment>();
    if (a == nullptr)
      return sql_error(
          141,
          "A SELECT statement that assigns a value to a variable must not be combined with data-retrieval operations.");
    if (find(a->variable) == nullptr) return undeclared(a->variable);
    names.push_back(a->variable);
    tsql::expression value = a->value;
    if (const auto binary = operator_of(a->op))
      value = tsql::make_binary(*binary, tsql::make_variable(a->variable), std::move(value));
    item.node = tsql::select_expression{std::move(value), {}};
  }
  auto rows = home_.prepare(plain, variables_);
  if (!rows) return rows.error();
  std::vector<sql_value> row(names.size());
  std::int64_t count = 0;
  for (;;) {
    auto more = rows->next(row);
    if (!more) return more.error();
    if (!*more) break;
    ++count;
    for (std::size_t i = 0; i < names.size(); ++i) {
      parameter* target = find(names[i]);
      const sql_type& from = rows->columns()[i].type;
      auto converted = convert(row[i], from, target->type, reading_style(from, target->type, home_.facts()));
      if (!converted) return converted.error();
      target->value = std::move(*converted);
    }
  }
  return count;
}

result<bool> batch_state::test(const tsql::expression& condition) {
  auto v = home_.evaluate(condition, variables_);
  if (!v) return v.error();
  const auto* bit = std::get_if<std::int64_t>(&*v);
  return bit != nullptr && *bit != 0;
}

result<std::string> batch_state::text(const tsql::expression& value) {
  sql_type type;
  auto v = home_.evaluate(value, variables_, &type);
  if (!v) return v.error();
  return text_of(*v, type);
}

result<void> batch_state::set_option(const tsql::set_option_statement& statement) {
  session_facts& facts = home_.facts();
  const std::string value = statement.values.empty() ? std::string() : statement.values.front();
  const bool on = catalog::same_name(value, "ON");
  const auto number = [&]() -> std::optional<std::int64_t> {
    std::string_view text = value;
    if (!text.empty() && text[0] == '@') {
      const parameter* v = find(text);
      const auto* i = v == nullptr ? nullptr : std::get_if<std::int64_t>(&v->value);
      return i == nullptr ? std::nullopt : std::optional(*i);
    }
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(n) : std::nullopt;
  };
  for (const auto& option : statement.options) {
    const std::string name = upper_case(option);
    if (std::find(std::begin(known_options), std::end(known_options), name) == std::end(known_options))
      return sql_error(195, fmt::format("'{}' is not a recognized SET option.", option));
    if (name == "NOCOUNT") options_.no_count = on;
    if (name == "FMTONLY") options_.format_only = on;
    if (name == "NOEXEC" || name == "PARSEONLY") options_.no_exec = on;
    if (name == "IMPLICIT_TRANSACTIONS") options_.implicit_transactions = on;
    if (name == "QUOTED_IDENTIFIER") options_.quoted_identifier = on;
    if (name == "LANGUAGE") {
      const language* const named = find_language(value);
      if (named == nullptr)
        return sql_error(2740, fmt::format("SET LANGUAGE failed because '{}' is not an official language name or a "
                                           "language alias on this SQL Server.",
                                           value));
      facts.language = named->name;
      facts.date_first = named->first_day;
      facts.date_style = style_of_date_order(named->date_order);
    }
    if (name == "DATEFORMAT") facts.date_style = style_of_date_order(value);
    if (name.starts_with("SHOWPLAN") && on)
      return failure(errc::not_available, "This server has no query plans to show.");
    if (name == "ROWCOUNT" || name == "DATEFIRST" || name == "LOCK_TIMEOUT" || name == "TEXTSIZE") {
      const auto n = number();
      if (!n) return sql_error(1080, fmt::format("The integer value {} is out of range.", value));
      if (name == "ROWCOUNT") options_.row_count = std::max<std::int64_t>(0, *n);
      if (name == "LOCK_TIMEOUT") facts.lock_timeout = static_cast<std::int32_t>(*n);
      if (name == "TEXTSIZE") facts.text_size = static_cast<std::int32_t>(*n);
      if (name == "DATEFIRST") {
        if (*n < 1 || *n > 7)
          return sql_error(2744, fmt::format("{} is not a valid value for the SET option DATEFIRST.", *n));
        facts.date_first = static_cast<std::int32_t>(*n);
      }
    }
  }
  return {};
}

result<raised_error> batch_state::raise(const tsql::raiserror_statement& statement) {
  if (statement.arguments.empty()) return sql_error(102, "Incorrect syntax near 'RAISERROR'.");
  std::vector<std::string> texts;
  for (const auto& a : statement.arguments) {
    auto t = text(a);
    if (!t) return t.error();
    texts.push_back(std::move(*t));
  }
  raised_error out;
  if (texts.size() > 1) {
    int severity = 16;
    std::from_chars(texts[1].data(), texts[1].data() + texts[1].size(), severity);
    out.severity = static_cast<std::uint8_t>(std::clamp(severity, 0, 18));
  }
  const std::vector<std::string> arguments(
      texts.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, texts.size())), texts.end());
  out.error = failure(errc::conversion, filled(texts[0], arguments));
  out.error.number = 50000;
  return out;
}

result<raised_error> batch_state::raise(const tsql::throw_statement& statement) {
  if (statement.arguments.size() != 3)
    return sql_error(10704, "To rethrow an error, a THROW statement must be used inside a CATCH block.");
  auto number = text(statement.arguments[0]);
  if (!number) return number.error();
  auto message = text(statement.arguments[1]);
  if (!message) return message.error();
  raised_error out;
  out.error = failure(errc::conversion, std::move(*message));
  std::from_chars(number->data(), number->data() + number->size(), out.error.number);
  return out;
}

}  // namespace dragoman::sandbox
