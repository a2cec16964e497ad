#!/usr/bin/env python3
"""Puts the gateway's demo through real clients and prints one grid: client x case group.

usage: tests/clients/run.py --build DIR [--all] [--only NAME,…] [--page FILE] [--keep]

Starts `dragoman demo --serve` on free ports, runs every client program of clients() whose toolchain is here (with
--all: after installing it), compares each answer with cases.py, writes BUILD/clients.json (and with --page the page that
docs/clients.md is), stops what it started.
Exit status 1 when an answer is wrong; a client that could not run is reported as "not run", never as passed.
"""
import argparse
import dataclasses
import decimal
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import cases
import conversations
import page
import windows

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
SLOWNESS = 5 if os.environ.get("DRAGOMAN_SANITIZED") else 1  # of a build with sanitizers


@dataclasses.dataclass
class Client:
    name: str
    prepare: object        # (work folder, install: bool) -> (command, version); raises NotRun
    exact: bool = True     # False: the client itself turns decimals into doubles
    modes: tuple = ("off", "on")
    reference: bool = False  # of its protocol family: compared with a direct connection to the warehouse


class NotRun(Exception):
    pass


def need(program, why=None):
    if shutil.which(program) is None:
        raise NotRun(why or f"{program} is not installed")


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise NotRun(f"{command[0]}: {lines[-1] if lines else 'failed'}")
    return done.stdout.strip()


def freetds(tool):
    def prepare(_work, _install):
        need(tool)
        if tool == "isql" and not pathlib.Path("/usr/lib/x86_64-linux-gnu/odbc/libtdsodbc.so").exists():
            raise NotRun("tdsodbc is not installed")
        version = output("tsql", "-C").split("Version: ")[1].splitlines()[0] if shutil.which("tsql") else "?"
        return [sys.executable, str(PROGRAMS / "freetds.py"), tool], version
    return prepare


def copy_program(name, work):
    folder = work / name
    shutil.copytree(PROGRAMS / name, folder, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("node_modules", "target"))
    return folder


def node_client(folder_name, package, always=False):
    def prepare(work, install):
        need("node")
        need("npm")
        if not install and not always:
            raise NotRun("part of make test-clients")
        folder = copy_program(folder_name, work)
        output("npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), timeout=300)
        version = json.loads((folder / "node_modules" / package / "package.json").read_text())["version"]
        return ["node", str(folder / "client.js")], version
    return prepare


def packages(work, *names):
    """The venv with these packages in it, and the version of the first."""
    venv = work / "venv"
    if not (venv / "bin/python").exists():
        output(sys.executable, "-m", "venv", str(venv))
    output(str(venv / "bin/pip"), "install", "-q", "--disable-pip-version-check", *names, timeout=300)
    shown = output(str(venv / "bin/pip"), "show", names[0])
    version = next(line.split(": ")[1] for line in shown.splitlines() if line.startswith("Version"))
    return venv / "bin/python", version


def microsoft_driver(work):
    """The driver library that the mssql-python package ships, for programs that speak ODBC."""
    python, _ = packages(work, "mssql-python")
    folders = output(str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])")
    found = sorted(pathlib.Path(folders).glob("mssql_python*/libs/linux/debian_ubuntu/x86_64/lib/libmsodbcsql-*.so*"))
    if not found:
        raise NotRun("the mssql-python package has no driver library for this machine")
    return found[-1], found[-1].name.removeprefix("libmsodbcsql-").replace(".so", "")


def python_client(program, argument, *names, driver=False):
    def prepare(work, install):
        if not install:
            raise NotRun("part of make test-clients")
        python, version = packages(work, *names)
        command = [str(python), str(PROGRAMS / program), *([argument] if argument else [])]
        return command + ([str(microsoft_driver(work)[0])] if driver else []), version
    return prepare


def odbc(kind):
    def prepare(work, install):
        if kind == "freetds":
            driver = pathlib.Path("/usr/lib/x86_64-linux-gnu/odbc/libtdsodbc.so")
            if not driver.exists():
                raise NotRun("tdsodbc is not installed")
            version = output("tsql", "-C").split("Version: ")[1].splitlines()[0] if shutil.which("tsql") else "?"
        elif install:
            driver, version = microsoft_driver(work)
        else:
            raise NotRun("part of make test-clients")
        return [sys.executable, str(PROGRAMS / "odbc.py"), str(driver), kind], version.replace("freetds v", "")
    return prepare


