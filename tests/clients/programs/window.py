"""One window of a client: window.py pymssql|pytds.

Reads a line {"sql": …} at a time, runs it on the one connection, and prints a line {"columns", "rows", "messages",
"number", "error"}: the rows of the first result set as canonical text.
"""
import json
import sys

import dbapi_connection as dbapi
from common import canonical

connection = dbapi.connect()
cursor = connection.cursor()
told = []  # messages of the statement that runs
if dbapi.CLIENT == "pymssql":
    connection._conn.set_msghandler(  # noqa: SLF001: the only way to see what is no error
        lambda state, severity, server, procedure, line, text: told.append(text.decode("utf-8")) if severity < 11 else None)


def run(sql):
    told.clear()
    answer = {"columns": [], "rows": [], "number": None, "error": ""}
    try:
        cursor.execute(sql)
        while cursor.description is None and cursor.nextset():
            pass
        if cursor.description is not None:
            answer["columns"] = [column[0] for column in cursor.description]
            answer["rows"] = [[canonical(value) for value in row] for row in cursor.fetchall()]
        while cursor.nextset():
            pass
    except Exception as failure:  # noqa: BLE001: what a driver raises is the answer
        answer["number"], answer["error"] = dbapi.number_of(failure), str(failure)
    if dbapi.CLIENT != "pymssql":
        told.extend(str(message.args[0]) for _, message in cursor.messages or ())
    answer["messages"] = list(told)
    return answer


for line in sys.stdin:
    print(json.dumps(run(json.loads(line)["sql"])), flush=True)
