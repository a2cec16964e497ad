// A shop with several tables of facts, small enough to add up by hand: orders with their lines, stock, returns, and
// accounts of several owners. Questions about it are understood, checked and run in the sandbox over its rows.
//
//   header 1 Ann 2023-07-10 freight 10: pen 100, pad 50      stock  pen North 40, pen South 60, ink North 5, pad West
//   11 header 2 Ann 2024-01-05 freight 20: pen 50, ink 30       return pen Ann 2024-01-05 10, pen Bob 2024-07-01 20,
//   header 3 Bob 2024-06-30 freight 5:  pad 100                     box Cyd 2024-08-15 9
//   header 4 Cyd 2024-07-01 freight 7:  box 9                Ann lives in North, Bob in South, Cyd nowhere known;
//                                                            the box has no category, pen and ink are Writing, pad
//                                                            Paper
#pragma once

#include <memory>
#include <string>

#include "guard/guard.h"
#include "nlq/understanding.h"
#include "tests/proxy/sandbox/fixture.h"

namespace dragoman::nlq::testing {

// The semantic layer of the shop, with `more` at its end.
std::string shop_layer(const std::string& more = {});

class shop : public sandbox::small_database {
 public:
  explicit shop(const std::string& more = {});

  understanding ask(const std::string& question, const conversation* session = nullptr) const;
  // Rows joined by '/', values by '|', NULL as ~; what else became of the question: "refused: …", "clarify: …".
  std::string rows(const std::string& question);
  // The same behind the guard, as somebody who sees customer 1 and region 1 only.
  std::string rows_of_one(const std::string& question);
  std::string sql(const std::string& question) const;

  catalog::database_ptr database;
  std::shared_ptr<const knowledge> known;
  day_number today = to_day_number({2024, 8, 20});

 private:
  void table(const std::string& name, const std::vector<std::pair<std::string, std::string>>& columns,
             const std::string& values);

  catalog::database described_;
};

}  // namespace dragoman::nlq::testing
