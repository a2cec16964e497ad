#include "tests/nlq/gbnf.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "guard/tsql/characters.h"

namespace dragoman::test {

struct gbnf::node {
  enum class kind { literal, characters, sequence, choice, repeat, rule } is = kind::literal;
  std::string text;  // of a literal; of a rule its name
  bool negated = false;
  std::vector<std::pair<std::int32_t, std::int32_t>> ranges;
  std::vector<node_ptr> parts;
  bool may_miss = false, may_repeat = false;
};

struct gbnf::reader {
  std::string_view text;
  std::size_t at = 0;

  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(std::string(what) + " at: " + std::string(text.substr(at, 40)));
  }
  char peek() const { return at < text.size() ? text[at] : '\0'; }
  void blanks() {
    while (peek() == ' ') ++at;
  }
  static bool name_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }
  std::string name() {
    const std::size_t from = at;
    while (name_letter(peek())) ++at;
    if (at == from) fail("a rule's name is missing");
    return std::string(text.substr(from, at - from));
  }
  std::int32_t character() {
    if (peek() != '\\') {
      const auto c = tsql::decode(text, at);
      if (c.value < 0x20) fail("a control character");
      at += c.length;
      return c.value;
    }
    ++at;
    const char escaped = peek();
    ++at;
    switch (escaped) {
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      case '\\':
      case '"':
      case '[':
      case ']': return escaped;
      case 'x': {
        const int value = std::stoi(std::string(text.substr(at, 2)), nullptr, 16);
        at += 2;
        return value;
      }
      default: fail("an escape that not every server knows");
    }
  }
  node_ptr element() {
    auto n = std::make_shared<node>();
    if (peek() == '"') {
      const std::size_t from = ++at;
      while (peek() != '"') {
        if (at >= text.size() || peek() == '\n') fail("an open literal");
        if (peek() == '\\' && (text[at + 1] == '"' || text[at + 1] == '\\'))
          ++at, n->text += peek(), ++at;
        else if (peek() == '\\')
          n->text += static_cast<char>(character());
        else
          n->text += peek(), ++at;
      }
      if (at == from) fail("an empty literal");
      ++at;
    } else if (peek() == '[') {
      n->is = node::kind::characters;
      ++at;
      if (peek() == '^') n->negated = true, ++at;
      while (peek() != ']') {
        const std::int32_t low = character();
        std::int32_t high = low;
        if (peek() == '-' && text[at + 1] != ']') ++at, high = character();
        n->ranges.emplace_back(low, high);
      }
      ++at;
    } else if (peek() == '(') {
      ++at;
      n = choice();
      if (peek() != ')') fail("an open group");
      ++at;
    } else {
      n->is = node::kind::rule;
      n->text = name();
    }
    if (peek() == '?' || peek() == '*' || peek() == '+') {
      auto r = std::make_shared<node>();
      r->is = node::kind::repeat;
      r->may_miss = peek() != '+';
      r->may_repeat = peek() != '?';
      r->parts = {n};
      ++at;
      n = r;
    }
    blanks();
    return n;
  }
  node_ptr choice() {
    auto all = std::make_shared<node>();
    all->is = node::kind::choice;
    for (;;) {
      auto s = std::make_shared<node>();
      s->is = node::kind::sequence;
      blanks();
      while (peek() != '|' && peek() != ')' && peek() != '\n' && peek() != '\0') s->parts.push_back(element());
      if (s->parts.empty()) fail("an empty alternative");
      all->parts.push_back(std::move(s));
      if (peek() != '|') return all;
      ++at;
    }
  }
};

struct gbnf::run {
  const gbnf& grammar;
  std::string_view text;
  std::map<std::pair<const node*, std::size_t>, std::set<std::size_t>> known;
  std::set<std::pair<const node*, std::size_t>> open;
  std::size_t farthest = 0;

  std::set<std::size_t> ends(const node& n, std::size_t at) {
    farthest = std::max(farthest, at);
    switch (n.is) {
      case node::kind::literal: {
        if (text.substr(at, n.text.size()) == n.text) return {at + n.text.size()};
        return {};
      }
      case node::kind::characters: {
        if (at >= text.size()) return {};
        const auto c = tsql::decode(text, at);
        const bool in = std::any_of(n.ranges.begin(), n.ranges.end(),
                                    [&](const auto& r) { return c.value >= r.first && c.value <= r.second; });
        if (in == n.negated) return {};
        return {at + c.length};
      }
      case node::kind::sequence: {
        std::set<std::size_t> now = {at};
        for (const node_ptr& part : n.parts) {
          std::set<std::size_t> next;
          for (const std::size_t from : now) next.merge(ends(*part, from));
          now = std::move(next);
          if (now.empty()) break;
        }
        return now;
      }
      case node::kind::choice: {
        std::set<std::size_t> all;
        for (const node_ptr& part : n.parts) all.merge(ends(*part, at));
        return all;
      }
      case node::kind::repeat: {
        std::set<std::size_t> all, fresh = ends(*n.parts[0], at);
        while (!fresh.empty()) {
          std::set<std::size_t> next;
          for (const std::size_t e : fresh)
            if (all.insert(e).second && n.may_repeat) next.merge(ends(*n.parts[0], e));
          fresh = std::move(next);
        }
        if (n.may_miss) all.insert(at);
        return all;
      }
      case node::kind::rule: {
        const auto key = std::pair(grammar.rules_.find(n.text)->second.get(), at);
        if (const auto found = known.find({key.first, at}); found != known.end()) return found->second;
        if (!open.insert({key.first, at}).second) throw std::runtime_error("left recursion in " + n.text);
        auto all = ends(*key.first, at);
        open.erase({key.first, at});
        return known[{key.first, at}] = std::move(all);
      }
    }
    return {};
  }
};

gbnf::gbnf(std::string_view grammar) {
  reader r{grammar};
  while (r.at < grammar.size()) {
    std::string name = r.name();
    if (grammar.substr(r.at, 5) != " ::= ") r.fail("::= is missing");
    r.at += 5;
    if (!rules_.emplace(std::move(name), r.choice()).second) r.fail("a second rule of one name before");
    if (r.peek() != '\n') r.fail("the end of a line is missing");
    ++r.at;
  }
  std::vector<const node*> all;
  for (const auto& [name, body] : rules_) all.push_back(body.get());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k]->is == node::kind::rule && rules_.find(all[k]->text) == rules_.end())
      throw std::runtime_error("no rule " + all[k]->text);
    for (const node_ptr& part : all[k]->parts) all.push_back(part.get());
  }
  if (rules_.find("root") == rules_.end()) throw std::runtime_error("no rule root");
}

bool gbnf::accepts(std::string_view text) const {
  run r{*this, text, {}, {}, 0};
  return r.ends(*rules_.find("root")->second, 0).count(text.size()) != 0;
}

std::size_t gbnf::reaches(std::string_view text) const {
  run r{*this, text, {}, {}, 0};
  (void)r.ends(*rules_.find("root")->second, 0);
  return r.farthest;
}

}  // namespace dragoman::test
