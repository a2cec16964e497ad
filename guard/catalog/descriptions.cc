#include "guard/catalog/descriptions.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <optional>
#include <sstream>

namespace dragoman::catalog {
namespace {

// Gathers what the file says, and its first mistake.
class description_reader {
 public:
  description_reader(std::string file, const database& db) : file_(std::move(file)), db_(db) {}

  void read(const YAML::Node& root) {
    if (!root.IsMap()) return fail(root, "(file)", "must be a mapping with the key tables");
    for (const auto& entry : root) {
      const std::string key = entry.first.Scalar();
      if (key != "tables") return fail(entry.first, key, "unknown key");
      if (!entry.second.IsMap()) return fail(entry.second, key, "must be a mapping");
      for (const auto& table : entry.second) read_table(table.first, table.second);
    }
  }

  result<std::vector<description>> take() {
    if (mistake_) return *mistake_;
    return std::move(found_);
  }

 private:
  void fail(const YAML::Node& at, const std::string& key, std::string_view what) {
    if (!mistake_)
      mistake_ = failure(errc::configuration, fmt::format("{}:{}: {}: {}", file_, at.Mark().line + 1, key, what));
  }

  void read_table(const YAML::Node& name, const YAML::Node& node) {
    const std::string full = name.Scalar();
    const std::string key = "tables." + full;
    const std::size_t dot = full.find('.');
    const auto table =
        dot == std::string::npos ? std::nullopt : db_.table_index(full.substr(0, dot), full.substr(dot + 1));
    if (!table) return fail(name, key, "the catalogue has no such table");
    if (node.IsScalar()) return add(*table, description::no_column, node, key);
    if (!node.IsMap()) return fail(node, key, "must be a text, or a mapping with description and columns");
    for (const auto& part : node) {
      const std::string word = part.first.Scalar();
      if (word == "description") {
        add(*table, description::no_column, part.second, key + ".description");
      } else if (word == "columns" && part.second.IsMap()) {
        for (const auto& column : part.second) {
          const std::string column_key = key + ".columns." + column.first.Scalar();
          const auto index = db_.tables[*table].column_index(column.first.Scalar());
          if (!index) return fail(column.first, column_key, "the table has no such column");
          add(*table, *index, column.second, column_key);
        }
      } else {
        return fail(part.first, key + "." + word, word == "columns" ? "must be a mapping" : "unknown key");
      }
    }
  }

  void add(std::size_t table, std::size_t column, const YAML::Node& node, const std::string& key) {
    if (!node.IsScalar()) return fail(node, key, "must be a text");
    found_.push_back({table, column, node.Scalar()});
  }

  std::string file_;
  const database& db_;
  std::vector<description> found_;
  std::optional<failure> mistake_;
};

}  // namespace

result<std::vector<description>> parse_descriptions(std::string_view text, const std::string& name_for_errors,
                                                    const database& db) {
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    description_reader reader(name_for_errors, db);
    if (!root.IsNull()) reader.read(root);
    return reader.take();
  } catch (const YAML::Exception& e) {
    return failure(errc::configuration, fmt::format("{}:{}: (syntax): {}", name_for_errors, e.mark.line + 1, e.msg));
  }
}

result<std::vector<description>> load_descriptions(const std::string& path, const database& db) {
  std::ifstream in(path);
  if (!in) return failure(errc::configuration, path + ": cannot be read");
  std::stringstream text;
  text << in.rdbuf();
  return parse_descriptions(text.str(), path, db);
}

void lay_over(database& db, const std::vector<description>& all) {
  for (const description& d : all)
    (d.column == description::no_column ? db.tables[d.table].description
                                        : db.tables[d.table].columns[d.column].description) = d.text;
}

}  // namespace dragoman::catalog
