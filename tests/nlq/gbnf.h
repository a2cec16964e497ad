// A recogniser of GBNF for tests: the subset that Dragoman writes (literals, classes, groups, "|", "?", "*", "+").
// Unlike a model server it answers for a whole text only. Undefined rules and left recursion throw.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::test {

class gbnf {
 public:
  explicit gbnf(std::string_view grammar);  // throws std::runtime_error
  bool accepts(std::string_view text) const;
  // How much of the text some sentence begins with: where it goes wrong.
  std::size_t reaches(std::string_view text) const;

 private:
  struct node;
  using node_ptr = std::shared_ptr<node>;
  struct reader;
  struct run;
  std::map<std::string, node_ptr, std::less<>> rules_;
};

}  // namespace dragoman::test
