// 100,000 connects with wrong passwords, as many at once as the server holds: how fast they are turned away, what they
// cost, and whether a person still gets in meanwhile. Minutes of one core: run by hand (bench/run.sh BUILD flood).
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/measures.h"

namespace dragoman::bench {
namespace {

using steady = std::chrono::steady_clock;

// A socket whose login is on its way; read later, so that the delay of its answer holds nobody up.
int knock(std::uint16_t port, std::size_t number, const std::vector<std::uint8_t>& login) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in from{}, to{};
  from.sin_family = to.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 0x10000 + static_cast<std::uint32_t>(number % 64));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  const int on = 1;
  ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&from), sizeof from) != 0 ||
      ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0 ||
      ::send(fd, login.data(), login.size(), MSG_NOSIGNAL) < 0) {
    ::close(fd);
    return -1;
  }
  return fd;
}

// Whether the server has answered before it closed.
bool hear(int fd) {
  std::uint8_t buffer[4096];
  bool answered = false;
  for (ssize_t n; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) answered = true;
  ::close(fd);
  return answered;
}

}  // namespace

void measure_flood(const settings& s, figures& out) {
  constexpr std::size_t at_once = 6000;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  scenario world(s);
  const raw_client::login person = world.through_gateway();
  raw_client known(person);
  known.query("SELECT 1 AS n");

  const std::size_t count = s.quick ? 5000 : 100'000;
  std::vector<std::vector<std::uint8_t>> logins;
  for (const char* user : {"bench", "nobody", "sa"}) {
    raw_client::login wrong = person;
    wrong.user = user;
    wrong.password = "guess";
    logins.push_back(raw_client::login_packet(wrong));
  }
  const std::uint64_t memory = world.gateway().resident_bytes();
  const std::size_t files = world.gateway().open_files();
  const double cpu = world.gateway().cpu_seconds();
  std::atomic<bool> stop{false};
  std::vector<double> milliseconds;
  std::thread visitor([&] {
    while (!stop) {
      const auto begin = steady::now();
      if (raw_client(person).query("SELECT 1 AS n").failed) throw std::runtime_error("a query failed");
      milliseconds.push_back(std::chrono::duration<double, std::milli>(steady::now() - begin).count());
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  std::uint64_t most_memory = memory;
  std::size_t answered = 0, turned_away = 0;
  std::deque<int> waiting;
  const auto begin = steady::now();
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting.size() == at_once) {
      (hear(waiting.front()) ? answered : turned_away) += 1;
      waiting.pop_front();
    }
    const int fd = knock(world.gateway_port(), i, logins[i % logins.size()]);
    if (fd < 0)
      ++turned_away;
    else
      waiting.push_back(fd);
    if (i % 1000 == 0) most_memory = std::max(most_memory, world.gateway().resident_bytes());
  }
  for (const int fd : waiting) (hear(fd) ? answered : turned_away) += 1;
  const double seconds = std::chrono::duration<double>(steady::now() - begin).count();
  stop = true;
  visitor.join();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const auto mib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const std::string all = fmt::format("{} wrong passwords", count);
  out.add(all + ", turned away", static_cast<double>(count) / seconds * 60, "1/min", {}, s.quick ? "" : ">= 100000");
  out.add(all + ", of these closed without an answer", static_cast<double>(turned_away), "", {});
  out.add(all + ", CPU of the gateway", world.gateway().cpu_seconds() - cpu, "s");
  out.add(all + ", memory meanwhile", mib(most_memory) - mib(memory), "MiB more");
  out.add(all + ", memory after", mib(world.gateway().resident_bytes()) - mib(memory), "MiB more");
  out.add(all + ", descriptors after", static_cast<double>(world.gateway().open_files()) - static_cast<double>(files),
          "more", {}, "<= 0");
  out.add(all + ", a known login and a query meanwhile, p50", percentile(milliseconds, 0.5), "ms");
  out.add(all + ", a known login and a query meanwhile, longest", percentile(milliseconds, 1.0), "ms");
}

}  // namespace dragoman::bench
