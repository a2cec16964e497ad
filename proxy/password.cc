#include "proxy/password.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/limits.h"

namespace dragoman::proxy {
namespace {

constexpr unsigned cost_log2 = 14;  // 16 MiB and about 40 ms
constexpr unsigned block_size = 8;
constexpr unsigned parallel = 1;
constexpr std::size_t salt_bytes = 16;
constexpr std::size_t hash_bytes = 32;
constexpr std::size_t known_max = 4096;
constexpr std::chrono::minutes known_for{30};

struct digest_parts {
  unsigned log2_n = 0;
  unsigned r = 0;
  unsigned p = 0;
  std::string salt;
  std::string hash;
};

std::string to_hex(std::string_view data) {
  std::string out;
  for (const unsigned char c : data) out += fmt::format("{:02x}", c);
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0 || text.size() > 256) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto [end, failed] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (failed != std::errc{} || end != text.data() + i + 2) return std::nullopt;
    out += static_cast<char>(value);
  }
  return out;
}

std::optional<digest_parts> parse_digest(std::string_view digest) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= digest.size();) {
    const std::size_t next = std::min(digest.find('$', at), digest.size());
    fields.push_back(digest.substr(at, next - at));
    at = next + 1;
  }
  if (fields.size() != 6 || fields[0] != "scrypt") return std::nullopt;
  digest_parts parts;
  const auto number = [](std::string_view text, unsigned& out) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    return failed == std::errc{} && end == text.data() + text.size();
  };
  if (!number(fields[1], parts.log2_n) || !number(fields[2], parts.r) || !number(fields[3], parts.p))
    return std::nullopt;
  // Bounds, so that a digest can cost neither nothing nor everything.
  if (parts.log2_n < 10 || parts.log2_n > 20 || parts.r < 1 || parts.r > 32 || parts.p < 1 || parts.p > 16)
    return std::nullopt;
  auto salt = from_hex(fields[4]);
  auto hash = from_hex(fields[5]);
  if (!salt || !hash || hash->size() < 16) return std::nullopt;
  parts.salt = std::move(*salt);
  parts.hash = std::move(*hash);
  return parts;
}

std::optional<std::string> derive(std::string_view password, const digest_parts& parts, std::size_t size) {
  std::string out(size, '\0');
  const std::uint64_t memory_max = (std::uint64_t{256} << parts.log2_n) * parts.r + (1u << 20);
  if (EVP_PBE_scrypt(password.data(), password.size(), reinterpret_cast<const unsigned char*>(parts.salt.data()),
                     parts.salt.size(), std::uint64_t{1} << parts.log2_n, parts.r, parts.p, memory_max,
                     reinterpret_cast<unsigned char*>(out.data()), out.size()) != 1)
    return std::nullopt;
  return out;
}

result<std::string> random_bytes(std::size_t size) {
  std::string out(size, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(size)) != 1)
    return failure(errc::io, "The machine's random generator failed.");
  return out;
}

}  // namespace

result<std::string> make_password_digest(const secret& password) {
  auto salt = random_bytes(salt_bytes);
  if (!salt) return salt.error();
  digest_parts parts{cost_log2, block_size, parallel, *salt, {}};
  const auto hash = derive(password.reveal(), parts, hash_bytes);
  if (!hash) return failure(errc::internal, "The password could not be digested.");
  return fmt::format("scrypt${}${}${}${}${}", cost_log2, block_size, parallel, to_hex(*salt), to_hex(*hash));
}

bool is_password_digest(std::string_view digest) noexcept {
  return parse_digest(digest).has_value();
}

bool verify_password(const secret& password, std::string_view digest) {
  const auto parts = parse_digest(digest);
  if (!parts || password.reveal().size() > limits::password_bytes) return false;
  const auto hash = derive(password.reveal(), *parts, parts->hash.size());
  return hash && CRYPTO_memcmp(hash->data(), parts->hash.data(), hash->size()) == 0;
}

result<secret> make_random_key(std::size_t bytes) {
  static constexpr std::string_view alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
  auto random = random_bytes(bytes * 8 / 5 + 1);
  if (!random) return random.error();
  std::string text;
  for (const unsigned char c : *random) text += alphabet[c % 32];
  return secret(std::move(text));
}

password_checker::password_checker() {
  auto key = random_bytes(32);
  if (key) process_key_ = std::move(*key);
}

std::string password_checker::fingerprint(const secret& password, std::string_view digest) const {
  std::string text(digest);
  text += '\0';
  text += password.reveal();
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  HMAC(EVP_sha256(), process_key_.data(), static_cast<int>(process_key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &size);
  OPENSSL_cleanse(text.data(), text.size());
  return {reinterpret_cast<const char*>(out.data()), size};
}

bool password_checker::known(const secret& password, std::string_view digest) {
  if (process_key_.empty() || password.reveal().size() > limits::password_bytes) return false;
  const std::string print = fingerprint(password, digest);
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(print);
  return found != known_.end() && found->second > std::chrono::steady_clock::now();
}

bool password_checker::check(const secret& password, std::string_view digest) {
  if (password.reveal().size() > limits::password_bytes) return false;
  if (known(password, digest)) return true;
  if (!verify_password(password, digest)) return false;
  if (process_key_.empty()) return true;
  const std::string print = fingerprint(password, digest);
  const std::scoped_lock lock(mutex_);
  if (known_.size() >= known_max) known_.clear();
  known_[print] = std::chrono::steady_clock::now() + known_for;
  return true;
}

}  // namespace dragoman::proxy
