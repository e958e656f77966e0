// SPDX-License-Identifier: Apache-2.0
//
// Judges what is installed: the daemon's version, the one that runs, and the units of systemd.

extension Diagnosis {
    /// Checks the daemon that would be started, and the one that runs.
    static func daemon(_ facts: MachineFacts) -> [DoctorFinding] {
        guard let daemon = facts.daemon else { return [missingDaemon(facts)] }
        return [version(of: daemon, facts.installation)] + running(daemon, facts.installation)
    }

    private static func missingDaemon(_ facts: MachineFacts) -> DoctorFinding {
        if let chosen = facts.chosenDaemon, !chosen.isEmpty {
            return DoctorFinding(
                subject: "daemon", state: .warning,
                text: "FILECOORDINATIOND names \(chosen), which cannot be run: programs serve "
                    + "themselves",
                advice: "correct it, or unset it")
        }
        return DoctorFinding(
            subject: "daemon", state: .note,
            text: "there is no filecoordinationd: the first program that needs one serves",
            advice: "install it beside filecoord, so that no program's end makes others wait")
    }

    private static func version(
        of daemon: String, _ installation: InstallationFacts
    ) -> DoctorFinding {
        guard let version = installation.daemonVersion else {
            return DoctorFinding(
                subject: "daemon", state: .warning,
                text: "the daemon \(daemon) does not say its version; filecoord is "
                    + "\(installation.version)",
                advice: "install both from the same sources")
        }
        guard version == installation.version else {
            return DoctorFinding(
                subject: "daemon", state: .warning,
                text: "the daemon \(daemon) is of version \(version), filecoord of "
                    + "\(installation.version)",
                advice: "install both from the same sources")
        }
        return DoctorFinding(
            subject: "daemon", state: .ok,
            text: "the daemon is \(daemon), version \(version) as filecoord")
    }

    private static func running(
        _ daemon: String, _ installation: InstallationFacts
    ) -> [DoctorFinding] {
        guard let running = installation.running, !running.isInstalled else { return [] }
        let isReplaced = running.path == daemon
        return [
            DoctorFinding(
                subject: "daemon", state: .note,
                text: "the daemon that runs, process \(running.processID), "
                    + (isReplaced ? "was replaced by another file since" : "is \(running.path)"),
                advice: "\"kill \(running.processID)\" has the next program start the installed "
                    + "one; no access is lost")
        ]
    }

    // MARK: systemd

    /// Checks the units, if a service manager runs for the user.
    static func units(_ facts: MachineFacts) -> [DoctorFinding] {
        guard let units = facts.installation.units else { return [] }
        if let failure = failure(of: units) { return [failure] }
        guard units.socket.load == "loaded" else {
            return [
                finding(
                    .ok, "systemd has no unit filecoordinationd.socket: programs start the daemon")
            ]
        }
        guard units.socket.active == "active" else {
            let isWanted = "\"systemctl --user enable --now filecoordinationd.socket\" changes that"
            return [finding(.ok, "programs start the daemon themselves, not systemd; \(isWanted)")]
        }
        if facts.chosenDaemon != nil || facts.chosenDirectory != nil {
            let name =
                facts.chosenDaemon == nil ? "FILECOORDINATION_RUNTIME_DIR" : "FILECOORDINATIOND"
            return [
                finding(
                    .note, "\(name) is set, so this program would not ask systemd for the daemon")
            ]
        }
        if let executable = units.executable, let daemon = facts.daemon, executable != daemon {
            return [
                finding(
                    .note, "systemd starts another daemon than programs would: \(executable)",
                    "remove one of the two installations")
            ]
        }
        return [finding(.ok, "systemd starts the daemon, when a program needs it")]
    }

    private static func failure(of units: DaemonUnits) -> DoctorFinding? {
        let both = [("socket", units.socket), ("service", units.service)]
        guard let (kind, unit) = both.first(where: { $0.1.active == "failed" }) else { return nil }
        return finding(
            .warning,
            "the unit filecoordinationd.\(kind) has failed (\(unit.result)): programs start the "
                + "daemon themselves",
            "\"journalctl --user -u filecoordinationd\" says why; then \"systemctl --user "
                + "restart filecoordinationd.socket\"")
    }

    private static func finding(
        _ state: DoctorFinding.State, _ text: String, _ advice: String? = nil
    ) -> DoctorFinding {
        DoctorFinding(subject: "systemd", state: state, text: text, advice: advice)
    }
}
