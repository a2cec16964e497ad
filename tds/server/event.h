// A flag that a coroutine can wait for; both sides on the same thread. One waiter at a time.
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace dragoman::tds::server {

class event {
 public:
  explicit event(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // Returns at once if set since the last wait.
  boost::asio::awaitable<void> wait() {
    if (!set_) {
      co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
          [this](auto handler) { waiter_ = boost::asio::any_completion_handler<void()>(std::move(handler)); },
          boost::asio::use_awaitable);
    }
    set_ = false;
  }

  void set() {
    set_ = true;
    if (waiter_) boost::asio::post(executor_, std::exchange(waiter_, {}));
  }

 private:
  boost::asio::any_io_executor executor_;
  boost::asio::any_completion_handler<void()> waiter_;
  bool set_ = false;
};

}  // namespace dragoman::tds::server
