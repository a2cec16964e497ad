#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <sstream>

#include "guard/catalog/catalog.h"

namespace dragoman::catalog {
namespace {

// ---- reading ------------------------------------------------------------------------------------------------------

// Thrown inside this file only, so that the reader reads straight down.
struct snapshot_error {
  failure what;
};

class reader {
 public:
  explicit reader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const YAML::Node& at, std::string_view key, std::string_view what) const {
    const int line = at.Mark().line + 1;
    throw snapshot_error{failure(errc::configuration, fmt::format("{}:{}: {}: {}", file_, line, key, what),
                                 static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(at.Mark().column + 1))};
  }

  void only(const YAML::Node& map, const std::string& key, std::initializer_list<std::string_view> known) const {
    if (!map.IsMap()) fail(map, key, "must be a mapping");
    for (const auto& entry : map) {
      const std::string name = entry.first.as<std::string>();
      bool found = false;
      for (auto k : known) found = found || k == name;
      if (!found) fail(entry.first, key.empty() ? name : key + "." + name, "unknown key");
    }
  }

  std::string text(const YAML::Node& map, const std::string& key, const char* name) const {
    const YAML::Node node = map[name];
    if (!node) fail(map, key.empty() ? name : key + "." + name, "is missing");
    return scalar(node, key.empty() ? name : key + "." + name);
  }

  std::string text_or(const YAML::Node& map, const std::string& key, const char* name, std::string otherwise) const {
    return map[name] ? text(map, key, name) : std::move(otherwise);
  }

  bool flag_or(const YAML::Node& map, const std::string& key, const char* name, bool otherwise) const {
    const YAML::Node node = map[name];
    if (!node) return otherwise;
    const std::string value = scalar(node, key + "." + name);
    if (value == "true") return true;
    if (value == "false") return false;
    fail(node, key + "." + name, "must be true or false");
  }

  std::vector<std::string> texts(const YAML::Node& map, const std::string& key, const char* name) const {
    std::vector<std::string> out;
    const YAML::Node node = map[name];
    if (!node) return out;
    if (!node.IsSequence()) fail(node, key + "." + name, "must be a list");
    for (const auto& item : node) out.push_back(scalar(item, key + "." + name));
    return out;
  }

  YAML::Node list(const YAML::Node& map, const std::string& key, const char* name, bool required) const {
    const YAML::Node node = map[name];
    if (!node && !required) return YAML::Node(YAML::NodeType::Sequence);
    if (!node) fail(map, key.empty() ? name : key + "." + name, "is missing");
    if (!node.IsSequence()) fail(node, key.empty() ? name : key + "." + name, "must be a list");
    return node;
  }

  std::string scalar(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) fail(node, key, "must be a single value");
    return node.Scalar();
  }

 private:
  std::string file_;
};

column read_column(const reader& in, const YAML::Node& node, const std::string& key) {
  in.only(node, key, {"name", "type", "nullable", "identity", "computed", "description", "samples"});
  column c;
  c.name = in.text(node, key, "name");
  const std::string type = in.text(node, key, "type");
  const auto parsed = parse_sql_type(type);
  if (!parsed) in.fail(node["type"], key + ".type", "no SQL Server type: " + type);
  c.type = *parsed;
  c.nullable = in.flag_or(node, key, "nullable", true);
  c.identity = in.flag_or(node, key, "identity", false);
  c.computed = in.flag_or(node, key, "computed", false);
  c.description = in.text_or(node, key, "description", "");
  c.samples = in.texts(node, key, "samples");
  return c;
}

foreign_key read_foreign_key(const reader& in, const YAML::Node& node, const std::string& key) {
  in.only(node, key, {"name", "columns", "references"});
  foreign_key fk;
  fk.name = in.text_or(node, key, "name", "");
  fk.columns = in.texts(node, key, "columns");
  const YAML::Node target = node["references"];
  if (!target) in.fail(node, key + ".references", "is missing");
  in.only(target, key + ".references", {"schema", "table", "columns"});
  fk.schema = in.text(target, key + ".references", "schema");
  fk.table = in.text(target, key + ".references", "table");
  fk.referenced_columns = in.texts(target, key + ".references", "columns");
  return fk;
}

table read_table(const reader& in, const YAML::Node& node, const std::string& key) {
  in.only(node, key, {"schema", "name", "kind", "description", "rows", "columns", "primary_key", "foreign_keys"});
  table t;
  t.schema = in.text(node, key, "schema");
  t.name = in.text(node, key, "name");
  const std::string kind = in.text_or(node, key, "kind", "table");
  if (kind != "table" && kind != "view") in.fail(node["kind"], key + ".kind", "must be table or view");
  t.kind = kind == "view" ? table_kind::view : table_kind::table;
  t.description = in.text_or(node, key, "description", "");
  if (node["rows"]) {
    const std::string rows = in.text(node, key, "rows");
    if (rows.empty() || rows.size() > 18 || rows.find_first_not_of("0123456789") != std::string::npos) {
      in.fail(node["rows"], key + ".rows", "must be a count of rows");
    }
    t.row_count = std::stoull(rows);
  }
  std::size_t i = 0;
  for (const auto& c : in.list(node, key, "columns", true)) {
    t.columns.push_back(read_column(in, c, fmt::format("{}.columns[{}]", key, i++)));
  }
  t.primary_key = in.texts(node, key, "primary_key");
  i = 0;
  for (const auto& fk : in.list(node, key, "foreign_keys", false)) {
    t.foreign_keys.push_back(read_foreign_key(in, fk, fmt::format("{}.foreign_keys[{}]", key, i++)));
  }
  return t;
}

