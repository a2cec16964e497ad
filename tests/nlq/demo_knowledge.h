// The demo's semantic layer with the few stored values that questions of tests name: no warehouse is needed.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "nlq/understanding.h"

namespace dragoman::nlq::testing {

inline std::shared_ptr<const knowledge> demo_knowledge() {
  static const std::shared_ptr<const knowledge> known = [] {
    auto layer = load_semantics(std::string(DRAGOMAN_SOURCE_DIR) + "/conf/demo/semantics.yaml");
    if (!layer) throw std::runtime_error(layer.error().message);
    auto catalogue = catalog::load_snapshot(std::string(DRAGOMAN_SOURCE_DIR) + "/conf/demo/catalog.yaml");
    if (!catalogue) throw std::runtime_error(catalogue.error().message);
    std::vector<value_rows> values{
        {"broker",
         {"Name", "NameFa"},
         {{"Mehr Brokerage", "کارگزاری مهر"},
          {"Alborz Brokerage", "کارگزاری البرز"},
          {"Pars Brokerage", "کارگزاری پارس"}}},
        {"hall",
         {"NameEn", "Name", "Code"},
         {{"Petrochemical Hall", "تالار پتروشیمی", "PTR"},
          {"Cement Hall", "تالار سیمان", "CEM"},
          {"Industrial and Mining Hall", "تالار صنعتی و معدنی", "IND"},
          {"Export Hall", "تالار صادراتی", "EXP"}}},
        {"commodity",
         {"Name", "NameFa", "Code"},
         {{"Rebar A3 Size 14", "میلگرد A3 سایز 14", "REBAR14"},
          {"Rebar A3 Size 16", "میلگرد A3 سایز 16", "REBAR16"},
          {"Bitumen 60/70", "قیر 60/70", "BIT6070"}}},
        {"customer",
         {"Name", "NameFa"},
         {{"Pars Polymer Co.", "شرکت پارس پلیمر"}, {"Parsa Trading", "بازرگانی پارسا"}}},
        {"supplier", {"Name", "NameFa"}, {{"Khuzestan Steel", "فولاد خوزستان"}}},
        {"province", {"Province", "ProvinceFa"}, {{"Tehran", "تهران"}, {"Alborz", "البرز"}, {"Isfahan", "اصفهان"}}},
        {"city", {"City", "CityFa"}, {{"Tehran", "تهران"}, {"Isfahan", "اصفهان"}}},
        {"status",
         {"Name", "NameFa"},
         {{"Completed", "تکمیل‌شده"},
          {"Pending", "در انتظار"},
          {"Cancelled", "لغوشده"},
          {"Returned", "مرجوع‌شده"}}},
        {"currency", {"Code", "Name"}, {{"IRR", "Iranian Rial"}, {"USD", "US Dollar"}}}};
    return knowledge::build(std::make_shared<const semantic_layer>(std::move(*layer)),
                            std::make_shared<const catalog::database>(std::move(*catalogue)), std::move(values));
  }();
  return known;
}

}  // namespace dragoman::nlq::testing
