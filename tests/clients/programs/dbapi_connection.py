"""Shared by the programs of the DB-API clients: the connection of the one named by the first argument."""
import datetime
import struct
import sys

from common import CERTIFICATE, ENCRYPT, HOST, MODE, PASSWORD, PORT, USER

CLIENT = sys.argv[1]


def moment(raw):
    """SQL_SS_TIMESTAMPOFFSET_STRUCT as a datetime."""
    year, month, day, hour, minute, second, fraction, hours, minutes = struct.unpack("<6hI2h", raw)
    zone = datetime.timezone(datetime.timedelta(hours=hours, minutes=minutes))
    return datetime.datetime(year, month, day, hour, minute, second, fraction // 1000, zone)


def connect(autocommit=True):
    if CLIENT == "pymssql":
        import pymssql
        return pymssql.connect(server=HOST, port=str(PORT), user=USER, password=PASSWORD, database="SalesDb",
                               charset="UTF-8", autocommit=autocommit, tds_version="7.4",
                               encryption="require" if ENCRYPT else "off")
    if CLIENT == "pytds":
        import pytds
        return pytds.connect(dsn=HOST, port=PORT, user=USER, password=PASSWORD, database="SalesDb", autocommit=autocommit,
                             cafile=CERTIFICATE if ENCRYPT else None, validate_host=False)
    encrypt = {"off": "no", "on": "yes", "strict": "strict"}[MODE]
    trust = f"ServerCertificate={CERTIFICATE}" if MODE == "strict" else "TrustServerCertificate=yes"
    text = f"SERVER={HOST},{PORT};DATABASE=SalesDb;UID={USER};PWD={{{PASSWORD}}};Encrypt={encrypt};{trust}"
    if CLIENT == "pyodbc":
        import pyodbc
        pyodbc.pooling = False
        made = pyodbc.connect(f"DRIVER={sys.argv[2]};{text}", autocommit=autocommit)
        made.add_output_converter(-155, moment)  # datetimeoffset is left to the program
        return made
    import mssql_python
    return mssql_python.connect(text, autocommit=autocommit)


def number_of(failure):
    """The server's error number, wherever this client keeps it."""
    for value in (getattr(failure, "number", None), getattr(failure, "msg_no", None), *getattr(failure, "args", ())):
        if isinstance(value, int) and value:
            return str(value)
    text = str(failure)
    # Microsoft's driver shows text only: the documented sentences identify the number.
    if "Invalid object name" in text:
        return "208"
    if "this gateway only reads" in text:
        return "50110"
    return text
