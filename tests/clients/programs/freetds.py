"""The client test through FreeTDS's own programs: freetds.py tsql|bsqldb|isql.

They are text tools: values arrive as FreeTDS prints them and are folded by `fold`, per type, without losing a digit.
"""
import datetime
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from common import ENCRYPT, HOST, PASSWORD, PORT, SQL, USER, attempt, report

CLIENT = sys.argv[1]
DRIVER = "/usr/lib/x86_64-linux-gnu/odbc/libtdsodbc.so"
home = tempfile.TemporaryDirectory()
etc = pathlib.Path(home.name, "etc")
etc.mkdir()
(etc / "freetds.conf").write_text(
    f"[gateway]\nhost = {HOST}\nport = {PORT}\ntds version = 7.4\nclient charset = UTF-8\n"
    f"encryption = {'require' if ENCRYPT else 'off'}\n")
ENVIRONMENT = dict(os.environ, FREETDS=home.name, FREETDSCONF=str(etc / "freetds.conf"), LC_ALL="C.UTF-8")
SLOWNESS = 5 if os.environ.get("DRAGOMAN_SANITIZED") else 1  # of a server with sanitizers


def command(script):
    if CLIENT == "tsql":
        return ["tsql", "-S", "gateway", "-U", USER, "-P", PASSWORD, "-D", "SalesDb", "-o", "fhq"]
    if CLIENT == "bsqldb":
        return ["bsqldb", "-S", "gateway", "-U", USER, "-P", PASSWORD, "-D", "SalesDb", "-q", "-t", "\t", "-i", script]
    return ["isql", "-k", f"DRIVER={DRIVER};SERVER={HOST};PORT={PORT};TDS_Version=7.4;ClientCharset=UTF-8;"
            f"UID={USER};PWD={PASSWORD};Database=SalesDb;Encryption={'require' if ENCRYPT else 'off'}",
            "-b", "-x0x09", "-v"]


