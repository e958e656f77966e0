// SPDX-License-Identifier: Apache-2.0
//
// `filecoord doctor` finds what stands in the way, and changes nothing.

import FileCoordinationServer
import FileCoordinationWire
import Foundation
import XCTest

@testable import filecoord

final class DoctorTests: XCTestCase {
    /// What a healthy machine has.
    private func healthy() -> MachineFacts {
        MachineFacts(
            place: ("/run/a", false), use: .vacant,
            arbiter: .success(
                ServerStatus(
                    processID: 12, kind: .daemon, uptime: .nanoseconds(1), protocolVersion: 1)),
            daemon: "/usr/bin/filecoordinationd",
            installation: InstallationFacts(version: "1.2.3", daemonVersion: "1.2.3"),
            descriptors: 1024,
            notifications: ["max_user_instances": 128, "max_user_watches": 8192],
            kernel: "6.1", freeBytes: 1 << 30,
            versions: ("/home/a/versions", true))
    }

    private func findings(_ change: (inout MachineFacts) -> Void = { _ in }) -> [DoctorFinding] {
        var facts = healthy()
        change(&facts)
        return Diagnosis.findings(for: facts)
    }

    /// The findings that are problems or warnings, as "state subject".
    private func complaints(_ change: (inout MachineFacts) -> Void) -> [String] {
        findings(change).filter { $0.state != .ok }.map { "\($0.state) \($0.subject)" }
    }

    // MARK: What facts mean

    func testAHealthyMachineHasNothingToComplainOf() {
        XCTAssertEqual(findings().map(\.state), Array(repeating: .ok, count: findings().count))
        XCTAssertTrue(findings().contains { $0.text.contains("process 12") })
        // Rule 2.24.
        let names = findings().first { $0.subject == "names" }?.text ?? ""
        XCTAssertTrue(names.contains("hard links and bind mounts"), names)
        XCTAssertTrue(names.contains("do not exclude each other"), names)
    }

    func testAServerInAContainerIsSaidToBeThere() {
        let server = ServerStatus(
            processID: ProcessNumber.inAnotherNamespace(12), kind: .embedded,
            uptime: .nanoseconds(1), protocolVersion: 1)
        let texts = findings { $0.arbiter = .success(server) }.map(\.text)
        XCTAssertTrue(
            texts.contains("a program serves them: process 12 in another namespace"), "\(texts)")
    }

    func testAServerOfAnotherVersionIsNamedByItsRefusal() {
        let refusal = "this program speaks protocol 10, and the server, process 7 of /x, speaks 11"
        let found = findings { $0.arbiter = .failure(.init(text: refusal, isAdvice: true)) }
            .filter { $0.subject == "server" }
        XCTAssertEqual(found.map(\.text), [refusal])
        XCTAssertEqual(found.map(\.state), [.problem])
        XCTAssertNil(found.first?.advice)
    }

    /// Rule 18.14.
    func testThatProgramsMeetElsewhereThanUsualIsNoted() {
        XCTAssertEqual(complaints { $0.place.isSubstitute = true }, ["note directory"])
    }

    func testAPlaceThatCannotBeUsedIsAProblem() {
        XCTAssertEqual(
            complaints { $0.use = .unusable(.notOurs("/a", owner: 7)) }, ["problem directory"])
        let texts = findings { $0.use = .unusable(.notOurs("/a", owner: 7)) }.map(\.text)
        XCTAssertTrue(
            texts.contains { $0.contains("/a belongs to user 7, not to you") }, "\(texts)")
    }

    func testEachLimitThatIsTooLowIsAWarning() {
        XCTAssertEqual(complaints { $0.descriptors = 256 }, ["warning limits"])
        XCTAssertEqual(
            complaints { $0.notifications["max_user_watches"] = 100 }, ["warning limits"])
        XCTAssertEqual(complaints { $0.freeBytes = 4096 }, ["warning limits"])
        XCTAssertEqual(complaints { $0.versions.isWritable = false }, ["warning versions"])
        // Doctor does not complain of a fact that it cannot read.
        XCTAssertEqual(
            complaints {
                $0.notifications = [:]
                $0.freeBytes = nil
            }, [])
    }

    func testAKernelThatHoldsNoProcessesAndAServerThatIsSilentAreProblems() {
        XCTAssertEqual(
            complaints { $0.missingFeatures = [.processDescriptors] }, ["problem kernel"])
        XCTAssertEqual(
            complaints { $0.arbiter = .failure(.init(text: "silent")) }, ["problem server"])
    }

    func testEachFeatureOfTheKernelThatIsMissingIsNamedWithAnAdvice() {
        let all = findings { $0.missingFeatures = Set(KernelFeature.allCases) }
            .filter { $0.subject == "kernel" }
        XCTAssertEqual(all.map(\.state), [.problem, .warning, .warning])
        for (finding, word) in zip(all, ["pidfd_open", "inotify", "renameat2"]) {
            XCTAssertTrue(finding.text.contains(word), finding.text)
            XCTAssertNotNil(finding.advice)
        }
    }

    // MARK: What is installed

    func testADaemonOfAnotherVersionIsAWarning() {
        let other = findings { $0.installation.daemonVersion = "1.0.0" }
        let warning = other.first { $0.state == .warning }
        XCTAssertEqual(warning?.subject, "daemon")
        XCTAssertEqual(warning?.text.contains("is of version 1.0.0, filecoord of 1.2.3"), true)
        XCTAssertEqual(complaints { $0.installation.daemonVersion = nil }, ["warning daemon"])
    }

