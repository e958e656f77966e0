# SPDX-License-Identifier: Apache-2.0
"""Puts the C library into the package, and names the wheel after the machine that it is for.

The library is built by ../C/build if it is not there; FILECOORDINATION_LIBRARY names one that was
built elsewhere.
"""

import os
import pathlib
import shutil
import subprocess

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = pathlib.Path(__file__).resolve().parent
NAME = "libfilecoordination.so.1"


def library() -> pathlib.Path:
    """Where the C library is."""
    given = os.environ.get("FILECOORDINATION_LIBRARY")
    if given:
        return pathlib.Path(given)
    folder = HERE.parent / "C"
    built = folder / ".build" / "product" / "lib" / NAME
    if not built.exists():
        subprocess.run([str(folder / "build"), "--quick"], check=True)
    return built


class BuildWithLibrary(build_py):
    """Adds the library to what is built, without leaving a copy among the sources."""

    def run(self) -> None:
        super().run()
        if getattr(self, "editable_mode", False):
            return  # an editable installation finds the library in ../C
        target = pathlib.Path(self.build_lib) / "filecoordination"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library(), target / NAME)


class MachineWheel(bdist_wheel):
    """A wheel for every Python 3 on machines of this kind: ctypes needs no Python headers."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class MachineDistribution(Distribution):
    """A distribution that is not the same on every machine."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": MachineWheel},
    distclass=MachineDistribution,
)
