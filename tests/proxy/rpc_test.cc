// Calls of system procedures through the gateway: what comes back beside rows, and the state that drivers count on.
#include <boost/test/unit_test.hpp>

#include "tests/proxy/raw_session.h"

using namespace dragoman::proxy::test;
using raw::ends_with;
using raw::has;
using raw::text;
namespace tds = dragoman::tds;

namespace {

std::string null_text() {
  return "00 00 E7 401F 0904D00034 FFFF ";
}
std::string named_out(const std::string& name, std::int64_t value) {
  char size[3];
  std::snprintf(size, sizeof size, "%02X", static_cast<unsigned>(name.size()) & 255u);
  return std::string(size) + " '" + name + "' 01 26 04 04 " + hex_of(value) + " ";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(calls)

BOOST_AUTO_TEST_CASE(output_parameters_and_return_status) {
  raw_session c(shared_gateway());
  const std::string count = "SELECT @n = COUNT(*) FROM ref.Ring WHERE RingID <= @most";
  const raw::answer a = c.rpc("FFFF 0A00 0000 " + in_text(count) + in_text("@n int OUTPUT, @most int") +
                              named_out("@n", 0) + "05 '@most' 00 26 04 04 05000000");
  BOOST_TEST(
      ends_with(a, "79 00000000 AC 0200 02 '@n' 01 00000000 0100 26 04 04 05000000 FE 0000 E000 0000000000000000"));
  // Not asked for as OUTPUT: not sent.
  BOOST_TEST(
      !has(c.rpc("FFFF 0A00 0000 " + in_text(count) + in_text("@n int OUTPUT, @most int") + in_int(0) + in_int(5)),
           "AC 0200"));
  // sp_prepexec: the handle first, then the parameters, counted among the call's.
  const raw::answer prepared = c.rpc("FFFF 0D00 0000 " + out_int(0) + in_text("@n int OUTPUT, @most int") +
                                     in_text(count) + out_int(0) + in_int(3));
  BOOST_TEST(ends_with(prepared,
                       "79 00000000 AC 0000 06 'handle' 01 00000000 0100 26 04 04 01000000 AC 0300 02 '@n' 01 "
                       "00000000 0100 26 04 04 03000000 FE 0000 E000 0000000000000000"));
  BOOST_TEST(ends_with(c.rpc("FFFF 0C00 0000 " + in_int(1) + out_int(0) + in_int(2)),
                       "79 00000000 AC 0100 02 '@n' 01 00000000 0100 26 04 04 02000000 FE 0000 E000 0000000000000000"));
}

// A statement that fails when it is prepared and run at once: its error, a status that is not 0, and a handle that can
// be given back.
BOOST_AUTO_TEST_CASE(what_fails_while_it_is_prepared) {
  raw_session c(shared_gateway());
  const raw::answer a = c.rpc("FFFF 0D00 0000 " + out_int(0) + null_text() + in_text("SELECT x FROM hr.NoSuchTable"));
  BOOST_TEST(has_error(a, 208));
  BOOST_TEST(ends_with(a,
                       "79 01000000 AC 0000 06 'handle' 01 00000000 0100 26 04 04 01000000 FE 0000 E000 "
                       "0000000000000000"));
  BOOST_TEST(has_error(c.rpc("FFFF 0C00 0000 " + in_int(1)), 208));
  BOOST_TEST(ends_with(c.rpc("FFFF 0F00 0000 " + in_int(1)), done_ok));
  // A handle that the next sp_prepexec replaces is gone, whatever becomes of the new one.
  c.rpc("FFFF 0D00 0000 " + out_int(0) + null_text() + in_text("SELECT 1 AS n"));
  c.rpc("FFFF 0D00 0000 " + out_int(2) + null_text() + in_text("SELECT x FROM hr.NoSuchTable"));
  BOOST_TEST(has_error(c.rpc("FFFF 0C00 0000 " + in_int(2)), 8179));
  BOOST_TEST(ends_with(c.batch("SELECT 1 AS n"), "FD 1000 C100 0100000000000000"));
}

// One call of several fails: the others are answered, and each has its own end.
BOOST_AUTO_TEST_CASE(several_calls_of_which_one_fails) {
  raw_session c(shared_gateway());
  const auto call = [](const std::string& sql) { return "FFFF 0A00 0000 " + in_text(sql); };
  const raw::answer a =
      c.rpc(call("SELECT 1 AS n") + "FF " + call("SELECT x FROM hr.nowhere") + "FF " + call("SELECT 3 AS n"));
  BOOST_TEST(has(a, "D1 01000000 FF 1100 C100 0100000000000000 79 00000000 FE 0100 E000 0000000000000000"));
  BOOST_TEST(has_error(a, 208));
  BOOST_TEST(has(a, "FF 0300 C100 0000000000000000 79 01000000 FE 0100 E000 0000000000000000"));
  BOOST_TEST(ends_with(a, "D1 03000000 FF 1100 C100 0100000000000000 79 00000000 FE 0000 E000 0000000000000000"));
}

// Autocommit off as mssql-jdbc and jTDS do it: the first SELECT of the warehouse opens a transaction, with a descriptor
// that the client gives back in its headers; nothing of it reaches the warehouse.
BOOST_AUTO_TEST_CASE(implicit_transactions) {
  raw_session c(shared_gateway());
  const std::string select = "SELECT cu.Code FROM ref.Currency AS cu WHERE cu.CurrencyID = 2";
  BOOST_TEST(ends_with(c.batch("set implicit_transactions on "), "FD 0000 BE00 0000000000000000"));
  const raw::answer first = c.batch(select);
  BOOST_TEST(text(first).starts_with(tds::testing::shown_hex("E3 0B00 08 08 0100000000000000 00 81")));
  BOOST_TEST(ends_with(first, "FD 1400 C100 0100000000000000"));
  BOOST_TEST(!has(c.batch(select), "E3 0B00 08"));  // one transaction
  const raw::answer ended = c.batch("IF @@TRANCOUNT > 0 COMMIT TRAN");
  BOOST_TEST(text(ended) == tds::testing::shown_hex("E3 0B00 09 00 08 0100000000000000 FD 0000 D500 0000000000000000"));
  BOOST_TEST(has(c.batch("SELECT @@TRANCOUNT AS n"), "D1 00000000 FD"));
  BOOST_TEST(has(c.batch(select), "E3 0B00 08 08 0200000000000000 00"));
  BOOST_TEST(has(c.batch("IF @@TRANCOUNT > 0 ROLLBACK TRAN"), "E3 0B00 0A 00 08 0200000000000000"));
  // A reset turns it off, with its transaction.
  c.batch(select);
  c.send_batch(select, 0x09);
  const raw::answer reset = c.receive_message();
  BOOST_TEST(text(reset).starts_with(tds::testing::shown_hex("E3 0300 12 00 00 E3 0B00 0A 00 08 0300000000000000 81")));
  BOOST_TEST(ends_with(reset, "FD 1000 C100 0100000000000000"));
}

BOOST_AUTO_TEST_SUITE_END()
