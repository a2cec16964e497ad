// LOGIN7, MS-TDS 2.2.6.4: who the client says it is. Parsed by offset and length, in any order, overlaps included;
// what clients write wrongly into the table of an empty field is ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/secret.h"
#include "tds/version.h"

namespace dragoman::tds {

// FeatureExt, 2.2.6.4.: an id, its data as sent.
enum class feature_id : std::uint8_t {
  session_recovery = 0x01,
  fedauth = 0x02,
  column_encryption = 0x04,
  global_transactions = 0x05,
  azure_sql = 0x08,
  data_classification = 0x09,
  utf8_support = 0x0A,
  dns_caching = 0x0B,
  json_support = 0x0D,
  vector_support = 0x0E,
  user_agent = 0x10,
};

struct feature_request {
  std::uint8_t id = 0;
  std::vector<std::uint8_t> data;
};

struct login7 {
  std::uint32_t tds_version_asked = 0;
  std::uint32_t packet_size = 0;  // 0 = the server chooses
  std::uint32_t client_program_version = 0;
  std::uint32_t client_process = 0;
  std::uint8_t option_flags1 = 0;
  std::uint8_t option_flags2 = 0;
  std::uint8_t type_flags = 0;
  std::uint8_t option_flags3 = 0;
  std::int32_t time_zone = 0;
  std::uint32_t client_lcid = 0;
  // Texts in UTF-8.
  std::string host;
  std::string user;
  secret password;
  std::string application;
  std::string server;
  std::string library;
  std::string language;
  std::string database;
  std::string attach_file;
  bool sspi_data = false;
  bool change_password = false;
  bool has_features = false;  // fExtension was set: FEATUREEXTACK is allowed
  std::vector<feature_request> features;

  tds_version version() const noexcept { return version_of(tds_version_asked); }
  bool integrated() const noexcept { return (option_flags2 & 0x80) != 0; }
  bool read_only_intent() const noexcept { return (type_flags & 0x20) != 0; }
  const feature_request* feature(feature_id id) const noexcept;
  bool federated() const noexcept { return feature(feature_id::fedauth) != nullptr; }
};

// The payload of a reassembled LOGIN7 message. A length that points outside the message is errc::protocol.
result<login7> parse_login7(byte_span message);

}  // namespace dragoman::tds
