#include "tds/server/server.h"

#include <sys/stat.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "tds/server/connection.h"
#include "tds/server/runtime.h"

namespace dragoman::tds::server {

using asio::ip::tcp;

struct server::impl {
  impl(server_options options, handler& h) : shared(std::move(options)) { shared.program = &h; }

  runtime shared;
  std::vector<std::unique_ptr<io_thread>> threads;
  std::vector<std::unique_ptr<tcp::acceptor>> acceptors;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards;
  std::size_t next_thread = 0;
  std::uint16_t port = 0;
  bool stopped = false;

  result<void> listen();
  asio::awaitable<void> accept(tcp::acceptor& acceptor);
  static asio::awaitable<void> tick(io_thread& thread);
  asio::awaitable<void> watch_certificate();
  std::string certificate_state() const;
  result<std::shared_ptr<tls_context>> load_certificate() const;
  void stop(std::chrono::milliseconds drain);
  void on_all_threads(void (*f)(connection&));
  bool wait_for_sessions(std::chrono::milliseconds at_most);
};

result<std::shared_ptr<tls_context>> server::impl::load_certificate() const {
  const server_options& o = shared.options;
  if (o.encryption == encryption_mode::not_supported) return std::shared_ptr<tls_context>{};
  const bool own = o.certificate_file.empty() && o.key_file.empty();
  auto made = own ? tls_context::self_signed(o.self_signed_path)
                  : tls_context::from_files(o.certificate_file, o.key_file.empty() ? o.certificate_file : o.key_file);
  if (made && !o.client_authorities_file.empty())
    if (auto asked = (*made)->ask_for_client_certificates(o.client_authorities_file, o.client_certificate_required);
        !asked)
      return asked.error();
  return made;
}

// What the files look like from outside; changes whenever one of them is written or replaced.
std::string server::impl::certificate_state() const {
  const server_options& o = shared.options;
  std::string out;
  for (const std::string& file : {o.certificate_file, o.key_file, o.client_authorities_file}) {
    struct stat about {};
    if (file.empty() || ::stat(file.c_str(), &about) != 0) {
      out += "-;";
      continue;
    }
    for (const long long part :
         {static_cast<long long>(about.st_ino), static_cast<long long>(about.st_size),
          static_cast<long long>(about.st_mtim.tv_sec), static_cast<long long>(about.st_mtim.tv_nsec)})
      out += std::to_string(part) + ',';
    out += ';';
  }
  return out;
}

asio::awaitable<void> server::impl::watch_certificate() {
  asio::steady_timer timer(threads[0]->loop);
  std::string used = certificate_state();
  std::string seen = used;
  for (;;) {
    timer.expires_after(shared.options.certificate_check);
    co_await timer.async_wait(asio::use_awaitable);
    const std::string now = certificate_state();
    // Certificate and key are replaced one after the other: only what stands still for one interval is read.
    const bool still = now == seen;
    seen = now;
    if (!still || now == used) continue;
    used = now;
    if (auto tls = load_certificate()) {
      shared.set_tls(*tls);
      log::info("tds: the certificate has changed and is used for new connections");
    } else {
      log::error("tds: the changed certificate is not used, the old one stays: {}", tls.error().message);
    }
  }
}

result<void> server::impl::listen() {
  constexpr int backlog = 4096;  // the kernel takes less where net.core.somaxconn says so
  port = shared.options.port;
  for (const std::string& text : shared.options.addresses) {
    boost::system::error_code ec;
    const auto address = asio::ip::make_address(text, ec);
    if (ec) return failure(errc::configuration, "'" + text + "' is no IP address to listen on.");
    const tcp::endpoint endpoint(address, port);
    auto acceptor = std::make_unique<tcp::acceptor>(threads[0]->loop);
    acceptor->open(endpoint.protocol(), ec);
    if (!ec) acceptor->set_option(tcp::acceptor::reuse_address(true), ec);
    if (!ec && address.is_v6()) acceptor->set_option(asio::ip::v6_only(true), ec);
    if (!ec) acceptor->bind(endpoint, ec);
    if (!ec) acceptor->listen(backlog, ec);
    if (ec)
      return failure(errc::io, "Cannot listen on " + text + ":" + std::to_string(port) + ": " + ec.message() + ".");
    if (port == 0) port = acceptor->local_endpoint().port();
    acceptors.push_back(std::move(acceptor));
  }
  if (acceptors.empty()) return failure(errc::configuration, "There is no address to listen on.");
  return {};
}

asio::awaitable<void> server::impl::accept(tcp::acceptor& acceptor) {
  log_limiter refusals;
  log_limiter failures(std::chrono::minutes(1));
  bool failing = false;  // and the log says so
  while (acceptor.is_open()) {
    io_thread& home = *threads[next_thread++ % threads.size()];
    boost::system::error_code ec;
    tcp::socket socket(home.loop);
    co_await acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, ec));
    if (ec == asio::error::operation_aborted || !acceptor.is_open()) co_return;
    if (ec) {
      // Out of file descriptors, or the like: waiting is all that can be done.
      if (!failing && failures.due()) {
        log::error("tds: cannot accept connections for now: {}", ec.message());
        failing = true;
      }
      asio::steady_timer pause(co_await asio::this_coro::executor, std::chrono::milliseconds(100));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
      continue;
    }
    if (failing) log::info("tds: connections are accepted again");
    failing = false;
    shared.count.accepted.fetch_add(1, std::memory_order_relaxed);
    if (shared.count.sessions.load(std::memory_order_relaxed) >= shared.options.sessions_max) {
      shared.count.refused.fetch_add(1, std::memory_order_relaxed);
      if (const auto left_out = refusals.due())
        log::warn("tds: refused a connection, {} sessions are the most ({} more since the last such line)",
                  shared.options.sessions_max, *left_out);
      socket.close(ec);
      continue;
    }
    asio::post(home.loop, [this, &home, socket = std::move(socket)]() mutable {
      if (shared.draining.load()) return;
      connection::start(std::make_shared<connection>(shared, home, std::move(socket)));
    });
  }
}

