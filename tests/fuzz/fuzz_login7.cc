// Any bytes as LOGIN7; what is accepted must be answered.
#include <cstdlib>

#include "tds/login7.h"
#include "tds/login_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  using namespace dragoman::tds;
  const auto login = parse_login7({data, size});
  if (!login) return 0;
  const wire_profile profile = profile_of(*login, negotiate_packet_size(login->packet_size, 32767), collation{});
  if (profile.packet_size < 512 || profile.packet_size > 32767) std::abort();
  byte_writer out;
  write_login_answer(out, *login, profile,
                     {login->database, "us_english", login->server, "Microsoft SQL Server", {16, 0, 16, 69}});
  if (out.failed() || out.empty()) std::abort();
  return 0;
}
