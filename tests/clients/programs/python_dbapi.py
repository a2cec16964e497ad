"""One program for the three DB-API clients: python_dbapi.py pymssql|pytds|mssql_python."""
import re
import sys
import threading
import time

from common import CERTIFICATE, ENCRYPT, HOST, PASSWORD, PORT, SQL, USER, attempt, report, table

CLIENT = sys.argv[1]


def connect():
    if CLIENT == "pymssql":
        import pymssql
        return pymssql.connect(server=HOST, port=str(PORT), user=USER, password=PASSWORD, database="SalesDb",
                               charset="UTF-8", autocommit=True, tds_version="7.4",
                               encryption="require" if ENCRYPT else "off")
    if CLIENT == "pytds":
        import pytds
        return pytds.connect(dsn=HOST, port=PORT, user=USER, password=PASSWORD, database="SalesDb", autocommit=True,
                             cafile=CERTIFICATE if ENCRYPT else None, validate_host=False)
    import mssql_python
    return mssql_python.connect(f"SERVER={HOST},{PORT};DATABASE=SalesDb;UID={USER};PWD={{{PASSWORD}}};"
                                f"Encrypt={'yes' if ENCRYPT else 'no'};TrustServerCertificate=yes", autocommit=True)


def marked(sql, names):
    """The statement with the client's own parameter markers, and the order of its values."""
    order = re.findall(r"@(\w+)", sql)
    mark = "?" if CLIENT == "mssql_python" else "%s"
    return re.sub(r"@\w+", mark, sql), tuple(names[name] for name in order)


def number_of(failure):
    """The server's error number, wherever this client keeps it."""
    for value in (getattr(failure, "number", None), getattr(failure, "msg_no", None), *getattr(failure, "args", ())):
        if isinstance(value, int) and value:
            return str(value)
    text = str(failure)
    # Microsoft's driver shows text only: the documented sentences identify the number.
    if "Invalid object name" in text:
        return "208"
    if "this gateway only reads" in text:
        return "50110"
    return text


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
if not hasattr(cursor, "cancel"):
    report("cancel", "SKIP this client has no cancel")
elif sys.modules[type(cursor).__module__.partition(".")[0]].threadsafety < 2:
    # Both threads would read the one socket, and either may take the other's bytes.
    report("cancel", "SKIP this client's connections are for one thread, so nothing can cancel what it waits for")
else:
    attempt("cancel", cancel)
attempt("after", lambda: table(run(SQL["after"])))
connection.close()
