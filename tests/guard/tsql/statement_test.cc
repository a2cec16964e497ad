#include "tests/guard/tsql/round_trip.h"

namespace {

using namespace dragoman;
using namespace dragoman::tsql;
using namespace dragoman::tsql::testing;

// Kinds of the statements of a batch, joined by commas; their prints must parse to an equal batch.
std::string batch_kinds(std::string_view text) {
  const auto b = parse_batch(text);
  if (!b) return "error: " + b.error().message;
  std::string kinds;
  bool all_known = true;
  for (const statement& s : b->statements) {
    if (!kinds.empty()) kinds += ", ";
    kinds += kind_name(s);
    all_known = all_known && !s.as<other_statement>();
  }
  if (all_known) {
    const std::string printed = print(*b);
    const auto again = parse_batch(printed);
    BOOST_TEST_REQUIRE(again.has_value(), printed << ": " << (again ? "" : again.error().message));
    BOOST_TEST((*again == *b), printed);
    BOOST_TEST(print(*again) == printed);
  }
  return kinds;
}

BOOST_AUTO_TEST_SUITE(tsql_statements)

BOOST_AUTO_TEST_CASE(kinds_of_statements) {
  const example cases[] = {
      {"", ""},
      {"SELECT 1", "SELECT"},
      {"SELECT 1 SELECT 2; SELECT 3", "SELECT, SELECT, SELECT"},
      {"WITH a AS (SELECT 1 AS x) SELECT x FROM a; SELECT 2", "SELECT, SELECT"},
      {"DECLARE @a int = 1, @b AS nvarchar(max) SET @a += 2 SELECT @a = b FROM t", "DECLARE, SET, SELECT"},
      {"DECLARE @t TABLE (i int IDENTITY(1, 1) NOT NULL PRIMARY KEY, n AS i + 1, UNIQUE (n DESC))", "DECLARE"},
      {"SET NOCOUNT ON SET ANSI_NULLS, QUOTED_IDENTIFIER OFF", "SET, SET"},
      {"SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; SET LOCK_TIMEOUT -1; SET DATEFORMAT dmy; SET LANGUAGE N'x "
       "y'; SET ROWCOUNT 0",
       "SET, SET, SET, SET, SET"},
      {"SET STATISTICS IO, TIME ON; SET IDENTITY_INSERT s.t ON; SET CONTEXT_INFO 0x01", "SET, SET, SET"},
      {"IF EXISTS (SELECT 1) SELECT 1 ELSE SELECT 2", "IF"},
      {"IF @a = 1 BEGIN SELECT 1; SELECT 2 END ELSE IF @a = 2 PRINT 'x'; WHILE 1 = 1 BREAK", "IF, WHILE"},
      {"BEGIN TRY SELECT 1 END TRY BEGIN CATCH THROW; END CATCH RETURN", "BEGIN TRY, RETURN"},
      {"BEGIN TRAN SELECT 1 COMMIT; BEGIN TRANSACTION x; SAVE TRAN y; ROLLBACK TRAN y; ROLLBACK WORK",
       "BEGIN TRANSACTION, SELECT, COMMIT, BEGIN TRANSACTION, SAVE TRANSACTION, ROLLBACK, ROLLBACK"},
      {"PRINT N'a' + @b; RAISERROR('x', 16, 1) WITH NOWAIT; THROW 50000, 'x', 1; USE [a b]",
       "PRINT, RAISERROR, THROW, USE"},
      {"EXEC sp_who", "EXECUTE"},
      {"sp_help 't'", "EXECUTE"},
      {"EXEC @r = s.p 1, @x = N'y', @z = @w OUTPUT, @d = DEFAULT, bare; EXECUTE ('SELECT ' + @c)", "EXECUTE, EXECUTE"},
      {"nlq.ask N'how many', @mode = 'sql'", "EXECUTE"},
      {"EXEC nlq.set 'messages', 'off'", "EXECUTE"},
      {"EXEC NLQ.save N'mine', N'total sales'", "EXECUTE"},
      {"CREATE TABLE #t (i int NOT NULL, n nvarchar(10) COLLATE x DEFAULT 'a' CHECK (n <> 'b')) INSERT INTO #t (i, n) "
       "VALUES (1, DEFAULT), (2, 'b') INSERT #t SELECT 1, 'x' DROP TABLE IF EXISTS #t, #u",
       "CREATE TABLE, INSERT, INSERT, DROP TABLE"},
      {"INSERT INTO #t EXEC p 1; INSERT @t DEFAULT VALUES", "INSERT, INSERT"},
      {"SELECT 1 INTO #t", "SELECT"},
      {"DELETE FROM t WHERE a IN (SELECT 1) SELECT 2", "DELETE, SELECT"},
      {"UPDATE t SET a = 1 WHERE b = 2; SELECT 1", "UPDATE, SELECT"},
      {"BEGIN UPDATE t SET a = CASE WHEN b = 1 THEN 2 ELSE 3 END, c = 4 END SELECT 1", "BEGIN, SELECT"},
      {"SET TRAN ISOLATION LEVEL SNAPSHOT", "SET"},
      {"MERGE t USING u ON 1 = 1 WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1); "
       "SELECT 1",
       "MERGE, SELECT"},
      {"WITH c AS (SELECT 1 AS a) DELETE FROM c; SELECT 1", "WITH, SELECT"},
      {"ALTER TABLE t ADD c int; GRANT SELECT ON t TO u; SELECT 1", "ALTER TABLE, GRANT, SELECT"},
      {"CREATE PROCEDURE p AS BEGIN SELECT 1; DELETE FROM t END SELECT 2", "CREATE PROCEDURE"},
      {"INSERT TOP (1) INTO t OUTPUT inserted.a SELECT 1", "INSERT"},
      {"WAITFOR DELAY '00:00:01' SELECT 1", "WAITFOR, SELECT"},
      {"again: GOTO again", "LABEL, GOTO"},
      {"DECLARE c CURSOR FOR SELECT 1 OPEN c FETCH NEXT FROM c CLOSE c DEALLOCATE c",
       "DECLARE, OPEN, FETCH, CLOSE, DEALLOCATE"},
      {"DECLARE @i int, @c CURSOR SELECT 1", "DECLARE, SELECT"},
      {"CREATE TABLE t (i int) ON [PRIMARY] WITH (DATA_COMPRESSION = PAGE); SELECT 1", "CREATE TABLE, SELECT"},
      {"EXEC p WITH RECOMPILE; EXEC p WITH RESULT SETS NONE; DROP DATABASE IF EXISTS d",
       "EXECUTE, EXEC, DROP DATABASE"},
      {"ENABLE TRIGGER a ON t", "ENABLE"},
      {"KILL 52", "KILL"},
      {"SELECT 1 FROM", "error: Incorrect syntax near the keyword 'FROM'."},
      {"SELECT 1; p 2", "error: Incorrect syntax near 'p'."},
      {"IF 1 SELECT 1",
       "error: An expression of non-boolean type specified in a context where a condition is expected, near 'SELECT'."},
      {"BEGIN SELECT 1", "error: Incorrect syntax near '1'."},
      {"END", "error: Incorrect syntax near the keyword 'END'."},
  };
  for (const example& c : cases)
    BOOST_TEST(batch_kinds(c.input) == c.expected, c.input << " -> " << batch_kinds(c.input));
}

BOOST_AUTO_TEST_CASE(parts_of_statements) {
  const auto b = parse_batch("EXEC nlq.ask N'how many', @mode = 'sql'; SET NOCOUNT ON");
  BOOST_REQUIRE(b.has_value());
  const auto* execute = b->statements[0].as<execute_statement>();
  BOOST_REQUIRE(execute != nullptr);
  BOOST_TEST(print(execute->procedure) == "nlq.ask");
  BOOST_TEST(execute->arguments[1].parameter == "@mode");
  BOOST_TEST(print(*execute->arguments[0].value) == "N'how many'");
  const auto* option = b->statements[1].as<set_option_statement>();
  BOOST_REQUIRE(option != nullptr);
  BOOST_TEST(option->options.front() == "NOCOUNT");
  BOOST_TEST(option->values.front() == "ON");
  BOOST_TEST(b->statements[0].end_offset == 39u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
