# SPDX-License-Identifier: Apache-2.0
"""The header, the shared library, the list of its symbols and ctypes' view say the same."""

import ctypes
import os
import pathlib
import re
import subprocess
import unittest

import filecoordination
from filecoordination import _errors, _library, _options
from support import BUILT, HERE, PRODUCT, CoordinationTestCase

HEADER = PRODUCT / "include" / "filecoordination.h"
SHARED = PRODUCT / "lib" / "libfilecoordination.so"


def text_of_header():
    """The header without its comments."""
    return re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)


def functions_of_header():
    """The functions and how many parameters each takes."""
    pattern = r"^[a-z_].*?\b(fc_\w+)\((.*?)\);"
    found = re.findall(pattern, text_of_header(), flags=re.DOTALL | re.MULTILINE)
    return {
        name: 0 if parameters == "void" else parameters.count(",") + 1
        for name, parameters in found
        if "{" not in parameters
    }


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class InterfaceTests(unittest.TestCase):
    def test_the_library_has_the_functions_of_the_header_and_no_others(self):
        symbols = output("nm", "-D", "--defined-only", "--extern-only", SHARED)
        found = dict(re.findall(r"\bT (fc_\w+)@@(\w+\.\d)", symbols))
        self.assertEqual(set(found), set(functions_of_header()))
        self.assertEqual(set(found.values()), {"FC_1.0"})
        others = [line for line in symbols.splitlines() if " fc_" not in line]
        self.assertEqual([line.split()[-1] for line in others], ["FC_1.0"])

    def test_the_map_lists_them(self):
        listed = re.findall(r"^\s+(fc_\w+);", (HERE.parent / "C" / "symbols.map").read_text(), re.M)
        self.assertEqual(listed, sorted(functions_of_header()))

    def test_the_static_library_shows_no_other_symbols(self):
        archive = PRODUCT / "lib" / f"{SHARED.stem}.a"
        symbols = output("nm", "--defined-only", "--extern-only", archive)
        found = re.findall(r"^\w+ \w (\w+)$", symbols, re.M)
        self.assertEqual(sorted(found), sorted(functions_of_header()))

    def test_it_needs_no_swift(self):
        needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", SHARED))
        allowed = re.compile(r"^(libc|libm|libdl|libpthread|ld-linux.*)\.so\.\d+$")
        self.assertEqual([name for name in needed if not allowed.match(name)], [])
        self.assertIn("libc.so.6", needed)
        self.assertIn("SONAME", output("readelf", "-d", SHARED))
        self.assertIn("NODELETE", output("readelf", "-d", SHARED))

    def test_python_knows_each_function_and_its_parameters(self):
        known = {name: len(types) for name, (_, types) in _library.SIGNATURES.items()}
        self.assertEqual(known, functions_of_header())

    def test_python_knows_the_structs(self):
        text = text_of_header()
        for name, structure in [
            ("fc_presenter_callbacks", _library.PresenterCallbacks),
            ("fc_item", _library.Item),
        ]:
            body = re.search(rf"typedef struct {name} {{(.*?)}} {name};", text, re.DOTALL).group(1)
            members = re.findall(r"\(\*(\w+)\)\(|\b(\w+);", body)
            self.assertEqual(
                [first or second for first, second in members],
                [field[0] for field in structure._fields_],
            )

    def test_python_has_the_numbers_of_the_header(self):
        pattern = r"^#define (FC_\w+) (\d\w*?)u?\s*$"
        found = re.findall(pattern, text_of_header(), re.MULTILINE)
        numbers = {name: int(value, 0) for name, value in found}
        errors = {value for name, value in numbers.items() if name.startswith("FC_ERROR_")}
        self.assertEqual(set(_errors._BY_CODE), errors)
        for kind, options in (("READ", _options.Read), ("WRITE", _options.Write)):
            for option in options:
                is_of_both = option.name in ("RECURSIVE", "NO_FOLLOW")
                name = option.name if is_of_both else f"{kind}_{option.name}"
                if option:
                    self.assertEqual(numbers[f"FC_{name}"], int(option), name)

    def test_one_version(self):
        version = re.search(r'#define FC_VERSION "(.*)"', text_of_header()).group(1)
        server = HERE.parents[1] / "Sources" / "FileCoordinationServer" / "Server"
        swift = (server / "SoftwareVersion.swift").read_text()
        self.assertIn(f'number = "{version}"', swift)
        self.assertEqual(filecoordination.__version__, version)
        self.assertEqual(_library.fc.fc_version().decode(), version)

    def test_python_uses_the_library_under_test(self):
        maps = pathlib.Path("/proc/self/maps").read_text()
        self.assertIn(os.path.realpath(SHARED), maps)

    def test_the_header_is_c_and_cpp(self):
        source = '#include <filecoordination.h>\nint main(void) { fc_end(0); return 0; }\n'
        for compiler, language, standard in [("cc", "c", "c99"), ("c++", "c++", "c++11")]:
            command = [compiler, "-x", language, f"-std={standard}", "-pedantic", "-Wall"]
            command += ["-Wextra", "-Werror", "-fsyntax-only", f"-I{HEADER.parent}", "-"]
            subprocess.run(command, input=source, text=True, check=True)


class LinkedTests(CoordinationTestCase):
    """tests/api.c with either library."""

    def test_shared(self):
        self.assertEqual(self.output(BUILT / "api", self.directory), (0, ""))

    def test_static(self):
        self.assertEqual(self.output(BUILT / "api-static", self.directory), (0, ""))
        self.assertNotIn("filecoordination", output("ldd", BUILT / "api-static"))

    def test_sizes_are_those_of_c(self):
        program = self.directory / "sizes"
        source = (
            "#include <filecoordination.h>\n#include <stdio.h>\n"
            'int main(void) { printf("%zu %zu", sizeof(fc_item), sizeof(fc_presenter_callbacks)); }'
        )
        command = ["cc", "-x", "c", f"-I{HEADER.parent}", "-o", program, "-"]
        subprocess.run(command, input=source, text=True, check=True)
        sizes = [ctypes.sizeof(kind) for kind in (_library.Item, _library.PresenterCallbacks)]
        self.assertEqual(output(program).split(), list(map(str, sizes)))
