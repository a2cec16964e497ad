#include "proxy/upstream/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/limits.h"

namespace dragoman::upstream {
namespace {

using id = sql_type_id;

// What the driver says of one column.
struct description {
  std::string name;
  std::string type_name;
  SQLSMALLINT type = 0;
  SQLULEN size = 0;
  SQLSMALLINT digits = 0;
  bool nullable = true;
  bool identity = false;
};

result<description> describe_column(SQLHSTMT statement, SQLUSMALLINT number) {
  description d;
  std::array<SQLWCHAR, 256> text{};
  SQLSMALLINT length = 0;
  SQLSMALLINT nullable = SQL_NULLABLE_UNKNOWN;
  if (!SQL_SUCCEEDED(SQLDescribeColW(statement, number, text.data(), std::ssize(text), &length, &d.type, &d.size,
                                     &d.digits, &nullable)))
    return failure(errc::upstream_error, "The data source did not describe its columns.");
  d.name = narrow(text.data(), std::min<std::size_t>(static_cast<std::size_t>(length), text.size() - 1));
  d.nullable = nullable != SQL_NO_NULLS;
  SQLSMALLINT bytes = 0;
  text[0] = 0;
  if (SQL_SUCCEEDED(SQLColAttributeW(statement, number, SQL_DESC_TYPE_NAME, text.data(),
                                     static_cast<SQLSMALLINT>(sizeof text), &bytes, nullptr))) {
    const auto units = std::min<std::size_t>(static_cast<std::size_t>(bytes) / sizeof(SQLWCHAR), text.size() - 1);
    d.type_name = narrow(text.data(), units);
  }
  SQLLEN flag = SQL_FALSE;
  if (SQL_SUCCEEDED(SQLColAttributeW(statement, number, SQL_DESC_AUTO_UNIQUE_VALUE, nullptr, 0, nullptr, &flag)))
    d.identity = flag == SQL_TRUE;
  return d;
}

sql_type of(id type, std::int32_t length = 0) {
  sql_type t;
  t.id = type;
  t.length = length;
  return t;
}

sql_type sized(id type, SQLULEN size, SQLULEN most) {
  return of(type, size == 0 || size > most ? sql_type::max_length : static_cast<std::int32_t>(size));
}

sql_type scaled(id type, SQLSMALLINT digits) {
  sql_type t = of(type);
  t.scale = static_cast<std::uint8_t>(std::clamp<int>(digits, 0, 7));
  return t;
}

sql_type type_of(const description& d) {
  switch (d.type) {
    case SQL_BIT: return of(id::bit);
    case SQL_TINYINT: return of(id::tinyint);
    case SQL_SMALLINT: return of(id::smallint);
    case SQL_INTEGER: return of(id::int_);
    case SQL_BIGINT: return of(id::bigint);
    case SQL_REAL: return of(id::real);
    case SQL_FLOAT:
    case SQL_DOUBLE: return of(id::float_);
    case SQL_DECIMAL:
    case SQL_NUMERIC: {
      // FreeTDS reports money as a decimal; a smallmoney by its size.
      if (d.type_name == "money" || d.type_name == "smallmoney") return of(d.size <= 10 ? id::smallmoney : id::money);
      sql_type t = of(d.type_name == "numeric" ? id::numeric : id::decimal);
      t.precision = static_cast<std::uint8_t>(std::clamp<SQLULEN>(d.size, 1, 38));
      t.scale = static_cast<std::uint8_t>(std::clamp<int>(d.digits, 0, t.precision));
      return t;
    }
    case SQL_TYPE_DATE: return of(id::date);
    case SQL_SS_TIME2: return scaled(id::time, d.digits);
    case SQL_SS_TIMESTAMPOFFSET: return scaled(id::datetimeoffset, d.digits);
    case SQL_TYPE_TIMESTAMP:
      if (d.type_name == "datetime2") return scaled(id::datetime2, d.digits);
      return of(d.type_name == "smalldatetime" || d.size <= 16 ? id::smalldatetime : id::datetime);
    case SQL_CHAR: return sized(id::char_, d.size, 8000);
    case SQL_VARCHAR: return sized(id::varchar, d.size, 8000);
    case SQL_WCHAR: return sized(id::nchar, d.size, 4000);
    case SQL_WVARCHAR: return sized(id::nvarchar, d.size, 4000);
    case SQL_LONGVARCHAR: return of(id::text);
    case SQL_WLONGVARCHAR: return of(id::ntext);
    case SQL_BINARY:
      if (d.type_name == "timestamp") return of(id::rowversion);
      return sized(id::binary, d.size, 8000);
    case SQL_VARBINARY: return sized(id::varbinary, d.size, 8000);
    case SQL_LONGVARBINARY:
      // CLR types arrive here without a name; their bytes are kept.
      return d.type_name == "image" ? of(id::image) : of(id::varbinary, sql_type::max_length);
    case SQL_GUID: return of(id::uniqueidentifier);
    case SQL_SS_XML: return of(id::xml);
    case SQL_SS_VARIANT: return of(id::sql_variant);
    default: return of(id::unknown);
  }
}

struct shape_of_type {
  value_shape shape;
  std::uint32_t room;  // bytes to bind; 0 = not bound
};

shape_of_type shape_of(const sql_type& t) {
  const auto length = static_cast<std::uint32_t>(t.is_max() ? 0 : t.length);
  const value_shape bytes = t.is_max() ? value_shape::plp : value_shape::short_bytes;
  switch (t.id) {
    case id::bit:
    case id::tinyint: return {value_shape::fixed, 1};
    case id::smallint: return {value_shape::fixed, 2};
    case id::int_:
    case id::real:
    case id::smallmoney:
    case id::smalldatetime: return {value_shape::fixed, 4};
    case id::bigint:
    case id::float_:
    case id::money:
    case id::datetime: return {value_shape::fixed, 8};
    case id::uniqueidentifier: return {value_shape::fixed, 16};
    case id::decimal:
    case id::numeric: return {value_shape::decimal, sizeof(SQL_NUMERIC_STRUCT)};
    case id::date: return {value_shape::date, 6};
    case id::time: return {value_shape::time, 12};
    case id::datetime2: return {value_shape::datetime2, 16};
    case id::datetimeoffset: return {value_shape::datetimeoffset, 20};
    case id::rowversion: return {value_shape::short_bytes, 8};
    case id::char_:
    case id::varchar:
    case id::binary:
    case id::varbinary: return {bytes, length};
    case id::nchar:
    case id::nvarchar: return {bytes, length * 2};
    case id::xml: return {value_shape::plp, 0};
    case id::text:
    case id::ntext:
    case id::image: return {value_shape::text_pointer, 0};
    default: return {value_shape::variant, 0};
  }
}

constexpr std::size_t aligned(std::size_t n) {
  return (n + 7) & ~std::size_t{7};
}

}  // namespace

result<row_layout> describe(SQLHSTMT statement, const collation& coll) {
  SQLSMALLINT count = 0;
  if (!SQL_SUCCEEDED(SQLNumResultCols(statement, &count)))
    return failure(errc::upstream_error, "The data source did not describe its columns.");
  row_layout out;
  out.columns.reserve(static_cast<std::size_t>(count));
  out.bound.reserve(static_cast<std::size_t>(count));
  std::size_t offset = aligned(static_cast<std::size_t>(count) * sizeof(SQLLEN));
  for (SQLSMALLINT i = 1; i <= count; ++i) {
    auto told = describe_column(statement, static_cast<SQLUSMALLINT>(i));
    if (!told) return told.error();
    result_column column;
    column.name = std::move(told->name);
    column.type = type_of(*told);
    column.nullable = told->nullable;
    column.identity = told->identity;
    column.type.coll = coll;
    if (column.type.id == id::unknown)
      return failure(errc::upstream_error,
                     fmt::format("Column {} has a type that cannot be relayed (ODBC type {}).", i, told->type));
    const shape_of_type shape = shape_of(column.type);
    bound_column b;
    b.shape = shape.shape;
    b.wide = is_unicode(column.type.id);
    b.scale = column.type.scale;
    b.type = column.type.id;
    b.room = shape.room;
    if (shape.room != 0) {
      b.offset = static_cast<std::uint32_t>(offset);
      offset += aligned(shape.room);
    } else {
      out.has_long = true;
    }
    out.columns.push_back(std::move(column));
    out.bound.push_back(b);
  }
  out.row_bytes = std::max<std::size_t>(offset, 8);
  out.rows = out.has_long ? 1 : std::clamp<std::size_t>(limits::fetch_bytes_max / out.row_bytes, 1, limits::fetch_rows);
  return out;
}

result<void> bind(SQLHSTMT statement, const row_layout& layout, std::uint8_t* buffer, SQLULEN* fetched) {
  const auto attribute = [&](SQLINTEGER name, std::uintptr_t value) {
    return SQL_SUCCEEDED(SQLSetStmtAttrW(statement, name, reinterpret_cast<SQLPOINTER>(value), SQL_IS_UINTEGER));
  };
  bool good = attribute(SQL_ATTR_ROW_BIND_TYPE, layout.row_bytes) && attribute(SQL_ATTR_ROW_ARRAY_SIZE, layout.rows) &&
              attribute(SQL_ATTR_ROWS_FETCHED_PTR, reinterpret_cast<std::uintptr_t>(fetched));
  auto* indicators = reinterpret_cast<SQLLEN*>(buffer);
  for (std::size_t i = 0; good && i < layout.bound.size(); ++i) {
    const bound_column& c = layout.bound[i];
    if (c.offset == 0) continue;
    good = SQL_SUCCEEDED(SQLBindCol(statement, static_cast<SQLUSMALLINT>(i + 1), SQL_C_BINARY, buffer + c.offset,
                                    static_cast<SQLLEN>(c.room), indicators + i));
  }
  if (!good) return failure(errc::upstream_error, "The driver of the data source refused to bind the result.");
  return {};
}

}  // namespace dragoman::upstream
