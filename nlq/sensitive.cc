#include "nlq/sensitive.h"

#include <algorithm>
#include <array>

#include "nlq/semantics_draft.h"
#include "retrieval/terms.h"

namespace dragoman::nlq {
namespace {

struct named_shape {
  sensitive_kind kind;
  std::string_view words;  // that stand in the name in this order, side by side
};

// Words in the form of retrieval/terms.h. More than one word first: "national id" before "id" could mean anything.
constexpr auto named_shapes = std::to_array<named_shape>({
    {sensitive_kind::email, "email"},
    {sensitive_kind::email, "e mail"},
    {sensitive_kind::email, "mail address"},
    {sensitive_kind::email, "ایمیل"},
    {sensitive_kind::email, "پست الکترونیک"},
    {sensitive_kind::email, "post elektronik"},
    {sensitive_kind::phone, "phone"},
    {sensitive_kind::phone, "telephone"},
    {sensitive_kind::phone, "mobile"},
    {sensitive_kind::phone, "cellphone"},
    {sensitive_kind::phone, "cell no"},
    {sensitive_kind::phone, "cell number"},
    {sensitive_kind::phone, "msisdn"},
    {sensitive_kind::phone, "whatsapp"},
    {sensitive_kind::phone, "tel"},
    {sensitive_kind::phone, "tel no"},
    {sensitive_kind::phone, "telefon"},
    {sensitive_kind::phone, "mobail"},
    {sensitive_kind::phone, "hamrah"},
    {sensitive_kind::phone, "shomare tamas"},
    {sensitive_kind::phone, "shomare hamrah"},
    {sensitive_kind::phone, "موبایل"},
    {sensitive_kind::phone, "تلفن"},
    {sensitive_kind::phone, "تلفن همراه"},
    {sensitive_kind::phone, "شماره همراه"},
    {sensitive_kind::phone, "شماره تماس"},
    {sensitive_kind::national_id, "national id"},
    {sensitive_kind::national_id, "national code"},
    {sensitive_kind::national_id, "national no"},
    {sensitive_kind::national_id, "national number"},
    {sensitive_kind::national_id, "nationalid"},
    {sensitive_kind::national_id, "nationalcode"},
    {sensitive_kind::national_id, "identity card"},
    {sensitive_kind::national_id, "identity number"},
    {sensitive_kind::national_id, "identity no"},
    {sensitive_kind::national_id, "ssn"},
    {sensitive_kind::national_id, "social security"},
    {sensitive_kind::national_id, "passport"},
    {sensitive_kind::national_id, "tax id"},
    {sensitive_kind::national_id, "kod melli"},
    {sensitive_kind::national_id, "kode melli"},
    {sensitive_kind::national_id, "code melli"},
    {sensitive_kind::national_id, "cod melli"},
    {sensitive_kind::national_id, "kodmelli"},
    {sensitive_kind::national_id, "codemelli"},
    {sensitive_kind::national_id, "kodemelli"},
    {sensitive_kind::national_id, "melli code"},
    {sensitive_kind::national_id, "shomare melli"},
    {sensitive_kind::national_id, "shenase melli"},
    {sensitive_kind::national_id, "shomare shenasname"},
    {sensitive_kind::national_id, "shenasname"},
    {sensitive_kind::national_id, "کد ملی"},
    {sensitive_kind::national_id, "کدملی"},
    {sensitive_kind::national_id, "شماره ملی"},
    {sensitive_kind::national_id, "شناسه ملی"},
    {sensitive_kind::national_id, "شماره شناسنامه"},
    {sensitive_kind::national_id, "گذرنامه"},
    {sensitive_kind::card, "card number"},
    {sensitive_kind::card, "card no"},
    {sensitive_kind::card, "cardnumber"},
    {sensitive_kind::card, "credit card"},
    {sensitive_kind::card, "debit card"},
    {sensitive_kind::card, "shomare kart"},
    {sensitive_kind::card, "shomare card"},
    {sensitive_kind::card, "شماره کارت"},
    {sensitive_kind::card, "کارت بانکی"},
    {sensitive_kind::account, "iban"},
    {sensitive_kind::account, "sheba"},
    {sensitive_kind::account, "shaba"},
    {sensitive_kind::account, "account number"},
    {sensitive_kind::account, "account no"},
    {sensitive_kind::account, "bank account"},
    {sensitive_kind::account, "shomare hesab"},
    {sensitive_kind::account, "hesab banki"},
    {sensitive_kind::account, "شبا"},
    {sensitive_kind::account, "شماره حساب"},
    {sensitive_kind::account, "حساب بانکی"},
    {sensitive_kind::salary, "salary"},
    {sensitive_kind::salary, "wage"},
    {sensitive_kind::salary, "payroll"},
    {sensitive_kind::salary, "hoghoogh"},
    {sensitive_kind::salary, "hoghugh"},
    {sensitive_kind::salary, "dastmozd"},
    {sensitive_kind::salary, "حقوق"},
    {sensitive_kind::salary, "دستمزد"},
    {sensitive_kind::birth_date, "birth date"},
    {sensitive_kind::birth_date, "birthdate"},
    {sensitive_kind::birth_date, "birthday"},
    {sensitive_kind::birth_date, "birth day"},
    {sensitive_kind::birth_date, "date of birth"},
    {sensitive_kind::birth_date, "dateofbirth"},
    {sensitive_kind::birth_date, "dob"},
    {sensitive_kind::birth_date, "tarikh tavalod"},
    {sensitive_kind::birth_date, "tarikhe tavalod"},
    {sensitive_kind::birth_date, "tavalod"},
    {sensitive_kind::birth_date, "تاریخ تولد"},
    {sensitive_kind::credential, "password"},
    {sensitive_kind::credential, "passwd"},
    {sensitive_kind::credential, "pwd"},
    {sensitive_kind::credential, "passphrase"},
    {sensitive_kind::credential, "token"},
    {sensitive_kind::credential, "api key"},
    {sensitive_kind::credential, "secret"},
    {sensitive_kind::credential, "secret key"},
    {sensitive_kind::credential, "private key"},
    {sensitive_kind::credential, "hash"},
    {sensitive_kind::credential, "cvv"},
    {sensitive_kind::credential, "cvv 2"},
    {sensitive_kind::credential, "pin code"},
    {sensitive_kind::credential, "ramz"},
    {sensitive_kind::credential, "ramz obur"},
    {sensitive_kind::credential, "رمز"},
    {sensitive_kind::credential, "رمز عبور"},
    {sensitive_kind::credential, "گذرواژه"},
});

// Behind such a word the column says something about the thing, not what it is: "email_count", "phone_type",
// "mobile_model", "card_number_length".
constexpr auto about_it = std::to_array<std::string_view>(
    {"count", "id",     "name",   "key",  "type",    "kind",  "status", "verified", "confirmed",
     "model", "brand",  "length", "flag", "enabled", "sent",  "opened", "grade",    "range",
     "band",  "policy", "expiry", "nooe", "noe",     "tedad", "نوع",    "تعداد",    "وضعیت"});
// In front of it, too: "is_email_verified", "has_phone", "count_of_mobile".
constexpr auto asks_of_it = std::to_array<std::string_view>({"is", "has", "count", "number of", "num"});

constexpr int card_digits_min = 13, card_column_max = 255;

// The shapes' words in the form of names' words.
const std::vector<std::string>& normal_shapes() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (const named_shape& shape : named_shapes) {
      std::string words;
      for (const std::string& t : retrieval::terms_of(shape.words)) words += " " + t;
      out.push_back(words + " ");
    }
    return out;
  }();
  return all;
}