database read_database(const reader& in, const YAML::Node& root) {
  in.only(root, "", {"version", "datasource", "database", "default_schema", "collation", "tables"});
  const std::string version = in.text(root, "", "version");
  if (version != std::to_string(snapshot_version)) {
    in.fail(root["version"], "version", fmt::format("this release reads version {}", snapshot_version));
  }
  database db;
  db.datasource = in.text(root, "", "datasource");
  db.name = in.text(root, "", "database");
  db.default_schema = in.text_or(root, "", "default_schema", db.default_schema);
  db.collation = in.text_or(root, "", "collation", db.collation);
  std::size_t i = 0;
  for (const auto& t : in.list(root, "", "tables", true)) {
    db.tables.push_back(read_table(in, t, fmt::format("tables[{}]", i++)));
  }
  return db;
}

// ---- writing ------------------------------------------------------------------------------------------------------

// Always in double quotes: a YAML scalar without them may turn into a number, a date or a boolean.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string quoted_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? ", " : "") + quoted(item);
  return out + "]";
}

void write_column(std::string& out, const column& c) {
  out +=
      fmt::format("      - {{name: {}, type: {}, nullable: {}", quoted(c.name), quoted(to_string(c.type)), c.nullable);
  if (c.identity) out += ", identity: true";
  if (c.computed) out += ", computed: true";
  if (!c.description.empty()) out += ", description: " + quoted(c.description);
  if (!c.samples.empty()) out += ", samples: " + quoted_list(c.samples);
  out += "}\n";
}

void write_table(std::string& out, const table& t) {
  out += fmt::format("  - schema: {}\n    name: {}\n", quoted(t.schema), quoted(t.name));
  if (t.kind == table_kind::view) out += "    kind: view\n";
  if (!t.description.empty()) out += fmt::format("    description: {}\n", quoted(t.description));
  if (t.row_count) out += fmt::format("    rows: {}\n", *t.row_count);
  out += "    columns:\n";
  for (const auto& c : t.columns) write_column(out, c);
  if (!t.primary_key.empty()) out += fmt::format("    primary_key: {}\n", quoted_list(t.primary_key));
  if (t.foreign_keys.empty()) return;
  out += "    foreign_keys:\n";
  for (const auto& fk : t.foreign_keys) {
    out += "      - {";
    if (!fk.name.empty()) out += fmt::format("name: {}, ", quoted(fk.name));
    out += fmt::format("columns: {}, references: {{schema: {}, table: {}, columns: {}}}}}\n", quoted_list(fk.columns),
                       quoted(fk.schema), quoted(fk.table), quoted_list(fk.referenced_columns));
  }
}

}  // namespace

result<database> parse_snapshot(std::string_view text, const std::string& name_for_errors) {
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    const reader in(name_for_errors);
    if (!root.IsMap()) return failure(errc::configuration, name_for_errors + ":1: not a catalogue snapshot");
    database db = read_database(in, root);
    if (auto indexed = db.index(); !indexed) {
      return failure(errc::configuration, name_for_errors + ": " + indexed.error().message);
    }
    return db;
  } catch (const snapshot_error& e) {
    return e.what;
  } catch (const YAML::Exception& e) {
    return failure(errc::configuration, fmt::format("{}:{}: {}", name_for_errors, e.mark.line + 1, e.msg));
  }
}

result<database> load_snapshot(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure(errc::configuration, path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_snapshot(text.str(), path);
}

std::string write_snapshot(const database& db) {
  std::string out =
      fmt::format("version: {}\ndatasource: {}\ndatabase: {}\ndefault_schema: {}\ncollation: {}\n", snapshot_version,
                  quoted(db.datasource), quoted(db.name), quoted(db.default_schema), quoted(db.collation));
  if (db.tables.empty()) return out + "tables: []\n";
  out += "tables:\n";
  for (const auto& t : db.tables) write_table(out, t);
  return out;
}

result<void> save_snapshot(const database& db, const std::string& path) {
  const std::string temporary = path + ".new";
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << write_snapshot(db);
    file.close();
    if (!file) return failure(errc::io, temporary + ": cannot be written");
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return failure(errc::io, path + ": cannot be replaced");
  return {};
}

}  // namespace dragoman::catalog
