// Columns that look sensitive, by name and by the shape of their values.
#include "nlq/sensitive.h"

#include <boost/test/unit_test.hpp>

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

sql_type typed(sql_type_id id, int length = 0) {
  sql_type t;
  t.id = id;
  t.length = length;
  return t;
}

const sql_type text_type = typed(sql_type_id::nvarchar, 100), number_type = typed(sql_type_id::bigint),
               day_type = typed(sql_type_id::date), bit_type = typed(sql_type_id::bit);

std::string named(std::string_view column, const sql_type& type = text_type) {
  const auto kind = sensitive_by_name(column, type);
  return kind ? std::string(name_of(*kind)) : "";
}

std::string shaped(const std::vector<std::string>& values) {
  const auto kind = sensitive_by_values(values);
  return kind ? std::string(name_of(*kind)) : "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sensitive_guesses)

BOOST_AUTO_TEST_CASE(names_in_three_spellings) {
  const std::pair<const char*, const char*> all[] = {{"Email", "email"},
                                                     {"customer_email_address", "email"},
                                                     {"E-Mail", "email"},
                                                     {"ایمیل", "email"},
                                                     {"HomePhone", "phone"},
                                                     {"mobile_no", "phone"},
                                                     {"shomare_tamas", "phone"},
                                                     {"تلفن همراه", "phone"},
                                                     {"Tel", "phone"},
                                                     {"NationalID", "national_id"},
                                                     {"kod_melli", "national_id"},
                                                     {"KodeMelli", "national_id"},
                                                     {"CodeMelli", "national_id"},
                                                     {"کد ملی", "national_id"},
                                                     {"كد ملي", "national_id"},
                                                     {"SSN", "national_id"},
                                                     {"PassportNumber", "national_id"},
                                                     {"CreditCardNo", "card"},
                                                     {"card_number", "card"},
                                                     {"شماره کارت", "card"},
                                                     {"IBAN", "account"},
                                                     {"shomare_hesab", "account"},
                                                     {"shaba", "account"},
                                                     {"شماره حساب", "account"},
                                                     {"BaseSalary", "salary"},
                                                     {"hoghoogh", "salary"},
                                                     {"BirthDate", "birth_date"},
                                                     {"date_of_birth", "birth_date"},
                                                     {"DOB", "birth_date"},
                                                     {"تاریخ تولد", "birth_date"},
                                                     {"PasswordHash", "credential"},
                                                     {"api_key", "credential"},
                                                     {"ramz_obur", "credential"},
                                                     {"AccessToken", "credential"}};
  for (const auto& [name, kind] : all) BOOST_TEST(named(name) == kind, name);
  BOOST_TEST(named("Mobile", number_type) == "phone");
  BOOST_TEST(named("Salary", number_type) == "salary");
  BOOST_TEST(named("BirthDate", day_type) == "birth_date");
}

BOOST_AUTO_TEST_CASE(names_that_only_sound_like_it) {
  for (const char* name :
       {"Name",      "City",        "hotel",     "EmailCount", "phone_type", "PhoneID",  "is_email_verified",
        "has_phone", "MobileModel", "Title",     "National",   "Code",       "CardType", "Hashtag",
        "Mailing",   "TokenCount",  "AccountID", "Amount",     "کد",         "ملی",      ""})
    BOOST_TEST(named(name).empty(), name);
  // A column of this type could not hold it.
  BOOST_TEST(named("Email", bit_type).empty());
  BOOST_TEST(named("Email", number_type).empty());
  BOOST_TEST(named("CardNo", typed(sql_type_id::varchar, 10)).empty());
  BOOST_TEST(named("CardNo", typed(sql_type_id::varchar, sql_type::max_length)).empty());
  BOOST_TEST(named("CardNo", typed(sql_type_id::varchar, 19)) == "card");
}

BOOST_AUTO_TEST_CASE(shapes_of_values) {
  BOOST_TEST(shaped({"a@b.org", "c.d@e.com", "x@y.co.uk"}) == "email");
  BOOST_TEST(shaped({"09121234567", "۰۹۱۲۷۶۵۴۳۲۱", "+98 21 8888 7777"}) == "phone");
  BOOST_TEST(shaped({"(555) 010-9999", "555-010-1234", "+44 20 7946 0958"}) == "phone");
  BOOST_TEST(shaped({"0012345679", "0499370899", "0790419904"}) == "national_id");
  BOOST_TEST(shaped({"078-05-1120", "219-09-9999", "457-55-5462"}) == "national_id");
  BOOST_TEST(shaped({"4111111111111111", "5500 0055 5555 5559", "6011-0000-0000-0004"}) == "card");
  BOOST_TEST(shaped({"GB82 WEST 1234 5698 7654 32", "DE89370400440532013000", "NL91ABNA0417164300"}) == "account");
  BOOST_TEST(shaped({"d41d8cd98f00b204e9800998ecf8427e", "e4d909c290d0fb1ca068ffaddf22cbd0",
                     "9e107d9d372bb6826bd81d3542a419d6"}) == "credential");
  // Check digits that do not hold, numbers of other kinds, too few to tell, a mixture.
  BOOST_TEST(shaped({"4111111111111112", "5500005555555558", "6011000000000005"}).empty());
  BOOST_TEST(shaped({"1234567890", "1234567891", "1234567892"}).empty());
  BOOST_TEST(shaped({"1111111111", "2222222222", "3333333333"}).empty());
  BOOST_TEST(shaped({"2020-01-01", "2021-02-03", "2022-03-04"}).empty());
  BOOST_TEST(shaped({"12.50", "99.10", "100"}).empty());
  BOOST_TEST(shaped({"a@b.org", "c@d.org"}).empty());
  BOOST_TEST(shaped({"a@b.org", "c@d.org", "none", "unknown", "x"}).empty());
  BOOST_TEST(shaped({}).empty());
  BOOST_TEST(shaped({"", "", "", ""}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