def go_client(work, install):
    need("go")
    if not install:
        raise NotRun("part of make test-clients")
    folder = copy_program("go", work)
    output("go", "mod", "tidy", cwd=folder, timeout=300)
    output("go", "build", "-o", str(folder / "client"), ".", cwd=folder, timeout=600)
    version = output("go", "list", "-m", "-f", "{{.Version}}", "github.com/microsoft/go-mssqldb", cwd=folder)
    return [str(folder / "client")], version


def sqlcmd(work, install):
    need("go")
    if not install:
        raise NotRun("part of make test-clients")
    folder = work / "sqlcmd"
    folder.mkdir(exist_ok=True)
    environment = dict(os.environ, GOBIN=str(folder))
    output("go", "install", "github.com/microsoft/go-sqlcmd/cmd/modern@latest", env=environment, timeout=900)
    version = output("go", "version", "-m", str(folder / "modern"))
    version = next(line.split()[2] for line in version.splitlines() if line.strip().startswith("mod\t"))
    return [sys.executable, str(PROGRAMS / "sqlcmd.py"), str(folder / "modern")], version


def jdbc(driver, jar):
    def prepare(work, install):
        need("mvn")
        need("java")
        if not install:
            raise NotRun("part of make test-clients")
        folder = copy_program("jdbc", work)
        output("mvn", "-q", "-B", "package", "dependency:copy-dependencies", cwd=folder, timeout=600)
        jars = list((folder / "target/dependency").glob(f"{jar}-*.jar"))
        if not jars:
            raise NotRun(f"{jar} did not arrive")
        return ["java", "-cp", f"{folder / 'target/classes'}:{folder / 'target/dependency'}/*", "Client", driver], \
            jars[0].stem.removeprefix(f"{jar}-")
    return prepare


def tiberius(work, install):
    need("cargo")
    if not install:
        raise NotRun("part of make test-clients")
    folder = copy_program("tiberius", work)
    output("cargo", "build", "--release", "-q", cwd=folder, timeout=900)
    tree = output("cargo", "tree", "--depth", "1", "--prefix", "none", cwd=folder)
    version = next(line.split()[1] for line in tree.splitlines() if line.startswith("tiberius "))
    return [str(folder / "target/release/client")], version.lstrip("v")


STRICT = ("off", "on", "strict")


def clients():
    return [
        Client("tsql", freetds("tsql")),
        Client("bsqldb", freetds("bsqldb")),
        Client("isql", freetds("isql")),
        Client("tdsodbc", odbc("freetds"), reference=True),
        Client("tedious", node_client("tedious", "tedious", always=True), exact=False, modes=STRICT,
               reference=True),
        Client("mssql (npm)", node_client("mssql_npm", "mssql"), exact=False, modes=STRICT),
        Client("msodbcsql", odbc("microsoft"), modes=STRICT, reference=True),
        Client("mssql-python", python_client("python_dbapi.py", "mssql_python", "mssql-python"), modes=STRICT),
        Client("pyodbc", python_client("python_dbapi.py", "pyodbc", "pyodbc", driver=True), modes=STRICT),
        Client("arrow-odbc", python_client("python_arrow.py", "", "arrow-odbc", driver=True), modes=STRICT),
        Client("pymssql", python_client("python_dbapi.py", "pymssql", "pymssql")),
        Client("python-tds", python_client("python_dbapi.py", "pytds", "python-tds", "pyOpenSSL")),
        Client("sqlalchemy+pymssql", python_client("python_sqlalchemy.py", "pymssql", "SQLAlchemy", "pymssql")),
        Client("sqlalchemy+pyodbc", python_client("python_sqlalchemy.py", "pyodbc", "SQLAlchemy", "pyodbc", driver=True),
               modes=STRICT),
        Client("go-mssqldb", go_client, modes=STRICT, reference=True),
        Client("go-sqlcmd", sqlcmd, modes=STRICT),
        Client("mssql-jdbc", jdbc("mssql", "mssql-jdbc"), modes=STRICT, reference=True),
        Client("jTDS", jdbc("jtds", "jtds")),
        Client("tiberius", tiberius),
    ]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gateway:
    """`dragoman demo --serve` for as long as the with block lasts."""

    def __init__(self, build, work, name="gateway", configuration=None):
        self.port = free_port()
        self.warehouse_port = free_port()
        self.log = open(work / f"{name}.log", "wb")
        self.process = subprocess.Popen(
            [str(pathlib.Path(build, "dragoman").resolve()), "demo", "--size", "small", "--serve", "--now", "2025-03-10",
             "--port", str(self.port), "--warehouse-port", str(self.warehouse_port),
             *(["--config", str(configuration)] if configuration else [])],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
            env=dict(os.environ, XDG_CACHE_HOME=str(work / "cache")))
        self.certificate = work / "cache/dragoman/dragoman-self-signed.pem"

    def __enter__(self):
        deadline = time.monotonic() + 60 * SLOWNESS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                sys.exit(f"the demo ended with status {self.process.returncode}; see {self.log.name}")
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.1)
        sys.exit(f"the demo does not listen; see {self.log.name}")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=20 * SLOWNESS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = "killed: it did not stop in time"
        self.log.close()
        self.status = status


