// Names of tables and columns as people would say them.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "nlq/entity_words.h"
#include "nlq/semantics_draft.h"

namespace dragoman::nlq {
namespace {

using words = std::vector<std::string>;

std::string phrase_of(const words& w, std::size_t from = 0, std::size_t to = std::string::npos) {
  std::string out;
  for (std::size_t i = from; i < std::min(to, w.size()); ++i) out += (out.empty() ? "" : " ") + w[i];
  return out;
}

void add_phrase(std::vector<std::string>& to, std::string phrase) {
  if (!phrase.empty() && std::find(to.begin(), to.end(), phrase) == to.end()) to.push_back(std::move(phrase));
}

const std::unordered_map<std::string_view, std::string_view>& abbreviations() {
  static const std::unordered_map<std::string_view, std::string_view> all{{"no", "number"},
                                                                          {"num", "number"},
                                                                          {"nbr", "number"},
                                                                          {"nr", "number"},
                                                                          {"abbrev", "abbreviation"},
                                                                          {"abbr", "abbreviation"},
                                                                          {"dest", "destination"},
                                                                          {"src", "source"},
                                                                          {"addr", "address"},
                                                                          {"desc", "description"},
                                                                          {"descr", "description"},
                                                                          {"qty", "quantity"},
                                                                          {"amt", "amount"},
                                                                          {"avg", "average"},
                                                                          {"max", "maximum"},
                                                                          {"min", "minimum"},
                                                                          {"pct", "percent"},
                                                                          {"dept", "department"},
                                                                          {"emp", "employee"},
                                                                          {"cust", "customer"},
                                                                          {"stu", "student"},
                                                                          {"tel", "telephone"},
                                                                          {"yr", "year"},
                                                                          {"lang", "language"},
                                                                          {"cnt", "count"},
                                                                          {"org", "organization"},
                                                                          {"mgr", "manager"},
                                                                          {"loc", "location"},
                                                                          {"doc", "document"},
                                                                          {"ref", "reference"},
                                                                          {"temp", "temperature"},
                                                                          {"fname", "first name"},
                                                                          {"lname", "last name"},
                                                                          {"mname", "middle name"},
                                                                          {"dob", "date of birth"},
                                                                          {"uid", "id"},
                                                                          {"lat", "latitude"},
                                                                          {"lng", "longitude"},
                                                                          {"acct", "account"},
                                                                          {"prof", "professor"},
                                                                          {"apt", "apartment"},
                                                                          {"bldg", "building"},
                                                                          {"cat", "category"},
                                                                          {"prod", "product"},
                                                                          {"tot", "total"},
                                                                          {"std", "standard"},
                                                                          {"pos", "position"},
                                                                          {"nat", "nationality"},
                                                                          {"mfr", "manufacturer"},
                                                                          {"inv", "invoice"},
                                                                          {"trans", "transaction"},
                                                                          {"fname_", "first name"},
                                                                          {"firstname", "first name"},
                                                                          {"lastname", "last name"},
                                                                          {"fullname", "full name"},
                                                                          {"birthdate", "birth date"},
                                                                          {"birthday", "birth date"},
                                                                          {"zipcode", "zip code"},
                                                                          {"postcode", "postal code"}};
  return all;
}

// A table says no more by these.
bool table_noise(const std::string& w) {
  static const std::unordered_set<std::string_view> noise{"tbl",    "t",           "table",   "data",  "list",
                                                          "info",   "information", "master",  "dim",   "fact",
                                                          "record", "records",     "details", "detail"};
  return noise.contains(w);
}

// Other words that people use for a column which ends so.
const std::unordered_map<std::string_view, std::vector<std::string_view>>& other_words() {
  static const std::unordered_map<std::string_view, std::vector<std::string_view>> all{
      {"sex", {"gender"}},
      {"age", {"aged"}},
      {"gender", {"sex"}},
      {"country", {"nation", "country of origin"}},
      {"nationality", {"nation"}},
      {"title", {"name"}},
      {"birth date", {"date of birth", "birthday", "birth day"}},
      {"date of birth", {"birth date", "birthday"}},
      {"zip", {"zip code", "postal code", "postcode"}},
      {"postcode", {"zip code", "postal code", "zip"}},
      {"zip code", {"postal code", "postcode", "zip"}},
      {"phone number", {"phone", "telephone number"}},
      {"cell number", {"cell phone number", "mobile phone number", "phone number"}},
      {"mobile number", {"cell phone number", "mobile phone number", "phone number"}},
      {"phone", {"phone number", "telephone number"}},
      {"email address", {"email", "emails"}},
      {"email", {"email address"}},
      {"salary", {"wage"}},
      {"abbreviation", {"short name"}},
      {"hometown", {"home town", "town"}},
      {"option", {"choice"}},
      {"horsepower", {"horse power"}},
      {"mpg", {"miles per gallon"}},
      {"gnp", {"gross national product"}},
      {"gdp", {"gross domestic product"}},
      {"ssn", {"social security number"}},
      {"life expectancy", {"life span"}},
      {"surface area", {"area", "size"}},
      {"total spent", {"money spent", "amount spent"}}};
  return all;
}

// Words for one thing: a column that strings them together ("state province", "cell mobile number") may be called by
// any of them.
bool alike(const std::string& a, const std::string& b) {
  static const std::vector<std::unordered_set<std::string_view>> groups{{"state", "province", "county", "region"},
                                                                        {"zip", "postcode", "postal", "postalcode"},
                                                                        {"cell", "mobile", "cellular"},
                                                                        {"city", "town", "village"},
                                                                        {"first", "given", "forename"},
                                                                        {"last", "family", "surname"},
                                                                        {"sex", "gender"},
                                                                        {"mail", "email"}};
  return std::any_of(groups.begin(), groups.end(),
                     [&](const auto& group) { return group.contains(a) && group.contains(b); });
}

// Each shape that a run of like words leaves when one of them stands for all.
std::vector<words> one_of_alike(const words& w) {
  for (std::size_t from = 0; from + 1 < w.size(); ++from) {
    std::size_t to = from + 1;
    while (to < w.size() && alike(w[from], w[to])) ++to;
    if (to == from + 1) continue;
    std::vector<words> out;
    for (std::size_t chosen = from; chosen < to; ++chosen) {
      words shape(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(from));
      shape.push_back(w[chosen]);
      shape.insert(shape.end(), w.begin() + static_cast<std::ptrdiff_t>(to), w.end());
      out.push_back(std::move(shape));
    }
    return out;
  }
  return {};
}

}  // namespace

std::vector<std::string> name_words(std::string_view name) {
  words out;
  std::string word;
  auto flush = [&] {
    if (!word.empty()) out.push_back(std::move(word));
    word.clear();
  };
  auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    // Signs are no words; brackets and bars would even be choices of spelling.
    if (static_cast<unsigned char>(c) < 0x80 && !upper(c) && !lower(c) && !(c >= '0' && c <= '9')) {
      flush();
      continue;
    }
    const bool start =
        upper(c) && i > 0 &&
        (lower(name[i - 1]) || (i + 1 < name.size() && lower(name[i + 1]) && upper(name[i - 1]) && word.size() > 1));
    if (start) flush();
    word += upper(c) ? static_cast<char>(c + 32) : c;
  }
  flush();
  // "LName", "FName": one letter before a name is a word with it.
  words joined;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].size() == 1 && (out[i] == "l" || out[i] == "f" || out[i] == "m") && i + 1 < out.size() &&
        out[i + 1] == "name") {
      joined.push_back(out[i] + "name");
      ++i;
    } else {
      joined.push_back(out[i]);
    }
  }
  return joined;
}

