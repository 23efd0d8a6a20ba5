"""The wheel: made twice with equal bytes, installed into an empty folder, used by each Python."""

import base64
import csv
import glob
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

import support

USE = """
import os, subprocess, sys
folder = sys.argv[1]
sys.path.insert(0, folder)
import prescope
assert os.path.dirname(os.path.dirname(os.path.abspath(prescope.__file__))) == folder
# PRES@10 of one relevant document at rank 2 is (10 + 1 - 2) / 10.
assert prescope.evaluate({"T": {"A": 1}}, {"T": ["X", "A"]}, "PRES@10").means == {"PRES@10": 0.9}
with open("/proc/self/maps") as maps:
    used = {line.split()[-1] for line in maps if ".so" in line}
for name in ("libprescope", "libfmt", "libsimdjson", "libutf8proc", "libsqlite3"):
    paths = [path for path in used if os.path.basename(path).startswith(name + ".so")]
    assert len(paths) == 1 and paths[0].startswith(folder), (name, paths)
import sqlite3  # uses the SQLite that is loaded, whichever that is
sqlite3.connect(":memory:").execute("select 1").fetchone()
store = os.path.join(sys.argv[2], "live-%d.store" % os.getpid())
with prescope.Experiment({"T": {"A": 1}}, ["bm25"], "R@1", store=store) as experiment:
    experiment.observe(experiment.begin("T"), ["A"])
(row,) = prescope.Store(store).observations()
assert row["R@1"] == 1, row
version = subprocess.check_output([sys.executable, "-m", "prescope", "--version"],
                                  env=dict(os.environ, PYTHONPATH=folder))
assert prescope.__version__ in version.decode(), version
assert "LD_LIBRARY_PATH" not in os.environ
print("used", prescope.__version__)
"""


def interpreters():
    """Returns the interpreters from 3.7 on: this one, those of pyenv, and the system's."""
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    candidates = [sys.executable, "/usr/bin/python3"]
    candidates += sorted(glob.glob(os.path.join(root, "versions", "*", "bin", "python3")))
    found = {}
    for path in candidates:
        try:
            version = subprocess.check_output(
                [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                stderr=subprocess.DEVNULL,
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        major, minor = map(int, version.split(b"."))
        if major == 3 and minor >= 7:
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        library = os.environ.get("PRESCOPE_LIBRARY")
        if not library:
            raise unittest.SkipTest("PRESCOPE_LIBRARY does not name a library to pack")
        cls.folder = tempfile.TemporaryDirectory()
        cls.wheels = []
        for out in ("first", "second"):
            made = subprocess.check_output(
                [
                    sys.executable,
                    os.path.join(support.PACKAGE_FOLDER, "make_wheel.py"),
                    library,
                    support.program(),
                    support.prescope.__version__,
                    os.path.join(cls.folder.name, out),
                ]
            )
            cls.wheels.append(made.decode().strip())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_equal_bytes(self):
        contents = []
        for path in self.wheels:
            with open(path, "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])

    def test_files(self):
        version = support.prescope.__version__
        info = "prescope-%s.dist-info/" % version
        name = os.path.basename(self.wheels[0])
        self.assertRegex(name, r"^prescope-%s-py3-none-linux_(x86_64|aarch64)\.whl$" % version)
        with zipfile.ZipFile(self.wheels[0]) as wheel:
            names = wheel.namelist()
            self.assertEqual(len(names), len(set(names)))
            record = list(csv.reader(io.StringIO(wheel.read(info + "RECORD").decode())))
            self.assertEqual([row[0] for row in record], names)
            for path, digest, size in record[:-1]:
                data = wheel.read(path)
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
                self.assertEqual(digest, "sha256=" + expected.rstrip(b"=").decode())
                self.assertEqual(int(size), len(data))
            for path in ("prescope/__init__.py", "prescope/py.typed", info + "METADATA"):
                self.assertIn(path, names)
            tag = name[len("prescope-%s-" % version) : -len(".whl")]
            self.assertIn("Tag: %s\n" % tag, wheel.read(info + "WHEEL").decode())
            self.assertIn("\nVersion: %s\n" % version, wheel.read(info + "METADATA").decode())
            self.assertEqual(wheel.getinfo("prescope/bin/prescope").external_attr >> 16, 0o100755)
            # What every system has is not copied.
            for path in names:
                self.assertNotRegex(os.path.basename(path), r"^((libc|libm|libz|libstdc\+\+)\.|ld-)")
            # Every library that is copied comes with its licence.
            for path in names:
                library = os.path.basename(path)
                if path.startswith("prescope/lib/") and not library.startswith("libprescope"):
                    self.assertIn(info + "licenses/%s.txt" % library, names)

    def install(self, folder):
        """Installs the wheel by pip, or as pip does it if this Python has none."""
        pip = [sys.executable, "-m", "pip"]
        if not subprocess.call(
            pip + ["--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ):
            arguments = ["install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
            arguments += ["--disable-pip-version-check", "--root-user-action=ignore"]
            if subprocess.call(pip + arguments + ["--target", folder, self.wheels[0]]):
                arguments.pop()  # an old pip does not know the last one
                subprocess.check_call(pip + arguments + ["--target", folder, self.wheels[0]])
            return
        with zipfile.ZipFile(self.wheels[0]) as wheel:
            wheel.extractall(folder)
            for entry in wheel.infolist():
                os.chmod(os.path.join(folder, entry.filename), entry.external_attr >> 16 & 0o777)

    def test_each_python(self):
        hidden = ("PRESCOPE_LIBRARY", "PRESCOPE_PROGRAM", "LD_LIBRARY_PATH", "PYTHONPATH")
        environment = {k: v for k, v in os.environ.items() if k not in hidden}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as stores:
            folder = os.path.realpath(folder)
            self.install(folder)
            found = interpreters()
            self.assertTrue(found)
            for python in found:
                with self.subTest(python):
                    done = subprocess.run(
                        [python, "-c", USE, folder, stores],
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        env=environment,
                        cwd=stores,
                    )
                    self.assertEqual(done.stderr.decode(), "")
                    expected = "used %s\n" % support.prescope.__version__
                    self.assertEqual(done.stdout.decode(), expected)

    def test_program_that_may_not_be_executed(self):
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(self.wheels[0]) as wheel:
                wheel.extractall(folder)
            os.chmod(os.path.join(folder, "prescope", "bin", "prescope"), 0o644)
            hidden = ("PRESCOPE_LIBRARY", "PRESCOPE_PROGRAM")
            environment = {k: v for k, v in os.environ.items() if k not in hidden}
            done = subprocess.run(
                [sys.executable, "-m", "prescope", "--version"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn("may not be executed; install the wheel by pip", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
