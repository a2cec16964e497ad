// model_server PORT SCRIPT.json: serves the script on 127.0.0.1 until it is terminated.
// PORT 0 takes a free one; the first line of output is "port <n>", then one line per request: "<method> <path>".
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/support/model_server.h"

namespace {
volatile std::sig_atomic_t stop = 0;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: model_server PORT SCRIPT.json\n");
    return 2;
  }
  try {
    std::ifstream file(argv[2]);
    if (!file) throw std::runtime_error(std::string("cannot read ") + argv[2]);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    dragoman::test::model_server server(dragoman::test::parse_script(text),
                                        static_cast<unsigned short>(std::atoi(argv[1])));
    std::signal(SIGTERM, [](int) { stop = 1; });
    std::signal(SIGINT, [](int) { stop = 1; });
    std::printf("port %u\n", server.port());
    std::fflush(stdout);
    std::size_t shown = 0;
    while (stop == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const auto requests = server.requests();
      for (; shown < requests.size(); ++shown)
        std::printf("%s %s\n", requests[shown].method.c_str(), requests[shown].path.c_str());
      std::fflush(stdout);
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "model_server: %s\n", e.what());
    return 1;
  }
}
