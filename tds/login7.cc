#include "tds/login7.h"

#include "base/utf16.h"

namespace dragoman::tds {
namespace {

constexpr std::size_t table_offset = 36;       // the first entry of the offset/length table
constexpr std::size_t table_end_71 = 86;       // up to 7.1
constexpr std::size_t features_max = 64;       // no client knows a quarter of them
constexpr std::size_t field_units_max = 4096;  // 128 by the manual; drivers pad and tokens are longer

failure broken(const char* what) {
  return {errc::protocol, what};
}

struct field {
  std::size_t offset;
  std::size_t length;
};

// An empty field's offset means nothing: some clients write nonsense there.
bool inside(byte_span message, field f, std::size_t unit) {
  return f.length == 0 || (f.offset <= message.size() && f.length * unit <= message.size() - f.offset);
}

std::optional<std::string> text_of(byte_span message, field f) {
  if (f.length > field_units_max || !inside(message, f, 2)) return std::nullopt;
  if (f.length == 0) return std::string{};
  return utf8_from_utf16le(message.subspan(f.offset, f.length * 2));
}

// 2.2.6.4: each byte was nibble-swapped, then XORed with 0xA5.
std::optional<secret> password_of(byte_span message, field f) {
  if (f.length > field_units_max || !inside(message, f, 2)) return std::nullopt;
  std::vector<std::uint8_t> plain;
  for (std::size_t i = 0; i < f.length * 2; ++i) {
    const auto b = static_cast<std::uint8_t>(message[f.offset + i] ^ 0xA5);
    plain.push_back(static_cast<std::uint8_t>(b << 4 | b >> 4));
  }
  auto text = utf8_from_utf16le(plain);
  volatile std::uint8_t* wipe = plain.data();
  for (std::size_t i = 0; i < plain.size(); ++i) wipe[i] = 0;
  if (!text) return std::nullopt;
  return secret(std::move(*text));
}

}  // namespace

const feature_request* login7::feature(feature_id id) const noexcept {
  for (const feature_request& f : features)
    if (f.id == static_cast<std::uint8_t>(id)) return &f;
  return nullptr;
}

result<login7> parse_login7(byte_span message) {
  login7 login;
  byte_reader in(message);
  const std::size_t declared = in.u32();
  login.tds_version_asked = in.u32();
  login.packet_size = in.u32();
  login.client_program_version = in.u32();
  login.client_process = in.u32();
  in.u32();  // connection id
  login.option_flags1 = in.u8();
  login.option_flags2 = in.u8();
  login.type_flags = in.u8();
  login.option_flags3 = in.u8();
  login.time_zone = static_cast<std::int32_t>(in.u32());
  login.client_lcid = in.u32();
  if (in.failed() || message.size() < table_end_71) return broken("LOGIN7 is shorter than its fixed part");
  // What follows the declared end belongs to nobody. (jTDS writes the length as a signed short, which is the same
  // here.)
  if (declared < table_end_71 || declared > message.size()) return broken("LOGIN7 length does not match its message");
  message = message.first(declared);

  byte_reader table(message.subspan(table_offset));
  const auto next = [&table] {
    const std::size_t offset = table.u16();
    const std::size_t length = table.u16();
    return field{offset, length};
  };
  const field host = next(), user = next(), password = next(), application = next(), server = next(),
              extension = next(), library = next(), language = next(), database = next();
  table.skip(6);  // client id
  const field sspi = next();
  const field attach = next();

  const std::pair<const field*, std::string*> texts[] = {
      {&host, &login.host},         {&user, &login.user},         {&application, &login.application},
      {&server, &login.server},     {&library, &login.library},   {&language, &login.language},
      {&database, &login.database}, {&attach, &login.attach_file}};
  for (const auto& [where, out] : texts) {
    auto text = text_of(message, *where);
    if (!text) return broken("LOGIN7 field points outside the message");
    *out = std::move(*text);
  }
  auto secret_text = password_of(message, password);
  if (!secret_text) return broken("LOGIN7 password points outside the message");
  login.password = std::move(*secret_text);
  login.sspi_data = sspi.length != 0;
  login.change_password = (login.option_flags3 & 0x01) != 0;

  // fExtension: the field holds the place of a DWORD that is the offset of the features.
  login.has_features = (login.option_flags3 & 0x10) != 0 && login.version() >= tds_version::v7_4;
  if (!login.has_features) return login;
  if (extension.length == 0) return login;
  if (extension.length < 4 || !inside(message, extension, 1))
    return broken("LOGIN7 extension points outside the message");
  const std::size_t at = byte_reader(message.subspan(extension.offset, 4)).u32();
  if (at == 0) return login;
  if (at >= message.size()) return broken("LOGIN7 features point outside the message");
  byte_reader features(message.subspan(at));
  for (;;) {
    const std::uint8_t id = features.u8();
    if (features.failed()) return broken("LOGIN7 features have no terminator");
    if (id == 0xFF) break;
    const std::size_t length = features.u32();
    const byte_span data = features.take(length);
    if (features.failed()) return broken("LOGIN7 feature is longer than the message");
    if (login.features.size() == features_max) return broken("LOGIN7 has too many features");
    login.features.push_back({id, {data.begin(), data.end()}});
  }
  return login;
}

}  // namespace dragoman::tds
