#include "proxy/lent_relay.h"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace dragoman::proxy {
namespace {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

// Rows straight into the response.
class response_receiver final : public upstream::row_receiver {
 public:
  response_receiver(tds::server::response& out, const std::vector<bool>& computed) : out_(out), computed_(computed) {}

  upstream::row_form on_columns(const std::vector<result_column>&) override {
    using kind = upstream::row_form::kind;
    // The guard lets one SELECT through at a time: a second result set can only be the upstream's own invention.
    return {std::exchange(first_, false) ? kind::wire : kind::skip, out_.profile()};
  }
  void on_layout(const std::vector<result_column>& columns, const tds::row_layout& layout) override {
    tds::row_layout marked = layout;
    marked.mark_computed(computed_);
    out_.columns(columns, marked);
  }
  std::span<std::uint8_t> reserve(std::size_t bytes) override { return {out_.reserve_rows(bytes), bytes}; }
  void commit(std::size_t bytes, std::size_t) override { out_.commit_rows(bytes); }
  void on_result_end(std::uint64_t) override {}
  void stop() noexcept override {}

 private:
  tds::server::response& out_;
  const std::vector<bool>& computed_;
  bool first_ = true;
};

// So many bytes in a row before other sessions of the thread have their turn.
constexpr std::size_t turn_bytes = 8 * upstream::lease::pause_bytes;

}  // namespace

lent_relay::lent_relay(upstream::lease lent, tds::server::response& out, std::vector<bool> computed)
    : lease_(std::move(lent)), out_(out), computed_(std::move(computed)) {}

lent_relay::~lent_relay() {
  if (state_) let_go();
}

void lent_relay::let_go() noexcept {
  if (std::exchange(state_->ended, true)) return;
  state_->timer.cancel();
  state_->watch.forget(state_->socket);
}

void lent_relay::interrupt() noexcept {
  if (!state_ || state_->ended) return;
  state_->stop = errc::cancelled;
  state_->wake.set();
}

// One timer a statement: when it fires while the client was the slow one, it is set again for what is left.
void lent_relay::arm(const std::shared_ptr<state>& s) {
  s->armed = true;
  s->timer.expires_after(s->left);
  s->timer.async_wait([s](boost::system::error_code ec) {
    s->armed = false;
    if (ec || s->ended || s->stop || !s->waiting) return;
    const auto waited = steady::now() - s->waiting_since;
    if (waited < s->left) {
      s->left -= waited;
      s->waiting_since += waited;
      return arm(s);
    }
    s->stop = errc::query_timeout;
    s->wake.set();
  });
}

asio::awaitable<void> lent_relay::wait() {
  state_->waiting = true;
  state_->waiting_since = steady::now();
  if (!state_->armed) arm(state_);
  if (state_->watch.wait(state_->socket, [s = state_.get()] { s->wake.set_and_run(); }))
    co_await state_->wake.wait();
  else
    state_->stop = errc::upstream_unavailable;
  state_->waiting = false;
  const auto waited = steady::now() - state_->waiting_since;
  state_->left = waited < state_->left ? state_->left - waited : std::chrono::milliseconds(1);
}

asio::awaitable<std::optional<upstream::outcome>> lent_relay::run(const upstream::statement& statement) {
  response_receiver receiver(out_, computed_);
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  state_ = std::make_shared<state>(executor, socket_watch::of(asio::query(executor, asio::execution::context)),
                                   lease_.descriptor());
  state_->left = statement.timeout;
  if (const auto sent = lease_.send(statement, receiver); !sent) {
    if (sent.error().code == errc::upstream_unavailable) co_return std::nullopt;
    upstream::outcome end;
    end.error = sent.error();
    co_return end;
  }
  // Nothing has come yet, or the wait is over at once.
  co_await wait();
  std::size_t in_turn = 0;
  using progress = upstream::lease::progress;
  while (!state_->stop) {
    const auto begun = steady::now();
    const progress p = lease_.advance();
    if (p == progress::ended) break;
    // An upstream that is never dry has its time too.
    state_->left -= steady::now() - begun;
    if (state_->left <= steady::duration::zero()) {
      state_->stop = errc::query_timeout;
      break;
    }
    if (p == progress::dry) {
      // What has gathered goes while the upstream has nothing more.
      if (out_.has_rows()) co_await out_.flush();
      if (!state_->stop) co_await wait();
      in_turn = 0;
      continue;
    }
    co_await out_.flush_if_needed();
    in_turn += upstream::lease::pause_bytes;
    if (in_turn >= turn_bytes) {
      in_turn = 0;
      co_await asio::post(asio::use_awaitable);
    }
  }
  let_go();
  if (state_->stop) lease_.stop(*state_->stop);
  upstream::lease::ending end = lease_.finish();
  if (end.lost_early) co_return std::nullopt;
  co_return std::move(end.end);
}

}  // namespace dragoman::proxy