WAREHOUSE = {"DRAGOMAN_USER": "dragoman", "DRAGOMAN_PASSWORD": "Warehouse1!"}  # of conf/demo/dragoman.yaml


def compare_with_direct(command, environment, gateway):
    """meta_* case -> (verdict, detail): what the client shows through the gateway is what it shows without it."""
    shown = []
    for more in ({}, {**WAREHOUSE, "DRAGOMAN_PORT": str(gateway.warehouse_port)}):
        done = subprocess.run(command, env={**environment, "DRAGOMAN_METADATA": "1", **more}, capture_output=True, text=True,
                              encoding="utf-8", timeout=120, errors="replace")
        shown.append(dict(line.split("\t", 1) for line in done.stdout.split("\n") if "\t" in line))
    through, direct = shown
    verdicts = {}
    for case in (c for c in cases.statements() if c.startswith("meta_")):
        given, wanted = through.get(case, "no answer"), direct.get(case, "no direct answer")
        if given == wanted and "|" in given:
            verdicts[case] = ("ok", "")
            continue
        parts = [(a, b) for a, b in zip(given.split(" ; "), wanted.split(" ; ")) if a != b] or [(given, wanted)]
        verdicts[case] = ("wrong", "; ".join(f"{a!r}, directly {b!r}" for a, b in parts[:4]))
    return verdicts


def nearest_double(text):
    try:
        return float(decimal.Decimal(text))
    except (decimal.InvalidOperation, ValueError):
        return None


def same(client, given, right):
    if given == right:
        return True
    left, wanted = given.split("|"), right.split("|")
    return len(left) == len(wanted) and all(cell_same(client, a, b) for a, b in zip(left, wanted))


def cell_same(client, given, right):
    if given == right or given.upper() == right.upper() and given.startswith("0x"):
        return True
    if given.endswith(" UTC") and right[-6:-5] in "+-":  # the moment is kept, the offset is the client's loss
        import datetime
        moment = datetime.datetime.fromisoformat(right.replace(" +", "+").replace(" -", "-"))
        return moment.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat(" ").rstrip("0") == given[:-4]
    if not client.exact and nearest_double(right) is not None:
        return nearest_double(given) == nearest_double(right)
    # A float's shortest text may differ in form (1e-1), never in value.
    if nearest_double(right) is not None and "." in right and len(right) <= 17:
        return nearest_double(given) == nearest_double(right) and len(right) <= 5
    try:  # a uniqueidentifier's letters
        import uuid
        return uuid.UUID(given) == uuid.UUID(right)
    except ValueError:
        return False


def judge(client, answers):
    """case -> (verdict, detail); verdict is ok, wrong or skip."""
    right = cases.expected()
    gold = answers.get("gold", "")
    verdicts = {}
    for case in list(right) + list(cases.ASK):
        given = answers.get(case)
        wanted = gold if case in cases.ASK else right[case]
        if given is None:
            verdicts[case] = ("wrong", "no answer")
        elif given.startswith("SKIP "):
            verdicts[case] = ("skip", given[5:])
        elif case in cases.ASK and not gold.isdigit():
            verdicts[case] = ("wrong", f"the gold query itself gave {gold!r}")
        elif same(client, given, wanted):
            verdicts[case] = ("ok", "")
        else:
            verdicts[case] = ("wrong", f"got {given!r}, wanted {wanted!r}")
    return verdicts


def group_of(case):
    if case.startswith(("type_", "null_")) or case == "all_types":
        return "types"
    if case.startswith("meta_"):
        return "metadata"
    if case.startswith("cursor_"):
        return "cursors"
    if case.startswith("talk_"):
        return "talks"
    return "ask" if case.startswith("ask_") else {"persian_literal": "persian", "write": "error", "after": "recovers"}.get(
        case, case)


