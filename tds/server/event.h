// A flag that a coroutine can wait for; both sides on the same thread. One waiter at a time.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <utility>

namespace dragoman::tds::server {

class event {
 public:
  explicit event(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // Returns at once if set since the last wait.
  boost::asio::awaitable<void> wait() {
    if (!set_) {
      co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
          [this](auto handler) {
            // Shared because std::function wants a copyable target; any_completion_handler recurses without end when
            // it is posted (Boost 1.81).
            waiter_ = [h = std::make_shared<decltype(handler)>(std::move(handler))] { (*h)(); };
          },
          boost::asio::use_awaitable);
    }
    set_ = false;
  }

  void set() {
    set_ = true;
    if (!waiter_) return;
    // Inside a lambda: Asio 1.26 would wrap the erased handler in itself without end.
    boost::asio::post(executor_, [waiter = std::move(waiter_)]() mutable { std::move(waiter)(); });
    waiter_ = nullptr;
  }

  // The same without a turn of the loop: the waiter goes on within this call, until it waits again. Whatever it may
  // have ended by then, the caller must look at anew.
  void set_and_run() {
    set_ = true;
    if (!waiter_) return;
    const std::function<void()> waiter = std::exchange(waiter_, nullptr);
    waiter();
  }

 private:
  boost::asio::any_io_executor executor_;
  std::function<void()> waiter_;
  bool set_ = false;
};

}  // namespace dragoman::tds::server
