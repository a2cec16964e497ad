// ODBC handles with owners, and the diagnostics of a call. Internal to proxy/upstream.
//
// Only the W functions are called: an ANSI call would pass through unixODBC's own character conversion, which follows
// the locale of the machine.
#pragma once

#include <sql.h>
#include <sqlext.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::upstream {

// SQL Server's own ODBC type codes, which the standard headers do not have.
inline constexpr SQLSMALLINT SQL_SS_VARIANT = -150;
inline constexpr SQLSMALLINT SQL_SS_XML = -152;
inline constexpr SQLSMALLINT SQL_SS_TIME2 = -154;
inline constexpr SQLSMALLINT SQL_SS_TIMESTAMPOFFSET = -155;

template <SQLSMALLINT Kind>
class odbc_handle {
 public:
  odbc_handle() = default;
  odbc_handle(const odbc_handle&) = delete;
  odbc_handle& operator=(const odbc_handle&) = delete;
  ~odbc_handle() { reset(); }

  bool allocate(SQLHANDLE parent) {
    reset();
    return SQL_SUCCEEDED(SQLAllocHandle(Kind, parent, &handle_));
  }
  void reset() {
    if (handle_ != SQL_NULL_HANDLE) SQLFreeHandle(Kind, handle_);
    handle_ = SQL_NULL_HANDLE;
  }
  SQLHANDLE get() const noexcept { return handle_; }

 private:
  SQLHANDLE handle_ = SQL_NULL_HANDLE;
};

using odbc_environment = odbc_handle<SQL_HANDLE_ENV>;
using odbc_connection = odbc_handle<SQL_HANDLE_DBC>;
using odbc_statement = odbc_handle<SQL_HANDLE_STMT>;

// One record of SQLGetDiagRec. The text has lost its "[FreeTDS][SQL Server]" prefixes.
struct diagnostic {
  std::string state;        // SQLSTATE, five characters
  std::int32_t number = 0;  // the server's number, or one of FreeTDS's own (20000 …)
  std::string text;

  bool is_warning() const noexcept { return state.starts_with("01") || state.starts_with("00"); }
};

std::vector<diagnostic> diagnostics_of(SQLSMALLINT kind, SQLHANDLE handle);

// Did the connection break? By SQLSTATE class 08 or FreeTDS's numbers for a lost socket.
bool is_connection_loss(const std::vector<diagnostic>& records) noexcept;

std::u16string wide(std::string_view utf8);
std::string narrow(const SQLWCHAR* text, std::size_t units);

}  // namespace dragoman::upstream
