#include "llm/endpoint.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace dragoman::llm {
namespace {

bool private_v4(std::uint32_t a) noexcept {  // host byte order
  return (a >> 24) == 127 || (a >> 24) == 10 || (a >> 20) == 0xAC1 || (a >> 16) == 0xC0A8 || (a >> 16) == 0xA9FE;
}

struct parsed_address {
  int family = AF_UNSPEC;
  in_addr v4{};
  in6_addr v6{};
};

std::optional<parsed_address> parse_address(std::string_view text) noexcept {
  char copy[INET6_ADDRSTRLEN + 1] = {};
  if (text.size() >= sizeof copy) return std::nullopt;
  std::memcpy(copy, text.data(), text.size());
  parsed_address out;
  if (inet_pton(AF_INET, copy, &out.v4) == 1) {
    out.family = AF_INET;
    return out;
  }
  if (inet_pton(AF_INET6, copy, &out.v6) == 1) {
    out.family = AF_INET6;
    return out;
  }
  return std::nullopt;
}

// What getaddrinfo would take for an address in an old notation: only digits, dots and 0x.
bool looks_numeric(std::string_view host) noexcept {
  const std::size_t dot = host.find_last_of('.');
  const std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (last.empty()) return true;
  if (last.starts_with("0x")) return true;
  return std::all_of(last.begin(), last.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool host_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

failure bad(std::string_view url, std::string_view why) {
  return {errc::configuration, fmt::format("The model endpoint '{}' {}.", url, why)};
}

}  // namespace

std::string endpoint::url(std::string_view suffix) const {
  const bool six = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}{}{}", https ? "https" : "http", six ? "[" : "", host, six ? "]" : "", port, path,
                     suffix);
}

result<endpoint> parse_endpoint(std::string_view base_url) {
  // Shown in messages; user info is refused below, before it could be shown.
  if (base_url.find('@') != std::string_view::npos)
    return failure(errc::configuration, "The model endpoint's URL may not hold a user name or password.");
  std::string_view rest = base_url;
  endpoint out;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    out.https = true;
    out.port = 443;
  } else {
    return bad(base_url, "is neither http:// nor https://");
  }
  if (rest.find_first_of("?#\\ \t\r\n") != std::string_view::npos)
    return bad(base_url, "holds a character that has no place in it");
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) out.path = rest.substr(slash);
  while (!out.path.empty() && out.path.back() == '/') out.path.pop_back();

  std::string_view port;
  bool has_port = false;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return bad(base_url, "has an unclosed '['");
    out.host = authority.substr(1, close - 1);
    const std::string_view behind = authority.substr(close + 1);
    if (!behind.empty() && behind[0] != ':') return bad(base_url, "has no valid port");
    has_port = !behind.empty();
    if (has_port) port = behind.substr(1);
  } else {
    const std::size_t colon = authority.find(':');
    out.host = authority.substr(0, colon);
    has_port = colon != std::string_view::npos;
    if (has_port) port = authority.substr(colon + 1);
  }
  for (char& c : out.host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  if (has_port) {
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (error != std::errc() || end != port.data() + port.size() || out.port == 0)
      return bad(base_url, "has no valid port");
  }
  if (out.host.empty()) return bad(base_url, "names no host");
  if (const std::string address = canonical_address(out.host); !address.empty()) {
    out.host = address;
    out.literal_address = true;
  } else if (authority.starts_with('[') || looks_numeric(out.host) ||
             !std::all_of(out.host.begin(), out.host.end(), host_character)) {
    return bad(base_url, "names no valid host");
  }
  return out;
}

bool is_private_address(std::string_view address) noexcept {
  const auto parsed = parse_address(address);
  if (!parsed) return false;
  if (parsed->family == AF_INET) return private_v4(ntohl(parsed->v4.s_addr));
  const unsigned char* b = parsed->v6.s6_addr;
  static constexpr unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (std::memcmp(b, mapped, sizeof mapped) == 0)
    return private_v4(std::uint32_t{b[12]} << 24 | std::uint32_t{b[13]} << 16 | std::uint32_t{b[14]} << 8 | b[15]);
  if (IN6_IS_ADDR_LOOPBACK(&parsed->v6)) return true;
  return (b[0] & 0xFE) == 0xFC || (b[0] == 0xFE && (b[1] & 0xC0) == 0x80);
}

std::string canonical_address(std::string_view address) {
  const auto parsed = parse_address(address);
  if (!parsed) return {};
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(parsed->family, parsed->family == AF_INET ? static_cast<const void*>(&parsed->v4) : &parsed->v6, text,
            sizeof text);
  return text;
}

result<std::vector<std::string>> resolve_by_system(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (code != 0)
    return failure(errc::model_error,
                   fmt::format("The host '{}' could not be resolved: {}.", host, gai_strerror(code)));
  std::vector<std::string> out;
  for (const addrinfo* a = list; a != nullptr; a = a->ai_next) {
    char text[INET6_ADDRSTRLEN] = {};
    if (a->ai_family == AF_INET) {
      inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(a->ai_addr)->sin_addr, text, sizeof text);
    } else if (a->ai_family == AF_INET6) {
      inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(a->ai_addr)->sin6_addr, text, sizeof text);
    } else {
      continue;
    }
    if (std::find(out.begin(), out.end(), text) == out.end()) out.emplace_back(text);
  }
  freeaddrinfo(list);
  return out;
}

result<void> require_private(std::string_view host, const std::vector<std::string>& addresses) {
  if (addresses.empty()) return failure(errc::model_error, fmt::format("The host '{}' has no address.", host));
  for (const std::string& address : addresses) {
    if (!is_private_address(address))
      return failure(errc::configuration,
                     fmt::format("The model endpoint '{}' has the address {}, which is not private; set "
                                 "llm.allow_remote: true to let questions and schema leave this network.",
                                 host, address));
  }
  return {};
}

}  // namespace dragoman::llm
