"""Conversations through a client's windows: what a person meets who asks, goes on, chooses, and takes a suggestion.

Each function of CONVERSATIONS is one case: it opens windows with `ground.window()` (the demo as it is) or
`ground.model_window()` (a scripted model behind it), and raises Wrong where the gateway does something else than
docs/questions.md says. Right rows come from SQL that stands here, run through the same client.
"""
import json
import math
import pathlib
import re
import signal
import subprocess


class Wrong(Exception):
    pass


def expect(holds, detail):
    if not holds:
        raise Wrong(detail)


# The scripted model: wrong, then right when it has been told what was wrong; the schema cannot answer anything else.
SCRIPT = [
    {"match": "Invalid column name", "times": -1, "content": "SELECT COUNT(*) AS n FROM sales.[Order] AS o WHERE o.IsExport = 1"},
    {"match": "frobnicated", "times": -1, "content": "SELECT COUNT(*) AS n FROM sales.[Order] AS o WHERE o.Frobnicated = 1"},
    {"match": "", "times": -1, "content": "OUT_OF_SCOPE"},
]


class ModelServer:
    """tests/support/model_server with SCRIPT, for as long as the with block lasts."""

    def __init__(self, build, work):
        self.program = pathlib.Path(build, "tests/support/model_server").resolve()
        self.script = work / "model-script.json"
        self.script.write_text(json.dumps(SCRIPT), encoding="utf-8")

    def configuration(self, work):
        """The demo's configuration with this model, and few rows for the analyst."""
        demo = pathlib.Path(__file__).resolve().parents[2] / "conf/demo"
        text = (demo / "dragoman.yaml").read_text(encoding="utf-8")
        for name, file in (("snapshot", "catalog.yaml"), ("semantics", "semantics.yaml")):
            text = text.replace(f"{name}: {file}", f"{name}: {demo / file}")
        text = text.replace("  analyst:\n", "  analyst:\n    row_cap_generated: 3\n", 1)
        made = work / "model.yaml"
        made.write_text(f"{text}\nllm:\n  base_url: http://127.0.0.1:{self.port}/v1\n  model: scripted\n", encoding="utf-8")
        return made

    def __enter__(self):
        self.process = subprocess.Popen([str(self.program), "0", str(self.script)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


ORDERS = ("FROM sales.[Order] AS o JOIN sales.OrderStatus AS st ON st.StatusID = o.StatusID"
          " JOIN ref.Currency AS cu ON cu.CurrencyID = o.CurrencyID JOIN sales.[Date] AS d ON d.DateID = o.OrderDateID"
          " JOIN ref.Ring AS r ON r.RingID = o.RingID JOIN ref.Broker AS b ON b.BrokerID = o.BrokerID"
          " JOIN sales.Customer AS c ON c.CustomerID = o.CustomerID JOIN ref.Location AS l ON l.LocationID = c.LocationID")
SALES = "st.Name = N'Completed' AND cu.Code = 'IRR'"


def hall_sales(year, top=""):
    return (f"SELECT {top} r.NameEn AS hall, SUM(o.TotalPrice) AS sales {ORDERS} WHERE {SALES} AND d.PersianYear = {year}"
            " GROUP BY r.RingID, r.NameEn ORDER BY SUM(o.TotalPrice) DESC")


def province_orders(year):
    return (f"SELECT l.Province AS province, COUNT(*) AS orders {ORDERS} WHERE d.[Year] = {year} GROUP BY l.Province")


def mining_sales(year, more=""):
    group = " GROUP BY d.PersianMonth ORDER BY d.PersianMonth" if more else ""
    return (f"SELECT SUM(o.TotalPrice) AS sales {ORDERS} WHERE {SALES} AND d.PersianYear = {year}"
            f" AND r.NameEn = N'Industrial and Mining Hall'{group}")


def alborz_sales(year):
    return f"SELECT SUM(o.TotalPrice) AS sales {ORDERS} WHERE {SALES} AND d.PersianYear = {year} AND l.Province = N'Alborz'"


def top_brokers(measure, condition):
    return (f"SELECT TOP 5 b.Name AS broker, {measure} AS n {ORDERS} WHERE d.[Year] = 2024{condition}"
            f" GROUP BY b.BrokerID, b.Name ORDER BY {measure} DESC, b.Name")


def same_cell(given, right):
    if given == right:
        return True
    try:
        return math.isclose(float(given), float(right), rel_tol=1e-12)
    except ValueError:
        return False


def expect_rows(answer, gold, what, last_only=False):
    """The rows of the answer are those of the gold query, whatever their order; with last_only, their last columns."""
    expect(answer.number is None, f"{what}: error {answer.number} {answer.error}")
    expect(gold.number is None and gold.rows, f"{what}: the gold query gave {gold.number} {gold.error} and no rows")
    given, right = (sorted([row[-1:] if last_only else row for row in rows]) for rows in (answer.rows, gold.rows))
    expect(len(given) == len(right) and all(len(a) == len(b) and all(map(same_cell, a, b)) for a, b in zip(given, right)),
           f"{what}: got {given[:3]} ({len(given)} rows), wanted {right[:3]} ({len(right)} rows)")


def ask(question):
    return f"-- ASK: {question}"


def five_windows(ground):
    """Five sessions, all asked at once, each with follow-ups: none hears of another's conversation."""
    talks = [  # what is said, and the SQL of its answer; None: choices
        [(ask("sales by hall in 1402"), hall_sales(1402)), (ask("and for 1403?"), hall_sales(1403)),
         (ask("only the top 3"), hall_sales(1403, "TOP 3"))],
        [(ask("number of orders by province in 2024"), province_orders(2024)), (ask("and for 2023?"), province_orders(2023)),
         (ask("and for 2022?"), province_orders(2022))],
        [(ask("فروش تالار صنعتی در ۱۴۰۲"), mining_sales(1402)), (ask("سال قبلش چطور؟"), mining_sales(1401)),
         (ask("به تفکیک ماه بده"), mining_sales(1401, "by month"))],
        [(ask("Alborz sales 1403"), None), ("EXEC nlq.choose 2", alborz_sales(1403)), (ask("and for 1402?"), alborz_sales(1402))],
        [(ask("top 5 brokers by sales in 2024"), top_brokers("SUM(o.TotalPrice)", f" AND {SALES}")),
         (ask("same but by number of orders"), top_brokers("COUNT(*)", "")),
         (ask("and in 2024 by sales?"), top_brokers("SUM(o.TotalPrice)", f" AND {SALES}"))],
    ]
    windows = [ground.window() for _ in talks]
    gold = ground.window()
    for step in range(3):
        for window, talk in zip(windows, talks):
            window.start(talk[step][0])
        for window, talk in zip(windows, talks):
            said, sql = talk[step]
            answer = window.answer()
            if sql is None:
                expect(answer.columns == ["choice", "label", "value", "description"], f"{said}: {answer}")
            else:
                expect_rows(answer, gold.run(sql), said, last_only=talk is talks[2])  # its months have names
    # A window without a conversation has nothing to go on from, whatever was said in the others.
    late = ground.window().run(ask("and for 1403?"))
    expect(late.columns[:2] == ["choice", "label"] or late.number is not None, f"a follow-up out of nothing: {late}")


def choose(ground):
    """A clarification, chosen from; a wrong choice is said to be one, and what was offered stays."""
    window = ground.window()
    offered = window.run(ask("Alborz sales 1403"))
    expect(offered.columns == ["choice", "label", "value", "description"] and len(offered.rows) >= 2, f"offered: {offered}")
    expect(any("Alborz" in message for message in offered.messages), f"no message says what is unclear: {offered.messages}")
    expect(window.run("EXEC nlq.choose 99").number is not None, "a choice that was not offered is taken")
    province = offered.column("description").index("province")
    expect_rows(window.run(f"EXEC nlq.choose {offered.column('choice')[province]}"), window.run(alborz_sales(1403)), "the choice")
    # The value of a choice is a question of its own, with the same answer.
    expect_rows(ground.window().run(ask(offered.column("value")[province])), window.run(alborz_sales(1403)), "its value")
    nothing = ground.window().run("EXEC nlq.choose 1")
    expect(nothing.number is not None and "Msg" not in nothing.error, f"a choice from nothing: {nothing}")


def suggestions(ground):
    """What is suggested can be asked: in the same window, and in a new one."""
    for question, lead in (("sales by hall in 1402", "You could also ask: "), ("top 5 customers by sales in 2024", "You could also ask: "),
                           ("تعداد سفارش به تفکیک وضعیت", "پیشنهاد: ")):
        window = ground.window()
        offered = [message.removeprefix(lead) for message in window.run(ask(question)).messages if message.startswith(lead)]
        expect(1 <= len(offered) <= 3, f"{question}: {len(offered)} suggestions")
        for suggestion in offered:
            for place in (window, ground.window()):
                answer = place.run(ask(suggestion))
                expect(answer.number is None and answer.rows and answer.columns[0] != "choice",
                       f"suggested after {question!r}: {suggestion!r} gives {answer.number} {answer.error} {answer.columns}")


def confirm(ground):
    """All orders: confirmed with the token, once, by the login that was given it."""
    window = ground.window()
    asked = window.run(ask("show me all orders"))
    expect(asked.columns[:2] == ["token", "reason"], f"not to be confirmed: {asked.columns} {asked.number} {asked.error}")
    token = asked.column("token")[0]
    expect(ground.window(DRAGOMAN_USER="analyst").run(f"EXEC nlq.confirm '{token}'").number is not None,
           "another login may confirm it")
    done = window.run(f"EXEC nlq.confirm '{token}'")
    expect(done.number is None and len(done.rows) == 10000, f"confirmed: {len(done.rows)} rows, {done.number} {done.error}")


def attempts(ground):
    """A model that is wrong first: the answer is the right one, and the timeline tells of both."""
    window = ground.model_window()
    window.run("EXEC nlq.set 'cache', 'off'")  # another client has asked the same
    expect_rows(window.run(ask("number of orders frobnicated")),
                window.run("SELECT COUNT(*) AS n FROM sales.[Order] AS o WHERE o.IsExport = 1"), "the model's second answer")
    seen = window.run("EXEC nlq.attempts")
    expect(seen.columns == ["attempt", "outcome", "sql", "error", "will_retry", "milliseconds"], f"columns: {seen.columns}")
    expect(seen.column("attempt") == ["1", "2"] and seen.column("outcome")[1] == "accepted", f"rows: {seen.rows}")
    expect("Frobnicated" in seen.column("error")[0] and seen.column("error")[1] == "NULL", f"errors: {seen.column('error')}")
    expect(seen.column("will_retry")[0] in ("1", "true") and seen.column("will_retry")[1] in ("0", "false"), f"rows: {seen.rows}")
    expect("IsExport" in seen.column("sql")[1], f"SQL: {seen.column('sql')}")
    scope = ground.model_window().run(ask("number of orders bamboozled"))
    expect(scope.number is not None and str(scope.number) == "50144", f"out of scope: {scope}")


def feedback(ground):
    """A mark for the last answer; a mark that is none is refused."""
    window = ground.window()
    window.run(ask("sales by hall in 1402"))
    marked = window.run("EXEC nlq.feedback -1, N'نادرست'")
    expect(marked.columns == ["question", "score"] and marked.rows == [["sales by hall in 1402", "-1"]], f"marked: {marked}")
    expect(str(window.run("EXEC nlq.feedback 7").number) == "8145", "7 is a mark")
    # An answer that was marked wrong is not served again from the cache.
    again = window.run(ask("sales by hall in 1402"))
    expect(not any("from the cache" in message for message in again.messages), f"from the cache: {again.messages[-6:]}")


def cut(ground):
    """More rows than an answer may have: the first ones, and a message that says so; no total is told of a part."""
    window = ground.model_window(DRAGOMAN_USER="analyst")  # whose answers have at most three rows there
    for question, words in (("sales by hall in 1402", "The result ends after 3 rows, the most that an answer may have; there may be more."),
                            ("فروش به تفکیک تالار در ۱۴۰۲", "نتیجه پس از 3 ردیف به سقف پاسخ رسید؛ شاید بیشتر باشد.")):
        answer = window.run(ask(question))
        expect(len(answer.rows) == 3 and words in answer.messages, f"{question}: {len(answer.rows)} rows, {answer.messages[-6:]}")
        expect(not any("of the total" in message for message in answer.messages), f"a share of a part: {answer.messages}")


def own_last(ground):
    """What speaks of the last question speaks of this window's, whatever another window of the login asked since."""
    first, second = ground.window(), ground.window()
    first.run(ask("sales by hall in 1402"))
    second.run(ask("number of orders by province in 2024"))
    marked = first.run("EXEC nlq.feedback 1")
    expect(marked.rows == [["sales by hall in 1402", "1"]], f"marked: {marked.rows}")
    expect("PersianYear = 1402" in first.run("EXEC nlq.attempts").column("sql")[0], "the attempts are another window's")
    first.run("EXEC nlq.save N'own last'")
    expect_rows(first.run("SELECT s.* FROM nlq.[own last] AS s"), first.run(hall_sales(1402)), "what was saved")
    first.run("EXEC nlq.forget N'own last'")


def cached(ground):
    """The same question in another window: the same rows, and a message that tells their age."""
    first = ground.window().run(ask("volume by hall in 1401"))
    again = ground.window().run(ask("volume by hall in 1401"))
    expect_rows(again, first, "the second time")
    expect(any(re.search(r"from the cache, \d+ s old", message) for message in again.messages), f"messages: {again.messages}")


def sources(ground):
    """The sources that a login may ask."""
    seen = ground.window().run("EXEC nlq.sources")
    expect(seen.columns[:2] == ["source", "database"] and [row[:2] for row in seen.rows] == [["warehouse", "SalesDb"]],
           f"sources: {seen}")
    expect(ground.window().run("EXEC nlq.ask N'sales by hall in 1402', @source = N'nowhere'").number is not None,
           "a source that is not there is asked")


def forgotten(ground):
    """nlq.reset ends a conversation."""
    window = ground.window()
    window.run(ask("sales by hall in 1402"))
    window.run("EXEC nlq.reset")
    answer = window.run(ask("and for 1403?"))
    expect(answer.columns[:2] == ["choice", "label"] or answer.number is not None, f"after nlq.reset: {answer}")


CONVERSATIONS = (five_windows, choose, suggestions, confirm, cut, attempts, feedback, own_last, cached, sources, forgotten)


class Ground:
    """Opens windows on the two gateways and closes them all at the end."""

    def __init__(self, opener, environment, model_environment):
        self.opener, self.environments, self.windows = opener, (environment, model_environment), []

    def open(self, environment):
        self.windows.append(self.opener(environment))
        return self.windows[-1]

    def window(self, **more):
        return self.open({**self.environments[0], **more})

    def model_window(self, **more):
        return self.open({**self.environments[1], **more})

    def close(self):
        for window in self.windows:
            window.close()


def run(opener, environment, model_environment):
    """talk_* case -> (verdict, detail)."""
    verdicts = {}
    for conversation in CONVERSATIONS:
        ground = Ground(opener, environment, model_environment)
        try:
            conversation(ground)
            verdicts[f"talk_{conversation.__name__}"] = ("ok", "")
        except Exception as failure:  # noqa: BLE001: whatever a client does is a result of the test
            verdicts[f"talk_{conversation.__name__}"] = ("wrong", f"{type(failure).__name__}: {failure}")
        finally:
            ground.close()
    return verdicts
