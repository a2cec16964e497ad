#include "nlq/grammar.h"

namespace dragoman::nlq {

const std::vector<grammar_entry>& grammar() {
  using enum gram;
  static const std::vector<grammar_entry> table{
      {stop,
       "a|an|the|is|are|was|were|be|been|being|do|does|did|has|have|had|having|please|could you|can you|would you|"
       "could you please|tell me|i want|i would like|i want to|to see|see|know|i need|need|we|us|i|me|my|our|you|"
       "your|there|here|just wondering|let|d|ve|re|s|would|like|could|can|should|want|get|what|whats|kindly|thanks|"
       "it is|that is|this is|for me|to us|from us|come|comes|coming|came|made|make|makes|used|use|named|called|"
       "recorded|registered|overall figures|figure|figures|number|value in|data|information|info|report|table|"
       "report of|table of|about|some|any|will|shall|so|really|exactly|actually|ok|okay|hi there|look|looking|at all|"
       "take|takes|took|taken|going|gone|happened|happen|occurred|during the period|period|during|over the period|"
       "basis|on the basis|results|result|us know|let us|level|terms|up|out|belonging|belong|belonged|belongs|had with|"
       "place|placed|who|whom|whose was|was it|were they|in total terms|in our|each of "
       "our|handled|via|through|amounted|generated|generate|"
       "contribute|contributed|account|accounted|accounts|due|stand|stood|kind of|sort of|ever|yet|already|give "
       "us|break|further|reach|reached|exceed|exceeded|long|"
       "in the period|time period|in our data|in the data|performing|performed|day's|people|one|ones that|things",
       "را|رو|است|بود|بوده|بوده است|بودند|بوده اند|شد|شده|شده است|شدند|شده اند|هست|هستند|هستن|باشد|می باشد|میباشد|"
       "لطفا|لطف|کنید|کن|کنی|کرد|کردند|کرده|کرده ایم|کردیم|بکن|کنین|بده|بدهید|بدید|بدین|بگو|بگویید|بگید|من|ما|شما|"
       "برای من|برام|میخواهم|میخوام|می خواستم|میخواستم|خواستم|می "
       "خواهم|ببینم|بدانم|بدونم|داریم|دارد|دارند|دارن|داره|داشته|"
       "داشتند|داشتیم|داشتن|داشته اند|داشته است|داشته ایم|استخراج|محاسبه|حساب|ارائه|ارایه|این|آن|اون|آنها|اونها|آنها "
       "را|یک|یه|"
       "چیست|چیه|چه بوده|خود|خودمان|مربوط|مربوط به|متعلق|متعلق به|ثبت|ثبت شده|ثبت شد|انجام|انجام شده|انجام شد|مال|"
       "بین همه|رقم|عدد|آمار|گزارش|جدول|اطلاعات|داده|داده های|دیگر|دیگه|طول|طی|دوره|حدود|واقع|قرار|گرفته|می "
       "شود|میشود|شود|می شه|میشه|"
       "کشیده|طول کشیده|طول کشید|کشید|داخل "
       "سیستم|سیستم|نمایید|فرمایید|بفرمایید|ممنون|ممنونم|مرسی|باتشکر|تشکر|نام|اسم|اسامی|عنوان|اند|ها|صورت|به صورت|به "
       "شکل|"
       "تا حالا|تاحالا|تا به حال|تابحال|یعنی|رسیده|رسید|رسیده است|می رسد|شان|خرید و فروش شده|تشکیل می دهد|تشکیل "
       "میدهد|تشکیل داده|اختصاص|اختصاص دارد|اختصاص داشته|می شوند"},
      {preposition,
       "in|of|for|from|on|at|within|into|among|amongst|across|during the|over|throughout|in the|of the|inside|under "
       "the|towards|to the|belonging to|made by|placed by|bought by|sold by|held by|traded in|traded on|sold "
       "in|located at|within the",
       "در|از|به|برای|توی|تو|درون|روی|میان|داخلِ|ضمن|در طول|در طی|سمت|نزد|توسط|از طریق"},
      {with, "with|including|along with|together with|with their|with the|and show|showing|with columns",
       "با|همراه با|همراه|به همراه|شامل|با ذکر|با ستون های"},
      {by,
       "by|in terms of|according to|based on|ranked by|as measured by|measured by|by the|sorted by|ordered "
       "by|on",
       "بر اساس|براساس|از نظر|از لحاظ|به لحاظ|از حیث|بر مبنای|برمبنای|بر پایه|از جهت|از بابت|به ترتیب|با توجه به"},
      {breakdown,
       "broken down by|break down by|break it down by|break this down by|break them down by|grouped by|group by|split "
       "by|split it by|breakdown by|broken out by|drill down by|separated by|per each|for each|for every|in each|of "
       "each|by each|from each|at each",
       "به تفکیک|به تفکیک هر|تفکیک|بتفکیک|با تفکیک|به تفکیکِ|بر حسب|برحسب|به ازای هر|به ازای|برای هر|در هر|دسته بندی بر "
       "اساس|گروه بندی بر اساس|تقسیم بر اساس"},
      {each, "each|every|per|all the different", "هر|هریک|هر یک|هر یک از|هرکدام|هر کدام|هر کدام از|تک تک"},
      {top,
       "top|best|best selling|top selling|bestselling|highest|largest|biggest|most|leading|greatest|maximum|max|strongest|most valuable|number one|best "
       "performing|top performing|most active|greatest number of|largest number of|highest number of|most expensive",
       "برتر|برترین|بهترین|بیشترین|بالاترین|بزرگترین|بیشینه|پرفروش|پرمعامله|پرتقاضا|پرخرید|حداکثر مقدار|ماکزیمم|پر|پرترین|عمده "
       "ترین|گرانترین|مهمترین|فعالترین|پیشرو"},
      {bottom, "bottom|worst|worst selling|least selling|slowest selling|lowest|least|smallest|fewest|minimum|min|weakest|cheapest|slowest",
       "کمترین|کم فروش|کم فروش ترین|کم معامله ترین|پایین ترین|بدترین|کوچکترین|کمینه|مینیمم|ضعیف ترین|کم ترین|ارزانترین"},
      {last, "last|latest|most recent|newest|recent", "آخرین|اخیر|جدیدترین|اخرین|تازه ترین"},
      {first, "first|earliest|oldest", "اولین|نخستین|قدیمی ترین|اول|نخست"},
      {how_many,
       "how many|number of|count of|the number of|count|no of|total number of|the count of|how many different|how many "
       "distinct",
       "تعداد|چند|چندتا|چند تا|شمار|چه تعداد|تعداد کل|چند عدد|چندین"},
      {how_much, "how much|how did|how do|how does|what amount|what is|what was|what are|what were|how high|how large|how big",
       "چقدر|چه قدر|چه مقدار|چه میزان|میزان|چند است|چنده|چقدره|چه اندازه|مبلغ چقدر"},
      {which,
       "which|who|what kind of|which of|who are|who were|which are|which were|name of|names of|the name of|the names "
       "of",
       "کدام|کدوم|کدامیک|کدام یک|چه|چه کسی|چه کسانی|کی|کیا|کدام ها|کدامند|کدوما"},
      {list,
       "list|show|show me|give|give me|display|print|enumerate|provide|produce|fetch|return me|list of|a list "
       "of|bring|find|find me|export to|export|extract|view",
       "لیست|فهرست|نشان بده|نشون بده|نمایش بده|نمایش|نشان دهید|نشان|بیاور|لیست کن|فهرست کن|خروجی بگیر|خروجی|نمایش "
       "دهید|بیار|پیدا کن|خروجی بده"},
      {all, "all|entire|whole|all of|all the|every single|complete list of|full list of",
       "همه|تمام|تمامی|کلیه|همه ی|همگی"},
      {total, "total|sum|sum of|overall|in total|altogether|combined|total of|grand total|all together|aggregate",
       "مجموع|کل|جمع|جمع کل|مجموعا|روی هم|کلی|در کل|در مجموع|سرجمع"},
      {average, "average|avg|mean|on average|typical|averages",
       "میانگین|متوسط|معدل|بطور متوسط|به طور متوسط|به طور میانگین"},
      {median, "median", "میانه"},
      {distinct, "distinct|unique|different", "متمایز|مختلف|یکتا|گوناگون"},
      {compare,
       "compare|compared to|compared with|in comparison to|in comparison with|comparison|comparison "
       "of|versus|vs|against|relative to|as opposed to|difference between|compare the|comparing|as against|than",
       "مقایسه|مقایسه کن|در مقایسه با|مقایسه با|نسبت به|در مقابل|در برابر|مقابل|قیاس|تفاوت|اختلاف|مقایسه ی"},
      {growth,
       "growth|change|changed|growth rate|rate of growth|rate of change|percentage change|percent "
       "change|grow|changes|growth of|growth in|change in|by what percent did|evolution|delta",
       "رشد|تغییر|تغییرات|نرخ رشد|درصد رشد|درصد تغییر|میزان رشد|میزان تغییر|تغییر کرده|تغییر کرد|رشد کرده|رشد کرد|رشد "
       "داشته"},
      {grew, "grew|increased|rose|increase|rise|went up|improved|has grown|gained|higher|increasing",
       "افزایش|افزایش یافته|افزایش داشته|افزایش یافت|زیاد شده|رشد داشته اند|بالا رفته|رشد کرده اند|بیشتر شده"},
      {fell,
       "fell|decreased|dropped|declined|decrease|drop|decline|went down|has fallen|fallen|lower|shrank|lost|decreasing",
       "کاهش|کاهش یافته|کاهش داشته|کاهش یافت|افت|افت کرده|افت داشته|کم شده|پایین آمده|کاهش پیدا کرده|کمتر شده"},
      {period_over_period,
       "month over month|month on month|mom|year over year|year on year|yoy|quarter over quarter|quarter on "
       "quarter|qoq|day over day|day on day|month to month|year to year|quarter to quarter",
       "ماه به ماه|سال به سال|فصل به فصل|روز به روز|نسبت به ماه قبل|نسبت به ماه پیش|ماه نسبت به ماه قبل"},
      {share,
       "share|market share|portion|proportion|contribution|share of|fraction|fraction of|contribution of|percentage "
       "share",
       "سهم|سهم بازار|سهم از|درصد سهم"},
      {percent,
       "%|percent|percentage|per cent|what percent|what percentage|percentage of|percent of|pct|in percent|as a "
       "percentage",
       "درصد|چند درصد|چه درصدی|درصدی|به درصد|بر حسب درصد|%"},
      {as_percent_of,
       "as a % of|as % of|as a percentage of|as percentage of|as a percent of|as percent of|as a share of|as a "
       "fraction of|as a proportion of|to total ratio",
       "به عنوان درصدی از|به صورت درصدی از|به درصد از"},
      {ratio, "ratio|ratio of|the ratio of", "نسبت"},
      {more_than,
       "more than|greater than|above|over|exceeding|higher than|larger than|bigger than|longer than|in excess "
       "of|beyond|upwards of|exceed|exceeds|exceeded|took more than|takes more than|better than",
       "بیشتر از|بیش از|بالای|بالاتر از|فراتر از|بزرگتر از|زیادتر از|بیشتر"},
      {less_than, "less than|fewer than|below|under|lower than|smaller than|shorter than|not more than|beneath",
       "کمتر از|کم تر از|زیر|پایین تر از|پایین‌تر از|پایین|کوچکتر "
       "از|کمتر"},
      {at_least, "at least|no less than|not less than|or more|minimum of|and above|and over",
       "حداقل|دست کم|دستکم|لااقل|به بالا|یا بیشتر|و بیشتر|و بالاتر|کم کم"},
      {at_most, "at most|no more than|up to|or less|or fewer|maximum of|and below",
       "حداکثر|نهایتا|یا کمتر|و کمتر|به پایین"},
      {between, "between|from", "بین|مابین"},
      {equals, "equal to|equals|exactly equal|equal", "برابر|برابر با|مساوی|مساوی با|معادل با"},
      {not_,
       "not|never|no|none|didn t|nobody|neither|nor|zero|not any|have no|had no|with no|no longer|not a single|not "
       "even",
       "نه|هیچ|هیچ گونه|هیچگونه|هیچوقت|هرگز|نیست|نیستند|نبوده|نبود|نشد|نشده|نشده است|نشده اند|نداشته|نداشته "
       "اند|نداشتند|نداشتن|ندارد|ندارند|ندارن|نداره|نداشت|نکرده|نکرده اند|نکردند|نکردن|نداده|نداده اند|ندادند|صفر"},
      {without, "without|lacking|without any|with zero", "بدون|بدون هیچ|فاقد|بدونِ"},
      {except,
       "excluding|except|except for|other than|besides|apart from|exclude|not including|but not|leaving out|minus|non",
       "به جز|بجز|به غیر از|غیر از|بغیر از|جز|غیر|به استثنای|منهای|منهای"},
      {running_total,
       "running total|cumulative|cumulatively|running sum|cumulated|accumulated|running totals|rolling total",
       "تجمعی|تجمیعی|انباشته|جمع تجمعی|به صورت تجمعی|جمع انباشته"},
      {moving_average, "moving average|rolling average|rolling mean|moving mean|running average",
       "میانگین متحرک|متوسط متحرک|میانگین غلتان"},
      {rank, "rank|ranking|rank of|ranks|ranked|ranking of|rank the|position",
       "رتبه|رتبه بندی|رده بندی|رنکینگ|رتبه بندی کن|رتبه ی"},
      {trend, "trend|trend of|over time|by time|time series|development|history of|evolution of|timeline",
       "روند|سیر|در طول زمان|در گذر زمان|روند تغییرات"},
      {and_, "and|&|plus|as well as", "و|به علاوه|بعلاوه"},
      {or_, "or", "یا"},
      {but, "but|but not|however|yet not", "ولی|اما|لیکن|منتها"},
      {to, "to", "تا"},
      {only,
       "only|just|just the|only the|filter to|filter on|restrict to|limit to|restricted to|limited to|narrow to|narrow "
       "down to",
       "فقط|تنها|صرفا|محدود به|محدود کن به"},
      {same, "same|the same|same thing|same but|the same but|same for|that same|likewise",
       "همین|همان|همون|همینو|همونو|همین رو|همین را|مثل همین|مشابه"},
      {instead, "instead|instead of that|rather", "به جای|به جایش|بجاش|جایش|عوض"},
      {also, "also|too|as well|add|and also|in addition|additionally|include|add the|plus also",
       "هم|نیز|همچنین|اضافه|اضافه کن|اضافه بکن|را هم|رو هم|بیفزا|به علاوه ی"},
      {what_about, "what about|how about|and what about|and how about|what if",
       "چطور|چی|چطوره|چه طور|برای چی|چیه پس"},
      {pronoun, "it|that|them|those|they|their|its|this|these|the ones|ones|that one|those ones|the other|other one",
       "اونا|آن ها|این ها|اینا|اینها|اونی|یکی|اون یکی|آن یکی|همونا|ایشان|آنان"},
      {follow, "now|then|next show|and then|again", "حالا|الان|بعد|سپس|دوباره|خب|پس"},
      {that, "that|who|which|whose|where|for which|in which", "که|که در|کسانی که"},
      {more, "more|higher", "بیشتری|بیشتر"},
      {less, "less|fewer|lower", "کمتری|کمتر"},
      {thousand, "thousand|k", "هزار"},
      {million, "million|millions|mn|mln|m", "میلیون|ملیون"},
      {billion, "billion|billions|bn|bln|b", "میلیارد|ملیارد"},
      {trillion, "trillion|trillions|tn", "تریلیون|هزار میلیارد|همت"},
      {unlimited, "without limit|without any limit|unlimited|no limit|with no limit",
       "بدون محدودیت|نامحدود|بدون هیچ محدودیتی"},
      {output_file, "excel|csv|to excel|to csv|xlsx|spreadsheet|as excel|as csv|in excel|file|into excel|download",
       "اکسل|به اکسل|در اکسل|فایل|فایل اکسل|دانلود"},
      {located, "located in|located|based in|based|situated in|situated|headquartered in|living in|whose location is",
       "واقع در|مستقر در|ساکن|مستقر|واقع شده در|اهل"},
      {schema_data,
       "what data do you have|what data is available|what data are available|which data do you have|what information "
       "do you have|what data is there|what is in the database|what is in this database|describe the data|describe the "
       "database|what do you know|what data can you access|what kind of data do you have|what datasets do you "
       "have|available data|what data exist|what data do you cover",
       "چه داده هایی داری|چه داده ای داری|چه اطلاعاتی داری|چه داده هایی دارید|چه اطلاعاتی دارید|چه داده هایی در دسترس "
       "است|چه دیتایی داری|چه داده هایی موجود است|چه داده هایی هست|چه اطلاعاتی موجود است|داده های موجود چیست"},
      {schema_tables,
       "which tables|what tables|list tables|list the tables|show tables|show the tables|list all tables|show all "
       "tables|what tables do you have|which tables do you have|which tables are there|what tables are there|which "
       "tables exist|tables available|available tables|which tables can i query|show me the tables",
       "چه جدول هایی|چه جدول هایی داری|کدام جدول ها|لیست جدول ها|فهرست جدول ها|جدول ها را نشان بده|چه جداولی|چه جداولی "
       "داری|چه جدولایی داری|جدول های موجود|لیست جداول|چه جدول هایی دارید|چه جدول هایی هست|جدول ها"},
      {schema_columns,
       "which columns|what columns|list columns|list the columns|columns of|the columns of|show columns|show the "
       "columns|fields of|which fields|what fields|structure of|schema of|describe table|describe the table|column "
       "names|describe|columns",
       "چه ستون هایی|ستون های|کدام ستون ها|چه فیلدهایی|فیلدهای|ساختار|ستون ها|لیست ستون های|ستون های جدول|چه "
       "ستونایی|ستون هایی"},
      {schema_define,
       "how do you define|how is defined|define|definition of|what does mean|how do you calculate|how is "
       "calculated|how do you compute|what is meant by|what do you mean by|how are calculated|how is it "
       "calculated|meaning of|what is the definition of|explain what|how do you measure|what does|how is|how "
       "are|calculated|computed|defined|mean by",
       "تعریف|چگونه محاسبه می شود|چطور محاسبه می شود|چگونه حساب می شود|چطور حساب می کنی|منظور از|یعنی چه|یعنی چی|تعریف "
       "شده|چطور تعریف می کنی|چگونه تعریف می شود|چطور محاسبه میشه|چطور حساب میشه|چطور محاسبه می کنی|تعریفت از|محاسبه "
       "می شود|تعریف می شود|چگونه|چطوری محاسبه میشه"},
      {schema_help,
       "help|what can i ask|what questions can i ask|what can you do|what can you answer|how can you help|how do i "
       "use|example questions|examples|give me examples|what should i ask|how does this work|what are you|who are "
       "you|sample questions|what kind of questions can i ask|what sort of questions can you answer|what questions can "
       "you answer",
       "چه سوالاتی|چه سوالایی میتونم ازت بپرسم|چه سوال هایی می توانم بپرسم|چه سوالی|چی بپرسم|چه می توانم "
       "بپرسم|راهنما|راهنمایی|کمک|چه کار می کنی|چه کاری می کنی|چیکار میکنی|چه کارهایی می توانی|نمونه سوال|مثال|چه "
       "سوالاتی می توانم بپرسم|چه پرسش هایی|تو کی هستی|چه سوالایی|میتونم ازت بپرسم|می توانم بپرسم|بپرسم|چه کمکی می "
       "کنی|چه سوالاتی میتونم بپرسم|نمونه سوالات"},
      {schema_metrics,
       "which metrics|what metrics|list metrics|available metrics|which measures|what measures|list of metrics|metrics "
       "do you know|what metrics do you have|what metrics do you know|which metrics do you have|kpi|kpis|metrics|what "
       "can you measure",
       "چه شاخص هایی|شاخص های موجود|لیست شاخص ها|کدام شاخص ها|چه معیارهایی|شاخص ها|معیارها|چه شاخص هایی داری|سنجه "
       "ها|چه سنجه هایی"},
      {schema_coverage,
       "what period do the data cover|which period do the data cover|what period does the data cover|what dates do the "
       "data cover|what dates does the data cover|which years do you have|what years do you have|which years are "
       "covered|what time range|which time range|date range of the data|what time period do you cover|how far back|how "
       "recent is the data|how up to date is the data|what period is covered|what dates are covered|which dates are "
       "covered|from when to when",
       "داده ها چه بازه ای|چه بازه زمانی|بازه زمانی داده ها|داده ها مربوط به چه دوره ای|داده ها از چه تاریخی|چه سال "
       "هایی را پوشش می دهد|از چه تاریخی داده داری|داده ها تا چه تاریخی|از چه سالی داده داری|داده ها از کی تا کی "
       "است|از کی تا کی"},
      {greeting, "hello|hi|hey|good morning|good afternoon|good evening|greetings|dear assistant",
       "سلام|درود|وقت بخیر|صبح بخیر|عصر بخیر|روز بخیر|خسته نباشید|سلام علیکم"},
      {thanks, "thank you|thanks a lot|many thanks|cheers", "متشکرم|سپاس|سپاسگزارم|دستت درد نکنه|با تشکر"},
      {status_how,
       "how is|how are|how s|doing|how is it going|performance|situation|state of affairs|status of our|how did|how "
       "well",
       "چطوره|چگونه است|چطور است|اوضاع|عملکرد|وضع|چه خبر"},
      {vague,
       "good|bad|interesting|important|ones|great|nice|strong|weak|better|worse|successful|healthy|suspicious|unusual|"
       "strange|problem|problems|issue|issues",
       "خوب|بد|جالب|مهم|قوی|ضعیف|بهتر|بدتر|موفق|مشکوک|عجیب|مشکل"},
  };
  return table;
}

}  // namespace dragoman::nlq
