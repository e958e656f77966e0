// SPDX-License-Identifier: Apache-2.0
//
// Where mutants are built: packages in a scratch directory, with copies of the checkout's files and
// a manifest without the targets that the mutants cannot affect. All mutants of a room are built at
// once, each disabled by a switch. A file names the one that is enabled, so that the programs that
// tests start are the same mutant, whatever environment they get.

import Foundation

/// A package that is smaller than the whole one; its manifest is in `Rooms`.
enum Room: String, CaseIterable {
    /// The arbiter and its tests.
    case arbiter
    /// The ledger and its tests, with the explorer.
    case ledger
    /// Libraries and programs, and the tests of server, session and the whole.
    case whole
    /// Libraries, daemon and the soak program, which is to find its mutants by itself.
    case soak
    /// Libraries and the simulation of the server, which is to find its mutants by itself.
    case worlds
    /// The ledger and its explorer in a release build, which finds what takes too long for tests.
    case explorer

    /// The program that must find the mutants; nil if tests must.
    var program: String? {
        switch self {
        case .arbiter, .ledger, .whole: nil
        case .soak: "coordination-soak"
        case .worlds: "simulate-server"
        case .explorer: "explore"
        }
    }
}

/// The scratch directory.
struct Scratch {
    let checkout: URL
    let directory: URL

    /// Where the package of `room` is.
    private func package(_ room: Room) -> URL { directory.appendingPathComponent(room.rawValue) }

    /// Makes a room's files those of the checkout, with `mutants` in them; what is as it should be
    /// already is not touched, and so not built again.
    func prepare(_ room: Room, _ mutants: [Mutant]) throws {
        let package = package(room)
        var wanted: [String: Data] = [:]
        for mutant in mutants {
            let present = try wanted[mutant.file] ?? data(mutant.file)
            guard let planted = mutant.applied(to: String(decoding: present, as: UTF8.self))
            else { throw NotApplicable(mutant: mutant) }
            wanted[mutant.file] = Data(planted.utf8)
            wanted[mutant.module + "/Planted.swift"] = Data(switches(in: room).utf8)
        }
        for part in ["Sources", "Tests"] { try addFiles(below: part, to: &wanted) }
        wanted["Package.swift"] = try data("Mutants/Rooms/\(room.rawValue)/Package.swift")
        for part in ["Sources", "Tests"] {
            for name in Self.files(below: package.appendingPathComponent(part))
            where wanted["\(part)/\(name)"] == nil {
                try FileManager.default.removeItem(
                    at: package.appendingPathComponent("\(part)/\(name)"))
            }
        }
        for (name, data) in wanted { try write(data, to: package.appendingPathComponent(name)) }
        try wake(0, in: room)
    }

    private func data(_ name: String) throws -> Data {
        try Data(contentsOf: checkout.appendingPathComponent(name))
    }

    private func addFiles(below part: String, to wanted: inout [String: Data]) throws {
        for name in Self.files(below: checkout.appendingPathComponent(part))
        where wanted["\(part)/\(name)"] == nil {
            wanted["\(part)/\(name)"] = try data("\(part)/\(name)")
        }
    }

    /// The names of the plain files below a directory.
    static func files(below directory: URL) -> [String] {
        guard let entries = FileManager.default.enumerator(atPath: directory.path) else {
            return []
        }
        return entries.compactMap { entry in
            entries.fileAttributes?[.type] as? FileAttributeType == .typeRegular
                ? entry as? String : nil
        }
    }

    private func write(_ data: Data, to target: URL) throws {
        if (try? Data(contentsOf: target)) == data { return }
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: target)
    }

    // MARK: Switches

    private func awake(_ room: Room) -> URL { package(room).appendingPathComponent("awake") }

    /// Has one mutant act, in every program of the room that starts from now on; 0: none.
    func wake(_ number: Int, in room: Room) throws {
        try Data("\(number)\n".utf8).write(to: awake(room))
    }

    /// The source of the switches, for one module.
    private func switches(in room: Room) -> String {
        """
        internal import Glibc

        private let awake: Int32 = {
            var bytes = [CChar](repeating: 0, count: 16)
            let file = open("\(awake(room).path)", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return 0 }
            defer { close(file) }
            guard read(file, &bytes, bytes.count - 1) > 0 else { return 0 }
            return atoi(bytes)
        }()

        /// Whether this mutant acts.
        func planted(_ number: Int32) -> Bool { number == awake }

        """
    }

    // MARK: Building and testing

    func build(_ room: Room) throws -> Ending {
        let kind = room.program == nil ? ["--build-tests"] : ["-c", "release"]
        return try Command.run(
            ["swift", "build", "-j", "2"] + kind, in: package(room), limit: 7200)
    }

    /// Runs a command of a room's program, as it was built last.
    func play(_ command: String, in room: Room, limit: Int) throws -> Ending {
        try Command.run(
            ["env"] + home(of: room) + [".build/release/\(room.program ?? "")"]
                + command.split(separator: " ").map(String.init),
            in: package(room), limit: limit)
    }

    /// Runs the tests that match `filter`, as they were built last.
    func test(_ room: Room, _ filter: String, limit: Int) throws -> Ending {
        try Command.run(
            ["env"] + home(of: room) + ["swift", "test", "--skip-build", "--filter", filter],
            in: package(room), limit: limit)
    }

    /// What leads the programs of a room to a home of their own, as `env` takes it.
    private func home(of room: Room) -> [String] {
        let home = package(room).appendingPathComponent("home").path
        return [
            "HOME=\(home)", "XDG_DATA_HOME=\(home)/.local/share",
            "XDG_CONFIG_HOME=\(home)/.config", "XDG_CACHE_HOME=\(home)/.cache",
        ]
    }
}

/// A mutant whose lines are not where they should be.
struct NotApplicable: Error, CustomStringConvertible {
    let mutant: Mutant

    var description: String {
        "mutant \(mutant.number): its lines are not in \(mutant.file) exactly once"
    }
}
