"""Puts compiled code into archives, beside its source: run in the page's own Python.

An import then reads a `.pyc` and compiles nothing. That holds for the standard library
too, which Pyodide ships as source alone: compiling it is half of Pyodide's start. Only
what the page imports is compiled, since a `.pyc` weighs as much as its source.

The source stays, for tracebacks and for the view, which shows the code of a card. A
`.pyc` is not checked against its source (PEP 552): both come in one file, whose
checksum the lock file knows. The same files give the same bytes, since the name of the
page's folder is made of them.
"""

import base64
import csv
import hashlib
import importlib.util
import io
import marshal
import sys
import zipfile
from pathlib import Path, PurePosixPath

SITE_PACKAGES = "/lib/python3.14/site-packages"
STANDARD_LIBRARY = "/lib/python314.zip"
WHEN = (1980, 1, 1, 0, 0, 0)
UNCHECKED = b"\1\0\0\0"
# What type checkers and auditors read; the licences stay.
NOT_RUN = (".pyi", "/mypy.py", "/sboms/pydantic-core.cyclonedx.json")


def imported() -> set[str]:
    """The files of all modules that were imported up to now."""
    specs = (getattr(module, "__spec__", None) for module in sys.modules.values())
    found = {getattr(spec, "origin", None) or "" for spec in specs}
    # Frozen modules have no file.
    return {file.removesuffix("c") for file in found if file.endswith((".py", ".pyc"))}


def compile_wheel(wheel: str, made: str, wanted: set[str]) -> None:
    """Write a wheel again, with compiled code for these files and without some."""
    files = {k: v for k, v in read(wheel).items() if not k.endswith(NOT_RUN)}
    for name, source in list(files.items()):
        where = f"{SITE_PACKAGES}/{name}"
        if where in wanted:
            beside = importlib.util.cache_from_source(name)
            files[beside] = compiled(where, source)
    [record] = [name for name in files if name.endswith(".dist-info/RECORD")]
    files[record] = recorded(files, record)
    write(made, files)


def compile_standard_library(archive: str, made: str, wanted: set[str]) -> None:
    """The same for Pyodide's, which is imported without being unpacked."""
    files = read(archive)
    for name, source in list(files.items()):
        where = f"{STANDARD_LIBRARY}/{name}"
        if where in wanted:
            files[f"{name}c"] = compiled(where, source)
    write(made, files)


def compiled(where: str, source: bytes) -> bytes:
    """The bytes of a `.pyc`: its head, and the code as it will be where it is put."""
    code = compile(source, where, "exec", dont_inherit=True)
    head = importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(source)
    return head + marshal.dumps(code)


def recorded(files: dict[str, bytes], record: str) -> bytes:
    """A wheel's own list of its files, with their checksums and what they weigh."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    for name, content in sorted(files.items()):
        if name != record:
            checksum = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
            shown = f"sha256={checksum.rstrip(b'=').decode()}"
            lines.writerow([name, shown, len(content)])
    lines.writerow([record, "", ""])
    return text.getvalue().encode()


def read(archive: str) -> dict[str, bytes]:
    """The files of an archive, by name."""
    with zipfile.ZipFile(archive) as old:
        return {i.filename: old.read(i) for i in old.infolist() if not i.is_dir()}


def write(archive: str, files: dict[str, bytes]) -> None:
    """Write an archive that is the same for the same files."""
    with zipfile.ZipFile(archive, "w") as new:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name, WHEN)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            new.writestr(info, content, compresslevel=9)


def compile_all(wheels: list[str], standard_library: str, folder: str) -> None:
    """Compile what has been imported, in each of these archives."""
    wanted = imported()
    for wheel in wheels:
        compile_wheel(wheel, f"{folder}/{PurePosixPath(wheel).name}", wanted)
    if standard_library:
        made = f"{folder}/{Path(standard_library).stem}_compiled.zip"
        compile_standard_library(standard_library, made, wanted)