    func testARunningDaemonThatIsNotTheInstalledOneIsNamed() {
        func note(_ path: String, isInstalled: Bool) -> DoctorFinding? {
            findings {
                $0.installation.running = .init(
                    processID: 12, path: path, isInstalled: isInstalled)
            }.first { $0.state != .ok }
        }
        XCTAssertNil(note("/usr/bin/filecoordinationd", isInstalled: true))
        let replaced = note("/usr/bin/filecoordinationd", isInstalled: false)
        XCTAssertEqual(replaced?.text.contains("was replaced"), true)
        XCTAssertEqual(replaced?.advice?.contains("kill 12"), true)
        let other = note("/opt/bin/filecoordinationd", isInstalled: false)
        XCTAssertEqual(other?.text.contains("is /opt/bin/filecoordinationd"), true)
    }

    func testTheStateOfTheUnitsIsNamed() {
        func finding(
            _ socket: DaemonUnits.Unit, _ service: DaemonUnits.Unit,
            executable: String? = "/usr/bin/filecoordinationd",
            _ change: (inout MachineFacts) -> Void = { _ in }
        ) -> DoctorFinding? {
            findings {
                $0.installation.units = DaemonUnits(
                    socket: socket, service: service, executable: executable)
                change(&$0)
            }.first { $0.subject == "systemd" }
        }
        let active = DaemonUnits.Unit(load: "loaded", active: "active")
        let inactive = DaemonUnits.Unit(load: "loaded", active: "inactive")
        let missing = DaemonUnits.Unit(load: "not-found", active: "inactive")
        let failed = DaemonUnits.Unit(load: "loaded", active: "failed", result: "exit-code")
        XCTAssertEqual(
            finding(active, inactive)?.text, "systemd starts the daemon, when a program needs it")
        XCTAssertEqual(finding(inactive, inactive)?.text.contains("enable --now"), true)
        XCTAssertEqual(finding(missing, missing)?.text.contains("has no unit"), true)
        for (socket, service) in [(failed, inactive), (active, failed)] {
            XCTAssertEqual(finding(socket, service)?.state, .warning)
            XCTAssertEqual(finding(socket, service)?.text.contains("(exit-code)"), true)
        }
        XCTAssertEqual(finding(active, active, executable: "/opt/d")?.state, .note)
        XCTAssertEqual(finding(active, active) { $0.chosenDirectory = "/a" }?.state, .note)
        XCTAssertFalse(findings().contains { $0.subject == "systemd" })
    }

    func testWhatSystemctlSaysIsUnderstood() throws {
        let units = try XCTUnwrap(
            DaemonUnits(
                """
                Result=success
                Id=filecoordinationd.socket
                LoadState=loaded
                ActiveState=active

                Result=exit-code
                ExecStart={ path=/usr/bin/filecoordinationd ; argv[]=/usr/bin/filecoordinationd ; }
                Id=filecoordinationd.service
                LoadState=loaded
                ActiveState=failed

                """))
        XCTAssertEqual(units.socket, .init(load: "loaded", active: "active"))
        XCTAssertEqual(units.service, .init(load: "loaded", active: "failed", result: "exit-code"))
        XCTAssertEqual(units.executable, "/usr/bin/filecoordinationd")
        XCTAssertNil(DaemonUnits("Failed to connect to bus"))
    }

    // MARK: The command

    func testTheVersionsOfRealProgramsAgree() throws {
        try with(.daemon) { sandbox in
            let text = try sandbox.run("doctor").output
            XCTAssertTrue(
                text.contains(", version \(SoftwareVersion.number) as filecoord\n"), text)
        }
    }

    func testWithoutAnyProgramNothingIsMade() throws {
        try with { sandbox in
            let outcome = try sandbox.run("doctor")
            XCTAssertEqual(outcome.status, 0, outcome.output)
            let text = outcome.output
            XCTAssertTrue(text.contains("will meet in \(sandbox.path("run"))"), text)
            XCTAssertTrue(text.contains("no server runs"), text)
            XCTAssertFalse(FileManager.default.fileExists(atPath: sandbox.path("run")))
        }
    }

    func testAnEmptyDirectoryStaysEmpty() throws {
        try with { sandbox in
            try FileManager.default.createDirectory(
                atPath: sandbox.path("run"), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            XCTAssertEqual(try sandbox.run("doctor").status, 0)
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: sandbox.path("run")), [])
        }
    }

    func testItSaysWhoServes() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("read", "a")
            let text = try sandbox.run("doctor").output
            let server = try XCTUnwrap(sandbox.status().arbiter?.pid)
            XCTAssertTrue(text.contains("serves them: process \(server)"), text)
            XCTAssertTrue(text.contains("ok       programs of this user meet in"), text)
            holder.closeInput()
        }
    }

    func testADirectoryThatIsAFileIsAProblemWithAnEnd() throws {
        try with { sandbox in
            try sandbox.makeFile("run", "in the way")
            let outcome = try sandbox.run("doctor", "--json")
            XCTAssertEqual(outcome.status, 69)
            XCTAssertEqual(outcome.errors, "filecoord: there is a problem\n")
            let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            let findings = (object as? [String: [[String: Any]]])?["findings"] ?? []
            let problem = try XCTUnwrap(findings.first { $0["state"] as? String == "problem" })
            let text = try XCTUnwrap(problem["text"] as? String)
            XCTAssertTrue(text.contains("is not a directory"), text)
            XCTAssertEqual(try sandbox.content("run"), "in the way")
            try FileManager.default.removeItem(atPath: sandbox.path("run"))
        }
    }
}
