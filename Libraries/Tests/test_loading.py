# SPDX-License-Identifier: Apache-2.0
"""Which C libraries the Python package takes."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from filecoordination import __version__


class LoadingTests(unittest.TestCase):
    """An import either works or says what is wrong with the library."""

    def loaded(self, source: str) -> str:
        """What an import says with a library made of this source."""
        with tempfile.TemporaryDirectory() as folder:
            code, library = pathlib.Path(folder, "a.c"), pathlib.Path(folder, "a.so")
            code.write_text(source)
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, code], check=True)
            result = subprocess.run(
                [sys.executable, "-c", "import filecoordination"],
                env={**os.environ, "FILECOORDINATION_LIBRARY": str(library)},
                stderr=subprocess.PIPE, text=True, check=False)
            return result.stderr.strip().splitlines()[-1] if result.returncode else "imported"

    def test_an_older_library_is_refused(self):
        said = self.loaded('const char *fc_version(void) { return "0.1.9"; }')
        self.assertRegex(said, f"^ImportError: .*is of version 0.1.9, older than {__version__}$")

    def test_another_library_is_refused(self):
        said = self.loaded("int nothing;")
        self.assertRegex(said, "^ImportError: .*fc_version")


if __name__ == "__main__":
    unittest.main()
