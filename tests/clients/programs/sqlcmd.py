"""The client test through go-sqlcmd: sqlcmd.py PATH_OF_SQLCMD. A text tool: batches only, no parameters, no cancel."""
import os
import re
import subprocess
import sys

from common import CERTIFICATE, HOST, MODE, PASSWORD, PORT, SQL, USER, attempt, report

TOOL = sys.argv[1]
ENCRYPTION = {"off": ["-N", "disable", "-C"], "on": ["-N", "true", "-C"],
              "strict": ["-N", "strict", "-J", CERTIFICATE, "-F", "localhost"]}[MODE]
TEMPORAL = ("date", "time", "datetime", "smalldatetime", "datetime2", "datetimeoffset")


def run(sql):
    done = subprocess.run(
        [TOOL, "-S", f"tcp:{HOST},{PORT}", "-U", USER, "-d", "SalesDb", *ENCRYPTION,
         "-h", "-1", "-s", "|", "-W", "-Q", sql],
        env=dict(os.environ, SQLCMDPASSWORD=PASSWORD), capture_output=True, text=True, encoding="utf-8", timeout=120)
    return done.stdout, done.stdout + done.stderr


def rows(sql):
    out, everything = run(sql)
    lines = [line for line in out.splitlines() if line and not re.fullmatch(r"\(\d+ rows? affected\)", line)]
    if re.search(r"^Msg \d+", everything, re.M):
        raise RuntimeError(everything.strip())
    # The messages that accompany an answer are printed with the rows; those of a grid come first.
    return lines


def value(case):
    kind = case.split("_", 1)[1]
    text = rows(SQL[case])[0]
    if kind in TEMPORAL and text != "NULL":
        text = re.sub(r"(\.\d*?)0+(?= |$)", r"\1", text).replace(". ", " ").removesuffix(".")
    return text


def number(case):
    _, everything = run(SQL[case])
    found = re.search(r"^Msg (\d+)", everything, re.M)
    return found[1] if found else everything.strip()


for case in SQL:
    if case.startswith(("type_", "null_")):
        attempt(case, lambda case=case: value(case))
    elif case in ("persian_literal", "gold", "after"):
        attempt(case, lambda case=case: " ; ".join(rows(SQL[case])))
    elif case == "ask_save":
        attempt(case, lambda: (rows(SQL["ask_save"]) and "") or "done")
    elif case.startswith("ask_"):
        attempt(case, lambda case=case: rows(SQL[case])[0])
report("all_types", "SKIP a text tool: the types are compared one by one")
for case in ("parameters", "prepared", "persian"):
    report(case, "SKIP sqlcmd has no parameters")
for case, why in (("cursor_forward", "no server cursors"), ("cursor_static", "no server cursors"),
                  ("catalogue", "no catalogue calls"), ("reset", "no pool")):
    report(case, f"SKIP sqlcmd has {why}")
attempt("transaction", lambda: " ; ".join(rows(
    f"BEGIN TRAN; {SQL['after']}; SELECT @@TRANCOUNT AS n; COMMIT; BEGIN TRAN; {SQL['after']}; ROLLBACK;"
    " SELECT @@TRANCOUNT AS n")))
report("cancel", "SKIP sqlcmd has no cancel by program")
attempt("error", lambda: number("error"))
attempt("write", lambda: number("write"))
attempt("rows", lambda: str(len(rows(SQL["rows"]))))
