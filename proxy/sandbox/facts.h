// What a session knows of itself: the answers to @@VERSION, DB_NAME(), SUSER_SNAME() and their like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/civil_time.h"

namespace dragoman::sandbox {

struct session_facts {
  std::string server_name = "DRAGOMAN";
  std::string machine_name = "DRAGOMAN";
  std::string version_text = "Microsoft SQL Server 2022 (RTM) - 16.0.1000.6 (X64) \n\tDragoman " DRAGOMAN_VERSION;
  std::string product_version = "16.0.1000.6";
  std::string product_level = "RTM";
  std::string edition = "Developer Edition (64-bit)";
  std::int32_t engine_edition = 3;
  std::string database = "master";
  std::int32_t database_id = 5;
  // Further databases that DB_ID, DB_NAME and HAS_DBACCESS know; their tables are not here.
  struct known_database {
    std::string name;
    std::int32_t id = 0;
  };
  std::vector<known_database> other_databases;
  std::string collation = "SQL_Latin1_General_CP1_CI_AS";
  std::string login = "sa";
  std::string user = "dbo";
  std::string host;
  std::string application;
  std::string language = "us_english";
  std::string default_schema = "dbo";
  std::int32_t spid = 51;
  std::int32_t date_first = 7;
  std::int32_t date_style = -1;  // what SET DATEFORMAT says, as a style of CONVERT: -1 mdy, 103 dmy, 111 ymd
  std::int32_t trancount = 0;
  std::int32_t lock_timeout = -1;
  std::int32_t text_size = -1;
  std::int32_t options = 5496;
  std::int64_t rowcount = 0;            // of the last statement
  std::int32_t error = 0;               // of the last statement
  std::int16_t utc_offset = 0;          // minutes, of GETDATE()
  std::optional<civil_time> fixed_now;  // a clock that stands, for tests and --now
};

}  // namespace dragoman::sandbox
