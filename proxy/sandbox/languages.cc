#include "proxy/sandbox/languages.h"

#include <array>

#include "guard/catalog/names.h"

namespace dragoman::sandbox {
namespace {

constexpr std::array<language, 34> languages{{{"us_english", "English", "mdy", 7},
                                              {"Deutsch", "German", "dmy", 1},
                                              {"Français", "French", "dmy", 1},
                                              {"日本語", "Japanese", "ymd", 7},
                                              {"Dansk", "Danish", "dmy", 1},
                                              {"Español", "Spanish", "dmy", 1},
                                              {"Italiano", "Italian", "dmy", 1},
                                              {"Nederlands", "Dutch", "dmy", 1},
                                              {"Norsk", "Norwegian", "dmy", 1},
                                              {"Português", "Portuguese", "dmy", 7},
                                              {"Suomi", "Finnish", "dmy", 1},
                                              {"Svenska", "Swedish", "ymd", 1},
                                              {"čeština", "Czech", "dmy", 1},
                                              {"magyar", "Hungarian", "ymd", 1},
                                              {"polski", "Polish", "dmy", 1},
                                              {"română", "Romanian", "dmy", 1},
                                              {"hrvatski", "Croatian", "ymd", 1},
                                              {"slovenčina", "Slovak", "dmy", 1},
                                              {"slovenski", "Slovenian", "dmy", 1},
                                              {"ελληνικά", "Greek", "dmy", 1},
                                              {"български", "Bulgarian", "dmy", 1},
                                              {"русский", "Russian", "dmy", 1},
                                              {"Türkçe", "Turkish", "dmy", 1},
                                              {"British", "British English", "dmy", 1},
                                              {"eesti", "Estonian", "dmy", 1},
                                              {"latviešu", "Latvian", "ymd", 1},
                                              {"lietuvių", "Lithuanian", "ymd", 1},
                                              {"Português (Brasil)", "Brazilian", "dmy", 7},
                                              {"繁體中文", "Traditional Chinese", "ymd", 7},
                                              {"한국어", "Korean", "ymd", 7},
                                              {"简体中文", "Simplified Chinese", "ymd", 7},
                                              {"Arabic", "Arabic", "dmy", 1},
                                              {"ไทย", "Thai", "dmy", 7},
                                              {"norsk (bokmål)", "Bokmål", "dmy", 1}}};

}  // namespace

const language* find_language(std::string_view name) noexcept {
  for (const language& known : languages)
    if (catalog::same_name(known.name, name) || catalog::same_name(known.alias, name)) return &known;
  return nullptr;
}

const language& default_language() noexcept {
  return languages.front();
}

int style_of_date_order(std::string_view order) noexcept {
  if (catalog::same_name(order, "dmy")) return 103;
  return catalog::same_name(order, "ymd") ? 111 : -1;
}

}  // namespace dragoman::sandbox
