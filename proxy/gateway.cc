#include "proxy/gateway.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>

#include "base/log.h"
#include "guard/catalog/names.h"
#include "proxy/one_shot.h"
#include "proxy/session.h"

namespace dragoman::proxy {
namespace {

// Threads of their own, so that whoever tries passwords holds up neither logins that are known nor requests.
constexpr unsigned judge_threads = 2;
constexpr unsigned judged_at_once_max = 128;  // some seconds' work; beyond it a login is refused

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "DRAGOMAN";
  std::string out(name.data());
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

void audit_login(service& shared, const tds::server::login_request& request, std::string_view principal,
                 const failure* refused) {
  audit_record record;
  record.id = std::to_string(request.spid) + ".0";
  record.login = request.user;
  record.principal = principal;
  record.client_application = request.application;
  record.client_host = request.host;
  record.client_address = request.peer_address;
  record.kind = "login";
  record.verdict = refused == nullptr ? "accept" : "refuse";
  if (refused != nullptr) {
    record.reason = name_of(refused->code);
    record.error_number = refused->error_number();
  }
  shared.records().push(std::move(record));
}

}  // namespace

gateway::gateway(service& shared) : shared_(shared), judges_(judge_threads) {
  identity_.server_name = shared.settings().server.name.empty() ? host_name() : shared.settings().server.name;
}

boost::asio::awaitable<result<std::unique_ptr<tds::server::session>>> gateway::on_login(
    tds::server::login_request request) {
  result<service::identity> who = failure(errc::login_failed, "Windows and token logins are not configured.");
  if (!request.integrated && !request.federated) {
    // A password that was right a moment ago is known again at once, however many others are being tried.
    if (auto known = shared_.recognise(request.user, request.password))
      who = std::move(*known);
    else
      who = co_await judge(request);
  }
  if (!who) {
    log::warn("login of '{}' from {} failed: {}", request.user, request.peer_address, who.error().message);
    const failure cause = who.error();
    audit_login(shared_, request, "", &cause);
    co_return cause;
  }
  if (!request.database.empty() && !find_database(shared_, *who->view, request.database)) {
    const failure unknown(errc::database_unavailable, "Cannot open database \"" + request.database +
                                                          "\" requested by the login. The login failed.");
    audit_login(shared_, request, who->view->name, &unknown);
    co_return unknown;
  }
  audit_login(shared_, request, who->view->name, nullptr);
  log::info("login of '{}' as {} from {} ({}){}{}", who->login, who->view->name, request.peer_address,
            request.application, request.client_certificate.empty() ? "" : " with certificate ",
            request.client_certificate);
  co_return std::make_unique<gateway_session>(shared_, std::move(*who), std::move(request), identity_.server_name);
}

boost::asio::awaitable<result<service::identity>> gateway::judge(const tds::server::login_request& request) {
  // scrypt takes tens of milliseconds, which the connection's thread does not have.
  one_shot<result<service::identity>> answer(co_await boost::asio::this_coro::executor);
  if (judging_.fetch_add(1) >= judged_at_once_max) {
    judging_.fetch_sub(1);
    co_return failure(errc::login_failed, "Too many passwords are being checked.");
  }
  boost::asio::post(judges_, [this, user = request.user, password = request.password, put = answer.put()]() mutable {
    auto outcome = shared_.authenticate(user, password);
    judging_.fetch_sub(1);
    put(std::move(outcome));
  });
  co_return co_await answer.take();
}

tds::server::server_options listen_options(const config& settings) {
  tds::server::server_options out;
  out.addresses = {settings.server.listen};
  out.port = settings.server.port;
  out.threads = settings.server.threads;
  switch (settings.server.tls) {
    case tls_mode::off: out.encryption = tds::server::encryption_mode::off; break;
    case tls_mode::on: out.encryption = tds::server::encryption_mode::on; break;
    case tls_mode::required: out.encryption = tds::server::encryption_mode::required; break;
    case tls_mode::strict: out.encryption = tds::server::encryption_mode::strict; break;
    case tls_mode::not_supported: out.encryption = tds::server::encryption_mode::not_supported; break;
  }
  out.certificate_file = settings.server.certificate.string();
  out.key_file = settings.server.key.string();
  if (out.certificate_file.empty() && settings.server.tls != tls_mode::not_supported)
    out.self_signed_path = (settings.server.state_directory / "dragoman-self-signed.pem").string();
  out.sessions_max = settings.server.sessions_max;
  out.login_timeout = settings.server.login_timeout;
  out.logins = settings.server.logins;
  out.client_authorities_file = settings.server.client_ca.string();
  out.client_certificate_required = settings.server.client_certificate_required;
  return out;
}

}  // namespace dragoman::proxy
