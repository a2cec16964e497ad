"""The client test through the ODBC API itself: odbc.py PATH_OF_DRIVER freetds|microsoft.

What an ODBC program can ask for and Python's DB-API cannot: server cursors of every kind, block fetches, descriptors.
unixODBC is called through ctypes; values are read as text in UTF-16, as any tool does it.
"""
import ctypes
import re
import sys
import threading
import time

from common import CERTIFICATE, DATABASE, HOST, METADATA, MODE, PASSWORD, PORT, SQL, USER, attempt, report

DRIVER, KIND = sys.argv[1], sys.argv[2]
odbc = ctypes.CDLL("libodbc.so.2")
HANDLE_ENV, HANDLE_DBC, HANDLE_STMT = 1, 2, 3
NTS, SUCCESS, WITH_INFO, NO_DATA, NULL_DATA = -3, 0, 1, 100, -1
C_WCHAR, C_SLONG, C_CHAR, C_BINARY = -8, 4, 1, -2
NEXT, FIRST, LAST, PRIOR, ABSOLUTE, RELATIVE = 1, 2, 3, 4, 5, 6
ATTR_CURSOR_TYPE, ATTR_CONCURRENCY, ATTR_ROW_ARRAY_SIZE, ATTR_ROWS_FETCHED, ATTR_ROW_NUMBER = 6, 7, 27, 26, 14
FORWARD_ONLY, KEYSET, DYNAMIC, STATIC = 0, 1, 2, 3
READ_ONLY, LOCK = 1, 2
for name in ("SQLAllocHandle", "SQLFreeHandle", "SQLSetEnvAttr", "SQLSetConnectAttr", "SQLDriverConnectW", "SQLSetStmtAttr",
             "SQLExecDirectW", "SQLPrepareW", "SQLExecute", "SQLFetchScroll", "SQLFetch", "SQLGetData", "SQLNumResultCols",
             "SQLGetDiagRecW", "SQLBindParameter", "SQLFreeStmt", "SQLEndTran", "SQLTablesW", "SQLColumnsW", "SQLMoreResults",
             "SQLColAttributeW", "SQLPrimaryKeysW", "SQLForeignKeysW", "SQLCancel", "SQLDisconnect", "SQLDescribeColW", "SQLGetStmtAttr"):
    getattr(odbc, name).restype = ctypes.c_short


class Failure(Exception):
    def __init__(self, state, number, text):
        super().__init__(f"[{state}] {text} ({number})")
        self.state, self.number = state, number


def wide(text):
    return ctypes.create_string_buffer(text.encode("utf-16-le") + b"\0\0")


def number(value):
    return ctypes.c_void_p(value)


def check(done, kind, handle):
    if done in (SUCCESS, WITH_INFO, NO_DATA):
        return done
    state, text = ctypes.create_string_buffer(12), ctypes.create_string_buffer(4000)
    native, length = ctypes.c_int(), ctypes.c_short()
    odbc.SQLGetDiagRecW(kind, handle, 1, state, ctypes.byref(native), text, 2000, ctypes.byref(length))
    raise Failure(state.raw.decode("utf-16-le").rstrip("\0"), native.value, text.raw.decode("utf-16-le").split("\0")[0])


environment = ctypes.c_void_p()
odbc.SQLAllocHandle(HANDLE_ENV, None, ctypes.byref(environment))
odbc.SQLSetEnvAttr(environment, 200, number(3), 0)  # ODBC 3


def text_of_connection():
    if KIND == "freetds":
        return (f"DRIVER={DRIVER};SERVER={HOST};PORT={PORT};TDS_Version=7.4;ClientCharset=UTF-8;UID={USER};PWD={PASSWORD};"
                f"Database={DATABASE};Encryption={'require' if MODE == 'on' else 'off'}")
    encrypt = {"off": "no", "on": "yes", "strict": "strict"}[MODE]
    trust = f"ServerCertificate={CERTIFICATE}" if MODE == "strict" else "TrustServerCertificate=yes"
    return f"DRIVER={DRIVER};SERVER={HOST},{PORT};DATABASE={DATABASE};UID={USER};PWD={{{PASSWORD}}};Encrypt={encrypt};{trust}"


