// SPDX-License-Identifier: Apache-2.0
//
// Whether a write with a token refuses a file that has changed (Rule 18.16): four such writers,
// four plain programs and an editor with unsaved text change fifty files. No conditional write may
// overwrite an edit that another one finished before the comparison; none may be refused while the
// file is unchanged; and no wrong writer may be named. What plain programs overwrite
// blindly, and what they write between a comparison and the accessor, is counted apart. With `--way
// blind`, the same writers do without tokens, and what they lose is counted.

import FileCoordination
import Glibc

/// The proof `edits`.
struct EditsProof {
    private let options: Options
    private let field: Field
    private let place: EditsPlace

    init(_ options: Options, _ field: Field) {
        self.options = options
        self.field = field
        place = EditsPlace(directory: field.directory)
    }

    /// The writers of each kind.
    private static let writers = 4

    func run() throws -> Verdict {
        let count = options.number("count", 100_000) / (2 * Self.writers)
        let files = options.number("files", 50)
        let isConditional = options.text("way") != "blind"
        for file in 0..<files { try Data("start\n".utf8).write(to: place.file(file)) }
        let editor = try field.start(
            "edits-editor", ["directory": field.directory, "count": "\(min(5, files))"])
        let began = Kernel.now
        var processes: [pid_t] = []
        for (way, base) in [(isConditional ? "tokens" : "blind", 0), ("plain", Self.writers)] {
            for index in 0..<Self.writers {
                processes.append(
                    try field.start(
                        "edits-writer",
                        [
                            "directory": field.directory, "way": way, "name": "\(way)\(index)",
                            "index": "\(base + index)", "seed": "\(options.seed)",
                            "count": "\(count)", "files": "\(files)",
                        ]))
            }
        }
        var verdict = Verdict()
        let patience = options.number("patience", 3600.0)
        for process in processes {
            let status = field.reap(process, seconds: patience)
            verdict.demand(status == 0, "a writer has not ended well")
        }
        Glibc.kill(editor, SIGTERM)
        verdict.demand(field.reap(editor, seconds: 60) == 0, "the editor has not ended well")
        judge(try records(), Double(Kernel.now - began) / 1e9, isConditional, &verdict)
        return verdict
    }

    private func records() throws -> [EditRecord] {
        var records: [EditRecord] = []
        let journals = field.directory + "/journals"
        for writer in try FileManager.default.contentsOfDirectory(atPath: journals) {
            let text = try String(contentsOfFile: journals + "/" + writer, encoding: .utf8)
            records += text.split(separator: "\n").compactMap { EditRecord($0, of: writer) }
        }
        return records
    }

    private func judge(
        _ records: [EditRecord], _ seconds: Double, _ isConditional: Bool,
        _ verdict: inout Verdict
    ) {
        let edits = records.filter { $0.event == .edit }
        let refusals = records.filter { $0.event == .refused }
        let own = edits.filter { $0.top != "-" }
        var lost = 0
        var overwritten = 0
        for (_, changes) in Dictionary(grouping: edits, by: \.file) {
            let changes = changes.sorted { $0.to < $1.to }
            lost += losses(changes, isConditional, &verdict)
            overwritten += changes.count { !$0.isClaimed }
        }
        let byFile = Dictionary(grouping: edits, by: \.file)
        for refusal in refusals { judge(refusal, byFile[refusal.file] ?? [], &verdict) }
        for record in records where record.event == .accepted {
            verdict.blame("\(record.name) was accepted, and had not seen what was there")
        }
        let named = refusals.count { $0.name != "-" }
        say(
            "\(edits.count) edits of \(byFile.count) files in \(Int(seconds)) s: \(own.count) "
                + "\(isConditional ? "conditional" : "blind coordinated") ones, \(refusals.count) "
                + "refused (\(named) with a name), "
                + "\(records.count { $0.event == .between }) times a plain write between "
                + "comparison and accessor, \(overwritten) plain edits, "
                + "\(edits.count { $0.writer == "editor" }) by the editor; \(Kernel.load)")
        say("lost to a coordinated writer: \(lost) finished edits")
        guard isConditional else { return }
        verdict.demand(refusals.count > own.count / 20, "hardly any write was refused")
    }

    /// Counts the finished edits that a coordinated writer overwrote unseen; `changes` are those of
    /// one file, by their ends.
    private func losses(
        _ changes: [EditRecord], _ isConditional: Bool, _ verdict: inout Verdict
    ) -> Int {
        var lost = 0
        for (index, change) in changes.enumerated() where change.top != "-" {
            if !isConditional {
                // What others have finished since it began to read.
                lost += changes[..<index].reversed().prefix { $0.to > change.from }.count {
                    $0.to < change.called && $0.writer != change.writer
                }
                continue
            }
            // The last edit before it was called, if no other one may have come in between.
            guard let last = changes[..<index].last(where: { $0.to < change.called }),
                last.isClaimed,
                !changes.contains(where: {
                    $0.name != last.name && $0.name != change.name && $0.from < change.to
                        && $0.to > last.from
                })
            else { continue }
            guard last.name != change.top else { continue }
            lost += 1
            verdict.blame("\(change.name) overwrote \(last.name): it had seen \(change.top)")
        }
        return lost
    }

    /// Judges a refusal by what others have done to the file.
    private func judge(
        _ refusal: EditRecord, _ changes: [EditRecord], _ verdict: inout Verdict
    ) {
        let near = changes.filter { $0.to > refusal.from && $0.from < refusal.to }
        verdict.demand(
            !near.isEmpty,
            "\(refusal.writer) was refused at \(refusal.to), and nobody had changed file "
                + "\(refusal.file)")
        guard refusal.name != "-" else { return }
        let named = near.filter { $0.writer == refusal.name }
        // Nobody else may have finished a change after the named one, and before the comparison.
        let isRight = named.contains { change in
            !near.contains { $0.from > change.to && $0.to < refusal.called }
        }
        verdict.demand(
            isRight, "\(refusal.writer) was told of \(refusal.name), which was not the last")
    }
}

extension EditRecord {
    /// Whether it was made under a claim.
    fileprivate var isClaimed: Bool { !writer.hasPrefix("plain") }
}
