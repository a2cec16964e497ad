"""The client test through SQLAlchemy: python_sqlalchemy.py pymssql|pytds|pyodbc [PATH_OF_DRIVER].

What SQLAlchemy adds to a driver: its own statements when it connects, its pool, and reflection of tables by catalogue
queries over sys and INFORMATION_SCHEMA.
"""
import re
import sys
import urllib.parse

import sqlalchemy
from sqlalchemy import text

from common import CERTIFICATE, ENCRYPT, HOST, MODE, PASSWORD, PORT, SQL, USER, attempt, report, table

DRIVER = sys.argv[1]
place = f"{USER}:{urllib.parse.quote(PASSWORD)}@{HOST}:{PORT}/SalesDb"
if DRIVER == "pymssql":
    engine = sqlalchemy.create_engine(f"mssql+pymssql://{place}", pool_size=1, max_overflow=0, connect_args={
        "charset": "UTF-8", "tds_version": "7.4", "encryption": "require" if ENCRYPT else "off"})
elif DRIVER == "pytds":
    engine = sqlalchemy.create_engine(f"mssql+pytds://{place}", pool_size=1, max_overflow=0, connect_args={
        "cafile": CERTIFICATE if ENCRYPT else None, "validate_host": False})
else:
    encrypt = {"off": "no", "on": "yes", "strict": "strict"}[MODE]
    trust = f"ServerCertificate={CERTIFICATE}" if MODE == "strict" else "TrustServerCertificate=yes"
    whole = urllib.parse.quote_plus(f"DRIVER={sys.argv[2]};SERVER={HOST},{PORT};DATABASE=SalesDb;UID={USER};"
                                    f"PWD={{{PASSWORD}}};Encrypt={encrypt};{trust}")
    engine = sqlalchemy.create_engine(f"mssql+pyodbc:///?odbc_connect={whole}", pool_size=1, max_overflow=0)


def escaped(sql):
    return text(sql.replace(":", "\\:"))


def run(sql, **values):
    with engine.connect() as connection:
        return table(connection.execute(escaped(sql) if not values else text(sql), values).fetchall())


def number_of(failure):
    for value in (getattr(failure, "number", None), getattr(failure, "msg_no", None), *getattr(failure, "args", ())):
        if isinstance(value, int) and value:
            return str(value)
    found = re.search(r"\((\d{3,5})\) \(SQL", str(failure))
    return found[1] if found else str(failure)


def failing(sql):
    try:
        run(sql)
    except sqlalchemy.exc.DBAPIError as failure:
        return number_of(failure.orig)
    return "no error"


def named(sql):
    return re.sub(r"@(\w+)", r":\1", sql)


def prepared():
    with engine.connect() as connection:
        rows = []
        for status in (1, 2, 3, 4):
            rows += connection.execute(text(named(SQL["prepared"])), {"id": status}).fetchall()
        return table(rows)


def many():
    with engine.connect().execution_options(stream_results=True, yield_per=5000) as connection:
        return str(sum(len(part) for part in connection.execute(text(SQL["rows"])).partitions()))


def catalogue():
    seen = sqlalchemy.inspect(engine)
    keys = seen.get_pk_constraint("Currency", schema="ref")["constrained_columns"]
    foreign = {key["referred_table"] for key in seen.get_foreign_keys("Broker", schema="ref")}
    return "|".join((",".join(sorted(seen.get_table_names(schema="ref"))),
                     ",".join(sorted(column["name"] for column in seen.get_columns("Currency", schema="ref"))),
                     ",".join(sorted(keys)), ",".join(sorted(foreign))))


def transaction():
    """SQLAlchemy's own way: every connection is in a transaction until it is committed."""
    answers = []
    with engine.connect() as connection:
        answers.append(table(connection.execute(text(SQL["after"])).fetchall()))
        answers.append(table(connection.execute(text("SELECT @@TRANCOUNT AS n")).fetchall()))
        connection.commit()
        answers.append(table(connection.execute(text(SQL["after"])).fetchall()))
        connection.rollback()
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        answers.append(table(connection.execute(text("SELECT @@TRANCOUNT AS n")).fetchall()))
    return " ; ".join(answers)


def typed():
    """A Table of the catalogue, selected with the types that reflection has found."""
    orders = sqlalchemy.Table("OrderStatus", sqlalchemy.MetaData(), schema="sales", autoload_with=engine)
    with engine.connect() as connection:
        question = sqlalchemy.select(orders.c.StatusID, orders.c.Name).where(
            orders.c.StatusID >= 2, orders.c.Name != "Cancelled").order_by(orders.c.StatusID)
        return table(connection.execute(question).fetchall())


for case in SQL:
    if case.startswith(("type_", "null_")) or case in ("all_types", "persian_literal", "gold", "after") or case.startswith(
            "ask_"):
        if case == "ask_save":
            attempt(case, lambda: (run(SQL["ask_save"]) and "") or "done")
        else:
            attempt(case, lambda case=case: run(SQL[case]))
attempt("parameters", typed)
attempt("prepared", prepared)
attempt("persian", lambda: run(named(SQL["persian"]), name="تالار سیمان"))
report("error", failing(SQL["error"]))
report("write", failing(SQL["write"]))
attempt("rows", many)
for case in ("cursor_forward", "cursor_static"):
    report(case, "SKIP SQLAlchemy asks for no server cursors")
attempt("catalogue", catalogue)
attempt("transaction", transaction)
report("reset", "SKIP SQLAlchemy's pool rolls back and resets nothing else")
report("cancel", "SKIP SQLAlchemy has no cancel")
attempt("after", lambda: run(SQL["after"]))
