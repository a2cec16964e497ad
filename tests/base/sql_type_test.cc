#include "base/sql_type.h"

#include <boost/test/unit_test.hpp>

namespace dragoman {
namespace {

BOOST_AUTO_TEST_SUITE(sql_types)

BOOST_AUTO_TEST_CASE(reads_and_prints_with_the_servers_defaults) {
  struct row {
    const char* text;
    const char* printed;  // nullptr: no type
  };
  for (const row& r : {row{"int", "int"},
                       row{"INTEGER", "int"},
                       row{"nvarchar(50)", "nvarchar(50)"},
                       row{"NVarChar ( MAX )", "nvarchar(max)"},
                       row{"varchar", "varchar(1)"},
                       row{"decimal", "decimal(18,0)"},
                       row{"dec(9)", "decimal(9,0)"},
                       row{"numeric(38, 10)", "numeric(38,10)"},
                       row{"datetime2", "datetime2(7)"},
                       row{"time(3)", "time(3)"},
                       row{"float(24)", "real"},
                       row{"float(53)", "float"},
                       row{"double precision", "float"},
                       row{"character varying(10)", "varchar(10)"},
                       row{"national character varying(10)", "nvarchar(10)"},
                       row{"timestamp", "rowversion"},
                       row{"vector(3)", "vector(3)"},
                       row{"nvarchar(4001)", nullptr},
                       row{"varchar(0)", nullptr},
                       row{"char(max)", nullptr},
                       row{"decimal(39,0)", nullptr},
                       row{"decimal(5,6)", nullptr},
                       row{"time(8)", nullptr},
                       row{"int(4)", nullptr},
                       row{"strange", nullptr},
                       row{"", nullptr}}) {
    const auto type = parse_sql_type(r.text);
    BOOST_TEST(type.has_value() == (r.printed != nullptr), r.text);
    if (type && r.printed) {
      BOOST_TEST(to_string(*type) == r.printed, r.text << " -> " << to_string(*type));
      BOOST_TEST((parse_sql_type(to_string(*type)) == type), r.text << " does not read back");
    }
  }
}

BOOST_AUTO_TEST_CASE(families) {
  BOOST_TEST(is_integer(sql_type_id::tinyint));
  BOOST_TEST(!is_integer(sql_type_id::bit));
  BOOST_TEST(is_exact_numeric(sql_type_id::money));
  BOOST_TEST(!is_exact_numeric(sql_type_id::real));
  BOOST_TEST(is_unicode(sql_type_id::sysname));
  BOOST_TEST(!is_unicode(sql_type_id::varchar));
  BOOST_TEST(is_temporal(sql_type_id::datetimeoffset));
  BOOST_TEST(!is_temporal(sql_type_id::rowversion));
  BOOST_TEST(is_binary(sql_type_id::rowversion));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace dragoman
