#include "guard/tsql/function_table.h"

#include <string>
#include <unordered_map>

#include "guard/catalog/names.h"
#include "guard/tsql/function_list.h"

namespace dragoman::tsql {
namespace {

using catalog::name_equal;
using catalog::name_hash;

using kind = function_kind;
using access = function_access;
using ret = return_rule;
constexpr std::uint8_t any = function_info::any;

// clang-format off
constexpr function_info builtin[] = {
    // Aggregates
    {"AVG", kind::aggregate, access::none, 1, 1, ret::average},
    {"SUM", kind::aggregate, access::none, 1, 1, ret::sum},
    {"MIN", kind::aggregate, access::none, 1, 1, ret::first},
    {"MAX", kind::aggregate, access::none, 1, 1, ret::first},
    {"COUNT", kind::aggregate, access::none, 1, 1, ret::int_},
    {"COUNT_BIG", kind::aggregate, access::none, 1, 1, ret::bigint},
    {"APPROX_COUNT_DISTINCT", kind::aggregate, access::none, 1, 1, ret::bigint},
    {"STDEV", kind::aggregate, access::none, 1, 1, ret::float_},
    {"STDEVP", kind::aggregate, access::none, 1, 1, ret::float_},
    {"VAR", kind::aggregate, access::none, 1, 1, ret::float_},
    {"VARP", kind::aggregate, access::none, 1, 1, ret::float_},
    {"CHECKSUM_AGG", kind::aggregate, access::none, 1, 1, ret::int_},
    {"STRING_AGG", kind::aggregate, access::none, 2, 2, ret::text_8000},
    {"PRODUCT", kind::aggregate, access::none, 1, 1, ret::float_},
    {"JSON_ARRAYAGG", kind::aggregate, access::none, 1, 1, ret::json},
    {"JSON_OBJECTAGG", kind::aggregate, access::none, 1, 1, ret::json},
    {"GROUPING", kind::scalar, access::none, 1, 1, ret::tinyint},
    {"GROUPING_ID", kind::scalar, access::none, 1, any, ret::int_},
    // Ranking and analytic
    {"ROW_NUMBER", kind::window, access::none, 0, 0, ret::bigint},
    {"RANK", kind::window, access::none, 0, 0, ret::bigint},
    {"DENSE_RANK", kind::window, access::none, 0, 0, ret::bigint},
    {"NTILE", kind::window, access::none, 1, 1, ret::bigint},
    {"LAG", kind::window, access::none, 1, 3, ret::first},
    {"LEAD", kind::window, access::none, 1, 3, ret::first},
    {"FIRST_VALUE", kind::window, access::none, 1, 1, ret::first},
    {"LAST_VALUE", kind::window, access::none, 1, 1, ret::first},
    {"CUME_DIST", kind::window, access::none, 0, 0, ret::float_},
    {"PERCENT_RANK", kind::window, access::none, 0, 0, ret::float_},
    {"PERCENTILE_CONT", kind::ordered, access::none, 1, 1, ret::float_},
    {"PERCENTILE_DISC", kind::ordered, access::none, 1, 1, ret::unknown},
    {"APPROX_PERCENTILE_CONT", kind::ordered, access::none, 1, 1, ret::float_},
    {"APPROX_PERCENTILE_DISC", kind::ordered, access::none, 1, 1, ret::unknown},
    // Conditional
    {"COALESCE", kind::scalar, access::none, 2, any, ret::common},
    {"NULLIF", kind::scalar, access::none, 2, 2, ret::first},
    {"ISNULL", kind::scalar, access::none, 2, 2, ret::first},
    {"IIF", kind::scalar, access::none, 3, 3, ret::common_tail},
    {"CHOOSE", kind::scalar, access::none, 2, any, ret::common_tail},
    {"GREATEST", kind::scalar, access::none, 1, 254, ret::common},
    {"LEAST", kind::scalar, access::none, 1, 254, ret::common},
    {"ISDATE", kind::scalar, access::none, 1, 1, ret::int_},
    {"ISNUMERIC", kind::scalar, access::none, 1, 1, ret::int_},
    // Strings
    {"ASCII", kind::scalar, access::none, 1, 1, ret::int_},
    {"CHAR", kind::scalar, access::none, 1, 1, ret::varchar_8000},
    {"NCHAR", kind::scalar, access::none, 1, 1, ret::nvarchar_4000},
    {"UNICODE", kind::scalar, access::none, 1, 1, ret::int_},
    {"CHARINDEX", kind::scalar, access::none, 2, 3, ret::int_},
    {"PATINDEX", kind::scalar, access::none, 2, 2, ret::int_},
    {"CONCAT", kind::scalar, access::none, 2, 254, ret::text_8000},
    {"CONCAT_WS", kind::scalar, access::none, 3, 254, ret::text_8000},
    {"DIFFERENCE", kind::scalar, access::none, 2, 2, ret::int_},
    {"SOUNDEX", kind::scalar, access::none, 1, 1, ret::varchar_8000},
    {"FORMAT", kind::scalar, access::none, 2, 3, ret::nvarchar_4000},
    {"FORMATMESSAGE", kind::scalar, access::none, 1, 21, ret::nvarchar_4000},
    {"LEFT", kind::scalar, access::none, 2, 2, ret::text},
    {"RIGHT", kind::scalar, access::none, 2, 2, ret::text},
    {"LEN", kind::scalar, access::none, 1, 1, ret::int_},
    {"DATALENGTH", kind::scalar, access::none, 1, 1, ret::int_},
    {"LOWER", kind::scalar, access::none, 1, 1, ret::text},
    {"UPPER", kind::scalar, access::none, 1, 1, ret::text},
    {"LTRIM", kind::scalar, access::none, 1, 2, ret::text},
    {"RTRIM", kind::scalar, access::none, 1, 2, ret::text},
    {"TRIM", kind::scalar, access::none, 1, 2, ret::text},
    {"QUOTENAME", kind::scalar, access::none, 1, 2, ret::nvarchar_128},
    {"REPLACE", kind::scalar, access::none, 3, 3, ret::text_8000},
    {"REPLICATE", kind::scalar, access::none, 2, 2, ret::text_8000},
    {"REVERSE", kind::scalar, access::none, 1, 1, ret::text},
    {"SPACE", kind::scalar, access::none, 1, 1, ret::varchar_8000},
    {"STR", kind::scalar, access::none, 1, 3, ret::varchar_8000},
    {"STRING_ESCAPE", kind::scalar, access::none, 2, 2, ret::nvarchar_max},
    {"STUFF", kind::scalar, access::none, 4, 4, ret::text_8000},
    {"SUBSTRING", kind::scalar, access::none, 2, 3, ret::text},
    {"TRANSLATE", kind::scalar, access::none, 3, 3, ret::text},
    {"UNISTR", kind::scalar, access::none, 1, 2, ret::nvarchar_4000},
    {"BASE64_ENCODE", kind::scalar, access::none, 1, 2, ret::varchar_8000},
    {"BASE64_DECODE", kind::scalar, access::none, 1, 1, ret::varbinary_8000},
    {"REGEXP_LIKE", kind::scalar, access::none, 2, 3, ret::bit},
    {"REGEXP_COUNT", kind::scalar, access::none, 2, 4, ret::int_},
    {"REGEXP_INSTR", kind::scalar, access::none, 2, 7, ret::int_},
    {"REGEXP_REPLACE", kind::scalar, access::none, 2, 6, ret::text_8000},
    {"REGEXP_SUBSTR", kind::scalar, access::none, 2, 6, ret::text_8000},
    {"EDIT_DISTANCE", kind::scalar, access::none, 2, 3, ret::int_},
    {"EDIT_DISTANCE_SIMILARITY", kind::scalar, access::none, 2, 2, ret::int_},
    {"JARO_WINKLER_DISTANCE", kind::scalar, access::none, 2, 2, ret::float_},
    {"JARO_WINKLER_SIMILARITY", kind::scalar, access::none, 2, 2, ret::int_},
    // Numbers
    {"ABS", kind::scalar, access::none, 1, 1, ret::numeric_first},
    {"ACOS", kind::scalar, access::none, 1, 1, ret::float_},
    {"ASIN", kind::scalar, access::none, 1, 1, ret::float_},
    {"ATAN", kind::scalar, access::none, 1, 1, ret::float_},
    {"ATN2", kind::scalar, access::none, 2, 2, ret::float_},
    {"CEILING", kind::scalar, access::none, 1, 1, ret::numeric_first},
    {"COS", kind::scalar, access::none, 1, 1, ret::float_},
    {"COT", kind::scalar, access::none, 1, 1, ret::float_},
    {"DEGREES", kind::scalar, access::none, 1, 1, ret::numeric_first},
    {"EXP", kind::scalar, access::none, 1, 1, ret::float_},
    {"FLOOR", kind::scalar, access::none, 1, 1, ret::numeric_first},
    {"LOG", kind::scalar, access::none, 1, 2, ret::float_},
    {"LOG10", kind::scalar, access::none, 1, 1, ret::float_},
    {"PI", kind::scalar, access::none, 0, 0, ret::float_},
    {"POWER", kind::scalar, access::none, 2, 2, ret::numeric_first},
    {"RADIANS", kind::scalar, access::none, 1, 1, ret::numeric_first},
    {"RAND", kind::scalar, access::random, 0, 1, ret::float_},
    {"ROUND", kind::scalar, access::none, 2, 3, ret::numeric_first},
    {"SIGN", kind::scalar, access::none, 1, 1, ret::numeric_first},
    {"SIN", kind::scalar, access::none, 1, 1, ret::float_},
    {"SQRT", kind::scalar, access::none, 1, 1, ret::float_},
    {"SQUARE", kind::scalar, access::none, 1, 1, ret::float_},
    {"TAN", kind::scalar, access::none, 1, 1, ret::float_},
    {"BIT_COUNT", kind::scalar, access::none, 1, 1, ret::bigint},
    {"GET_BIT", kind::scalar, access::none, 2, 2, ret::bit},
    {"SET_BIT", kind::scalar, access::none, 2, 3, ret::first},
    {"LEFT_SHIFT", kind::scalar, access::none, 2, 2, ret::first},
    {"RIGHT_SHIFT", kind::scalar, access::none, 2, 2, ret::first},
    // Date and time
    {"DATEADD", kind::scalar, access::none, 3, 3, ret::third, true},
    {"DATEDIFF", kind::scalar, access::none, 3, 3, ret::int_, true},
    {"DATEDIFF_BIG", kind::scalar, access::none, 3, 3, ret::bigint, true},
    {"DATENAME", kind::scalar, access::none, 2, 2, ret::nvarchar_128, true},
    {"DATEPART", kind::scalar, access::none, 2, 2, ret::int_, true},
    {"DATETRUNC", kind::scalar, access::none, 2, 2, ret::second, true},
    {"DATE_BUCKET", kind::scalar, access::none, 3, 4, ret::third, true},
    {"DATEFROMPARTS", kind::scalar, access::none, 3, 3, ret::date},
    {"DATETIME2FROMPARTS", kind::scalar, access::none, 8, 8, ret::datetime2_7},
    {"DATETIMEFROMPARTS", kind::scalar, access::none, 7, 7, ret::datetime},
    {"DATETIMEOFFSETFROMPARTS", kind::scalar, access::none, 10, 10, ret::datetimeoffset_7},
    {"SMALLDATETIMEFROMPARTS", kind::scalar, access::none, 5, 5, ret::smalldatetime},
    {"TIMEFROMPARTS", kind::scalar, access::none, 5, 5, ret::time_7},
    {"DAY", kind::scalar, access::none, 1, 1, ret::int_},
    {"MONTH", kind::scalar, access::none, 1, 1, ret::int_},
    {"YEAR", kind::scalar, access::none, 1, 1, ret::int_},
    {"EOMONTH", kind::scalar, access::none, 1, 2, ret::date},
    {"SWITCHOFFSET", kind::scalar, access::none, 2, 2, ret::datetimeoffset_7},
    {"TODATETIMEOFFSET", kind::scalar, access::none, 2, 2, ret::datetimeoffset_7},
    {"GETDATE", kind::scalar, access::clock, 0, 0, ret::datetime},
    {"GETUTCDATE", kind::scalar, access::clock, 0, 0, ret::datetime},
    {"SYSDATETIME", kind::scalar, access::clock, 0, 0, ret::datetime2_7},
    {"SYSUTCDATETIME", kind::scalar, access::clock, 0, 0, ret::datetime2_7},
    {"SYSDATETIMEOFFSET", kind::scalar, access::clock, 0, 0, ret::datetimeoffset_7},
    {"CURRENT_DATE", kind::scalar, access::clock, 0, 0, ret::date},
    {"CURRENT_TIMEZONE", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    {"CURRENT_TIMEZONE_ID", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    // JSON, XML, vectors
    {"ISJSON", kind::scalar, access::none, 1, 2, ret::int_},
    {"JSON_VALUE", kind::scalar, access::none, 2, 2, ret::nvarchar_4000},
    {"JSON_QUERY", kind::scalar, access::none, 1, 2, ret::nvarchar_max},
    {"JSON_MODIFY", kind::scalar, access::none, 3, 3, ret::nvarchar_max},
    {"JSON_PATH_EXISTS", kind::scalar, access::none, 2, 2, ret::int_},
    {"JSON_CONTAINS", kind::scalar, access::none, 2, 4, ret::int_},
    {"JSON_OBJECT", kind::scalar, access::none, 0, any, ret::nvarchar_max},
    {"JSON_ARRAY", kind::scalar, access::none, 0, any, ret::nvarchar_max},
    {"VECTOR_DISTANCE", kind::scalar, access::none, 3, 3, ret::float_},
    {"VECTOR_NORM", kind::scalar, access::none, 2, 2, ret::float_},
    {"VECTOR_NORMALIZE", kind::scalar, access::none, 2, 2, ret::first},
    {"VECTORPROPERTY", kind::scalar, access::none, 2, 2, ret::variant},
    // Hashes, compression, random values
    {"CHECKSUM", kind::scalar, access::none, 1, any, ret::int_},
    {"BINARY_CHECKSUM", kind::scalar, access::none, 1, any, ret::int_},
    {"HASHBYTES", kind::scalar, access::none, 2, 2, ret::varbinary_8000},
    {"COMPRESS", kind::scalar, access::none, 1, 1, ret::varbinary_8000},
    {"DECOMPRESS", kind::scalar, access::none, 1, 1, ret::varbinary_8000},
    {"NEWID", kind::scalar, access::random, 0, 0, ret::uniqueidentifier},
    {"CRYPT_GEN_RANDOM", kind::scalar, access::random, 1, 2, ret::varbinary_8000},
    {"SQL_VARIANT_PROPERTY", kind::scalar, access::none, 2, 2, ret::variant},
    // Table functions
    {"STRING_SPLIT", kind::rowset, access::none, 2, 3, ret::unknown},
    {"OPENJSON", kind::rowset, access::none, 1, 2, ret::unknown},
    {"GENERATE_SERIES", kind::rowset, access::none, 2, 3, ret::unknown},
    {"REGEXP_SPLIT_TO_TABLE", kind::rowset, access::none, 2, 3, ret::unknown},
    {"REGEXP_MATCHES", kind::rowset, access::none, 2, 3, ret::unknown},
    // Session and identity: the sandbox answers
    {"APP_NAME", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    {"HOST_NAME", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    {"HOST_ID", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    {"SUSER_NAME", kind::scalar, access::session, 0, 1, ret::nvarchar_128},
    {"SUSER_SNAME", kind::scalar, access::session, 0, 1, ret::nvarchar_128},
    {"SUSER_ID", kind::scalar, access::session, 0, 1, ret::int_},
    {"SUSER_SID", kind::scalar, access::session, 0, 2, ret::varbinary_8000},
    {"USER_NAME", kind::scalar, access::session, 0, 1, ret::nvarchar_128},
    {"USER_ID", kind::scalar, access::session, 0, 1, ret::int_},
    {"ORIGINAL_LOGIN", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    {"IS_MEMBER", kind::scalar, access::session, 1, 1, ret::int_},
    {"IS_ROLEMEMBER", kind::scalar, access::session, 1, 2, ret::int_},
    {"IS_SRVROLEMEMBER", kind::scalar, access::session, 1, 2, ret::int_},
    {"HAS_PERMS_BY_NAME", kind::scalar, access::session, 3, 5, ret::int_},
    {"PERMISSIONS", kind::scalar, access::session, 0, 2, ret::int_},
    {"HAS_DBACCESS", kind::scalar, access::session, 1, 1, ret::int_},
    {"CONNECTIONPROPERTY", kind::scalar, access::session, 1, 1, ret::variant},
    {"SESSIONPROPERTY", kind::scalar, access::session, 1, 1, ret::variant},
    {"SESSION_CONTEXT", kind::scalar, access::session, 1, 1, ret::variant},
    {"CONTEXT_INFO", kind::scalar, access::session, 0, 0, ret::varbinary_8000},
    {"CURSOR_STATUS", kind::scalar, access::session, 2, 2, ret::int_},
    {"ROWCOUNT_BIG", kind::scalar, access::session, 0, 0, ret::bigint},
    {"SCOPE_IDENTITY", kind::scalar, access::session, 0, 0, ret::decimal_38_0},
    {"XACT_STATE", kind::scalar, access::session, 0, 0, ret::int_},
    {"CURRENT_TRANSACTION_ID", kind::scalar, access::session, 0, 0, ret::bigint},
    {"CURRENT_REQUEST_ID", kind::scalar, access::session, 0, 0, ret::int_},
    {"GETANSINULL", kind::scalar, access::session, 0, 1, ret::int_},
    {"ERROR_LINE", kind::scalar, access::session, 0, 0, ret::int_},
    {"ERROR_MESSAGE", kind::scalar, access::session, 0, 0, ret::nvarchar_4000},
    {"ERROR_NUMBER", kind::scalar, access::session, 0, 0, ret::int_},
    {"ERROR_PROCEDURE", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    {"ERROR_SEVERITY", kind::scalar, access::session, 0, 0, ret::int_},
    {"ERROR_STATE", kind::scalar, access::session, 0, 0, ret::int_},
    // Metadata: the sandbox answers
    {"COL_LENGTH", kind::scalar, access::metadata, 2, 2, ret::int_},
    {"COL_NAME", kind::scalar, access::metadata, 2, 2, ret::nvarchar_128},
    {"COLLATIONPROPERTY", kind::scalar, access::metadata, 2, 2, ret::variant},
    {"COLUMNPROPERTY", kind::scalar, access::metadata, 3, 3, ret::int_},
    {"DATABASEPROPERTY", kind::scalar, access::metadata, 2, 2, ret::int_},
    {"DATABASEPROPERTYEX", kind::scalar, access::metadata, 2, 2, ret::variant},
    {"DATABASE_PRINCIPAL_ID", kind::scalar, access::metadata, 0, 1, ret::int_},
    {"DB_ID", kind::scalar, access::metadata, 0, 1, ret::int_},
    {"DB_NAME", kind::scalar, access::metadata, 0, 1, ret::nvarchar_128},
    {"FILE_ID", kind::scalar, access::metadata, 1, 1, ret::int_},
    {"FILE_IDEX", kind::scalar, access::metadata, 1, 1, ret::int_},
    {"FILE_NAME", kind::scalar, access::metadata, 1, 1, ret::nvarchar_128},
    {"FILEGROUP_ID", kind::scalar, access::metadata, 1, 1, ret::int_},
    {"FILEGROUP_NAME", kind::scalar, access::metadata, 1, 1, ret::nvarchar_128},
    {"FILEGROUPPROPERTY", kind::scalar, access::metadata, 2, 2, ret::int_},
    {"FILEPROPERTY", kind::scalar, access::metadata, 2, 2, ret::int_},
    {"FULLTEXTCATALOGPROPERTY", kind::scalar, access::metadata, 2, 2, ret::int_},
    {"FULLTEXTSERVICEPROPERTY", kind::scalar, access::metadata, 1, 1, ret::int_},
    {"IDENT_CURRENT", kind::scalar, access::metadata, 1, 1, ret::decimal_38_0},
    {"IDENT_INCR", kind::scalar, access::metadata, 1, 1, ret::decimal_38_0},
    {"IDENT_SEED", kind::scalar, access::metadata, 1, 1, ret::decimal_38_0},
    {"INDEX_COL", kind::scalar, access::metadata, 3, 3, ret::nvarchar_128},
    {"INDEXKEY_PROPERTY", kind::scalar, access::metadata, 4, 4, ret::int_},
    {"INDEXPROPERTY", kind::scalar, access::metadata, 3, 3, ret::int_},
    {"OBJECT_DEFINITION", kind::scalar, access::metadata, 1, 1, ret::nvarchar_max},
    {"OBJECT_ID", kind::scalar, access::metadata, 1, 2, ret::int_},
    {"OBJECT_NAME", kind::scalar, access::metadata, 1, 2, ret::nvarchar_128},
    {"OBJECT_SCHEMA_NAME", kind::scalar, access::metadata, 1, 2, ret::nvarchar_128},
    {"OBJECTPROPERTY", kind::scalar, access::metadata, 2, 2, ret::int_},
    {"OBJECTPROPERTYEX", kind::scalar, access::metadata, 2, 2, ret::variant},
    {"PARSENAME", kind::scalar, access::none, 2, 2, ret::nvarchar_128},
    {"SCHEMA_ID", kind::scalar, access::metadata, 0, 1, ret::int_},
    {"SCHEMA_NAME", kind::scalar, access::metadata, 0, 1, ret::nvarchar_128},
    {"SERVERPROPERTY", kind::scalar, access::metadata, 1, 1, ret::variant},
    {"STATS_DATE", kind::scalar, access::metadata, 2, 2, ret::datetime},
    {"TYPE_ID", kind::scalar, access::metadata, 1, 1, ret::int_},
    {"TYPE_NAME", kind::scalar, access::metadata, 1, 1, ret::nvarchar_128},
    {"TYPEPROPERTY", kind::scalar, access::metadata, 2, 2, ret::int_},
    {"ASSEMBLYPROPERTY", kind::scalar, access::metadata, 2, 2, ret::variant},
    {"APPLOCK_MODE", kind::scalar, access::session, 3, 3, ret::nvarchar_128},
    {"APPLOCK_TEST", kind::scalar, access::session, 4, 4, ret::int_},
    // Out of the server
    {"AI_GENERATE_EMBEDDINGS", kind::scalar, access::external, 1, 2, ret::vector},
    {"AI_GENERATE_CHUNKS", kind::rowset, access::external, 1, any, ret::unknown},
    {"AI_GENERATE_RESPONSE", kind::scalar, access::external, 1, 2, ret::nvarchar_max},
    {"AI_ANALYZE_SENTIMENT", kind::scalar, access::external, 1, any, ret::nvarchar_max},
    {"AI_CLASSIFY", kind::scalar, access::external, 1, any, ret::nvarchar_max},
    {"AI_EXTRACT", kind::scalar, access::external, 1, any, ret::nvarchar_max},
    {"AI_FIX_GRAMMAR", kind::scalar, access::external, 1, any, ret::nvarchar_max},
    {"AI_SUMMARIZE", kind::scalar, access::external, 1, any, ret::nvarchar_max},
    {"AI_TRANSLATE", kind::scalar, access::external, 1, any, ret::nvarchar_max},
    // Never
    {"PWDCOMPARE", kind::scalar, access::forbidden, 2, 3, ret::int_},
    {"PWDENCRYPT", kind::scalar, access::forbidden, 1, 1, ret::varbinary_8000},
    {"DECRYPTBYPASSPHRASE", kind::scalar, access::forbidden, 2, 4, ret::varbinary_8000},
    {"ENCRYPTBYPASSPHRASE", kind::scalar, access::forbidden, 2, 4, ret::varbinary_8000},
    {"NEWSEQUENTIALID", kind::scalar, access::forbidden, 0, 0, ret::uniqueidentifier},
    {"TEXTPTR", kind::scalar, access::forbidden, 1, 1, ret::varbinary_8000},
    {"TEXTVALID", kind::scalar, access::forbidden, 2, 2, ret::int_},
    {"MIN_ACTIVE_ROWVERSION", kind::scalar, access::forbidden, 0, 0, ret::varbinary_8000},
    {"IDENTITY", kind::scalar, access::forbidden, 1, 3, ret::int_},
    {"EVENTDATA", kind::scalar, access::forbidden, 0, 0, ret::xml},
    {"TRIGGER_NESTLEVEL", kind::scalar, access::forbidden, 0, 3, ret::int_},
    {"COLUMNS_UPDATED", kind::scalar, access::forbidden, 0, 0, ret::varbinary_8000},
};

constexpr function_info odbc_only[] = {
    {"UCASE", kind::scalar, access::none, 1, 1, ret::text},
    {"LCASE", kind::scalar, access::none, 1, 1, ret::text},
    {"LENGTH", kind::scalar, access::none, 1, 1, ret::int_},
    {"LOCATE", kind::scalar, access::none, 2, 3, ret::int_},
    {"INSERT", kind::scalar, access::none, 4, 4, ret::text_8000},
    {"REPEAT", kind::scalar, access::none, 2, 2, ret::text_8000},
    {"BIT_LENGTH", kind::scalar, access::none, 1, 1, ret::int_},
    {"CHAR_LENGTH", kind::scalar, access::none, 1, 1, ret::int_},
    {"OCTET_LENGTH", kind::scalar, access::none, 1, 1, ret::int_},
    {"ATAN2", kind::scalar, access::none, 2, 2, ret::float_},
    {"MOD", kind::scalar, access::none, 2, 2, ret::first},
    {"TRUNCATE", kind::scalar, access::none, 2, 2, ret::numeric_first},
    {"IFNULL", kind::scalar, access::none, 2, 2, ret::first},
    {"CURDATE", kind::scalar, access::clock, 0, 0, ret::date},
    {"CURTIME", kind::scalar, access::clock, 0, 1, ret::time_7},
    {"CURRENT_DATE", kind::scalar, access::clock, 0, 0, ret::date},
    {"CURRENT_TIME", kind::scalar, access::clock, 0, 1, ret::time_7},
    {"CURRENT_TIMESTAMP", kind::scalar, access::clock, 0, 1, ret::datetime},
    {"NOW", kind::scalar, access::clock, 0, 0, ret::datetime},
    {"DAYNAME", kind::scalar, access::none, 1, 1, ret::nvarchar_128},
    {"MONTHNAME", kind::scalar, access::none, 1, 1, ret::nvarchar_128},
    {"DAYOFMONTH", kind::scalar, access::none, 1, 1, ret::int_},
    {"DAYOFWEEK", kind::scalar, access::none, 1, 1, ret::int_},
    {"DAYOFYEAR", kind::scalar, access::none, 1, 1, ret::int_},
    {"HOUR", kind::scalar, access::none, 1, 1, ret::int_},
    {"MINUTE", kind::scalar, access::none, 1, 1, ret::int_},
    {"SECOND", kind::scalar, access::none, 1, 1, ret::int_},
    {"QUARTER", kind::scalar, access::none, 1, 1, ret::int_},
    {"WEEK", kind::scalar, access::none, 1, 1, ret::int_},
    {"EXTRACT", kind::scalar, access::none, 2, 2, ret::int_, true},
    {"TIMESTAMPADD", kind::scalar, access::none, 3, 3, ret::third, true},
    {"TIMESTAMPDIFF", kind::scalar, access::none, 3, 3, ret::int_, true},
    {"DATABASE", kind::scalar, access::metadata, 0, 0, ret::nvarchar_128},
    {"USER", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
};

constexpr function_info global_variables[] = {
    {"@@VERSION", kind::scalar, access::metadata, 0, 0, ret::nvarchar_4000},
    {"@@SERVERNAME", kind::scalar, access::metadata, 0, 0, ret::nvarchar_128},
    {"@@SERVICENAME", kind::scalar, access::metadata, 0, 0, ret::nvarchar_128},
    {"@@MICROSOFTVERSION", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@LANGUAGE", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    {"@@LANGID", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@SPID", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@ROWCOUNT", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@ERROR", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@TRANCOUNT", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@IDENTITY", kind::scalar, access::session, 0, 0, ret::decimal_38_0},
    {"@@OPTIONS", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@DATEFIRST", kind::scalar, access::session, 0, 0, ret::tinyint},
    {"@@DBTS", kind::scalar, access::metadata, 0, 0, ret::varbinary_8000},
    {"@@LOCK_TIMEOUT", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@MAX_CONNECTIONS", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@MAX_PRECISION", kind::scalar, access::metadata, 0, 0, ret::tinyint},
    {"@@NESTLEVEL", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@PROCID", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@REMSERVER", kind::scalar, access::session, 0, 0, ret::nvarchar_128},
    {"@@TEXTSIZE", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@CURSOR_ROWS", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@FETCH_STATUS", kind::scalar, access::session, 0, 0, ret::int_},
    {"@@CONNECTIONS", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@CPU_BUSY", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@IDLE", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@IO_BUSY", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@PACK_RECEIVED", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@PACK_SENT", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@PACKET_ERRORS", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@TIMETICKS", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@TOTAL_ERRORS", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@TOTAL_READ", kind::scalar, access::metadata, 0, 0, ret::int_},
    {"@@TOTAL_WRITE", kind::scalar, access::metadata, 0, 0, ret::int_},
};

constexpr std::string_view dateparts[] = {
    "year", "yy", "yyyy", "quarter", "qq", "q", "month", "mm", "m", "dayofyear", "dy", "y", "day", "dd", "d",
    "week", "wk", "ww", "weekday", "dw", "w", "hour", "hh", "minute", "mi", "n", "second", "ss", "s",
    "millisecond", "ms", "microsecond", "mcs", "nanosecond", "ns", "tzoffset", "tz", "iso_week", "isowk", "isoww",
    "SQL_TSI_FRAC_SECOND", "SQL_TSI_SECOND", "SQL_TSI_MINUTE", "SQL_TSI_HOUR", "SQL_TSI_DAY", "SQL_TSI_WEEK",
    "SQL_TSI_MONTH", "SQL_TSI_QUARTER", "SQL_TSI_YEAR"};
// clang-format on

using index = std::unordered_map<std::string_view, const function_info*, name_hash, name_equal>;

template <std::size_t N>
index make_index(const function_info (&list)[N]) {
  index out;
  for (const auto& f : list) out.emplace(f.name, &f);
  return out;
}

const function_info* look_up(const index& in, std::string_view name) noexcept {
  const auto it = in.find(name);
  return it == in.end() ? nullptr : it->second;
}

}  // namespace

std::span<const function_info> builtin_functions() noexcept {
  return builtin;
}

const function_info* find_function(std::string_view name) noexcept {
  static const index all = make_index(builtin);
  return look_up(all, name);
}

const function_info* find_odbc_function(std::string_view name) noexcept {
  static const index all = make_index(odbc_only);
  if (const auto* f = look_up(all, name)) return f;
  const auto* f = find_function(name);
  return f != nullptr && f->kind == function_kind::scalar ? f : nullptr;
}

const function_info* find_global_variable(std::string_view name) noexcept {
  static const index all = make_index(global_variables);
  return look_up(all, name);
}

bool is_datepart(std::string_view word) noexcept {
  for (auto d : dateparts) {
    if (catalog::same_name(d, word)) return true;
  }
  return false;
}

}  // namespace dragoman::tsql