GROUPS = ("types", "metadata", "parameters", "prepared", "persian", "cursors", "catalogue", "transaction", "reset", "ask", "talks",
          "error", "cancel", "rows", "recovers")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", required=True)
    options.add_argument("--all", action="store_true", help="install every client from its registry first")
    options.add_argument("--only", default="", help="comma-separated names")
    options.add_argument("--page", default="", help="write the grid as a page of the documentation")
    options.add_argument("--keep", action="store_true", help="keep the work folder")
    args = options.parse_args()
    only = {name for name in args.only.split(",") if name}
    work = pathlib.Path(args.build, "client-tests").resolve()
    work.mkdir(parents=True, exist_ok=True)
    statements = work / "statements.tsv"
    statements.write_text("".join(f"{i}\t{sql}\n" for i, sql in cases.statements().items()), encoding="utf-8")

    results, not_run = [], []
    with Gateway(args.build, work) as gateway, conversations.ModelServer(args.build, work) as model, \
            Gateway(args.build, work, "model-gateway", model.configuration(work)) as model_gateway:
        for client in clients():
            if only and client.name not in only:
                continue
            try:
                command, version = client.prepare(work, args.all)
            except (NotRun, subprocess.TimeoutExpired) as why:
                not_run.append((client.name, str(why)))
                continue
            for mode in client.modes:
                environment = dict(
                    os.environ, DRAGOMAN_HOST="127.0.0.1", DRAGOMAN_PORT=str(gateway.port), DRAGOMAN_USER="manager",
                    DRAGOMAN_PASSWORD="Dragoman1!", DRAGOMAN_ENCRYPT=mode, DRAGOMAN_STATEMENTS=str(statements),
                    PYTHONDONTWRITEBYTECODE="1", DRAGOMAN_CERTIFICATE=str(gateway.certificate))
                began = time.monotonic()
                try:
                    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8",
                                          timeout=300 * SLOWNESS, errors="replace")
                    text, errors = done.stdout, done.stderr
                except subprocess.TimeoutExpired as late:
                    text, errors = (late.stdout or b"").decode("utf-8", "replace"), "took too long"
                answers = dict(line.split("\t", 1) for line in text.split("\n") if "\t" in line)
                verdicts = judge(client, answers)
                if client.reference and mode == "off":
                    verdicts.update(compare_with_direct(command, environment, gateway))
                opener = windows.opener(client.name, command, work, 60 * SLOWNESS)
                if opener and mode == "off":
                    verdicts.update(conversations.run(opener, environment,
                                                      {**environment, "DRAGOMAN_PORT": str(model_gateway.port)}))
                wrong = {case: detail for case, (verdict, detail) in verdicts.items() if verdict == "wrong"}
                for case, detail in list(wrong.items())[:40]:
                    print(f"not ok {client.name} (encryption {mode}) {case}: {detail[:300]}")
                if wrong and errors.strip():
                    print("       " + errors.strip().replace("\n", "\n       ")[-800:])
                results.append({"client": client.name, "version": version, "encryption": mode,
                                "seconds": round(time.monotonic() - began, 1),
                                "cases": {case: verdict for case, (verdict, _) in verdicts.items()}})
    for ended in (gateway, model_gateway):
        if ended.status != 0:
            print(f"not ok the gateway ended with {ended.status}")
            print(pathlib.Path(ended.log.name).read_text(encoding="utf-8", errors="replace")[-6000:])

    print(f"\n{'client':18} {'version':12} {'tls':6}" + "".join(f"{g:>12}" for g in GROUPS))
    failed = passed = skipped = 0
    for row in results:
        cells = ""
        for group in GROUPS:
            verdicts = [v for case, v in row["cases"].items() if group_of(case) == group]
            good, bad, out = (verdicts.count(v) for v in ("ok", "wrong", "skip"))
            failed, passed, skipped = failed + bad, passed + good, skipped + out
            cells += f"{'-' if not good and not bad else f'{bad} WRONG' if bad else f'ok {good}':>12}"
        print(f"{row['client']:18} {row['version'][:12]:12} {row['encryption']:6}{cells}")
    for name, why in not_run:
        print(f"{name:18} not run: {why}")
    if args.page and not only:
        pathlib.Path(args.page).write_text(page.render(results, not_run, group_of), encoding="utf-8")
    pathlib.Path(args.build, "clients.json").write_text(
        json.dumps({"results": results, "not_run": dict(not_run)}, indent=1), encoding="utf-8")
    print(f"clients: {passed} passed, {failed} failed, {skipped} skipped, {len(not_run)} clients not run")
    return 1 if failed or gateway.status != 0 or model_gateway.status != 0 or not results else 0


if __name__ == "__main__":
    sys.exit(main())
