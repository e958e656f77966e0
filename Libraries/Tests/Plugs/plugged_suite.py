# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that runs a suite of others with our plug, and knows what may fail.

Each test that `exceptions.txt` lists for the run has to fail, each other one has to pass.
"""

import pathlib

import plugged
import pytest

LIST = pathlib.Path(__file__).with_name("exceptions.txt")


class Listed:
    """A test of the list, and why it is there."""

    def __init__(self, word, name, reason):
        self.word, self.name, self.reason = word, name, reason
        self.is_found = False

    def names(self, item):
        """Whether it is this test, with all its parameters or with these."""
        name = item.nodeid.rsplit("/", 1)[-1]
        return self.name in (name, name.split("[")[0])


def read_list(package, mode):
    """What is listed for a run; `exceptions.txt` says in which form."""
    listed, reason, head = [], [], None
    for line in LIST.read_text().splitlines():
        if not line.strip():
            reason, head = [], None
        elif line.startswith("#"):
            reason.append(line[1:].strip())
        elif not line.startswith(" "):
            head = line.split()
        elif head[0] == package and mode in head[1].split(","):
            listed.append(Listed(head[2], line.strip(), " ".join(reason)))
    return listed


LISTED = read_list(plugged.package, plugged.mode)
through_the_plug = set()


def pytest_sessionstart():
    if plugged.package is None:
        raise pytest.UsageError("the plug was not installed: see what Python said as it started")


def pytest_plugin_registered(plugin):
    # portalocker's tests take the lockers from this list, which their conftest makes.
    if plugged.package == "portalocker" and hasattr(plugin, "LOCKERS"):
        from filecoordination.plugs import CoordinatedLocker

        locker = CoordinatedLocker()
        plugin.LOCKERS[:] = [locker, (locker.lock, locker.unlock)]


def is_of_another_lock(item):
    """Whether a test has a kind of lock as its parameter that has no plug."""
    if plugged.package != "filelock" or not hasattr(item, "callspec"):
        return False
    from filelock import SoftFileLock

    kinds = [value for value in item.callspec.params.values() if isinstance(value, type)]
    return any(issubclass(kind, SoftFileLock) for kind in kinds)


def pytest_collection_modifyitems(config, items):
    kept, left_out = [], []
    for item in items:
        entries = [entry for entry in LISTED if entry.names(item)]
        for entry in entries:
            entry.is_found = True
            if entry.word == "fails":
                item.add_marker(pytest.mark.xfail(reason=entry.reason, strict=True))
        is_left_out = any(entry.word == "left-out" for entry in entries)
        (left_out if is_left_out or is_of_another_lock(item) else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)
    missing = [entry.name for entry in LISTED if not entry.is_found]
    if missing:
        raise pytest.UsageError(f"exceptions.txt lists tests that there are not: {missing}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    before = plugged.count
    yield
    if plugged.count > before:
        through_the_plug.add(item.nodeid)


def pytest_sessionfinish(session):
    if not through_the_plug:
        session.exitstatus = 1


def counts(reports):
    """How many tests ended in which way."""
    ways = {"passed": "passed", "skipped": "skipped by themselves", "xfailed": "failed as listed",
            "failed": "failed", "error": "errors"}
    return ", ".join(
        f"{len(reports.get(way, []))} {words}" for way, words in ways.items()
        if reports.get(way) or way in ("passed", "failed"))


def pytest_terminal_summary(terminalreporter):
    files = {}
    for way, reports in terminalreporter.stats.items():
        for report in reports:
            # Warnings and what was deselected are there, too.
            if way and hasattr(report, "nodeid") and hasattr(report, "outcome"):
                file = report.nodeid.split("::")[0].rsplit("/", 1)[-1]
                files.setdefault(file, {}).setdefault(way, []).append(report)
    for file in sorted(files):
        terminalreporter.write_line(f"{file}: {counts(files[file])}")
    terminalreporter.write_line(
        f"{plugged.package}, {plugged.mode}: {counts(terminalreporter.stats)}; "
        f"{len(through_the_plug)} locked by way of the plug")
