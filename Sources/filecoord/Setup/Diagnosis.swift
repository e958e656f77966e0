// SPDX-License-Identifier: Apache-2.0
//
// Judges the facts about a machine for `filecoord doctor`, and says what to do. It makes no system
// calls, so that tests can judge machines that are not at hand.

import FileCoordinationServer
import FileCoordinationWire

/// One finding of `filecoord doctor`.
struct DoctorFinding: Hashable, Sendable {
    /// How severe the finding is.
    enum State: String, Sendable {
        case ok
        case note
        case warning
        case problem
    }

    let subject: String
    let state: State
    let text: String
    var advice: String?

    /// The finding as text for the user.
    var lines: [String] {
        let mark = state.rawValue + String(repeating: " ", count: 9 - state.rawValue.count)
        return ["\(mark)\(text)"] + (advice.map { ["         → \($0)"] } ?? [])
    }
}

/// Derives the findings from the facts.
enum Diagnosis {
    /// A server with fewer descriptors would soon have to reject clients.
    private static let fewDescriptors = 1024
    private static let leastNotifications = ["max_user_instances": 128, "max_user_watches": 8192]
    /// A ledger of this size would no longer fit into memory that is a file system.
    private static let littleSpace: UInt64 = 16 * 1024 * 1024

    /// All findings, in the order in which they are shown.
    static func findings(for facts: MachineFacts) -> [DoctorFinding] {
        meetings(facts) + server(facts) + daemon(facts) + units(facts) + kernel(facts)
            + limits(facts) + versions(facts) + names
    }

    /// The findings as JSON.
    static func json(_ findings: [DoctorFinding]) -> JSONValue {
        .object([
            (
                "findings",
                .list(
                    findings.map {
                        .object([
                            ("subject", .text($0.subject)), ("state", .text($0.state.rawValue)),
                            ("text", .text($0.text)),
                            ("advice", $0.advice.map { .text($0) } ?? .null),
                        ])
                    })
            )
        ])
    }

    /// What no program can be protected from (Rule 2.24).
    private static let names = [
        DoctorFinding(
            subject: "names", state: .ok,
            text: "access is to a name: hard links and bind mounts of one file do not exclude "
                + "each other (`filecoord status PATH` names bind mounts)")
    ]

    // MARK: Where programs meet

    /// Checks the runtime directory (Rule 18.14).
    private static func meetings(_ facts: MachineFacts) -> [DoctorFinding] {
        if case .unusable(let error) = facts.use {
            return [DoctorFinding(subject: "directory", state: .problem, text: "\(error)")]
        }
        var isNew = false
        if case .vacant = facts.use { isNew = true }
        var result = [
            DoctorFinding(
                subject: "directory", state: .ok,
                text: "programs of this user \(isNew ? "will meet" : "meet") in "
                    + facts.place.path)
        ]
        if facts.place.isSubstitute {
            result.append(
                DoctorFinding(
                    subject: "directory", state: .note,
                    text: "/dev/shm cannot be used here: programs that can use it meet there, and "
                        + "are not seen",
                    advice: "mount /dev/shm, or set FILECOORDINATION_RUNTIME_DIR for all programs"))
        }
        if facts.chosenDirectory != nil {
            result.append(
                DoctorFinding(
                    subject: "directory", state: .note,
                    text: "FILECOORDINATION_RUNTIME_DIR is set: programs without it do not see "
                        + "those with it",
                    advice: "unset it, unless that is wanted, as in tests"))
        }
        return result
    }

