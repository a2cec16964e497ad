"""Windows of a client: sessions that stay open, each in a process of its own.

`Window.start(sql)` sends without waiting, `Window.answer()` waits for what came back: so several windows are asked at
once. Values are text; numbers that a client turns into doubles are told apart by conversations.py.
"""
import dataclasses
import json
import pathlib
import queue
import re
import subprocess
import threading


@dataclasses.dataclass
class Answer:
    columns: list
    rows: list
    messages: list   # INFO messages, in order
    number: object   # of the error; None where there was none
    error: str

    def column(self, name):
        return [row[self.columns.index(name)] for row in self.rows]


class Window:
    def __init__(self, command, environment, limit, **options):
        self.limit = limit
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        encoding="utf-8", **options)

    def lines_of(self, stream):
        """The stream's lines as they come, None at its end; a thread of its own, so that waiting has a limit."""
        lines = queue.Queue()

        def read():
            for line in stream:
                lines.put(line.rstrip("\n"))
            lines.put(None)
        threading.Thread(target=read, daemon=True).start()
        return lines

    def next_line(self, lines):
        line = lines.get(timeout=self.limit)
        if line is None:
            raise RuntimeError("the client ended")
        return line

    def send(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def run(self, sql):
        self.start(sql)
        return self.answer()

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=self.limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class ProgramWindow(Window):
    """A program that speaks JSON, a line each way: programs/window.py, programs/tedious/window.js."""

    def __init__(self, command, environment, limit):
        super().__init__(command, environment, limit)
        self.answers = self.lines_of(self.process.stdout)

    def start(self, sql):
        self.send(json.dumps({"sql": sql}) + "\n")

    def answer(self):
        return Answer(**json.loads(self.next_line(self.answers)))


class TsqlWindow(Window):
    """FreeTDS tsql: rows on one stream, messages on the other; a statement of our own marks the end on both."""

    def __init__(self, home, environment, limit):
        home.mkdir(parents=True, exist_ok=True)
        configuration = pathlib.Path(home, "freetds.conf")
        configuration.write_text(f"[gateway]\nhost = {environment['DRAGOMAN_HOST']}\nport = {environment['DRAGOMAN_PORT']}\n"
                                 "tds version = 7.4\nclient charset = UTF-8\nencryption = off\n")
        super().__init__(["stdbuf", "-oL", "tsql", "-S", "gateway", "-U", environment["DRAGOMAN_USER"], "-P",
                          environment["DRAGOMAN_PASSWORD"], "-D", "SalesDb", "-o", "q"],
                         dict(environment, FREETDSCONF=str(configuration), LC_ALL="C.UTF-8"), limit, stderr=subprocess.PIPE)
        self.rows, self.told = self.lines_of(self.process.stdout), self.lines_of(self.process.stderr)
        self.count = 0

    def start(self, sql):
        self.count += 1
        self.send(f"{sql}\ngo\nSELECT N'end {self.count}' AS mark\ngo\nPRINT 'end {self.count}'\ngo\n")

    def until(self, lines, mark):
        found = []
        while (line := self.next_line(lines)) != mark:
            found.append(line)
        return found

    def answer(self):
        mark = f"end {self.count}"
        table = [line.split("\t") for line in self.until(self.rows, mark)[:-1]]  # the last is the heading `mark`
        messages, number, error = [], None, ""
        lines = self.until(self.told, mark)
        for at, line in enumerate(lines):
            if found := re.match(r"Msg (\d+) \(severity (\d+),", line):
                if int(found[2]) > 10:
                    number, error = found[1], lines[at + 1].strip().strip('"')
            elif at == 0 or not lines[at - 1].startswith("Msg "):
                messages.append(line)
        return Answer(table[0] if table else [], table[1:], messages, number, error)


def opener(name, command, work, limit=60):
    """(environment) -> a new window of the client whose test program is started by `command`; None where it has none."""
    counter = iter(range(1_000_000))
    if name == "tsql":
        return lambda environment: TsqlWindow(work / f"tsql-window-{next(counter)}", environment, limit)
    if name == "tedious":
        program = str(pathlib.Path(command[1]).with_name("window.js"))
        return lambda environment: ProgramWindow([command[0], program], environment, limit)
    if name in ("pymssql", "python-tds"):
        program = str(pathlib.Path(command[1]).with_name("window.py"))
        return lambda environment: ProgramWindow([command[0], program, command[2]], environment, limit)
    return None