asio::awaitable<void> server::impl::tick(io_thread& thread) {
  constexpr std::chrono::milliseconds interval(200);
  asio::steady_timer timer(thread.loop);
  for (;;) {
    timer.expires_after(interval);
    co_await timer.async_wait(asio::use_awaitable);
    const auto now = steady::now();
    // A connection that is closed leaves the set only later, with its last coroutine.
    for (connection* c : thread.connections) c->check_deadlines(now);
  }
}

result<std::unique_ptr<server>> server::start(server_options options, handler& h) {
  const bool always_encrypted =
      options.encryption == encryption_mode::required || options.encryption == encryption_mode::strict;
  if (options.client_certificate_required && (!always_encrypted || options.client_authorities_file.empty()))
    return failure(errc::configuration,
                   "Client certificates can only be required where every session is encrypted and their authorities "
                   "are known.");
  auto p = std::make_unique<impl>(std::move(options), h);
  auto tls = p->load_certificate();
  if (!tls) return tls.error();
  p->shared.set_tls(*tls);
  unsigned count = p->shared.options.threads;
  if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) p->threads.push_back(std::make_unique<io_thread>());
  if (auto listening = p->listen(); !listening) return listening.error();
  for (auto& thread : p->threads) {
    p->guards.push_back(asio::make_work_guard(thread->loop));
    asio::co_spawn(thread->loop, impl::tick(*thread), asio::detached);
  }
  if (*tls && p->shared.options.certificate_check.count() > 0 && !p->shared.options.certificate_file.empty())
    asio::co_spawn(p->threads[0]->loop, p->watch_certificate(), asio::detached);
  for (auto& acceptor : p->acceptors) asio::co_spawn(p->threads[0]->loop, p->accept(*acceptor), asio::detached);
  for (auto& thread : p->threads) {
    io_thread* t = thread.get();
    thread->thread = std::thread([t] {
      for (;;) {
        try {
          t->loop.run();
          return;
        } catch (const std::exception& e) {
          log::error("tds: a defect reached an event loop: {}", e.what());
        }
      }
    });
  }
  return std::unique_ptr<server>(new server(std::move(p)));
}

void server::impl::on_all_threads(void (*f)(connection&)) {
  for (auto& thread : threads) {
    io_thread* t = thread.get();
    asio::post(t->loop, [t, f] {
      const std::vector<connection*> now(t->connections.begin(), t->connections.end());
      for (connection* c : now) f(*c);
    });
  }
}

bool server::impl::wait_for_sessions(std::chrono::milliseconds at_most) {
  const auto end = steady::now() + at_most;
  while (shared.count.sessions.load() != 0) {
    if (steady::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

void server::impl::stop(std::chrono::milliseconds drain) {
  if (stopped) return;
  stopped = true;
  shared.draining.store(true);
  asio::post(threads[0]->loop, [this] {
    for (auto& acceptor : acceptors) {
      boost::system::error_code ignored;
      acceptor->close(ignored);
    }
  });
  if (drain.count() > 0) {
    on_all_threads([](connection& c) { c.drain(); });
    if (!wait_for_sessions(drain))
      log::warn("tds: {} sessions still ran after the drain, cut", shared.count.sessions.load());
  }
  on_all_threads([](connection& c) { c.cut(); });
  bool ended = true;
  for (int i = 0; i < 6 && !(ended = wait_for_sessions(std::chrono::seconds(5))); ++i)
    log::error("tds: {} requests do not end", shared.count.running.load());
  for (auto& thread : threads) thread->loop.stop();
  for (auto& thread : threads)
    if (thread->thread.joinable()) thread->thread.join();
  // A request that never ended may still be woken by its worker: its loop must outlive it.
  if (!ended)
    for (auto& thread : threads) thread.release();
}

server::server(std::unique_ptr<impl> p) : impl_(std::move(p)) {}

server::~server() {
  stop(std::chrono::milliseconds(0));
}

std::uint16_t server::port() const noexcept {
  return impl_->port;
}

void server::stop(std::chrono::milliseconds drain) {
  impl_->stop(drain);
}

result<void> server::reload_certificate() {
  auto tls = impl_->load_certificate();
  if (!tls) return tls.error();
  impl_->shared.set_tls(*tls);
  return {};
}

server_stats server::stats() const noexcept {
  const counters& c = impl_->shared.count;
  server_stats s;
  s.accepted = c.accepted;
  s.refused = c.refused;
  s.logins = c.logins;
  s.failed_logins = c.failed_logins;
  s.throttled_logins = c.throttled_logins;
  s.sessions = c.sessions;
  s.requests = c.requests;
  s.running = c.running;
  s.violations = c.violations;
  s.attentions = c.attentions;
  s.bytes_in = c.bytes_in;
  s.bytes_out = c.bytes_out;
  return s;
}

}  // namespace dragoman::tds::server