std::vector<std::string> spelled_out(const std::vector<std::string>& w) {
  words out;
  for (const std::string& word : w) {
    auto found = abbreviations().find(word);
    if (found == abbreviations().end()) {
      out.push_back(word);
      continue;
    }
    for (const std::string& part : name_words(found->second)) out.push_back(part);
  }
  return out;
}

std::vector<std::string> table_phrases(std::string_view table) {
  words w = name_words(table);
  while (w.size() > 1 && table_noise(w.back())) w.pop_back();
  while (w.size() > 1 && table_noise(w.front())) w.erase(w.begin());
  if (!w.empty()) w.back() = singular(w.back());
  std::vector<std::string> out;
  add_phrase(out, phrase_of(w));
  words full = spelled_out(w);
  add_phrase(out, phrase_of(full));
  static const std::unordered_map<std::string_view, std::vector<std::string_view>> others{
      {"shop", {"store"}},           {"store", {"shop"}},          {"employee", {"worker", "staff member"}},
      {"person", {"people"}},        {"maker", {"manufacturer"}},  {"film", {"movie"}},
      {"movie", {"film"}},           {"document", {"doc"}},        {"vehicle", {"car"}},
      {"enrolment", {"enrollment"}}, {"enrollment", {"enrolment"}}};
  for (const words& base : {w, full}) {
    if (base.empty()) continue;
    auto found = others.find(base.back());
    if (found == others.end()) continue;
    for (std::string_view other : found->second) {
      words changed = base;
      changed.back() = std::string(other);
      add_phrase(out, phrase_of(changed));
    }
  }
  return out;
}

