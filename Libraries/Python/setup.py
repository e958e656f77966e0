# SPDX-License-Identifier: Apache-2.0
"""Puts the C library into the package, and names the wheel after the machine that it is for.

../C/build builds the library, or brings it up to date; FILECOORDINATION_LIBRARY names one that was
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
    # Always, so that both come from one state of the sources.
    subprocess.run([str(folder / "build"), "--quick"], check=True)
    return built


class BuildWithLibrary(build_py):
    """Adds the library to what is built, without leaving a copy among the sources."""

    def run(self) -> None:
        if getattr(self, "editable_mode", False):
            super().run()
            library()  # an editable installation finds it in ../C
            return
        target = pathlib.Path(self.build_lib) / "filecoordination"
        # A module that is gone from the sources would come along with the next wheel.
        shutil.rmtree(target, ignore_errors=True)
        super().run()
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