    private static func server(_ facts: MachineFacts) -> [DoctorFinding] {
        switch facts.arbiter {
        case .success(let arbiter?):
            let kind = arbiter.kind == .daemon ? "the daemon" : "a program"
            let isElsewhere = ProcessNumber.isOfAnotherNamespace(arbiter.processID)
            let number = "\(ProcessNumber.plain(arbiter.processID))"
            let process = number + (isElsewhere ? " in another namespace" : "")
            return [
                DoctorFinding(
                    subject: "server", state: .ok,
                    text: "\(kind) serves them: process \(process)")
            ]
        case .success(nil):
            return [
                DoctorFinding(
                    subject: "server", state: .ok,
                    text: "no server runs: the first program that needs one starts it")
            ]
        case .failure(let unanswered):
            return [
                DoctorFinding(
                    subject: "server", state: .problem, text: unanswered.text,
                    advice: unanswered.isAdvice
                        ? nil
                        : "\"fuser -v\" of the socket in the runtime directory names the process: "
                            + "continue or end it")
            ]
        }
    }

    // MARK: The machine

    private static func kernel(_ facts: MachineFacts) -> [DoctorFinding] {
        let missing = KernelFeature.allCases.filter(facts.missingFeatures.contains)
        guard missing.isEmpty else { return missing.map { finding(without: $0, facts.kernel) } }
        return [
            DoctorFinding(
                subject: "kernel", state: .ok, text: "Linux \(facts.kernel) has what is needed")
        ]
    }

    private static func finding(without feature: KernelFeature, _ kernel: String) -> DoctorFinding {
        switch feature {
        case .processDescriptors:
            DoctorFinding(
                subject: "kernel", state: .problem,
                text: "Linux \(kernel) cannot hold a process by a descriptor "
                    + "(pidfd_open): a death would not be noticed",
                advice: "use Linux 5.10 or newer, and let the sandbox allow pidfd_open")
        case .notifications:
            DoctorFinding(
                subject: "kernel", state: .warning,
                text: "inotify cannot be used: what other programs change is found seconds later",
                advice: "let the sandbox allow inotify_init1; if other programs of this user have "
                    + "all instances, raise fs.inotify.max_user_instances")
        case .exchanges:
            DoctorFinding(
                subject: "kernel", state: .warning,
                text: "names cannot be exchanged (renameat2): a version cannot replace a package",
                advice: "let the sandbox allow renameat2")
        }
    }

    private static func limits(_ facts: MachineFacts) -> [DoctorFinding] {
        var result: [DoctorFinding] = []
        if facts.descriptors < fewDescriptors {
            result.append(
                DoctorFinding(
                    subject: "limits", state: .warning,
                    text: "a program may have \(facts.descriptors) descriptors; a server takes "
                        + "three for each client",
                    advice: "raise the limit (\"ulimit -n 4096\")"))
        }
        for (name, least) in leastNotifications.sorted(by: { $0.key < $1.key }) {
            guard let limit = facts.notifications[name], limit < least else { continue }
            result.append(
                DoctorFinding(
                    subject: "limits", state: .warning,
                    text: "fs.inotify.\(name) is \(limit): programs remember fewer places, and "
                        + "hear of changes late",
                    advice: "sysctl fs.inotify.\(name)=\(least * 8)"))
        }
        if let free = facts.freeBytes, free < littleSpace {
            result.append(
                DoctorFinding(
                    subject: "limits", state: .warning,
                    text: "only \(free / 1024) KiB are free where programs meet; each program "
                        + "takes some hundred",
                    advice: "make room there, or set FILECOORDINATION_RUNTIME_DIR for all programs")
            )
        }
        guard result.isEmpty else { return result }
        return [
            DoctorFinding(
                subject: "limits", state: .ok,
                text: "descriptors, notifications and memory suffice")
        ]
    }

    private static func versions(_ facts: MachineFacts) -> [DoctorFinding] {
        guard facts.versions.isWritable else {
            return [
                DoctorFinding(
                    subject: "versions", state: .warning,
                    text: "versions of files cannot be kept in \(facts.versions.path)",
                    advice: "make it writable for you, or set XDG_DATA_HOME")
            ]
        }
        return [
            DoctorFinding(
                subject: "versions", state: .ok,
                text: "versions of files are kept in \(facts.versions.path)")
        ]
    }
}
