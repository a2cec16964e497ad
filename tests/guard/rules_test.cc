// One row per behaviour of a rule or a rewrite: who asks, what, and the exact answer. An accepted statement's text is
// its whole print; a refusal's is its message.
#include <boost/test/unit_test.hpp>
#include <string>

#include "demo_policy.h"
#include "guard/guard.h"
#include "guard/guard_lines.h"

namespace {

using namespace dragoman;

constexpr const char* analyst = "analyst";
constexpr const char* broker7 = "broker7";

const struct {
  const char* principal;
  const char* statement;
  const char* verdict;  // accept, local, refuse:reason
  const char* text;
} rows[] = {
    // clang-format off
    // statement_kind
    {analyst, "DROP TABLE ref.Ring", "refuse:not_read_only", "DROP TABLE is not allowed: this gateway only reads."},
    {analyst, "SELECT 1 AS a; SELECT 2 AS b", "local", "runs the 2 statements of the batch"},
    {analyst, "SELECT Name INTO #x FROM ref.Ring", "refuse:not_read_only", "SELECT INTO is not allowed: this gateway only reads."},
    {analyst, "SELECT @v = Name FROM ref.Ring", "refuse:not_read_only", "A SELECT statement that assigns a value to a variable cannot be sent to the warehouse."},
    {analyst, "EXEC sp_tables", "local", "answers the procedure sp_tables"},
    {analyst, "EXEC sp_who", "refuse:not_read_only", "The procedure 'sp_who' is not allowed: this gateway only reads."},
    {analyst, "EXEC ('SELECT 1')", "refuse:not_read_only", "EXECUTE of a text is not allowed: this gateway only reads."},
    {analyst, "SET NOCOUNT ON", "local", "keeps the session's setting"},
    {analyst, "SET IDENTITY_INSERT ref.Ring ON", "refuse:unsupported_construct", "SET IDENTITY_INSERT is not supported."},
    {analyst, "USE SalesDb", "local", "changes to database SalesDb"},
    {analyst, "DECLARE @r int = 3; SELECT Name FROM ref.Ring WHERE RingID = @r", "local", "runs the batch: 1 of its statements at home, 1 guarded and forwarded one by one"},
    {analyst, "IF 1 = 1 DELETE ref.Ring", "refuse:not_read_only", "DELETE is not allowed: this gateway only reads."},
    {analyst, "IF EXISTS (SELECT 1 FROM ref.Ring) SELECT 1", "refuse:unsupported_construct", "A session statement cannot read tables of the warehouse."},
    {analyst, "BEGIN DECLARE @x int; SELECT @x END", "local", "runs the statements of the block"},
    {analyst, "DECLARE @t TABLE (a int); INSERT @t VALUES (1); SELECT * FROM @t", "local", "runs the 3 statements of the batch"},
    {analyst, "CREATE TABLE #t (a int)", "local", "creates the temporary table"},
    {analyst, "CREATE TABLE dbo.t (a int)", "refuse:not_read_only", "CREATE TABLE is not allowed: this gateway only reads."},
    {analyst, "SELECT Name FROM ref.Ring; SELECT Code FROM ref.Ring", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring; SELECT TOP (1000000) Code FROM SalesDb.ref.Ring"},
    {analyst, "-- nothing", "local", "has nothing to run"},
    // tables
    {analyst, "SELECT Name FROM ref.Ring", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring"},
    {analyst, "SELECT Name FROM Ring", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring"},
    {analyst, "SELECT Name FROM REF.RING", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring"},
    {analyst, "SELECT Name FROM hr.Salary", "refuse:unknown_table", "Invalid object name 'hr.Salary'."},
    {analyst, "SELECT Name FROM hr.Nowhere", "refuse:unknown_table", "Invalid object name 'hr.Nowhere'."},
    {analyst, "SELECT Name FROM OtherDb.ref.Ring", "refuse:unknown_table", "Invalid object name 'OtherDb.ref.Ring'."},
    {analyst, "SELECT Name FROM [SalesDb]..[Ring]", "refuse:unknown_table", "Invalid object name 'SalesDb..Ring'."},
    {analyst, "SELECT Name FROM ..Ring", "refuse:unknown_table", "Invalid object name 'Ring'."},
    {analyst, "SELECT Name FROM srv.SalesDb.ref.Ring", "refuse:unknown_table", "Invalid object name 'srv.SalesDb.ref.Ring'."},
    {analyst, "WITH Salary AS (SELECT 1 AS a) SELECT a FROM Salary", "accept", "WITH Salary AS (SELECT 1 AS a) SELECT TOP (1000000) a FROM Salary"},
    {analyst, "SELECT name FROM sys.objects", "local", "answers from the catalogue that this login may see"},
    {analyst, "SELECT o.name FROM sys.objects AS o JOIN ref.Ring AS r ON r.RingID = o.object_id", "refuse:system_object", "The system object 'sys.objects' cannot be read together with tables."},
    {analyst, "SELECT a FROM @t", "refuse:unknown_table", "Must declare the table variable \"@t\"."},
    // columns
    {analyst, "SELECT NationalID FROM sales.Customer", "refuse:denied_column", "The SELECT permission was denied on the column 'NationalID' of the object 'Customer', database 'SalesDb', schema 'sales'."},
    {analyst, "SELECT c.Name FROM sales.Customer AS c WHERE EXISTS (SELECT 1 FROM ref.Ring WHERE NationalID = '1')", "refuse:denied_column", "The SELECT permission was denied on the column 'NationalID' of the object 'Customer', database 'SalesDb', schema 'sales'."},
    {analyst, "SELECT Name AS NationalID FROM sales.Customer ORDER BY NationalID", "accept", "SELECT TOP (1000000) Name AS NationalID FROM (SELECT CustomerID, Name, NameFa, Segment, JoinDateID, CreditLimit FROM SalesDb.sales.Customer) AS Customer ORDER BY NationalID"},
    {analyst, "SELECT Name AS NationalID FROM sales.Customer ORDER BY NationalID + ''", "refuse:denied_column", "The SELECT permission was denied on the column 'NationalID' of the object 'Customer', database 'SalesDb', schema 'sales'."},
    {analyst, "SELECT Colour FROM ref.Ring", "refuse:unknown_column", "Invalid column name 'Colour'."},
    {analyst, "SELECT * FROM ref.Broker", "accept", "SELECT TOP (1000000) BrokerID, Name, NameFa, LicenseNo, LocationID FROM (SELECT BrokerID, Name, NameFa, LicenseNo, LocationID FROM SalesDb.ref.Broker) AS Broker"},
    {analyst, "SELECT b.* FROM ref.Broker AS b", "accept", "SELECT TOP (1000000) BrokerID, Name, NameFa, LicenseNo, LocationID FROM (SELECT BrokerID, Name, NameFa, LicenseNo, LocationID FROM SalesDb.ref.Broker) AS b"},
    {analyst, "SELECT * FROM sales.Customer AS c CROSS APPLY (SELECT c.*) AS v", "accept", "SELECT TOP (1000000) c.CustomerID, c.Name, c.NameFa, c.Segment, c.JoinDateID, c.CreditLimit, v.CustomerID, v.Name, v.NameFa, v.Segment, v.JoinDateID, v.CreditLimit FROM (SELECT CustomerID, Name, NameFa, Segment, JoinDateID, CreditLimit FROM SalesDb.sales.Customer) AS c CROSS APPLY (SELECT c.CustomerID, c.Name, c.NameFa, c.Segment, c.JoinDateID, c.CreditLimit) AS v"},
    {analyst, "SELECT x.d FROM (SELECT * FROM sales.Customer) AS x(a, b, c, d, e)", "refuse:syntax", "'x' has more columns than were specified in the column list."},
    // join_only
    {analyst, "SELECT c.Name, l.City FROM sales.Customer AS c JOIN ref.Location AS l ON l.LocationID = c.LocationID", "accept", "SELECT TOP (1000000) c.Name, l.City FROM (SELECT CustomerID, Name, NameFa, Segment, LocationID, JoinDateID, CreditLimit FROM SalesDb.sales.Customer) AS c INNER JOIN (SELECT LocationID, City, CityFa, Province, ProvinceFa, Country FROM SalesDb.ref.Location) AS l ON l.LocationID = c.LocationID"},
    {analyst, "SELECT c.Name FROM sales.Customer AS c JOIN ref.Location AS l ON l.LocationID = c.LocationID WHERE c.LocationID = 3", "refuse:join_only_column", "The column 'LocationID' may only be used to join its table: write LocationID = the key that it refers to, in the ON of a JOIN."},
    {analyst, "SELECT c.Name FROM sales.Customer AS c JOIN ref.Supplier AS s ON s.LocationID = c.LocationID", "refuse:join_only_column", "The column 'LocationID' may only be used to join its table: write LocationID = the key that it refers to, in the ON of a JOIN."},
    {analyst, "SELECT c.Name FROM sales.Customer AS c JOIN ref.Ring AS r ON r.RingID = c.LocationID", "refuse:join_only_column", "The column 'LocationID' may only be used to join its table: write LocationID = the key that it refers to, in the ON of a JOIN."},
    {analyst, "SELECT c.Name FROM sales.Customer AS c JOIN ref.Location AS l ON l.LocationID = c.LocationID OR 1 = 1", "refuse:join_only_column", "The column 'LocationID' may only be used to join its table: write LocationID = the key that it refers to, in the ON of a JOIN."},
    // functions
    {analyst, "SELECT LEN(Name), GETDATE() FROM ref.Ring", "accept", "SELECT TOP (1000000) LEN(Name), GETDATE() FROM SalesDb.ref.Ring"},
    {analyst, "SELECT LEN(Name, 2) FROM ref.Ring", "refuse:syntax", "The LEN function requires 1 argument(s)."},
    {analyst, "SELECT CHECKSUM(*) FROM ref.Ring", "refuse:function_not_allowed", "CHECKSUM(*) reads every column of a row and is not allowed."},
    {analyst, "SELECT dbo.F(Name) FROM ref.Ring", "refuse:function_not_allowed", "'dbo.F' is not a recognized built-in function name."},
    {analyst, "SELECT SUSER_SNAME()", "local", "answers from the session"},
    {analyst, "SELECT SUSER_SNAME(), Name FROM ref.Ring", "refuse:function_not_allowed", "The function 'SUSER_SNAME' is not allowed here."},
    {analyst, "SELECT @@SPID FROM ref.Ring", "refuse:function_not_allowed", "The function '@@SPID' is not allowed here."},
    {analyst, "SELECT PWDCOMPARE(N'x', 0x0200)", "refuse:function_not_allowed", "The function 'PWDCOMPARE' is not allowed here."},
    {analyst, "SELECT REPLICATE(CAST('x' AS varchar(max)), 2000000000)", "refuse:too_complex", "REPLICATE may repeat at most 100000 times."},
    {analyst, "SELECT NEXT VALUE FOR dbo.s", "refuse:function_not_allowed", "'NEXT VALUE FOR' is not a recognized built-in function name."},
    {analyst, "SELECT * FROM OPENROWSET(BULK 'c:\\x', SINGLE_CLOB) AS f", "refuse:function_not_allowed", "'OPENROWSET' is not a recognized built-in function name."},
    {analyst, "SELECT c.x.value('(/a)[1]', 'int') FROM (SELECT CAST(Notes AS xml) AS x FROM sales.[Order]) AS c", "accept", "SELECT TOP (1000000) c.x.value('(/a)[1]', 'int') FROM (SELECT CAST(Notes AS xml) AS x FROM SalesDb.sales.[Order]) AS c"},
    {analyst, "SELECT CAST('<a/>' AS xml).modify('delete /a')", "refuse:function_not_allowed", "'modify' is not a recognized built-in function name."},
    // hints
    {analyst, "SELECT Name FROM ref.Ring WITH (NOLOCK)", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring WITH (NOLOCK)"},
    {analyst, "SELECT Name FROM ref.Broker WITH (NOLOCK)", "accept", "SELECT TOP (1000000) Name FROM (SELECT BrokerID, Name, NameFa, LicenseNo, LocationID FROM SalesDb.ref.Broker WITH (NOLOCK)) AS Broker"},
    {analyst, "SELECT Name FROM ref.Ring WITH (TABLOCKX)", "refuse:unsupported_construct", "The table hint TABLOCKX is not allowed."},
    {analyst, "SELECT Name FROM ref.Ring WITH (FORCESEEK)", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring"},
    {analyst, "SELECT Name FROM ref.Ring WITH (INDEX(1))", "refuse:unsupported_construct", "The table hint INDEX is not allowed."},
    {analyst, "SELECT Name FROM ref.Ring OPTION (RECOMPILE, MAXDOP 2)", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring OPTION (RECOMPILE)"},
    {analyst, "SELECT Name FROM ref.Ring OPTION (USE PLAN N'<x/>')", "refuse:unsupported_construct", "The query hint USE PLAN is not allowed."},
    {analyst, "SELECT r.Name FROM ref.Ring AS r INNER LOOP JOIN ref.Symbol AS s ON s.RingID = r.RingID", "accept", "SELECT TOP (1000000) r.Name FROM SalesDb.ref.Ring AS r INNER JOIN SalesDb.ref.Symbol AS s ON s.RingID = r.RingID"},
    // complexity
    {analyst, "SELECT COUNT(*) FROM sales.[Order] AS a CROSS JOIN sales.[Order] AS b", "refuse:too_complex", "The tables of the FROM clause are not joined to each other: their product is too large. Add a join condition."},
    {analyst, "SELECT COUNT(*) FROM sales.[Order] AS a JOIN sales.[Order] AS b ON a.OrderID = a.OrderID", "refuse:too_complex", "The tables of the FROM clause are not joined to each other: their product is too large. Add a join condition."},
    {analyst, "SELECT COUNT(*) FROM ref.Ring AS a CROSS JOIN ref.Currency AS b", "accept", "SELECT COUNT(*) FROM SalesDb.ref.Ring AS a CROSS JOIN SalesDb.ref.Currency AS b"},
    {analyst, "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n", "refuse:too_complex", "The recursion of 'n' has no end: its recursive member needs a condition."},
    {analyst, "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 12) SELECT i FROM n OPTION (MAXRECURSION 50)", "accept", "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 12) SELECT TOP (1000000) i FROM n OPTION (MAXRECURSION 50)"},
    {analyst, "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 12) SELECT i FROM n OPTION (MAXRECURSION 0)", "refuse:too_complex", "MAXRECURSION must be between 1 and 1000."},
    {analyst, "SELECT COUNT(*) FROM GENERATE_SERIES(1, 2000000000) AS g", "refuse:too_complex", "GENERATE_SERIES needs plain numbers and may give at most 1000000 rows."},
    // row_cap
    {analyst, "SELECT TOP 7 Name FROM ref.Ring", "accept", "SELECT TOP (7) Name FROM SalesDb.ref.Ring"},
    {analyst, "SELECT TOP 7000000 Name FROM ref.Ring", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring"},
    {analyst, "SELECT TOP (-1) Name FROM ref.Ring", "refuse:syntax", "A TOP N or FETCH rowcount value may not be negative."},
    {analyst, "SELECT TOP 100 PERCENT Name FROM ref.Ring ORDER BY Name", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring ORDER BY Name"},
    {analyst, "SELECT TOP 50 PERCENT Name, Code FROM ref.Ring ORDER BY 2 DESC, Name", "accept", "SELECT TOP (1000000) Name, Code FROM (SELECT TOP (50) PERCENT Name, Code FROM SalesDb.ref.Ring ORDER BY 2 DESC, Name) AS capped ORDER BY Code DESC, Name"},
    {analyst, "SELECT TOP 50 PERCENT Name FROM ref.Ring ORDER BY Code", "accept", "SELECT TOP (50) PERCENT Name FROM SalesDb.ref.Ring ORDER BY Code"},
    {analyst, "SELECT Name FROM ref.Ring ORDER BY Name OFFSET 5 ROWS", "accept", "SELECT Name FROM SalesDb.ref.Ring ORDER BY Name OFFSET 5 ROWS FETCH NEXT 1000000 ROWS ONLY"},
    {analyst, "SELECT Name FROM ref.Ring ORDER BY Name OFFSET 5 ROWS FETCH NEXT 9000000 ROWS ONLY", "accept", "SELECT Name FROM SalesDb.ref.Ring ORDER BY Name OFFSET 5 ROWS FETCH NEXT 1000000 ROWS ONLY"},
    {analyst, "SELECT Name FROM ref.Ring UNION ALL SELECT NameEn FROM ref.Ring", "accept", "SELECT TOP (1000000) Name FROM (SELECT Name FROM SalesDb.ref.Ring UNION ALL SELECT NameEn FROM SalesDb.ref.Ring) AS capped"},
    {analyst, "SELECT Name, Name FROM ref.Ring UNION SELECT NameEn, Code FROM ref.Ring", "accept", "SELECT TOP (1000000) c1 AS Name, c2 AS Name FROM (SELECT Name, Name FROM SalesDb.ref.Ring UNION SELECT NameEn, Code FROM SalesDb.ref.Ring) AS capped (c1, c2)"},
    {analyst, "SELECT Name FROM ref.Ring UNION SELECT NameEn FROM ref.Ring ORDER BY Name", "accept", "SELECT Name FROM SalesDb.ref.Ring UNION SELECT NameEn FROM SalesDb.ref.Ring ORDER BY Name OFFSET 0 ROWS FETCH NEXT 1000000 ROWS ONLY"},
    {analyst, "SELECT COUNT(*) FROM ref.Ring", "accept", "SELECT COUNT(*) FROM SalesDb.ref.Ring"},
    {analyst, "SELECT Name FROM ref.Ring FOR JSON PATH", "accept", "SELECT TOP (1000000) Name FROM SalesDb.ref.Ring FOR JSON PATH"},
    {analyst, "SELECT TOP (SELECT COUNT(*) FROM ref.Ring) Name FROM ref.Ring", "refuse:unsupported_construct", "A number of rows cannot be a subquery."},
    // binding
    {analyst, "SELECT Name FROM ref.Ring AS a JOIN ref.Symbol AS b ON b.RingID = a.RingID", "refuse:ambiguous_column", "Ambiguous column name 'Name'."},
    {analyst, "SELECT r.Name FROM ref.Ring AS r, ref.Ring AS r", "refuse:syntax", "The correlation name 'r' is specified multiple times in a FROM clause."},
    {analyst, "SELECT UPPER(Name) AS n FROM ref.Ring WHERE n = 'X'", "refuse:unknown_column", "Invalid column name 'n'."},
    {analyst, "SELECT COUNT(*), Name FROM ref.Ring", "refuse:syntax", "Column 'Name' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause."},
    {analyst, "SELECT Name FROM ref.Ring WHERE COUNT(*) > 1", "refuse:syntax", "An aggregate may not appear in the WHERE clause unless it is in a subquery contained in a HAVING clause or a select list, and the column being aggregated is an outer reference."},
    {analyst, "SELECT d.Year * 100 + d.Month AS m FROM sales.[Date] AS d GROUP BY d.Year * 100 + d.Month", "accept", "SELECT TOP (1000000) d.Year * 100 + d.Month AS m FROM SalesDb.sales.Date AS d GROUP BY d.Year * 100 + d.Month"},
    {analyst, "SELECT Name FROM ref.Ring ORDER BY 2", "refuse:syntax", "The ORDER BY position number 2 is out of range of the number of items in the select list."},
    {analyst, "SELECT x.Name FROM (SELECT Name FROM ref.Ring ORDER BY Name) AS x", "refuse:syntax", "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified."},
    {analyst, "SELECT x.a FROM (SELECT RingID + 1 FROM ref.Ring) AS x", "refuse:syntax", "No column name was specified for column 1 of 'x'."},
    {analyst, "SELECT r.Name FROM ref.Ring AS r JOIN (SELECT s.SymbolID FROM ref.Symbol AS s WHERE s.RingID = r.RingID) AS x ON 1 = 1", "refuse:unknown_column", "The multi-part identifier \"r.RingID\" could not be bound."},
    {analyst, "SELECT r.Name, x.Code FROM ref.Ring AS r OUTER APPLY (SELECT TOP (1) Code FROM ref.Symbol WHERE RingID = r.RingID ORDER BY Code) AS x", "accept", "SELECT TOP (1000000) r.Name, x.Code FROM SalesDb.ref.Ring AS r OUTER APPLY (SELECT TOP (1) Code FROM SalesDb.ref.Symbol WHERE RingID = r.RingID ORDER BY Code) AS x"},
    {analyst, "SELECT o.OrderID FROM sales.[Order] AS o WHERE EXISTS (SELECT * FROM ref.Ring WHERE RingID = o.RingID AND CustomerID = 3)", "accept", "SELECT TOP (1000000) o.OrderID FROM SalesDb.sales.[Order] AS o WHERE EXISTS (SELECT 1 FROM SalesDb.ref.Ring WHERE RingID = o.RingID AND o.CustomerID = 3)"},
    {analyst, "SELECT sales.Customer.Name, ref.Broker.Name FROM sales.Customer JOIN ref.Broker ON sales.Customer.CustomerID = ref.Broker.BrokerID", "accept", "SELECT TOP (1000000) Customer.Name, Broker.Name FROM (SELECT CustomerID, Name, NameFa, Segment, JoinDateID, CreditLimit FROM SalesDb.sales.Customer) AS Customer INNER JOIN (SELECT BrokerID, Name, NameFa, LicenseNo, LocationID FROM SalesDb.ref.Broker) AS Broker ON Customer.CustomerID = Broker.BrokerID"},
    // Foo is the outer query's and cannot be qualified, because x means two things: should ref.Ring have a Foo of its own
    // by now, it must not be read.
    {analyst, "SELECT (SELECT MAX(Foo) FROM ref.Ring AS x) AS m FROM (SELECT 1 AS Foo) AS x", "accept", "SELECT TOP (1000000) (SELECT MAX(Foo) FROM (SELECT RingID, Name, NameEn, Code FROM SalesDb.ref.Ring) AS x) AS m FROM (SELECT 1 AS Foo) AS x"},
    // An XQuery that reaches out of its value would name columns that nothing here resolves.
    {analyst, "SELECT CAST(N'<a/>' AS xml).value('sql:column(\"Name\")', 'nvarchar(10)') FROM ref.Ring", "refuse:unsupported_construct", "An XQuery that names columns or variables is not supported."},
    {analyst, "SELECT CAST(N'<a/>' AS xml).query('declare namespace x=\"urn:schemas-microsoft-com:xml-sql\"; x:Column (: :) (\"Name\")') FROM ref.Ring", "refuse:unsupported_construct", "An XQuery that names columns or variables is not supported."},
    {analyst, "SELECT r.Name FROM ref.Ring AS r CROSS APPLY (SELECT CAST(r.Name AS xml) AS x) AS d WHERE d.x.exist('/a[.=sql:variable(\"@v\")]') = 1", "refuse:unsupported_construct", "An XQuery that names columns or variables is not supported."},
    {analyst, "SELECT CAST(N'<a/>' AS xml).value(Name, 'int') FROM ref.Ring", "refuse:unsupported_construct", "An XQuery that is no plain text is not supported."},
    {analyst, "SELECT CAST(N'<a/>' AS xml).value('.', 'dbo.Money') FROM ref.Ring", "refuse:unsupported_construct", "value() with a type that is no built-in one is not supported."},
    {analyst, "SELECT CAST(Name AS xml).value('(/a/child::column)[1]', 'nvarchar(10)') FROM ref.Ring", "accept", "SELECT TOP (1000000) CAST(Name AS xml).value('(/a/child::column)[1]', 'nvarchar(10)') FROM SalesDb.ref.Ring"},
    // Names of a PIVOT or UNPIVOT come from all of its source, so two tables can give the same twice.
    {analyst, "SELECT * FROM ref.Supplier AS a CROSS JOIN ref.Symbol AS b PIVOT (MIN(Unit) FOR RingID IN ([1])) AS p", "refuse:syntax", "The column 'Name' was specified multiple times for 'p'."},
    {analyst, "SELECT Name, [1] AS m1 FROM (SELECT r.Name, o.StatusID, o.TotalPrice FROM sales.[Order] AS o JOIN ref.Ring AS r ON r.RingID = o.RingID) AS s PIVOT (SUM(TotalPrice) FOR StatusID IN ([1])) AS p", "accept", "SELECT TOP (1000000) Name, [1] AS m1 FROM (SELECT r.Name, o.StatusID, o.TotalPrice FROM SalesDb.sales.[Order] AS o INNER JOIN SalesDb.ref.Ring AS r ON r.RingID = o.RingID) AS s PIVOT (SUM(TotalPrice) FOR StatusID IN ([1])) AS p"},
    {analyst, "SELECT * FROM sales.Customer PIVOT (COUNT(CustomerID) FOR Segment IN ([Retail])) AS p", "accept", "SELECT TOP (1000000) Name, NameFa, JoinDateID, CreditLimit, Retail FROM (SELECT CustomerID, Name, NameFa, Segment, JoinDateID, CreditLimit FROM SalesDb.sales.Customer) AS Customer PIVOT (COUNT(CustomerID) FOR Segment IN (Retail)) AS p"},
    {analyst, "SELECT * FROM ref.Ring FOR XML AUTO", "accept", "SELECT TOP (1000000) RingID, Name, NameEn, Code FROM SalesDb.ref.Ring AS [ref.Ring] FOR XML AUTO"},
    {analyst, "SELECT CustomerID FROM sales.Customer FOR SYSTEM_TIME ALL", "refuse:unsupported_construct", "FOR SYSTEM_TIME is not supported."},
    {analyst, "SELECT $IDENTITY FROM sales.Customer", "refuse:unsupported_construct", "Pseudo columns such as $IDENTITY and $ROWGUID are not supported."},
    // row filters
    {broker7, "SELECT OrderID FROM sales.[Order] WHERE 1 = 1 OR OrderID > 0", "accept", "SELECT TOP (1000000) OrderID FROM (SELECT OrderID, CustomerID, BrokerID, RingID, SymbolID, SupplierID, CurrencyID, OrderDateID, DeliveryDateID, StatusID, Quantity, UnitPrice, Discount, TotalPrice, IsExport, Notes, CreatedAt FROM SalesDb.sales.[Order] WHERE BrokerID = 7) AS [Order] WHERE 1 = 1 OR OrderID > 0"},
    {broker7, "SELECT r.Name FROM ref.Ring AS r LEFT JOIN sales.[Order] AS o ON o.RingID = r.RingID", "accept", "SELECT TOP (1000000) r.Name FROM SalesDb.ref.Ring AS r LEFT JOIN (SELECT OrderID, CustomerID, BrokerID, RingID, SymbolID, SupplierID, CurrencyID, OrderDateID, DeliveryDateID, StatusID, Quantity, UnitPrice, Discount, TotalPrice, IsExport, Notes, CreatedAt FROM SalesDb.sales.[Order] WHERE BrokerID = 7) AS o ON o.RingID = r.RingID"},
    {broker7, "SELECT o.BrokerID FROM (SELECT 7 AS BrokerID, OrderID FROM sales.[Order]) AS o", "accept", "SELECT TOP (1000000) o.BrokerID FROM (SELECT 7 AS BrokerID, OrderID FROM (SELECT OrderID, CustomerID, BrokerID, RingID, SymbolID, SupplierID, CurrencyID, OrderDateID, DeliveryDateID, StatusID, Quantity, UnitPrice, Discount, TotalPrice, IsExport, Notes, CreatedAt FROM SalesDb.sales.[Order] WHERE BrokerID = 7) AS [Order]) AS o"},
    {broker7, "WITH x AS (SELECT OrderID FROM sales.[Order]) SELECT a.OrderID FROM x AS a JOIN x AS b ON b.OrderID = a.OrderID", "accept", "WITH x AS (SELECT OrderID FROM (SELECT OrderID, CustomerID, BrokerID, RingID, SymbolID, SupplierID, CurrencyID, OrderDateID, DeliveryDateID, StatusID, Quantity, UnitPrice, Discount, TotalPrice, IsExport, Notes, CreatedAt FROM SalesDb.sales.[Order] WHERE BrokerID = 7) AS [Order]) SELECT TOP (1000000) a.OrderID FROM x AS a INNER JOIN x AS b ON b.OrderID = a.OrderID"},
    {broker7, "SELECT COUNT(*) FROM sales.[Order] WITH (NOLOCK)", "accept", "SELECT COUNT(*) FROM (SELECT OrderID, CustomerID, BrokerID, RingID, SymbolID, SupplierID, CurrencyID, OrderDateID, DeliveryDateID, StatusID, Quantity, UnitPrice, Discount, TotalPrice, IsExport, Notes, CreatedAt FROM SalesDb.sales.[Order] WITH (NOLOCK) WHERE BrokerID = 7) AS [Order]"},
    // clang-format on
};

std::string verdict_of(const guard::verdict& v) {
  switch (v.kind) {
    case guard::verdict_kind::accept: return "accept";
    case guard::verdict_kind::local: return "local";
    case guard::verdict_kind::refuse: break;
  }
  return "refuse:" + std::string(name_of(v.code));
}

std::string text_of(const guard::verdict& v) {
  return v.kind == guard::verdict_kind::accept  ? v.printed
         : v.kind == guard::verdict_kind::local ? v.action
                                                : v.message;
}

guard::verdict checked(const std::string& text, const guard::check_options& options = {}) {
  return guard::check(text, test::demo_policy("analyst"), options);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(guard_rules)

BOOST_AUTO_TEST_CASE(verdicts) {
  for (const auto& row : rows) {
    const auto v = guard::check(row.statement, test::demo_policy(row.principal));
    BOOST_TEST(verdict_of(v) == row.verdict, row.statement << " -> " << verdict_of(v) << " " << text_of(v));
    BOOST_TEST(text_of(v) == row.text);
  }
}

BOOST_AUTO_TEST_CASE(generated_sql_is_one_select_over_a_table) {
  guard::check_options generated;
  generated.profile = guard::profile::generated;
  const struct {
    const char* statement;
    const char* verdict;
  } cases[] = {
      {"SELECT Name FROM ref.Ring", "accept"},
      {"SELECT Name FROM ref.Ring;", "accept"},
      {"SELECT Name FROM ref.Ring -- x", "refuse:comment_present"},
      {"SELECT Name /* x */ FROM ref.Ring", "refuse:comment_present"},
      {"SELECT N'-- x' FROM ref.Ring", "accept"},
      {"SELECT 1", "refuse:no_table_reference"},
      {"SELECT name FROM sys.objects", "refuse:system_object"},
      {"SELECT DB_NAME() FROM ref.Ring", "refuse:function_not_allowed"},
      {"SELECT Name FROM ref.Ring; SELECT Name FROM ref.Ring", "refuse:multiple_statements"},
      {"DELETE FROM ref.Ring", "refuse:not_read_only"},
      {"SET NOCOUNT ON", "refuse:not_read_only"},
  };
  for (const auto& c : cases) {
    const auto v = checked(c.statement, generated);
    BOOST_TEST(verdict_of(v) == c.verdict, c.statement << " -> " << verdict_of(v) << " " << text_of(v));
  }
  BOOST_TEST(checked("SELECT Name FROM ref.Ring", generated).printed ==
             "SELECT TOP (10000) Name FROM SalesDb.ref.Ring");
}

BOOST_AUTO_TEST_CASE(options_change_the_print) {
  guard::check_options options;
  options.nolock = true;
  options.row_cap = 5;
  options.parameters = {{"@n", sql_type{sql_type_id::int_}}, {"@name", sql_type{sql_type_id::nvarchar, 40}}};
  BOOST_TEST(
      checked("SELECT Name FROM ref.Broker WHERE Name = @name", options).printed ==
      "SELECT TOP (5) Name FROM (SELECT BrokerID, Name, NameFa, LicenseNo, LocationID FROM SalesDb.ref.Broker WITH "
      "(NOLOCK)) AS Broker WHERE Name = @name");
  const auto v = checked("SELECT TOP (@n) Name FROM ref.Ring", options);
  BOOST_TEST(v.printed == "SELECT TOP (CASE WHEN @n > 5 THEN 5 ELSE @n END) Name FROM SalesDb.ref.Ring WITH (NOLOCK)");
  BOOST_TEST_REQUIRE(v.parameters.size() == 1u);
  BOOST_TEST(v.parameters[0] == "@n");
  options.row_cap = 0;
  BOOST_TEST(checked("SELECT Name FROM ref.Ring", options).printed ==
             "SELECT Name FROM SalesDb.ref.Ring WITH (NOLOCK)");
  options.database = "OtherDb";
  BOOST_TEST(verdict_of(checked("SELECT Name FROM ref.Ring", options)) == "refuse:unknown_table");
  options.quoted_identifier = false;
  options.database = "";
  BOOST_TEST(checked("SELECT \"x\" FROM ref.Ring", options).printed ==
             "SELECT 'x' FROM SalesDb.ref.Ring WITH (NOLOCK)");
}

BOOST_AUTO_TEST_CASE(verdict_describes_the_result) {
  const auto v =
      guard::check("SELECT o.OrderID, SUM(o.TotalPrice) AS s, COUNT(*) FROM sales.[Order] o GROUP BY o.OrderID",
                   test::demo_policy("broker7"));
  BOOST_TEST_REQUIRE(v.columns.size() == 3u);
  BOOST_TEST(v.columns[0].name == "OrderID");
  BOOST_TEST(to_string(v.columns[0].type) == "bigint");
  BOOST_TEST(v.columns[1].name == "s");
  BOOST_TEST(to_string(v.columns[1].type) == "decimal(38,4)");
  BOOST_TEST(v.columns[2].name.empty());
  BOOST_TEST(v.has_row_filter);
  BOOST_TEST(v.reads_tables);
  BOOST_TEST_REQUIRE(v.tables.size() == 1u);
  BOOST_TEST(v.tables[0] == "sales.Order");
  BOOST_TEST(v.datasource == "warehouse");
}

BOOST_AUTO_TEST_CASE(place_of_a_refusal) {
  const auto v = checked("SELECT Name,\n       Colour\nFROM ref.Ring");
  BOOST_TEST(v.line == 2u);
  BOOST_TEST(v.column == 8u);
  BOOST_TEST(v.rule == "bind");
}

BOOST_AUTO_TEST_CASE(lines_and_explanations) {
  const auto& p = test::demo_policy("analyst");
  BOOST_TEST(guard::guard_line("a\tSELECT Name\\nFROM ref.Ring\tmore", p) ==
             "a\taccept\t-\tSELECT TOP (1000000) Name FROM SalesDb.ref.Ring");
  BOOST_TEST(guard::guard_line("b\tSELECT Name FROM hr.Salary", p) ==
             "b\trefuse\tunknown_table\tInvalid object name 'hr.Salary'.");
  BOOST_TEST(guard::guard_line("c\tSET NOCOUNT ON", p) == "c\tlocal\t-\tkeeps the session's setting");
  BOOST_TEST(guard::unescape_statement(guard::escape_statement("a\nb\tc\\d\r")) == "a\nb\tc\\d\r");
  const auto e = guard::explain("SELECT Phone FROM ref.Broker", p);
  BOOST_TEST(e.verdict == "refuse");
  BOOST_TEST(e.reason == "denied_column");
  BOOST_TEST(e.rule == "columns");
  BOOST_TEST(guard::explain("SELECT Name FROM ref.Ring", p).rewritten.find("FROM SalesDb.ref.Ring") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
