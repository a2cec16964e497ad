#include "proxy/question.h"

namespace dragoman::proxy {
namespace {

// A table or column that the guard would refuse must not be known to understanding either.
bool visible_to(const principal_view& view, std::size_t source, std::string_view schema, std::string_view table,
                std::string_view column) {
  const guard::database_policy& rights = view.policy->databases[source];
  const catalog::table* found = rights.database->find_table(schema, table);
  if (found == nullptr) return false;
  if (column.empty()) return view.policy->may_see(*found);
  // A join-only column counts: a compiled query uses keys in ON alone, and the guard sees to that.
  const auto index = found->column_index(column);
  const guard::table_rights* rights_of_table = view.policy->rights(*found);
  if (!index || rights_of_table == nullptr || *index >= rights_of_table->columns.size()) return false;
  const guard::column_right right = rights_of_table->columns[*index];
  return right == guard::column_right::allowed || right == guard::column_right::join_only;
}

}  // namespace

std::function<nlq::understanding(std::string_view)> understand_for(std::shared_ptr<const nlq::knowledge> known,
                                                                   const principal_view& view, std::size_t source,
                                                                   day_number today, const nlq::conversation& talk) {
  // A copy: what is understood must not change while another thread still asks.
  return [known = std::move(known), &view, source, today,
          talk = std::make_shared<const nlq::conversation>(talk)](std::string_view question) {
    nlq::question_context context;
    context.known = known.get();
    context.today = today;
    context.session = talk.get();
    context.visible = [&view, source](std::string_view schema, std::string_view table, std::string_view column) {
      return visible_to(view, source, schema, table, column);
    };
    return nlq::understand(question, context);
  };
}

}  // namespace dragoman::proxy
