#include "tds/login_answer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/limits.h"
#include "tds/token_writer.h"

namespace dragoman::tds {

std::uint32_t negotiate_packet_size(std::uint32_t asked, std::uint32_t most) noexcept {
  if (asked == 0) asked = limits::packet_size_default;
  return std::clamp<std::uint32_t>(asked, limits::packet_size_min,
                                   std::max<std::uint32_t>(most, limits::packet_size_min));
}

wire_profile profile_of(const login7& login, std::uint32_t packet_size, const collation& server_collation) noexcept {
  wire_profile profile;
  profile.version = login.version();
  profile.packet_size = packet_size;
  profile.coll = server_collation;
  profile.utf8 = login.feature(feature_id::utf8_support) != nullptr;
  return profile;
}

void write_login_answer(byte_writer& out, const login7& login, const wire_profile& profile,
                        const login_answer& answer) {
  token_writer tokens(out, profile);
  message info;
  info.server = answer.server_name;

  tokens.env_change_text(env_change::database, answer.database, "master");
  const std::string database_text = "Changed database context to '" + std::string(answer.database) + "'.";
  info.number = 5701;
  info.state = 2;
  info.text = database_text;
  tokens.info(info);

  tokens.env_change_collation(profile.coll);

  tokens.env_change_text(env_change::language, answer.language, "");
  const std::string language_text = "Changed language setting to " + std::string(answer.language) + ".";
  info.number = 5703;
  info.state = 1;
  info.text = language_text;
  tokens.info(info);

  tokens.login_ack(answer.program_name, answer.program_version);

  // Only what was asked and is meant: an acknowledgement of anything else ends some drivers.
  if (login.has_features && profile.utf8) {
    const std::uint8_t supported[] = {1};
    const std::pair<std::uint8_t, byte_span> features[] = {
        {static_cast<std::uint8_t>(feature_id::utf8_support), byte_span(supported)}};
    tokens.feature_ext_ack(features);
  }

  tokens.env_change_text(env_change::packet_size, std::to_string(profile.packet_size),
                         std::to_string(limits::packet_size_default));
  tokens.done(token::done, done_status::final, command::none, 0);
}

}  // namespace dragoman::tds
