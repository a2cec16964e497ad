// One value on its way from any thread to a coroutine: the coroutine takes it, whoever has it puts it, once.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <utility>

namespace dragoman::proxy {

template <class T>
class one_shot {
  struct state {
    explicit state(const boost::asio::any_io_executor& e) : executor(e), timer(e) {}
    boost::asio::any_io_executor executor;
    boost::asio::steady_timer timer;
    std::optional<T> value;
  };

 public:
  explicit one_shot(const boost::asio::any_io_executor& executor) : state_(std::make_shared<state>(executor)) {}

  // Callable from any thread, once. Gives its hold on the state away with the value, so that nothing of the
  // coroutine's executor is left behind in the thread that called.
  class sender {
   public:
    explicit sender(std::shared_ptr<state> s) : state_(std::move(s)) {}
    void operator()(T value) {
      const auto executor = state_->executor;
      boost::asio::post(executor, [held = std::move(state_), value = std::move(value)]() mutable {
        held->value = std::move(value);
        held->timer.cancel();
      });
    }

   private:
    std::shared_ptr<state> state_;
  };
  sender put() { return sender(state_); }

  boost::asio::awaitable<T> take() {
    const auto held = state_;
    while (!held->value) {
      boost::system::error_code ignored;
      held->timer.expires_at(boost::asio::steady_timer::time_point::max());
      co_await held->timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    co_return std::move(*held->value);
  }

 private:
  std::shared_ptr<state> state_;
};

}  // namespace dragoman::proxy
