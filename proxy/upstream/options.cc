#include "proxy/upstream/options.h"

#include <fmt/format.h>

namespace dragoman::upstream {

bool is_freetds(std::string_view driver) {
  std::string low(driver);
  for (char& c : low) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return low.find("tdsodbc") != std::string::npos || low.find("freetds") != std::string::npos;
}

namespace {

class string_builder {
 public:
  explicit string_builder(bool doubling) : doubling_(doubling) { text_.reserve(512); }
  ~string_builder() {
    // The working copy is not a secret by type: wiped by hand.
    volatile char* p = text_.data();
    for (std::size_t i = 0; i < text_.size(); ++i) p[i] = 0;
  }

  void append(std::string_view key, std::string_view value) {
    if (!doubling_ && value.find("};") != std::string_view::npos && unsayable_.empty()) unsayable_ = key;
    text_ += key;
    text_ += "={";
    for (const char c : value) {
      text_ += c;
      if (c == '}' && doubling_) text_ += '}';
    }
    text_ += "};";
  }
  result<secret> take() const {
    if (!unsayable_.empty())
      return failure(
          errc::configuration,
          fmt::format("upstream: the value of {} contains \"}};\", which the driver cannot take.", unsayable_));
    return secret(text_);
  }

 private:
  std::string text_;
  std::string_view unsayable_;
  bool doubling_;
};

std::string_view keyword_of(encryption_mode mode) {
  switch (mode) {
    case encryption_mode::off: return "off";
    case encryption_mode::request: return "request";
    case encryption_mode::require: return "require";
  }
  return "require";
}

}  // namespace

result<secret> connection_string(const options& o) {
  string_builder text(!is_freetds(o.driver));
  text.append("Driver", o.driver);
  text.append("Server", o.server);
  text.append("Port", std::to_string(o.port));
  if (!o.database.empty()) text.append("Database", o.database);
  text.append("UID", o.user);
  text.append("PWD", o.password.reveal());
  text.append("TDS_Version", o.tds_version);
  text.append("Encryption", keyword_of(o.encryption));
  text.append("ClientCharset", "UTF-8");
  text.append("APP", o.application);
  return text.take();
}

std::string address_of(const options& o) {
  return fmt::format("{}:{}", o.server, o.port);
}

}  // namespace dragoman::upstream
