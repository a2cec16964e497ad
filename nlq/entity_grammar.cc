#include "nlq/entity_grammar.h"

#include <map>
#include <unordered_map>

namespace dragoman::nlq {
namespace {

using table = std::map<std::string, grammar_word, std::less<>>;

void add(table& t, word_kind kind, const char* text, std::vector<std::string> heads,
         std::initializer_list<const char*> phrases) {
  for (const char* p : phrases) t.insert_or_assign(p, grammar_word{kind, text, heads});
}

// An adjective speaks of columns with these words: "older than 30", "the youngest".
void adjective(table& t, const std::string& more, const std::string& most, std::vector<std::string> heads, bool up) {
  t.insert_or_assign(more + " than", grammar_word{word_kind::compare, up ? ">" : "<", heads});
  t.insert_or_assign(more, grammar_word{word_kind::more, up ? ">" : "<", heads});
  t.insert_or_assign(most, grammar_word{word_kind::superlative, up ? "DESC" : "ASC", heads});
}

table make() {
  table t;
  using k = word_kind;
  add(t, k::filler, "", {},
      {"the",
       "a",
       "an",
       "please",
       "me",
       "us",
       "i",
       "you",
       "is",
       "are",
       "was",
       "were",
       "be",
       "been",
       "being",
       "do",
       "does",
       "did",
       "we",
       "there",
       "it",
       "they",
       "them",
       "their",
       "its",
       "his",
       "her",
       "he",
       "she",
       "ones",
       "this",
       "these",
       "those",
       "the one",
       "the ones",
       "can",
       "could",
       "would",
       "will",
       "also",
       "as well",
       "along",
       "together",
       "corresponding",
       "respective",
       "table",
       "tables",
       "exist",
       "exists",
       "existing",
       "listed",
       "recorded",
       "in total",
       "overall",
       "results",
       "result",
       "ever",
       "just",

       "so",
       "then",
       "value",
       "values",
       "entire",
       "given",
       "any",
       "some",
       "all",
       "everyone",
       "everybody",
       "across",
       "among",
       "amongst",
       "available",
       "at all",
       "in the database",
       "in our database",
       "in our records",
       "on record",
       "yet",
       "or her",
       "how",
       "here",
       "respectively",
       "to us",
       "his or her",
       "name them",
       "for all"});
  add(t, k::which, "", {}, {"what",      "which",       "find",      "list",     "show",    "give",      "return",
                            "tell",      "display",     "get",       "what s",   "give me", "tell me",   "list out",
                            "find out",  "fetch",       "provide",   "report",   "select",  "identify",  "only list",
                            "only show", "only return", "only give", "retrieve", "compute", "calculate", "determine"});
  add(t, k::relation, "", {},
      {"have",          "has",        "had",         "having",         "own",          "owns",
       "owned",         "owning",     "offer",       "offers",         "offered",      "offering",
       "use",           "uses",       "used",        "using",          "contain",      "contains",
       "contained",     "belong",     "belongs",     "belonging",      "include",      "includes",
       "included",      "including",  "produce",     "produces",       "produced",     "producing",
       "make",          "makes",      "made",        "making",         "build",        "built",
       "built by",      "create",     "created",     "creates",        "hold",         "holds",
       "held",          "live",       "lives",       "living",         "lived",        "locate",
       "located",       "come",       "comes",       "came",           "coming",       "work",
       "works",         "working",    "worked",      "play",           "plays",        "played",
       "playing",       "perform",    "performs",    "performed",      "performing",   "attend",
       "attends",       "attended",   "attending",   "participate",    "participates", "participated",
       "participating", "take",       "takes",       "took",           "taken",        "taking",
       "get",           "gets",       "got",         "receive",        "received",     "receives",
       "serve",         "serves",     "serving",     "served",         "occur",        "occurred",
       "occurs",        "happen",     "happened",    "happens",        "exist",        "raise",
       "raised",        "raises",     "teach",       "teaches",        "taught",       "teaching",
       "associated",    "related",    "connected",   "linked",         "assigned",     "corresponding to",
       "correspond to", "correspond", "corresponds", "corresponds to", "affiliated",   "affiliated with",
       "fly",           "flies",      "flying",      "flew",           "released",     "published",
       "printed",       "stored",     "placed",      "issued",         "running",      "run",
       "runs",          "sell",       "sells",       "selling",        "sold",         "share",
       "shared",        "appear",     "appeared",    "appears",        "shown",        "shows",
       "showed",        "showing",    "going",       "belonging to",   "support",      "supports",
       "supported",     "originate",  "originated",  "speak",          "speaks",       "spoken",
       "win",           "wins",       "won",         "bought",         "buy",          "buys",
       "spent",         "spend",      "do have",     "provided",       "provides",     "manage",
       "manages",       "managed",    "operate",     "operates",       "operated",     "keep",
       "keeps",         "kept",       "cover",       "covers",         "covered",      "designed",
       "design",        "designs",    "developed",   "registered",     "earn",         "earned",
       "earns"});
  add(t, k::how_many, "", {},
      {"how many", "number of", "count of", "count", "count the number of", "total number of", "total count of",
       "numbers of", "how many different number of", "counts of", "number"});
  add(t, k::distinct, "", {}, {"different", "distinct", "unique", "distinctive"});
  add(t, k::aggregate, "AVG", {}, {"average", "mean", "avg", "average number of", "average of"});
  add(t, k::aggregate, "SUM", {},
      {"total", "sum", "sum of", "total of", "total amount of", "combined", "overall total"});
  add(t, k::aggregate, "MAX", {}, {"maximum", "max", "maximum number of"});
  add(t, k::aggregate, "MIN", {}, {"minimum", "min", "minimum number of"});
  add(t, k::superlative, "DESC", {},
      {"highest", "largest", "biggest", "greatest", "most", "most number of", "largest number of", "highest number of",
       "greatest number of", "maximal", "largest amount of", "most amount of", "highest amount of", "top most",
       "most of", "biggest number of", "maximum amount of"});
  add(t, k::superlative, "ASC", {},
      {"lowest", "smallest", "least", "fewest", "least number of", "smallest number of", "lowest number of",
       "fewest number of", "smallest amount of", "lowest amount of", "least amount of", "minimal"});
  add(t, k::most_common, "DESC", {},
      {"most common", "most frequent", "most popular", "most commonly used", "most frequently used", "most prevalent",
       "most commonly occurring", "most often used"});
  add(t, k::most_common, "ASC", {}, {"least common", "least frequent", "least popular", "rarest"});
  add(t, k::top, "", {}, {"top"});
  add(t, k::compare, ">", {},
      {"more than", "greater than", "higher than", "larger than", "bigger than", "over", "above", "exceeding",
       "exceeds", "exceed", "in excess of", "of more than", "of over", "that exceeds"});
  add(t, k::compare, ">=", {},
      {"at least", "no less than", "not less than", "a minimum of", "no fewer than", "greater than or equal to",
       "more than or equal to", "equal to or greater than", "higher than or equal to"});
  add(t, k::compare, "<", {}, {"less than", "lower than", "fewer than", "smaller than", "below", "under"});
  add(t, k::compare, "<=", {},
      {"at most", "no more than", "not more than", "up to", "a maximum of", "less than or equal to", "no greater than",
       "not greater than", "lower than or equal to", "smaller than or equal to", "not higher than", "no higher than"});
  add(t, k::compare, "=", {}, {"equal to", "equals", "exactly", "equal"});
  add(t, k::compare, "<>", {}, {"other than", "not equal to"});
  const std::vector<std::string> dates{"@date"};
  add(t, k::compare, ">", dates, {"after", "later than"});
  add(t, k::compare, "<", dates, {"before", "prior to", "earlier than"});
  add(t, k::compare, ">=", dates, {"since"});
  add(t, k::more, ">", {}, {"more", "greater", "higher", "larger", "bigger"});
  add(t, k::more, "<", {}, {"less", "lower", "fewer", "smaller"});
  add(t, k::than, "", {}, {"than", "different from", "different than", "differs from"});
  add(t, k::at_end, ">=", {},
      {"or more", "or above", "or over", "or higher", "or greater", "or later", "or after", "or older"});
  add(t, k::at_end, "<=", {},
      {"or less", "or fewer", "or below", "or under", "or lower", "or earlier", "or before", "or younger"});
  add(t, k::between, "", {}, {"between", "in the range of", "ranging from"});
  add(t, k::each, "", {},
      {"each",
       "every",
       "per",
       "for each",
       "for every",
       "in each",
       "in every",
       "from each",
       "by each",
       "of each",
       "each of the",
       "each one",
       "in each one",
       "for each one",
       "of each one",
       "for each of the",
       "grouped by",
       "group by",
       "each different",
       "for all the different",
       "for all different",
       "for different",
       "on each",
       "at each",
       "to each",
       "with each",
       "under each",
       "for different number of",
       "broken down by"});
  add(t, k::of, "", {}, {"of", "for", "about", "of all", "for all", "of all the", "for all the", "regarding"});
  add(t, k::with, "", {},
      {"who",      "that",    "whose",      "with",      "where",     "whom",       "that has",  "that have",
       "who have", "who has", "which have", "which has", "in which",  "for which",  "to which",  "from which",
       "that are", "that is", "who are",    "who is",    "which are", "which were", "that were", "such that"});
  add(t, k::in, "", {},
      {"in", "from", "at", "on", "to", "by", "as", "into", "during", "within", "through", "via", "in year",
       "in the year", "in the year of", "in years", "in the years of", "in the years", "out"});
  add(t, k::and_, "", {},
      {"and", "as well as", "along with", "together with", "and also", "plus", "and their", "and its"});
  add(t, k::or_, "", {}, {"or", "either", "or that", "or who", "or which", "nor", "nor from"});
  add(t, k::not_, "", {}, {"not", "neither", "isn t", "don t"});
  add(t, k::not_, "except", {},
      {"except", "except for", "except those", "except for those", "excluding", "excluding those", "other than those"});
  add(t, k::no, "", {},
      {"no",
       "without",
       "never",
       "without any",
       "not any",
       "without a",
       "lack",
       "lacking",
       "lacks",
       "not a single",
       "do not have",
       "does not have",
       "did not have",
       "do not have any",
       "does not have any",
       "did not have any",
       "have no",
       "has no",
       "had no",
       "have not had",
       "have never had",
       "who have no",
       "with no",
       "not have any",
       "not have",
       "not have a"});
  add(t, k::both, "", {}, {"both"});
  add(t, k::but, "", {}, {"but"});
  add(t, k::order_by, "", {},
      {"ordered by",
       "sorted by",
       "order by",
       "sort by",
       "in order of",
       "order the results by",
       "sort the results by",
       "order them by",
       "sort them by",
       "ordered by their",
       "sorted by their",
       "in the order of",
       "order the result by",
       "sort the result by",
       "ordered based on",
       "sorted based on",
       "ranked by",
       "ordered according to",
       "ordered on",
       "sorted on",
       "order results by",
       "sort results by",
       "sort the list by",
       "order the list by",
       "arranged by",
       "listed by"});
  add(t, k::ordered, "", {}, {"order", "sort", "sorted", "ordered", "sorted in", "ordered in", "sort in", "order in"});
  add(t, k::ascending, "", {},
      {"ascending",
       "ascendingly",
       "ascending order",
       "in ascending order",
       "increasing",
       "in increasing order",
       "from low to high",
       "from the lowest to the highest",
       "from smallest to largest",
       "from youngest to oldest",
       "from the youngest to the oldest",
       "from young to old",
       "from lowest to highest",
       "from earliest to latest",
       "in ascending order of",
       "in increasing order of",
       "in ascending order by",
       "from oldest to newest",
       "from least to most",
       "from least to greatest",
       "ascending in"});
  add(t, k::descending, "", {},
      {"descending",
       "descendingly",
       "descending order",
       "in descending order",
       "decreasing",
       "in decreasing order",
       "from high to low",
       "from the highest to the lowest",
       "from largest to smallest",
       "from oldest to youngest",
       "from the oldest to the youngest",
       "from old to young",
       "from highest to lowest",
       "from latest to earliest",
       "in descending order of",
       "in decreasing order of",
       "in descending order by",
       "from most to least",
       "from greatest to least",
       "from newest to oldest"});
  add(t, k::alphabetical, "", {},
      {"alphabetical", "alphabetically", "lexicographical", "lexicographically", "in alphabetical order",
       "in lexicographical order", "in ascending alphabetical order", "ascending alphabetical order",
       "alphabetical order", "lexicographical order", "lexicographic order", "in lexicographic order",
       "in alphabetical order of", "in alphabetic order", "alphabetic order", "in alphabetical order by",
       "in ascending alphabetical order of", "in ascending alphabetical order by", "in lexicographical order of"});
  add(t, k::reverse, "", {},
      {"reverse alphabetical", "reversed alphabetical", "reverse lexicographical", "reversed lexicographical",
       "in reverse alphabetical order", "in reversed alphabetical order", "in reversed lexicographical order",
       "in reverse lexicographical order", "in descending alphabetical order", "reverse alphabetical order",
       "in descending alphabetical order of", "in reverse alphabetical order of"});
  add(t, k::years_old, "", {}, {"years old", "years of age", "year old"});
  add(t, k::contains, "", {},
      {"contains the word",
       "containing the word",
       "contain the word",
       "has the word",
       "have the word",
       "with the word",
       "includes the word",
       "contains",
       "containing",
       "contain",
       "has the substring",
       "have the substring",
       "contains the substring",
       "containing the substring",
       "includes",
       "including the word",
       "include",
       "the word",
       "the substring",
       "contains the letter",
       "containing the letter",
       "the letter",
       "contain the letter",
       "the phrase",
       "substring"});
  add(t, k::named, "", {}, {"named", "called", "titled", "entitled"});
  add(t, k::everything, "", {},
      {"all the information", "all information", "all the information about", "all information about",
       "all the details", "all details", "all the details about", "all details about", "everything about",
       "full details", "all the details of", "all the information of", "all columns of"});

  for (const char* verb : {"weighing", "weighed", "weigh", "weighs"}) {
    for (auto [words, op] : {std::pair{" more than", ">"},
                             {" over", ">"},
                             {" less than", "<"},
                             {" under", "<"},
                             {" at least", ">="},
                             {" no less than", ">="},
                             {" at most", "<="},
                             {" no more than", "<="}})
      t.insert_or_assign(std::string(verb) + words, grammar_word{k::compare, op, {"weight"}});
  }
  add(t, k::measure, "", dates, {"when"});
  add(t, k::measure, "", {"age"}, {"how old"});
  add(t, k::measure, "", {"height"}, {"how tall"});
  add(t, k::measure, "", {"weight"}, {"how heavy"});
  add(t, k::measure, "", {"length", "duration"}, {"how long"});

  adjective(t, "older", "oldest", {"age"}, true);
  adjective(t, "elder", "eldest", {"age"}, true);
  adjective(t, "younger", "youngest", {"age"}, false);
  adjective(t, "taller", "tallest", {"height"}, true);
  adjective(t, "shorter", "shortest", {"height", "length", "duration"}, false);
  adjective(t, "heavier", "heaviest", {"weight"}, true);
  adjective(t, "lighter", "lightest", {"weight"}, false);
  adjective(t, "longer", "longest", {"length", "duration"}, true);
  adjective(t, "faster", "fastest", {"speed"}, true);
  adjective(t, "slower", "slowest", {"speed"}, false);
  adjective(t, "cheaper", "cheapest", {"price", "cost"}, false);
  adjective(t, "richer", "richest", {"wealth", "money", "earning", "income"}, true);
  adjective(t, "costlier", "costliest", {"price", "cost"}, true);
  adjective(t, "wider", "widest", {"width"}, true);
  adjective(t, "deeper", "deepest", {"depth"}, true);
  add(t, k::superlative, "DESC", {"price", "cost"}, {"most expensive", "priciest"});
  add(t, k::superlative, "ASC", {"price", "cost"}, {"least expensive"});
  add(t, k::superlative, "DESC", {"population"}, {"most populous", "most populated"});
  add(t, k::superlative, "ASC", {"population"}, {"least populous", "least populated"});
  add(t, k::superlative, "DESC", dates, {"most recent", "most recently", "latest", "newest"});
  add(t, k::superlative, "ASC", dates, {"earliest", "least recent"});
  return t;
}

}  // namespace

const grammar_word* find_grammar(std::string_view phrase) {
  static const table all = make();
  auto found = all.find(phrase);
  return found == all.end() ? nullptr : &found->second;
}

std::string_view place_of_adjective(std::string_view word) {
  static const std::unordered_map<std::string_view, std::string_view> places{{"french", "france"},
                                                                             {"german", "germany"},
                                                                             {"english", "england"},
                                                                             {"british", "united kingdom"},
                                                                             {"american", "united states"},
                                                                             {"european", "europe"},
                                                                             {"asian", "asia"},
                                                                             {"african", "africa"},
                                                                             {"italian", "italy"},
                                                                             {"spanish", "spain"},
                                                                             {"russian", "russia"},
                                                                             {"chinese", "china"},
                                                                             {"japanese", "japan"},
                                                                             {"korean", "korea"},
                                                                             {"dutch", "netherlands"},
                                                                             {"swedish", "sweden"},
                                                                             {"norwegian", "norway"},
                                                                             {"danish", "denmark"},
                                                                             {"finnish", "finland"},
                                                                             {"polish", "poland"},
                                                                             {"portuguese", "portugal"},
                                                                             {"greek", "greece"},
                                                                             {"turkish", "turkey"},
                                                                             {"iranian", "iran"},
                                                                             {"persian", "iran"},
                                                                             {"indian", "india"},
                                                                             {"mexican", "mexico"},
                                                                             {"brazilian", "brazil"},
                                                                             {"canadian", "canada"},
                                                                             {"australian", "australia"},
                                                                             {"swiss", "switzerland"},
                                                                             {"austrian", "austria"},
                                                                             {"belgian", "belgium"},
                                                                             {"irish", "ireland"},
                                                                             {"scottish", "scotland"},
                                                                             {"egyptian", "egypt"},
                                                                             {"cuban", "cuba"},
                                                                             {"argentinian", "argentina"},
                                                                             {"hungarian", "hungary"},
                                                                             {"czech", "czech republic"},
                                                                             {"bulgarian", "bulgaria"},
                                                                             {"romanian", "romania"},
                                                                             {"serbian", "serbia"},
                                                                             {"ukrainian", "ukraine"}};
  auto found = places.find(word);
  return found == places.end() ? std::string_view() : found->second;
}

}  // namespace dragoman::nlq