bool listed_in(const auto& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool could_hold(sensitive_kind kind, const sql_type& type) {
  if (type.id == sql_type_id::bit) return false;
  const bool text = is_character(type.id);
  const bool number = is_numeric(type.id);
  switch (kind) {
    case sensitive_kind::email: return text;
    case sensitive_kind::phone:
    case sensitive_kind::national_id:
    case sensitive_kind::account: return text || number;
    // Shorter ones are of libraries and shops; a text of any length may be one of those, and its values tell.
    case sensitive_kind::card:
      return number || (text && type.length >= card_digits_min && type.length <= card_column_max);
    case sensitive_kind::salary: return text || number;
    case sensitive_kind::birth_date: return true;
    case sensitive_kind::credential: return text || !number;
  }
  return true;
}

std::string digits_in(std::string_view text) {
  std::string out;
  // Digits of any script, through the normal form of words.
  for (const std::string& term : retrieval::terms_of(text))
    for (const char c : term)
      if (c >= '0' && c <= '9') out += c;
  return out;
}

// Nothing but digits and what people put between them.
bool digits_only(std::string_view text, std::string_view between) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      // A Persian or Arabic digit: D9 A0–A9, DB B0–B9.
      if (i + 1 >= text.size()) return false;
      const auto d = static_cast<unsigned char>(text[++i]);
      if (!((c == 0xD9 && d >= 0xA0 && d <= 0xA9) || (c == 0xDB && d >= 0xB0 && d <= 0xB9))) return false;
    } else if (!(c >= '0' && c <= '9') && between.find(static_cast<char>(c)) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool all_equal(std::string_view text) {
  return text.find_first_not_of(text.empty() ? '\0' : text[0]) == std::string_view::npos;
}

bool is_email(std::string_view v) {
  const std::size_t at = v.find('@');
  if (at == std::string_view::npos || at == 0 || v.find('@', at + 1) != std::string_view::npos) return false;
  const std::string_view host = v.substr(at + 1);
  const std::size_t dot = host.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 2 < host.size() &&
         v.find_first_of(" \t\r\n,;") == std::string_view::npos;
}

bool is_phone(std::string_view v) {
  if (!digits_only(v, " -+().")) return false;
  std::string d = digits_in(v);
  if (d.starts_with("00")) d.erase(0, 2);
  // Iran's mobiles and land lines; elsewhere only what is written as a number to call.
  if (d.size() == 11 && d[0] == '0' && d[1] != '0') return true;
  if (d.size() == 12 && d.starts_with("98")) return true;
  if (d.size() == 10 && d[0] == '9' && v.size() == 10) return true;
  const bool dressed = v.find_first_of("+(") != std::string_view::npos ||
                       (std::count(v.begin(), v.end(), '-') == 2 && v.size() == 12);  // 555-010-9999
  return dressed && d.size() >= 9 && d.size() <= 15;
}

// Iran's ten digits: the last checks the others.
bool is_national_id(std::string_view v) {
  if (!digits_only(v, "-")) return false;
  const std::string d = digits_in(v);
  if (d.size() == 9 && v.size() == 11 && v[3] == '-' && v[6] == '-') return true;  // a social security number
  if (d.size() != 10 || all_equal(d)) return false;
  int sum = 0;
  for (int i = 0; i < 9; ++i) sum += (d[static_cast<std::size_t>(i)] - '0') * (10 - i);
  const int rest = sum % 11;
  return d[9] - '0' == (rest < 2 ? rest : 11 - rest);
}

bool is_card(std::string_view v) {
  if (!digits_only(v, " -")) return false;
  const std::string d = digits_in(v);
  if (d.size() < card_digits_min || d.size() > 19 || all_equal(d)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    int digit = d[d.size() - 1 - i] - '0';
    if (i % 2 == 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 == 0;
}

bool is_iban(std::string_view v) {
  std::string s;
  for (char c : v) {
    if (c == ' ' || c == '-') continue;
    if (c >= 'a' && c <= 'z') c -= 'a' - 'A';
    s += c;
  }
  const auto letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (s.size() < 15 || s.size() > 34 || !letter(s[0]) || !letter(s[1])) return false;
  std::rotate(s.begin(), s.begin() + 4, s.end());
  int rest = 0;
  for (const char c : s) {
    if (c >= '0' && c <= '9')
      rest = (rest * 10 + (c - '0')) % 97;
    else if (letter(c))
      rest = (rest * 100 + (c - 'A' + 10)) % 97;
    else
      return false;
  }
  return rest == 1;
}

// A digest in hexadecimal, or what password functions write ("$2b$10$…").
bool is_hash(std::string_view v) {
  if (v.size() >= 20 && v[0] == '$' && std::count(v.begin(), v.end(), '$') >= 3) return true;
  if (v.size() != 32 && v.size() != 40 && v.size() != 64 && v.size() != 128) return false;
  bool digit = false, letter = false;
  for (const char c : v) {
    const bool d = c >= '0' && c <= '9';
    const bool l = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!d && !l) return false;
    digit = digit || d;
    letter = letter || l;
  }
  return digit && letter;
}

}  // namespace

std::string_view name_of(sensitive_kind kind) noexcept {
  switch (kind) {
    case sensitive_kind::email: return "email";
    case sensitive_kind::phone: return "phone";
    case sensitive_kind::national_id: return "national_id";
    case sensitive_kind::card: return "card";
    case sensitive_kind::account: return "account";
    case sensitive_kind::salary: return "salary";
    case sensitive_kind::birth_date: return "birth_date";
    case sensitive_kind::credential: return "credential";
  }
  return {};
}

std::string_view words_of(sensitive_kind kind) noexcept {
  switch (kind) {
    case sensitive_kind::email: return "an e-mail address";
    case sensitive_kind::phone: return "a telephone number";
    case sensitive_kind::national_id: return "a person's identity number";
    case sensitive_kind::card: return "the number of a bank card";
    case sensitive_kind::account: return "a bank account";
    case sensitive_kind::salary: return "a salary";
    case sensitive_kind::birth_date: return "a date of birth";
    case sensitive_kind::credential: return "a password, a key or a hash of one";
  }
  return {};
}

std::optional<sensitive_kind> sensitive_by_name(std::string_view column, const sql_type& type) {
  const std::vector<std::string> terms = retrieval::terms_of(column);
  std::string name = " ";
  for (const std::string& t : terms) name += t + " ";
  const auto any_of = [](std::string_view words, const auto& list) {
    const std::vector<std::string> all = retrieval::terms_of(words);
    return std::any_of(all.begin(), all.end(), [&](const std::string& t) { return listed_in(list, t); });
  };
  for (std::size_t i = 0; i < named_shapes.size(); ++i) {
    const std::string& words = normal_shapes()[i];
    const std::size_t at = name.find(words);
    if (at == std::string::npos || !could_hold(named_shapes[i].kind, type)) continue;
    const std::string_view whole = name;
    if (!any_of(whole.substr(0, at), asks_of_it) && !any_of(whole.substr(at + words.size()), about_it))
      return named_shapes[i].kind;
  }
  return std::nullopt;
}

std::optional<sensitive_kind> sensitive_by_values(const std::vector<std::string>& values) {
  constexpr std::size_t values_min = 3;
  std::size_t present = 0;
  std::array<std::size_t, 6> shaped{};
  constexpr std::array<sensitive_kind, 6> kinds{sensitive_kind::email,   sensitive_kind::card,
                                                sensitive_kind::account, sensitive_kind::national_id,
                                                sensitive_kind::phone,   sensitive_kind::credential};
  constexpr std::array<bool (*)(std::string_view), 6> tests{is_email,       is_card,  is_iban,
                                                            is_national_id, is_phone, is_hash};
  for (const std::string& v : values) {
    if (v.empty()) continue;
    ++present;
    for (std::size_t k = 0; k < kinds.size(); ++k) shaped[k] += tests[k](v) ? 1 : 0;
  }
  if (present < values_min) return std::nullopt;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (shaped[k] * 10 >= present * 8) return kinds[k];
  return std::nullopt;
}

std::optional<sensitive_kind> looks_sensitive(std::string_view column, const sql_type& type,
                                              const std::vector<std::string>& values) {
  if (const auto named = sensitive_by_name(column, type)) return named;
  return is_character(type.id) || is_numeric(type.id) ? sensitive_by_values(values) : std::nullopt;
}

}  // namespace dragoman::nlq