def start(statements):
    script = pathlib.Path(home.name, "script.sql")
    if CLIENT == "isql":
        text = "".join(sql.replace("\n", " ") + "\n" for sql in statements)
    else:
        text = "".join(sql + "\ngo\n" for sql in statements)
    script.write_text(text, encoding="utf-8")
    with open(script, encoding="utf-8") as source:
        return subprocess.Popen(command(str(script)), stdin=subprocess.DEVNULL if CLIENT == "bsqldb" else source,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, encoding="utf-8",
                                # A shell's background job ignores SIGINT, and so would what it starts.
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def lines_of(*statements, timeout=120):
    process = start(statements)
    out, err = process.communicate(timeout=timeout)
    lines = [line for line in out.split("\n") if line and not line.startswith(("locale ", "using default", "Setting "))]
    if CLIENT == "isql":
        # isql prints the messages that accompany an answer (the SQL has several lines) before its rows.
        if any(line.startswith("[01000]") for line in lines):
            lines = lines[-1:]
    return lines, err + "\n" + out


def rows_of(*statements):
    lines, everything = lines_of(*statements)
    if not lines and ("Msg " in everything or "ERROR" in everything):
        raise RuntimeError(everything.strip())
    return [line.split("\t") for line in lines]


# What a tool does not show, whatever the server: bsqldb knows the types of DB-Library 4.2 only.
NOT_SHOWN = {"bsqldb": {"decimal", "date", "time", "datetime2", "datetimeoffset", "uniqueidentifier", "varcharmax",
                        "nvarcharmax", "varbinarymax", "xml"},
             # tsql prints moments to the minute.
             "tsql": {"date", "time", "datetime", "smalldatetime", "datetime2", "datetimeoffset"}}
TEMPORAL = ("date", "time", "datetime", "smalldatetime", "datetime2", "datetimeoffset")


def iso(text):
    """FreeTDS's own form of a moment (Feb 29 2024 12:34:56:1230000PM) as 2024-02-29 12:34:56.123."""
    found = re.fullmatch(r"(\w{3}) +(\d+) (\d{4}) +(\d+):(\d\d):(\d\d):(\d+)([AP]M)( [+-]\d\d:\d\d)?", text)
    if not found:
        return text
    month = datetime.datetime.strptime(found[1], "%b").month
    hour = int(found[4]) % 12 + (12 if found[8] == "PM" else 0)
    return (f"{found[3]}-{month:02}-{int(found[2]):02} {hour:02}:{found[5]}:{found[6]}.{found[7]}{found[9] or ''}")


def fold(kind, text):
    """One printed value in the canonical form of types.tsv."""
    if kind in TEMPORAL:
        text = iso(text.strip())
    if text.strip() == "NULL" or (text == "" and CLIENT != "isql"):
        return "NULL"
    stamp = re.fullmatch(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?(?: ?([+-]\d\d:\d\d))?", text.strip())
    plain = re.fullmatch(r"(\d\d:\d\d:\d\d)(\.\d+)?", text.strip())
    if stamp and kind in TEMPORAL:
        fraction = (stamp[3] or "").rstrip("0").rstrip(".")
        if kind == "date":
            return stamp[1]
        if kind == "time":
            return stamp[2] + fraction
        return f"{stamp[1]} {stamp[2]}{fraction}" + (f" {stamp[4]}" if stamp[4] else "")
    if plain and kind == "time":
        return plain[1] + (plain[2] or "").rstrip("0").rstrip(".")
    if kind.startswith(("binary", "varbinary")):
        digits = text.strip()
        return "0x" + (digits[2:] if digits[:2].lower() == "0x" else digits).upper()
    if kind in ("char", "nchar"):
        return text.ljust(5) if CLIENT == "bsqldb" else text  # bsqldb cuts the blanks
    return text.strip()


def value(case):
    kind = case.split("_", 1)[1]
    rows = rows_of(SQL[case])
    if CLIENT == "isql" and rows == []:
        return "NULL"
    return " ; ".join("|".join(fold(kind, cell) for cell in row) for row in rows)


def table(*statements):
    return " ; ".join("|".join(fold("", cell) for cell in row) for row in rows_of(*statements))


def quoted(sql, declaration, **values):
    body = sql.replace("'", "''")
    given = ", ".join(f"@{name} = {text}" for name, text in values.items())
    return f"EXEC sp_executesql N'{body}', N'{declaration}', {given}"


def error_number(case):
    _, everything = lines_of(SQL[case])
    found = re.search(r"Msg (\d+)|(?:error|number) (\d+)", everything)
    if found:
        return found[1] or found[2]
    # unixODBC's isql shows the text alone.
    if "Invalid object name" in everything:
        return "208"
    return "50110" if "only reads" in everything else everything.strip()


def cancel():
    process = start([SQL["slow"], SQL["after"]])
    time.sleep(1.5 * SLOWNESS)  # a login takes its time too
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=15 * SLOWNESS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "not cancelled"
    if time.monotonic() - began > 10 * SLOWNESS:
        return "cancelled late"
    return f"cancelled ; {table(SQL['after'])}"


for case in SQL:
    if case.startswith(("type_", "null_")) and case.split("_", 1)[1] in NOT_SHOWN.get(CLIENT, ()):
        report(case, f"SKIP {CLIENT} does not show this type, whatever the server")
    elif case.startswith(("type_", "null_")):
        attempt(case, lambda case=case: value(case))
    elif case in ("persian_literal", "gold", "after"):
        attempt(case, lambda case=case: table(SQL[case]))
    elif case == "ask_saved":
        attempt("ask_save", lambda: (lines_of(SQL["ask_save"]) and "") or "done")
        attempt(case, lambda case=case: table(SQL[case]))
    elif case.startswith("ask_") and case != "ask_save":
        if CLIENT == "isql" and SQL[case].startswith("--"):
            report(case, "SKIP isql takes a line that begins with -- as its own comment")
        else:
            attempt(case, lambda case=case: table(SQL[case]))
report("all_types", "SKIP a text tool: the types are compared one by one")
attempt("parameters", lambda: table(quoted(SQL["parameters"], "@low int, @name nvarchar(30)", low="2",
                                           name="N'Cancelled'")))
attempt("prepared", lambda: table(*(quoted(SQL["prepared"], "@id int", id=str(i)) for i in (1, 2, 3, 4))))
attempt("persian", lambda: table(quoted(SQL["persian"], "@name nvarchar(100)", name="N'تالار سیمان'")))
for case, why in (("cursor_forward", "asks for no server cursor"), ("cursor_static", "asks for no server cursor"),
                  ("catalogue", "has no catalogue calls"), ("reset", "has no pool")):
    report(case, f"SKIP {CLIENT} {why}")
attempt("transaction", lambda: table("BEGIN TRAN", SQL["after"], "SELECT @@TRANCOUNT AS n", "COMMIT", "BEGIN TRAN",
                                     SQL["after"], "ROLLBACK", "SELECT @@TRANCOUNT AS n"))
attempt("error", lambda: error_number("error"))
attempt("write", lambda: error_number("write"))
attempt("rows", lambda: str(len(rows_of(SQL["rows"]))))
if CLIENT == "isql":
    report("cancel", "SKIP isql has no cancel")
else:
    attempt("cancel", cancel)
attempt("after", lambda: table(SQL["after"]))
