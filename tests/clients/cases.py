"""The cases that every client is put through: their SQL and the answer that is right.

A client program reads `statements.tsv` (id, SQL) from the folder that it is given, does with each id what
README.md says, and prints `id<TAB>answer`. Values are written as in types.tsv; NULL as NULL; columns are
joined by `|`, rows by ` ; `.
"""
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def types():
    """(name, SQL expression, canonical text) of every type."""
    rows = [line.split("\t") for line in (HERE / "types.tsv").read_text(encoding="utf-8").split("\n") if line]
    assert all(len(row) == 3 for row in rows)
    return rows


def type_of(expression):
    return expression[expression.rindex(" AS ") + 4:-1]


FROM = " FROM ref.Currency AS cu WHERE cu.CurrencyID = 1"


# The tables of schema ref; the columns and the key of ref.Currency; what ref.Broker refers to.
CATALOGUE = "Broker,Currency,Location,Ring,Supplier,Symbol|Code,CurrencyID,Name|CurrencyID|Location"


def statements():
    """id -> SQL, for the client programs."""
    sql = {}
    for name, expression, _ in types():
        sql[f"type_{name}"] = f"SELECT {expression} AS v{FROM}"
        sql[f"null_{name}"] = f"SELECT CAST(NULL AS {type_of(expression)}) AS v{FROM}"
    sql["all_types"] = "SELECT " + ", ".join(f"{e} AS c_{n}" for n, e, _ in types()) + FROM
    sql["parameters"] = ("SELECT st.StatusID, st.Name FROM sales.OrderStatus AS st"
                         " WHERE st.StatusID >= @low AND st.Name <> @name ORDER BY st.StatusID")
    sql["prepared"] = "SELECT st.Name FROM sales.OrderStatus AS st WHERE st.StatusID = @id"
    sql["persian"] = "SELECT r.RingID, r.Name FROM ref.Ring AS r WHERE r.Name = @name"
    sql["persian_literal"] = "SELECT r.RingID, r.Name FROM ref.Ring AS r WHERE r.Name = N'تالار سیمان'"
    sql["ask_comment"] = "-- ASK: how many brokers are there in Tehran province"
    sql["ask_exec"] = "EXEC nlq.ask N'how many brokers are there in Tehran province'"
    sql["ask_table"] = "SELECT a.* FROM nlq.ask(N'how many brokers are there in Tehran province') AS a"
    sql["ask_save"] = "EXEC nlq.save N'brokers of Tehran', N'how many brokers are there in Tehran province'"
    sql["ask_saved"] = "SELECT s.* FROM nlq.[brokers of Tehran] AS s"
    sql["ask_persian"] = "-- ASK: چند کارگزار در استان تهران داریم؟"
    sql["gold"] = ("SELECT COUNT(*) AS brokers FROM ref.Broker AS b JOIN ref.Location AS l"
                   " ON l.LocationID = b.LocationID WHERE l.Province = N'Tehran'")
    sql["error"] = "SELECT s.Amount FROM hr.Salary AS s"
    sql["write"] = "DELETE FROM sales.[Order]"
    sql["slow"] = ("SELECT COUNT_BIG(*) AS n FROM sales.[Order] AS a JOIN sales.[Order] AS b ON b.StatusID = a.StatusID"
                   " JOIN sales.[Order] AS c ON c.StatusID = b.StatusID")
    sql["rows"] = ("SELECT o.OrderID, r.Name FROM sales.[Order] AS o JOIN ref.Ring AS r ON r.RingID <= 5")
    sql["cursor"] = ("SELECT o.OrderID, o.StatusID, o.TotalPrice FROM sales.[Order] AS o WHERE o.OrderID <= 1000"
                     " ORDER BY o.OrderID")
    sql["after"] = "SELECT cu.Code FROM ref.Currency AS cu WHERE cu.CurrencyID = 2"
    # What a client shows of columns and values, compared with a direct connection to the warehouse.
    sql["meta_values"] = sql["all_types"]
    sql["meta_nulls"] = ("SELECT " + ", ".join(f"CAST(NULL AS {type_of(e)}) AS n_{n}" for n, e, _ in types()) + FROM)
    sql["meta_table"] = "SELECT TOP 20 o.* FROM sales.[Order] AS o ORDER BY o.OrderID"
    sql["meta_texts"] = ("SELECT TOP 10 b.*, l.* FROM ref.Broker AS b JOIN ref.Location AS l"
                         " ON l.LocationID = b.LocationID ORDER BY b.BrokerID")
    sql["meta_names"] = ("SELECT TOP 3 r.RingID AS a, r.Name AS a, COUNT(*) AS [two words], MAX(r.Code) AS [نام]"
                         " FROM ref.Ring AS r GROUP BY r.RingID, r.Name ORDER BY r.RingID")
    sql["meta_computed"] = ("SELECT TOP 5 o.OrderID + 1 AS next, o.UnitPrice * o.Quantity AS product,"
                            " o.TotalPrice / 3 AS third, CASE WHEN o.IsExport = 1 THEN 'yes' ELSE 'no' END AS word, o.CreatedAt"
                            " FROM sales.[Order] AS o ORDER BY o.OrderID")
    sql["meta_empty"] = "SELECT o.OrderID, o.Notes FROM sales.[Order] AS o WHERE o.OrderID < 0"
    assert all("\t" not in s and "\n" not in s for s in sql.values())
    return sql


def expected():
    """id -> right answer. `ask_*` answers are compared with that of `gold`, see run.py."""
    right = {}
    for name, _, text in types():
        right[f"type_{name}"] = text
        right[f"null_{name}"] = "NULL"
    right["all_types"] = "|".join(text for _, _, text in types())
    right["parameters"] = "2|Pending ; 4|Returned"
    right["prepared"] = "Completed ; Pending ; Cancelled ; Returned"
    right["persian"] = "4|تالار سیمان"
    right["persian_literal"] = "4|تالار سیمان"
    right["error"] = "208"
    right["write"] = "50110"
    right["cursor_forward"] = "1000|500500"
    right["cursor_static"] = "10 11 10 1000=1000 995 1 none 998 1000 none"
    right["catalogue"] = CATALOGUE
    right["transaction"] = "USD ; 1 ; USD ; 0"
    right["reset"] = "3 ; 7"
    right["cancel"] = "cancelled ; USD"
    right["rows"] = "100000"
    right["after"] = "USD"
    return right


ASK = ("ask_comment", "ask_exec", "ask_table", "ask_saved", "ask_persian")
