"""The client test through arrow-odbc: python_arrow.py PATH_OF_DRIVER. Blocks of rows, bound by column, as Arrow arrays."""
import re
import sys

from arrow_odbc import TextEncoding, read_arrow_batches_from_odbc

from common import CERTIFICATE, HOST, MODE, PASSWORD, PORT, SQL, USER, attempt, canonical, report

encrypt = {"off": "no", "on": "yes", "strict": "strict"}[MODE]
trust = f"ServerCertificate={CERTIFICATE}" if MODE == "strict" else "TrustServerCertificate=yes"
TEXT = (f"DRIVER={sys.argv[1]};SERVER={HOST},{PORT};DATABASE=SalesDb;UID={USER};PWD={{{PASSWORD}}};Encrypt={encrypt};"
        f"{trust}")


def cell(value):
    return canonical(value.as_py() if not str(value.type).startswith(("time", "timestamp")) else temporal(value))


def temporal(value):
    """Arrow's own text keeps the digits below a microsecond, which Python's types do not."""
    if not value.is_valid:
        return None
    return re.sub(r"(\.\d*?)0+$", r"\1", value.cast("string").as_py()).removesuffix(".")


def batches(sql, parameters=None):
    reader = read_arrow_batches_from_odbc(query=sql, connection_string=TEXT, parameters=parameters, batch_size=1000,
                                          payload_text_encoding=TextEncoding.UTF16,
                                          max_text_size=8000, max_binary_size=8000)
    return reader if reader is not None else []


def run(sql, parameters=None):
    lines = []
    for batch in batches(sql, parameters):
        columns = batch.columns
        lines += ["|".join(cell(column[i]) for column in columns) for i in range(batch.num_rows)]
    return " ; ".join(lines)


def marked(sql, names):
    order = re.findall(r"@(\w+)", sql)
    return re.sub(r"@\w+", "?", sql), [names[name] for name in order]


def failing(sql):
    try:
        run(sql)
    except Exception as failure:  # noqa: BLE001
        found = re.search(r"Native error: (\d+)", str(failure))
        return found[1] if found else str(failure)
    return "no error"


for case in SQL:
    if case.startswith(("type_", "null_")) or case in ("all_types", "persian_literal", "gold", "after"):
        attempt(case, lambda case=case: run(SQL[case]))
    elif case.startswith("ask_"):
        attempt(case, lambda case=case: run(SQL[case]) or "done")
attempt("parameters", lambda: run(*marked(SQL["parameters"], {"low": "2", "name": "Cancelled"})))
attempt("prepared", lambda: " ; ".join(run(*marked(SQL["prepared"], {"id": str(i)})) for i in (1, 2, 3, 4)))
attempt("persian", lambda: run(*marked(SQL["persian"], {"name": "تالار سیمان"})))
attempt("error", lambda: failing(SQL["error"]))
attempt("write", lambda: failing(SQL["write"]))
attempt("rows", lambda: str(sum(batch.num_rows for batch in batches(SQL["rows"]))))
for case in ("cursor_forward", "cursor_static"):
    report(case, "SKIP this client has no server cursors")
report("catalogue", "SKIP this client has no catalogue calls")
report("transaction", "SKIP this client reads without transactions")
report("reset", "SKIP this client opens a connection for each query")
report("cancel", "SKIP this client has no cancel")
attempt("after", lambda: run(SQL["after"]))