std::vector<std::string> column_phrases(std::string_view column, const std::vector<std::string>& table_words) {
  std::vector<std::string> out;
  const words plain = name_words(column);
  if (plain.empty()) return out;  // "_": nothing that could be said
  std::vector<words> shapes{plain};
  if (words full = spelled_out(plain); full != plain) shapes.push_back(std::move(full));
  // "pixel aspect ratio PAR": the last word only abbreviates the others.
  if (plain.size() > 2 && plain.back().size() + 1 == plain.size()) {
    bool initials = true;
    for (std::size_t k = 0; k + 1 < plain.size(); ++k) initials = initials && plain[k].front() == plain.back()[k];
    if (initials) shapes.emplace_back(plain.begin(), plain.end() - 1);
  }
  for (words& shape : one_of_alike(shapes.back())) shapes.push_back(std::move(shape));
  // Without the words of the table itself: "airport code" of an airport is its code.
  for (std::size_t s = 0, n = shapes.size(); s < n; ++s) {
    words rest;
    for (const std::string& w : shapes[s]) {
      const bool own = std::any_of(table_words.begin(), table_words.end(),
                                   [&](const std::string& t) { return singular(t) == singular(w); });
      if (!own) rest.push_back(w);
    }
    if (!rest.empty() && rest.size() < shapes[s].size() && rest.front() != "of" && rest.back() != "of")
      shapes.push_back(std::move(rest));
  }
  for (const words& w : shapes) {
    add_phrase(out, phrase_of(w));
    const auto of = std::find(w.begin(), w.end(), "of");
    if (of != w.end() && of != w.begin() && of + 1 != w.end()) {
      // "level of membership" is "membership level"; "number of staff" is what the column counts.
      const words head(w.begin(), of), tail(of + 1, w.end());
      add_phrase(out, phrase_of(tail) + " " + phrase_of(head));
    } else if (w.size() == 2 && w[1] != "number" && w[1] != "count") {
      // "the number of flights" counts them.
      add_phrase(out, w[1] + " of " + w[0]);
    } else if (w.size() == 3) {
      add_phrase(out, phrase_of(w, 2) + " of " + phrase_of(w, 0, 2));
      add_phrase(out, phrase_of(w, 1) + " of " + w[0]);
    }
    for (const std::string& key : {phrase_of(w), w.back()}) {
      auto found = other_words().find(key);
      if (found == other_words().end()) continue;
      const std::string before = key == w.back() && w.size() > 1 ? phrase_of(w, 0, w.size() - 1) + " " : "";
      for (std::string_view other : found->second) add_phrase(out, before + std::string(other));
    }
  }
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const words& w = shapes[s];
    // "num of staff", "number products", "product count": a column that counts.
    if (w.size() >= 2 && w.front() == "number") {
      const std::string what = phrase_of(w, w[1] == "of" ? 2 : 1);
      if (what.empty() || what == "of") continue;
      add_phrase(out, "number of " + what);
      add_phrase(out, "amount of " + what);
      add_phrase(out, what);
    } else if (w.size() >= 2 && (w.back() == "count" || w.back() == "number") && w.front() != "phone") {
      if (w.back() == "count") {
        add_phrase(out, "number of " + phrase_of(w, 0, w.size() - 1));
        add_phrase(out, phrase_of(w, 0, w.size() - 1));
      }
    }
  }
  return out;
}

}  // namespace dragoman::nlq
