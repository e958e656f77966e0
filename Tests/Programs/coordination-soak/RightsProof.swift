// SPDX-License-Identifier: Apache-2.0
//
// Whether a write that puts another file in a document's place ever lets a user in who was kept
// out: documents with random modes, groups and lists are restored from a version, or replaced, by
// processes of which some are killed in the midst. No file that was made from the document may give
// more than the document gave, neither in the end nor at any moment that a kill lets us see.

import FileCoordination
import Glibc

/// A process that replaces one document, in one of two ways.
struct RightsWorker {
    private let document: URL
    private let way: String

    init(_ options: Options) {
        document = URL(fileURLWithPath: options.given("document"), isDirectory: false)
        way = options.given("way")
    }

    func run() -> Never {
        do {
            switch way {
            case "restore":
                let version = try NSFileVersion.addOfItem(at: document, withContentsOf: document)
                say("ready")
                try version.replaceItem(at: document)
            case _:
                let fresh = document.deletingLastPathComponent().appendingPathComponent("fresh")
                try Data("fresh".utf8).write(to: fresh)
                chmod(fresh.path, 0o666)
                say("ready")
                _ = try FileManager.default.replaceItemAt(document, withItemAt: fresh)
            }
            exit(0)
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }
}

/// The proof `rights`.
struct RightsProof {
    private let options: Options
    private let field: Field

    init(_ options: Options, _ field: Field) {
        self.options = options
        self.field = field
    }

    func run() throws -> Verdict {
        var verdict = Verdict()
        var dice = Dice(options.seed)
        var (killed, listed) = (0, 0)
        let count = options.number("documents", 200)
        for number in 0..<count {
            let directory = field.directory + "/files/\(number)"
            let document = directory + "/document"
            mkdir(directory, 0o700)
            try Data("contents of \(number)".utf8).write(to: URL(fileURLWithPath: document))
            if AccessRights.plant(on: document, &dice) { listed += 1 }
            guard let before = AccessRights(path: document) else {
                throw SoakError("the document \(document) cannot be looked at")
            }
            let way = dice.once(in: 2) ? "restore" : "replace"
            let process = try field.start("rights-worker", ["document": document, "way": way])
            if dice.once(in: 2) {
                Kernel.pause(milliseconds: dice.below(options.number("pause", 25)))
                _ = field.kill(process)
                killed += 1
            } else {
                let status = field.reap(process)
                verdict.demand(status == 0, "document \(number): \(way) ended with \(status ?? -1)")
            }
            judge(directory, number, way, before, &verdict)
        }
        say(
            "\(count) documents replaced, \(listed) with the lists that were wanted, \(killed) "
                + "writers killed; \(Kernel.load)")
        return verdict
    }

    /// Looks at what is in the document's directory.
    private func judge(
        _ directory: String, _ number: Int, _ way: String, _ before: AccessRights,
        _ verdict: inout Verdict
    ) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        verdict.demand(names.contains("document"), "document \(number) is gone after \(way)")
        // The new file belongs to its maker, which chose its mode.
        for name in names where name != "fresh" {
            guard let after = AccessRights(path: directory + "/" + name) else { continue }
            for subject in AccessRights.subjects {
                let gained = after.rights(of: subject) & ~before.rights(of: subject)
                verdict.demand(
                    gained == 0,
                    "\(name) of document \(number) gives \(subject) \(gained) more after \(way)")
            }
        }
    }
}
