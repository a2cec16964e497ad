"""Shared by the Python client programs: the statements, the canonical text of values, the way to report."""
import datetime
import decimal
import os
import sys
import uuid

HOST = os.environ["DRAGOMAN_HOST"]
PORT = int(os.environ["DRAGOMAN_PORT"])
USER = os.environ["DRAGOMAN_USER"]
PASSWORD = os.environ["DRAGOMAN_PASSWORD"]
DATABASE = os.environ.get("DRAGOMAN_DATABASE", "SalesDb")
METADATA = "DRAGOMAN_METADATA" in os.environ  # what is shown of columns and values, and nothing else
MODE = os.environ["DRAGOMAN_ENCRYPT"]  # off, on or strict
ENCRYPT = MODE != "off"
CERTIFICATE = os.environ.get("DRAGOMAN_CERTIFICATE", "")

with open(os.environ["DRAGOMAN_STATEMENTS"], encoding="utf-8") as file:
    SQL = dict(line.rstrip("\n").split("\t") for line in file)


def clock(value):
    text = value.strftime("%H:%M:%S")
    if value.microsecond:
        text += f".{value.microsecond:06}".rstrip("0")
    return text


def canonical(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime.datetime):
        text = value.strftime("%Y-%m-%d ") + clock(value)
        if value.tzinfo is not None:
            minutes = int(value.utcoffset().total_seconds()) // 60
            text += f" {'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
        return text
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return clock(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "0x" + bytes(value).hex().upper()
    if isinstance(value, uuid.UUID):
        return str(value).upper()
    return str(value)


def table(rows):
    return " ; ".join("|".join(canonical(value) for value in row) for row in rows)


def report(case, answer):
    sys.stdout.write(f"{case}\t{answer}\n")
    sys.stdout.flush()


def attempt(case, action):
    """Runs one case; whatever it raises is its answer, so that the others still run."""
    try:
        report(case, action())
    except Exception as failure:  # noqa: BLE001: any failure of a driver is a result of the test
        report(case, f"{type(failure).__name__}: {failure}".replace("\n", " ").replace("\t", " "))
