// Logins that `dragoman key` writes beside the configuration: one line per login,
//   name TAB principal TAB created (UTC, ISO) TAB digest
// A key is shown once, when it is made; the file holds only its digest. The file is replaced as a whole (write,
// rename), so that a running gateway never reads half of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace dragoman::proxy {

struct stored_login {
  std::string name;
  std::string principal;
  std::string created;
  std::string digest;
};

// An absent file is an empty store; a malformed line is an error that names file and line.
result<std::vector<stored_login>> read_logins(const std::filesystem::path& file);
result<void> write_logins(const std::filesystem::path& file, const std::vector<stored_login>& logins);

// Adds a login with the given password, or with a made one where it is empty; returns what must be shown once.
result<secret> add_login(const std::filesystem::path& file, std::string name, std::string principal, secret password);
// errc::bad_argument where no such login exists.
result<void> revoke_login(const std::filesystem::path& file, std::string_view name);

}  // namespace dragoman::proxy
