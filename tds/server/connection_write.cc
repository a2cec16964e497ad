// connection: answers on their way out.
#include <boost/asio/redirect_error.hpp>

#include "base/log.h"
#include "tds/server/connection.h"

namespace dragoman::tds::server {
namespace {
constexpr std::size_t relay_blocks = 8;
}  // namespace

asio::awaitable<bool> connection::wait_writable() {
  write_deadline_ = steady::now() + shared_.options.client_write_timeout;
  boost::system::error_code ec;
  co_await socket_.async_wait(asio::socket_base::wait_write, asio::redirect_error(asio::use_awaitable, ec));
  write_deadline_ = never;
  co_return !ec && !gone_;
}

asio::awaitable<bool> connection::send_raw(byte_span bytes) {
  while (!bytes.empty()) {
    if (gone_) co_return false;
    boost::system::error_code ec;
    const std::size_t count = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), ec);
    if (ec == asio::error::would_block || ec == asio::error::try_again) {
      if (!co_await wait_writable()) co_return false;
      continue;
    }
    if (ec) {
      lose(reason_write);
      co_return false;
    }
    shared_.count.bytes_out.fetch_add(count, std::memory_order_relaxed);
    bytes = bytes.subspan(count);
  }
  co_return true;
}

asio::awaitable<bool> connection::transmit(std::span<const byte_span> pieces, std::size_t total, bool last,
                                           packet_type type) {
  if (gone_) co_return false;
  packet_output packets(pieces, total, profile_.packet_size, last, type, spid_,
                        static_cast<std::uint8_t>(packet_id_ + 1));
  packet_id_ = last ? std::uint8_t{0} : static_cast<std::uint8_t>(packet_id_ + packets.packets());
  if (transport_ == transport::tls_full) {
    // One record per packet, several packets per write.
    constexpr std::size_t batch_bytes = 64 * 1024;
    while (!packets.done()) {
      tls_out_.clear();
      while (!packets.done() && tls_out_.size() < batch_bytes) {
        const std::size_t size = packets.copy_packet(home_.scratch.data());
        if (!tls_->encrypt({home_.scratch.data(), size}, tls_out_)) {
          violation(tls_->error());
          co_return false;
        }
      }
      if (!co_await send_raw(tls_out_.view())) co_return false;
    }
    if (tls_out_.capacity() > 8192) tls_out_.release();
    co_return true;
  }
  for (;;) {
    switch (packets.send(socket_.native_handle())) {
      case packet_output::outcome::done:
        shared_.count.bytes_out.fetch_add(packets.framed_size(), std::memory_order_relaxed);
        co_return true;
      case packet_output::outcome::failed: lose(reason_write); co_return false;
      case packet_output::outcome::would_block:
        if (!co_await wait_writable()) co_return false;
    }
  }
}

asio::awaitable<void> connection::write(byte_writer& payload, send_mode mode) {
  const std::size_t slice = profile_.packet_size - packet_header_size;
  std::size_t total = payload.size();
  if (mode == send_mode::full_packets) {
    // The last byte stays: the message must not end with an empty packet.
    total = total == 0 ? 0 : (total - 1) / slice * slice;
    if (total == 0) co_return;
  }
  const byte_span pieces[] = {payload.view()};
  if (!co_await transmit(pieces, total, mode == send_mode::last, packet_type::tabular_result)) {
    payload.clear();
    co_return;
  }
  payload.drop_front(total);
}

std::shared_ptr<row_sink> connection::make_sink() {
  auto wake = [executor = socket_.get_executor(), weak = weak_from_this()] {
    asio::post(executor, [weak] {
      if (const auto self = weak.lock()) self->rows_.set();
    });
  };
  auto sink = std::make_shared<row_sink>(profile_, std::move(wake), shared_.options.response_queue_bytes);
  if (gone_) sink->abandon();
  sink_ = sink;
  return sink;
}

asio::awaitable<void> connection::relay(byte_writer& payload, row_sink& rows) {
  const std::size_t slice = profile_.packet_size - packet_header_size;
  std::vector<row_sink::block> blocks;
  std::vector<byte_span> pieces;
  bool ended = false;
  while (!ended) {
    ended = rows.take(blocks, relay_blocks);
    if (blocks.empty()) {
      if (!ended) co_await rows_.wait();
      continue;
    }
    if (gone_) {
      payload.clear();
      rows.give_back(blocks);
      continue;
    }
    pieces.clear();
    if (!payload.empty()) pieces.push_back(payload.view());
    std::size_t size = payload.size();
    for (const row_sink::block& b : blocks) {
      pieces.emplace_back(b.data.get(), b.size);
      size += b.size;
    }
    // While more is to come only full packets go, unless the worker has nothing more for us right now.
    const std::size_t total = (size - 1) / slice * slice;
    if (total != 0 && !co_await transmit(pieces, total, false, packet_type::tabular_result)) {
      payload.clear();
      rows.give_back(blocks);
      continue;
    }
    byte_writer rest;
    std::size_t skip = total;
    for (const byte_span& piece : pieces) {
      if (skip < piece.size()) rest.raw(piece.subspan(skip));
      skip -= std::min(skip, piece.size());
    }
    payload = std::move(rest);
    rows.give_back(blocks);
  }
}

asio::awaitable<void> connection::gather(row_sink& rows, const std::function<void(byte_span)>& taker) {
  std::vector<row_sink::block> blocks;
  for (bool ended = false; !ended;) {
    ended = rows.take(blocks, relay_blocks);
    if (blocks.empty() && !ended) co_await rows_.wait();
    if (!gone_)
      for (const row_sink::block& b : blocks) taker({b.data.get(), b.size});
    rows.give_back(blocks);
  }
}

}  // namespace dragoman::tds::server
