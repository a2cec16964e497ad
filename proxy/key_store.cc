#include "proxy/key_store.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <fstream>

#include "proxy/password.h"

namespace dragoman::proxy {
namespace {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

result<std::vector<stored_login>> read_logins(const std::filesystem::path& file) {
  std::vector<stored_login> logins;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return logins;
  std::ifstream in(file);
  if (!in) return failure(errc::configuration, fmt::format("{}: cannot be read", file.string()));
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t next = std::min(line.find('\t', at), line.size());
      fields.push_back(line.substr(at, next - at));
      at = next + 1;
    }
    if (fields.size() != 4 || !is_password_digest(fields[3]))
      return failure(
          errc::configuration,
          fmt::format("{}:{}: expected name, principal, date and digest, separated by tabs", file.string(), number));
    logins.push_back({fields[0], fields[1], fields[2], fields[3]});
  }
  return logins;
}

result<void> write_logins(const std::filesystem::path& file, const std::vector<stored_login>& logins) {
  const std::filesystem::path fresh = file.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::trunc);
    ::chmod(fresh.c_str(), S_IRUSR | S_IWUSR);
    out << "# Logins of Dragoman: name, principal, created, digest. Written by `dragoman key`.\n";
    for (const auto& login : logins)
      out << login.name << '\t' << login.principal << '\t' << login.created << '\t' << login.digest << '\n';
    out.flush();
    if (!out) return failure(errc::io, fmt::format("{}: cannot be written", fresh.string()));
  }
  std::error_code failed;
  std::filesystem::rename(fresh, file, failed);
  if (failed) return failure(errc::io, fmt::format("{}: {}", file.string(), failed.message()));
  return {};
}

result<secret> add_login(const std::filesystem::path& file, std::string name, std::string principal, secret password) {
  if (!is_plain(name))
    return failure(errc::bad_argument, "A login's name is 1 to 128 characters without control characters.");
  auto logins = read_logins(file);
  if (!logins) return logins.error();
  if (std::any_of(logins->begin(), logins->end(), [&](const auto& login) { return login.name == name; }))
    return failure(errc::bad_argument, fmt::format("The login {} exists already; revoke it first.", name));
  if (password.empty()) {
    auto made = make_random_key(24);
    if (!made) return made.error();
    password = std::move(*made);
  }
  auto digest = make_password_digest(password);
  if (!digest) return digest.error();
  logins->push_back({std::move(name), std::move(principal), utc_now(), std::move(*digest)});
  if (auto written = write_logins(file, *logins); !written) return written.error();
  return password;
}

result<void> revoke_login(const std::filesystem::path& file, std::string_view name) {
  auto logins = read_logins(file);
  if (!logins) return logins.error();
  const auto gone =
      std::remove_if(logins->begin(), logins->end(), [&](const auto& login) { return login.name == name; });
  if (gone == logins->end())
    return failure(errc::bad_argument, fmt::format("{} has no login {}.", file.string(), name));
  logins->erase(gone, logins->end());
  return write_logins(file, *logins);
}

}  // namespace dragoman::proxy
