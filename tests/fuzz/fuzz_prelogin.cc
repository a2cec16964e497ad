// Any bytes as packets, the message as PRELOGIN; an answer must always be one that a strict client can read.
#include <cstdlib>

#include "tds/packet.h"
#include "tds/prelogin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  using namespace dragoman::tds;
  message_assembler in;
  byte_span rest(data, size);
  while (!rest.empty() && !in.failed()) {
    rest = rest.subspan(in.feed(rest));
    if (in.complete()) in.take();
  }
  const auto request = parse_prelogin({data, size});
  if (!request) return 0;
  for (const auto policy : {encryption_policy::available, encryption_policy::preferred, encryption_policy::forced,
                            encryption_policy::none}) {
    byte_writer out;
    write_prelogin_answer(out, *request, answer_encryption(*request, policy), 16, 0, 4165);
    if (!parse_prelogin(out.view())) std::abort();
  }
  return 0;
}
