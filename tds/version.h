// The protocol versions of a client and what each changes on the wire (MS-TDS 2.2.7.14, 2.2.6.4).
#pragma once

#include <cstdint>

#include "base/limits.h"
#include "base/sql_type.h"

namespace dragoman::tds {

// In order of age, so that they compare.
enum class tds_version : std::uint8_t { v7_0, v7_1, v7_2, v7_3a, v7_3b, v7_4, v8_0 };

// The value of LOGIN7 (little-endian there) and LOGINACK (big-endian there).
constexpr std::uint32_t wire_value(tds_version version) noexcept {
  switch (version) {
    case tds_version::v7_0: return 0x70000000;
    case tds_version::v7_1: return 0x71000001;
    case tds_version::v7_2: return 0x72090002;
    case tds_version::v7_3a: return 0x730A0003;
    case tds_version::v7_3b: return 0x730B0003;
    case tds_version::v7_4: return 0x74000004;
    case tds_version::v8_0: return 0x08000000;
  }
  return 0x74000004;
}

// The newest version that is not newer than what LOGIN7 asks for.
constexpr tds_version version_of(std::uint32_t asked) noexcept {
  if (asked == 0x08000000) return tds_version::v8_0;
  if (asked >= 0x74000000) return tds_version::v7_4;
  if (asked >= 0x730B0000) return tds_version::v7_3b;
  if (asked >= 0x73000000) return tds_version::v7_3a;
  if (asked >= 0x72000000) return tds_version::v7_2;
  if (asked >= 0x71000000 || asked == 0x07010000) return tds_version::v7_1;
  return tds_version::v7_0;
}

// What a session's encoders must know. Fixed at login.
struct wire_profile {
  tds_version version = tds_version::v7_4;
  std::uint32_t packet_size = limits::packet_size_default;
  bool utf8 = false;  // the client acknowledged UTF-8 collations; else such columns travel as nvarchar
  collation coll{};   // of the server: what ENVCHANGE 7 said

  bool wide() const noexcept {
    return version >= tds_version::v7_2;
  }  // 4-byte user types, 8-byte counts, PLP, ALL_HEADERS
  bool date_types() const noexcept { return version >= tds_version::v7_3a; }
  bool nbcrow() const noexcept { return version >= tds_version::v7_3b; }
  bool feature_ext() const noexcept { return version >= tds_version::v7_4; }
};

}  // namespace dragoman::tds
