#include "proxy/upstream/options.h"

#include <fmt/format.h>

namespace dragoman::upstream {
namespace {

void append(std::string& out, std::string_view key, std::string_view value) {
  out += key;
  out += "={";
  for (const char c : value) {
    out += c;
    if (c == '}') out += '}';
  }
  out += "};";
}

std::string_view keyword_of(encryption_mode mode) {
  switch (mode) {
    case encryption_mode::off: return "off";
    case encryption_mode::request: return "request";
    case encryption_mode::require: return "require";
  }
  return "require";
}

}  // namespace

secret connection_string(const options& o) {
  std::string text;
  text.reserve(512);
  append(text, "Driver", o.driver);
  append(text, "Server", o.server);
  text += fmt::format("Port={};", o.port);
  if (!o.database.empty()) append(text, "Database", o.database);
  append(text, "UID", o.user);
  append(text, "PWD", o.password.reveal());
  append(text, "TDS_Version", o.tds_version);
  append(text, "Encryption", keyword_of(o.encryption));
  append(text, "ClientCharset", "UTF-8");
  append(text, "APP", o.application);
  secret out(text);
  // The working copy is not a secret by type: wipe it by hand.
  volatile char* p = text.data();
  for (std::size_t i = 0; i < text.size(); ++i) p[i] = 0;
  return out;
}

std::string address_of(const options& o) {
  return fmt::format("{}:{}", o.server, o.port);
}

}  // namespace dragoman::upstream
