// The address side of a model endpoint: its URL taken apart, and which addresses count as private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dragoman::llm {

struct endpoint {
  bool https = false;
  std::string host;  // lower case, without the brackets of an IPv6 literal
  std::uint16_t port = 80;
  std::string path;              // "/v1", without a trailing slash
  bool literal_address = false;  // host is an IPv4 or IPv6 address

  // "http://host:port/v1" + suffix.
  std::string url(std::string_view suffix) const;
};

// http and https only; user info, query and fragment are refused, as are the odd spellings of IPv4 ("0x7f.1", "127.1")
// that some resolvers take for addresses. errc::configuration.
result<endpoint> parse_endpoint(std::string_view base_url);

// Loopback 127/8 and ::1; RFC 1918 10/8, 172.16/12, 192.168/16; link-local 169.254/16 and fe80::/10; ULA fc00::/7. An
// IPv4 address inside ::ffff:0:0/96 is judged as IPv4. Everything else, and every text that is no address, is not
// private.
bool is_private_address(std::string_view address) noexcept;

// The canonical text of an address, as inet_ntop writes it; empty when it is none.
std::string canonical_address(std::string_view address);

// All addresses of a host by the system's resolver (getaddrinfo), canonical, each once. Blocks.
result<std::vector<std::string>> resolve_by_system(const std::string& host);

// Refuses unless every address is private; "every", because which one is tried first is the name server's choice.
result<void> require_private(std::string_view host, const std::vector<std::string>& addresses);

}  // namespace dragoman::llm