class Connection:
    def __init__(self):
        self.handle = ctypes.c_void_p()
        odbc.SQLAllocHandle(HANDLE_DBC, environment, ctypes.byref(self.handle))
        check(odbc.SQLDriverConnectW(self.handle, None, wide(text_of_connection()), NTS, None, 0, None, 0), HANDLE_DBC,
              self.handle)

    def autocommit(self, on):
        check(odbc.SQLSetConnectAttr(self.handle, 102, number(1 if on else 0), 0), HANDLE_DBC, self.handle)

    def end(self, commit):
        check(odbc.SQLEndTran(HANDLE_DBC, self.handle, 0 if commit else 1), HANDLE_DBC, self.handle)

    def close(self):
        odbc.SQLDisconnect(self.handle)
        odbc.SQLFreeHandle(HANDLE_DBC, self.handle)


class Statement:
    def __init__(self, connection, cursor=None, concurrency=None, rows=None):
        self.handle = ctypes.c_void_p()
        odbc.SQLAllocHandle(HANDLE_STMT, connection.handle, ctypes.byref(self.handle))
        self.fetched = ctypes.c_ulong()
        self.kept = []
        for attribute, value in ((ATTR_CURSOR_TYPE, cursor), (ATTR_CONCURRENCY, concurrency), (ATTR_ROW_ARRAY_SIZE, rows)):
            if value is not None:
                self.check(odbc.SQLSetStmtAttr(self.handle, attribute, number(value), 0))
        if rows is not None:
            odbc.SQLSetStmtAttr(self.handle, ATTR_ROWS_FETCHED, ctypes.byref(self.fetched), 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        odbc.SQLFreeHandle(HANDLE_STMT, self.handle)

    def check(self, done):
        return check(done, HANDLE_STMT, self.handle)

    def run(self, sql):
        return self.check(odbc.SQLExecDirectW(self.handle, wide(sql), NTS))

    def bind(self, place, value):
        if isinstance(value, int):
            held, size = ctypes.c_int(value), ctypes.c_long(4)
            self.check(odbc.SQLBindParameter(self.handle, place, 1, C_SLONG, 4, 0, 0, ctypes.byref(held), 4,
                                             ctypes.byref(size)))
        else:
            held = wide(value)
            size = ctypes.c_long(NTS)
            self.check(odbc.SQLBindParameter(self.handle, place, 1, C_WCHAR, -9, max(len(value), 1), 0, held, len(held),
                                             ctypes.byref(size)))
        self.kept += [held, size]

    def fetch(self, orientation=NEXT, offset=0):
        return self.check(odbc.SQLFetchScroll(self.handle, orientation, ctypes.c_long(offset))) != NO_DATA

    def columns(self):
        count = ctypes.c_short()
        self.check(odbc.SQLNumResultCols(self.handle, ctypes.byref(count)))
        return count.value

    def cell(self, column, kind=C_WCHAR):
        whole = b""
        while True:
            part, size = ctypes.create_string_buffer(16384), ctypes.c_long()
            done = self.check(odbc.SQLGetData(self.handle, column, kind, part, len(part), ctypes.byref(size)))
            if size.value == NULL_DATA:
                return None
            if done == NO_DATA:
                break
            terminator = {C_WCHAR: 2, C_CHAR: 1, C_BINARY: 0}[kind]
            room = len(part) - terminator
            whole += part.raw[:room if size.value < 0 or size.value > room else size.value]
            if done == SUCCESS:
                break
        return whole if kind == C_BINARY else whole.decode("utf-16-le")

    def rows(self):
        while self.columns() == 0:
            if self.check(odbc.SQLMoreResults(self.handle)) == NO_DATA:
                return []
        width, out = self.columns(), []
        while self.fetch():
            out.append([self.cell(i + 1) for i in range(width)])
        return out


def canonical(kind, text):
    if text is None:
        return "NULL"
    if kind in ("time", "datetime", "smalldatetime", "datetime2", "datetimeoffset"):
        text = re.sub(r"(\.\d*?)0+(?= |$)", r"\1", text).replace(". ", " ").removesuffix(".")
    if kind.startswith(("binary", "varbinary")):
        return "0x" + text.upper()
    if re.fullmatch(r"-?\.\d+", text):  # ODBC's text of a number below one
        text = text.replace(".", "0.", 1)
    return text


def table(rows, kind=""):
    return " ; ".join("|".join(canonical(kind, cell) for cell in row) for row in rows)


def run(connection, sql, kind=""):
    with Statement(connection) as s:
        s.run(sql)
        return table(s.rows(), kind)


def bound(connection, sql, values, executions=1):
    names = re.findall(r"@(\w+)", sql)
    out = []
    with Statement(connection) as s:
        s.check(odbc.SQLPrepareW(s.handle, wide(re.sub(r"@\w+", "?", sql)), NTS))
        for i in range(executions):
            for place, name in enumerate(names):
                s.bind(place + 1, values[name][i])
            s.check(odbc.SQLExecute(s.handle))
            out += s.rows()
            odbc.SQLFreeStmt(s.handle, 0)
    return table(out)


def failing(connection, sql):
    try:
        run(connection, sql)
    except Failure as failure:
        return str(failure.number)
    return "no error"


def summed(statement):
    count = total = 0
    while statement.fetch():
        count += 1
        total += int(statement.cell(1))
    return f"{count}|{total}"


def forward(connection):
    """Forward-only, by a server cursor: a concurrency that is not READ_ONLY asks for one."""
    seen = []
    with Statement(connection, cursor=FORWARD_ONLY, concurrency=LOCK) as s:
        s.run(SQL["cursor"])
        seen.append(summed(s))
    with Statement(connection, cursor=FORWARD_ONLY, concurrency=LOCK) as s:
        s.check(odbc.SQLPrepareW(s.handle, wide(SQL["cursor"].replace("<= 1000", "<= ?")), NTS))
        for _ in range(2):
            s.bind(1, 1000)
            s.check(odbc.SQLExecute(s.handle))
            seen.append(summed(s))
            odbc.SQLFreeStmt(s.handle, 0)
    return " ; ".join(sorted(set(seen)))


def scroll(statement):
    seen = []

    def see(there):
        seen.append(statement.cell(1) if there else "none")

    see(statement.fetch(ABSOLUTE, 10))
    see(statement.fetch(NEXT))
    see(statement.fetch(PRIOR))
    see(statement.fetch(LAST))
    seen[-1] += "=1000" if seen[-1] == "1000" else ""
    see(statement.fetch(RELATIVE, -5))
    see(statement.fetch(FIRST))
    see(statement.fetch(PRIOR))
    seen[-1] = "row" if seen[-1] != "none" else "none"
    see(statement.fetch(ABSOLUTE, -3))
    see(statement.fetch(LAST))
    see(statement.fetch(ABSOLUTE, 2000))
    return " ".join(seen)


def static(connection):
    seen = []
    for kind in (STATIC, KEYSET):
        with Statement(connection, cursor=kind) as s:
            s.run(SQL["cursor"])
            seen.append(scroll(s))
    with Statement(connection, cursor=STATIC) as s:
        s.check(odbc.SQLPrepareW(s.handle, wide(SQL["cursor"].replace("<= 1000", "<= ?")), NTS))
        for _ in range(2):
            s.bind(1, 1000)
            s.check(odbc.SQLExecute(s.handle))
            seen.append(scroll(s))
            odbc.SQLFreeStmt(s.handle, 0)
    with Statement(connection, cursor=STATIC, rows=300) as s:  # blocks
        s.run(SQL["cursor"])
        blocks = []
        while s.fetch():
            blocks.append(s.fetched.value)
        seen += [] if blocks == [300, 300, 300, 100] else [str(blocks)]
    return " ; ".join(sorted(set(seen)))


def names(statement, column):
    return ",".join(sorted({row[column] for row in statement.rows()}))


def catalogue(connection):
    out = []
    with Statement(connection) as s:
        s.check(odbc.SQLTablesW(s.handle, None, 0, wide("ref"), NTS, wide("%"), NTS, wide("TABLE"), NTS))
        out.append(names(s, 2))
    with Statement(connection) as s:
        s.check(odbc.SQLColumnsW(s.handle, None, 0, wide("ref"), NTS, wide("Currency"), NTS, None, 0))
        out.append(names(s, 3))
    with Statement(connection) as s:
        s.check(odbc.SQLPrimaryKeysW(s.handle, None, 0, wide("ref"), NTS, wide("Currency"), NTS))
        out.append(names(s, 3))
    with Statement(connection) as s:
        s.check(odbc.SQLForeignKeysW(s.handle, None, 0, None, 0, None, 0, None, 0, wide("ref"), NTS, wide("Broker"), NTS))
        out.append(names(s, 2))
    return "|".join(out)


def transaction():
    connection = Connection()
    connection.autocommit(False)
    out = [run(connection, SQL["after"]), run(connection, "SELECT @@TRANCOUNT AS n")]
    connection.end(True)
    out.append(run(connection, SQL["after"]))
    connection.end(False)
    connection.autocommit(True)
    out.append(run(connection, "SELECT @@TRANCOUNT AS n"))
    connection.close()
    return " ; ".join(out)


def reset():
    """SQL_ATTR_RESET_CONNECTION is what unixODBC's pool and every wrapper's pool set before they hand a connection on."""
    if KIND == "freetds":
        return "SKIP FreeTDS's driver has no pool"
    connection = Connection()
    run(connection, "SET DATEFIRST 3; SELECT 1 AS n")
    before = run(connection, "SELECT @@DATEFIRST AS n")
    check(odbc.SQLSetConnectAttr(connection.handle, 116, number(1), 0), HANDLE_DBC, connection.handle)
    after = run(connection, "SELECT @@DATEFIRST AS n")
    connection.close()
    return f"{before} ; {after}"


def cancel():
    connection = Connection()
    with Statement(connection) as s:
        began = time.monotonic()
        timer = threading.Timer(1.0, lambda: odbc.SQLCancel(s.handle))
        timer.start()
        try:
            s.run(SQL["slow"])
            s.rows()
            return "not cancelled"
        except Failure:
            pass
        timer.join()
        if time.monotonic() - began > 10:
            return "cancelled late"
    answer = run(connection, SQL["after"])
    connection.close()
    return f"cancelled ; {answer}"


def many(connection):
    with Statement(connection) as s:
        s.run(SQL["rows"])
        count = 0
        while s.fetch():
            count += 1
        return str(count)


def metadata(connection, sql):
    """Everything that the driver says of the columns, and the bytes of the values."""
    out = []
    with Statement(connection) as s:
        s.run(sql)
        width = s.columns()
        for i in range(1, width + 1):
            name, length = ctypes.create_string_buffer(600), ctypes.c_short()
            kind, size = ctypes.c_short(), ctypes.c_ulong()
            digits, nullable = ctypes.c_short(), ctypes.c_short()
            s.check(odbc.SQLDescribeColW(s.handle, i, name, 300, ctypes.byref(length), ctypes.byref(kind), ctypes.byref(size),
                                         ctypes.byref(digits), ctypes.byref(nullable)))
            facts = [name.raw[:2 * length.value].decode("utf-16-le"), kind.value, size.value, digits.value, nullable.value]
            # AUTO_UNIQUE, UNSIGNED, MONEY, UPDATABLE, CASE_SENSITIVE, DISPLAY_SIZE, OCTET_LENGTH, and the type's name.
            for field in (11, 8, 9, 10, 12, 6, 1013):
                value = ctypes.c_long()
                odbc.SQLColAttributeW(s.handle, i, field, None, 0, None, ctypes.byref(value))
                facts.append(value.value)
            text = ctypes.create_string_buffer(200)
            odbc.SQLColAttributeW(s.handle, i, 14, text, 200, ctypes.byref(length), None)
            facts.append(text.raw[:max(length.value, 0)].decode("utf-16-le", "replace"))
            out.append("|".join(map(str, facts)))
        while s.fetch():
            cells = [s.cell(i + 1, C_BINARY) for i in range(width)]
            out.append("|".join("NULL" if cell is None else cell.hex() for cell in cells))
    return " ; ".join(out)


def main():
    connection = Connection()
    if METADATA:
        for case in SQL:
            if case.startswith("meta_"):
                attempt(case, lambda case=case: metadata(connection, SQL[case]))
        return
    for case in SQL:
        if case.startswith(("type_", "null_")):
            attempt(case, lambda case=case: run(connection, SQL[case], case.split("_", 1)[1]))
        elif case in ("persian_literal", "gold", "after"):
            attempt(case, lambda case=case: run(connection, SQL[case]))
        elif case.startswith("ask_"):
            attempt(case, lambda case=case: run(connection, SQL[case]) or "done")
    report("all_types", "SKIP values come as text here: the types are compared one by one")
    attempt("parameters", lambda: bound(connection, SQL["parameters"], {"low": [2], "name": ["Cancelled"]}))
    attempt("prepared", lambda: bound(connection, SQL["prepared"], {"id": [1, 2, 3, 4]}, 4))
    attempt("persian", lambda: bound(connection, SQL["persian"], {"name": ["تالار سیمان"]}))
    attempt("cursor_forward", lambda: forward(connection))
    attempt("cursor_static", lambda: static(connection))
    attempt("catalogue", lambda: catalogue(connection))
    attempt("transaction", transaction)
    attempt("reset", reset)
    attempt("error", lambda: failing(connection, SQL["error"]))
    attempt("write", lambda: failing(connection, SQL["write"]))
    attempt("rows", lambda: many(connection))
    attempt("cancel", cancel)
    attempt("after", lambda: run(connection, SQL["after"]))
    connection.close()


main()
