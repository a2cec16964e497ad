"""docs/clients.md: the grid of one run as a page."""

COLUMNS = (  # heading, groups of cases
    ("batch", ("rows", "recovers")), ("parameters", ("parameters", "persian")), ("prepared", ("prepared",)),
    ("cursors", ("cursors",)), ("types", ("types",)),
    ("as directly", ("metadata",)), ("cancel", ("cancel",)), ("autocommit off", ("transaction",)),
    ("pool reset", ("reset",)), ("catalogue", ("catalogue",)), ("errors", ("error",)), ("ASK", ("ask",)),
    ("conversations", ("talks",)))

HEAD = """# Clients

Which programs have been put through the gateway, and what of it they use. Written by `make test-clients`, which installs
each client from its registry, runs it against the demo and compares every answer with the right one
(`tests/clients/`). A cell says how many cases passed; `–`: the client has no such thing; *n wrong*: what did not pass.
Encryption: *off* without TLS, *on* with TLS inside TDS, *strict* TDS 8.0 (TLS first). A client that could not be
installed is listed as not run.

"""

TAIL = """
What a column stands for: *batch* – statements as text, 100,000 rows of them, and a last one after everything else;
*parameters* – values bound by the client in its own way, Persian among them; *prepared* – one statement, four
executions; *cursors* – a server cursor read forward in blocks, and scrolled over (see below); *types* – every type of a
SELECT with a value and with NULL; *as directly* – columns and values as the client shows them, compared with its own
direct connection to the warehouse, for one client of each protocol family; *cancel* – a running statement, then the
next one on the same connection; *autocommit off* – a transaction that the driver opens and ends; *pool reset* – what one user of a pooled connection has
set is gone for the next; *catalogue* – the client's own calls for tables, columns and keys; *errors* – numbers of a
table that is not there and of a write that is refused; *ASK* – a question as a comment, through `nlq.ask`, in FROM, and
saved; *conversations* – several sessions open at once: follow-ups, choices, confirmation, suggestions asked in turn, a
model's attempts, feedback, sources, for one client of each family that shows messages.

## Server cursors

`sp_cursoropen`, `sp_cursorprepare`, `sp_cursorexecute`, `sp_cursorprepexec`, `sp_cursorfetch`, `sp_cursoroption`,
`sp_cursorclose` and `sp_cursorunprepare` are answered, by number and by name. Cursors are read-only and of two kinds,
forward-only (FAST_FORWARD too) and static; KEYSET and DYNAMIC become static, every concurrency becomes READ_ONLY, and
the values of `scrollopt` and `ccopt` that come back say so. The statement is guarded and run as any other SELECT, to
its end, when the cursor is opened; its rows stay in the session: the first MiB of each cursor in memory, the rest in a
temporary file without a name in `TMPDIR` (not encrypted, readable by the gateway alone). At most 64 cursors and 256 MiB
per session; past that the open fails with error 191. A positioned UPDATE, DELETE or INSERT (`sp_cursor`) is refused
with error 50110. A batch that can have no cursor is run without one when the client allows that (ALLOW_DIRECT),
else error 16937. A pool's reset closes all cursors.

## Browse mode

With `SET NO_BROWSETABLE ON`, and for a `SELECT … FOR BROWSE`, the columns come with TABNAME and COLINFO: base tables,
base names, and which columns are keys. Keys that the SELECT does not name are not added as hidden columns.

## What others were reported to get wrong

Each of these public reports is a test of the right behaviour here.

| report | what went wrong there | test |
|---|---|---|
| teleport#12976 | the packet size of the login not carried through | `public_reports/a_packet_size_is_told_and_kept` |
| mssql-jdbc#1653 | a long certificate chain in one oversized packet | `tls/long_certificate_chain` |
| mssql-jdbc#1524, SqlClient#2243 | TLS 1.3 inside TDS 7.x | `tls/whole_session` (1.2 alone in the tunnel), `tls/strict` (1.3) |
| tedious#1762, #923, vertx-sql-client#1438 | TLS records larger than a packet, or split and joined otherwise | `tls/records_are_packets`, `faults/a_conversation_in_tls_cut_at_every_byte` |
| rust-mssql-driver#213, mssql-extension#138, r2dbc-mssql#326 | a LOGIN7 of several packets | `login/any_size`, `tds_server/requests_split_at_every_byte` |
| babelfish#4718, tedious#410, #242 | TABNAME and COLINFO unasked | `public_reports/no_browse_tokens_unasked`, `browse/*` |
| babelfish#593, #2137, wiltondb#14 | LOGIN7 without PRELOGIN; newer layouts for 7.1 | `public_reports/every_version_has_its_own_layouts`, jTDS above |
| impacket#2301 | a login's answer replayed to another version; no ALL_HEADERS | `public_reports/every_version_has_its_own_layouts` |
| open-infra#60 | ODBC's calls on connect refused; another login's wire format | `public_reports/what_odbc_asks_when_it_connects`; upstream connections are never a client's own |
| mssql-rs#86, #373 | silence after a transaction manager request | `public_reports/no_message_is_met_with_silence` |
| babelfish#853 | cursors of another kind refused | `public_reports/a_cursor_of_another_kind_is_told` |
| go-mssqldb#174 | packet types of PRELOGIN and handshake answers | `tds_server/prelogin_then_login`, `tls/whole_session` |
| secretless-broker#1112 | an upstream's failure in place of a PRELOGIN answer | `failures/an_upstream_that_is_down_is_said_so_and_comes_back_by_itself` |
| SqlClient#4580, babelfish#1354, #1317 | statements that drivers send by themselves refused | `public_reports/statements_of_drivers` |
| teleport#28632, hoop | a guard that sees only one way in | `public_reports/the_guard_sees_every_way_in` |

## What is refused, so that drivers fall back

MARS (the answer to PRELOGIN says no), bulk load, table-valued and encrypted parameters, distributed transactions.
"""


def render(results, not_run, group_of):
    lines = [HEAD, "| client | version | encryption | " + " | ".join(name for name, _ in COLUMNS) + " |\n",
             "|---|---|---|" + "---|" * len(COLUMNS) + "\n"]
    for row in results:
        cells = []
        for _, groups in COLUMNS:
            verdicts = [v for case, v in row["cases"].items() if group_of(case) in groups]
            good, bad = verdicts.count("ok"), verdicts.count("wrong")
            cells.append(f"*{bad} wrong*" if bad else str(good) if good else "–")
        lines.append(f"| {row['client']} | {row['version']} | {row['encryption']} | " + " | ".join(cells) + " |\n")
    for name, why in not_run:
        lines.append(f"| {name} | | | " + " | ".join(["not run"] * len(COLUMNS)) + " |\n")
    if not_run:
        lines.append("\nNot run: " + "; ".join(f"{name} ({' '.join(why.split()).rstrip('.')})" for name, why in not_run) + ".\n")
    return "".join(lines) + TAIL
