"""One program for the DB-API clients: python_dbapi.py pymssql|pytds|mssql_python|pyodbc [PATH_OF_DRIVER]."""
import re
import sys
import threading
import time

from common import CERTIFICATE, ENCRYPT, HOST, PASSWORD, PORT, SQL, USER, attempt, report, table
from dbapi_connection import CLIENT, connect, number_of


def marked(sql, names):
    """The statement with the client's own parameter markers, and the order of its values."""
    order = re.findall(r"@(\w+)", sql)
    mark = "?" if CLIENT in ("mssql_python", "pyodbc") else "%s"
    return re.sub(r"@\w+", mark, sql), tuple(names[name] for name in order)


connection = connect()
cursor = connection.cursor()


def run(sql, *parameters):
    cursor.execute(sql, *parameters)
    while cursor.description is None and cursor.nextset():
        pass
    return cursor.fetchall()


def failing(sql):
    try:
        run(sql)
    except Exception as failure:  # noqa: BLE001
        return number_of(failure)
    return "no error"


def parameters():
    sql, values = marked(SQL["parameters"], {"low": 2, "name": "Cancelled"})
    return table(run(sql, values))


def prepared():
    rows = []
    for status in (1, 2, 3, 4):
        sql, values = marked(SQL["prepared"], {"id": status})
        rows += run(sql, values)
    return table(rows)


def persian():
    sql, values = marked(SQL["persian"], {"name": "تالار سیمان"})
    return table(run(sql, values))


def many():
    cursor.execute(SQL["rows"])
    count = 0
    while True:
        rows = cursor.fetchmany(5000)
        if not rows:
            return str(count)
        count += len(rows)


def catalogue():
    if not hasattr(cursor, "tables"):
        return "SKIP this client has no catalogue calls"

    def names(rows, place):
        return ",".join(sorted({row[place] for row in rows}))

    parts = [names(cursor.tables(schema="ref", tableType="TABLE").fetchall(), 2),
             names(cursor.columns(schema="ref", table="Currency").fetchall(), 3),
             names(cursor.primaryKeys(schema="ref", table="Currency").fetchall(), 3),
             # mssql-python takes the two tables the other way round.
             names((cursor.foreignKeys(schema="ref", table="Broker") if CLIENT == "mssql_python" else
                    cursor.foreignKeys(foreignSchema="ref", foreignTable="Broker")).fetchall(), 2)]
    return "|".join(parts)


def transaction():
    """Autocommit off: a transaction is open after the first SELECT, and can be ended both ways."""
    other = connect(autocommit=False)
    inner = other.cursor()

    def ask(sql):
        inner.execute(sql)
        return table(inner.fetchall())

    answers = [ask(SQL["after"]), ask("SELECT @@TRANCOUNT AS n")]
    other.commit()
    answers.append(ask(SQL["after"]))
    other.rollback()
    inner.close()
    other.close()
    return " ; ".join(answers + [table(run("SELECT @@TRANCOUNT AS n"))])


def reset():
    """What one user of a pooled connection has set is gone for the next."""
    if CLIENT == "pytds":
        import pytds
        options = dict(dsn=HOST, port=PORT, user=USER, password=PASSWORD, database="SalesDb", autocommit=True, pooling=True,
                       cafile=CERTIFICATE if ENCRYPT else None, validate_host=False)
        open_one = lambda: pytds.connect(**options)  # noqa: E731
    elif CLIENT == "mssql_python":
        import mssql_python
        mssql_python.pooling(max_size=1)
        open_one = connect
    else:
        return "SKIP this client has no pool of its own"
    answers = []
    for sql in ("SET DATEFIRST 3; SELECT @@DATEFIRST AS n", "SELECT @@DATEFIRST AS n"):
        one = open_one()
        inner = one.cursor()
        inner.execute(sql)
        while inner.description is None and inner.nextset():
            pass
        answers.append(table(inner.fetchall()))
        inner.close()
        one.close()
    return " ; ".join(answers)


def cancel():
    """The attention comes from a second thread while the first waits for its row."""
    other = connect()
    slow = other.cursor()
    began = time.monotonic()
    timer = threading.Timer(1.0, slow.cancel)
    timer.start()
    try:
        slow.execute(SQL["slow"])
        slow.fetchall()
        return "not cancelled"
    except Exception:  # noqa: BLE001
        pass
    timer.join()
    if time.monotonic() - began > 10:
        return "cancelled late"
    again = other.cursor()
    again.execute(SQL["after"])
    answer = table(again.fetchall())
    other.close()
    return f"cancelled ; {answer}"


for case in SQL:
    if case.startswith(("type_", "null_")) or case in ("all_types", "persian_literal", "gold", "after") or (
            case.startswith("ask_") and case != "ask_save"):
        if case == "ask_saved":
            attempt("ask_save", lambda: (run(SQL["ask_save"]) and "") or "done")
        attempt(case, lambda case=case: table(run(SQL[case])))
attempt("parameters", parameters)
attempt("prepared", prepared)
attempt("persian", persian)
report("error", failing(SQL["error"]))
report("write", failing(SQL["write"]))
attempt("rows", many)
for case in ("cursor_forward", "cursor_static"):
    report(case, "SKIP this client has no server cursors")
attempt("catalogue", catalogue)
attempt("transaction", transaction)
attempt("reset", reset)
if not hasattr(cursor, "cancel"):
    report("cancel", "SKIP this client has no cancel")
elif sys.modules[type(cursor).__module__.partition(".")[0]].threadsafety < 2:
    # Both threads would read the one socket, and either may take the other's bytes.
    report("cancel", "SKIP this client's connections are for one thread, so nothing can cancel what it waits for")
else:
    attempt("cancel", cancel)
attempt("after", lambda: table(run(SQL["after"])))
connection.close()
