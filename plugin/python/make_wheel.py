#!/usr/bin/env python3
"""Makes a wheel of the Python package, with the library and the program inside.

    make_wheel.py LIBRARY PROGRAM VERSION OUT

LIBRARY is libprescope.so, PROGRAM the program `prescope`, OUT the folder for the wheel. Shared
libraries that a Debian system may lack are copied too. Equal inputs make an equal file, byte for
byte. Needs ldd of the C library, and nothing but the standard library of Python.
"""

import base64
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

BUNDLED = ("libfmt", "libsimdjson", "libutf8proc", "libsqlite3", "libprometheus-cpp-core")
BUNDLED += ("libexpat", "libminizip")
# Every system on which CPython runs has these.
EXPECTED = ("linux-vdso", "ld-linux", "libc", "libm", "libz", "libstdc++", "libgcc_s", "libpthread")
EXPECTED += ("libdl", "librt")

MACHINES = {62: "x86_64", 183: "aarch64"}


def machine_of(path):
    """Returns the processor that an ELF file is for, as wheels name it."""
    with open(path, "rb") as file:
        header = file.read(20)
    if header[:4] != b"\x7fELF":
        raise SystemExit("%s: found no ELF file, expected a shared library" % path)
    number = struct.unpack("<H", header[18:20])[0]
    if number not in MACHINES:
        raise SystemExit("%s: found ELF machine %d, expected %s" % (path, number, MACHINES))
    return MACHINES[number]


def soname_of(program):
    """Returns the name by which the program finds the library."""
    for line in subprocess.check_output(["ldd", program], universal_newlines=True).splitlines():
        name = line.strip().split(" ")[0]
        if name.startswith("libprescope.so"):
            return name
    raise SystemExit("%s: does not need libprescope.so; expected the program" % program)


def without_debug_information(path):
    """Returns the bytes of an ELF file, stripped if the system has `strip`."""
    if shutil.which("strip"):
        with tempfile.TemporaryDirectory() as folder:
            stripped = os.path.join(folder, "stripped")
            subprocess.check_call(["strip", "--strip-unneeded", "-o", stripped, path])
            with open(stripped, "rb") as file:
                return file.read()
    with open(path, "rb") as file:
        return file.read()


def bundled_libraries(library):
    """Returns the dependencies to copy, a dict from SONAME to path."""
    result = {}
    for line in subprocess.check_output(["ldd", library], universal_newlines=True).splitlines():
        name, _, path = line.strip().partition(" => ")
        name = os.path.basename(name.split(" ")[0])
        stem = name.split(".so")[0]
        if stem in BUNDLED:
            path = path.split(" (")[0]
            if not os.path.exists(path):
                raise SystemExit("%s: needs %s, which ldd does not find" % (library, name))
            result[name] = path
        elif not stem.startswith("ld-linux") and stem.split(".")[0] not in EXPECTED:
            raise SystemExit(
                "%s: needs %s; expected one of %s, or of the system: %s"
                % (library, name, ", ".join(BUNDLED), ", ".join(EXPECTED))
            )
    return result


def licence_of(path):
    """Returns the licence text that Debian keeps for the package of a file, None elsewhere."""
    real = os.path.realpath(path)
    for candidate in (real, real.replace("/usr/lib/", "/lib/", 1), "/usr" + real):
        try:
            owner = subprocess.check_output(
                ["dpkg", "-S", candidate], universal_newlines=True, stderr=subprocess.DEVNULL
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        text = "/usr/share/doc/%s/copyright" % owner.split(":")[0]
        if os.path.exists(text):
            with open(text, "rb") as file:
                return file.read()
    return None


def metadata(version):
    """Returns the file METADATA."""
    return """Metadata-Version: 2.1
Name: prescope
Version: %s
Summary: Scores of patent search: PRES, Recall, MAP, and live A/B verdicts
License: Apache-2.0
Requires-Python: >=3.7
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

PRES, Recall, MAP and other measures of TREC runs, comparisons with verdicts, a gate for nightly
runs, and live experiments that score a search server's rankings while it answers. The wheel has the
C++ library and the program `prescope`; it needs no other package. NumPy, pandas and Arrow columns
are taken where they are present.
""" % version


def contents(library, program, version, tag):
    """Returns the files of the wheel: (name, bytes, is executable)."""
    files = []

    def add(name, data, executable=False):
        if not isinstance(data, bytes):
            with open(data, "rb") as file:
                data = file.read()
        files.append((name, data, executable))

    package = os.path.join(HERE, "prescope")
    for name in sorted(os.listdir(package)):
        if name.endswith(".py") or name == "py.typed":
            add("prescope/" + name, os.path.join(package, name))
    add("prescope/bin/prescope", without_debug_information(program), True)
    add("prescope/lib/" + soname_of(program), without_debug_information(library), True)
    info = "prescope-%s.dist-info/" % version
    add(info + "licenses/LICENSE", os.path.join(ROOT, "LICENSE"))
    for soname, path in sorted(bundled_libraries(library).items()):
        add("prescope/lib/" + soname, path, True)
        licence = licence_of(path)
        if licence is None:
            sys.stderr.write("make_wheel.py: %s: no licence text found; add one\n" % path)
        else:
            add(info + "licenses/%s.txt" % soname, licence)
    add(info + "METADATA", metadata(version).encode())
    add(
        info + "WHEEL",
        ("Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: %s\n" % tag)
        .encode(),
    )
    add(info + "entry_points.txt", b"[console_scripts]\nprescope = prescope.__main__:main\n")
    return sorted(files)


def record_of(files, version):
    """Returns RECORD: a line with hash and size of every file."""
    lines = []
    for name, data, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d\n" % (name, digest, len(data)))
    lines.append("prescope-%s.dist-info/RECORD,,\n" % version)
    return "".join(lines).encode()


def make_wheel(library, program, version, out):
    """Writes the wheel into the folder `out`, and returns its path."""
    tag = "py3-none-linux_" + machine_of(library)
    files = contents(library, program, version, tag)
    files.append(("prescope-%s.dist-info/RECORD" % version, record_of(files, version), False))
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "prescope-%s-%s.whl" % (version, tag))
    with zipfile.ZipFile(path + ".part", "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data, executable in files:
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whose modes follow
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, data)
    os.replace(path + ".part", path)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: make_wheel.py LIBRARY PROGRAM VERSION OUT")
    print(make_wheel(*sys.argv[1:]))
