// SPDX-License-Identifier: Apache-2.0
//
// The programs of the proof `edits`: writers that read a file, think, and write all of it, some
// under claims with tokens, some plainly; and an editor whose text is never saved before it is
// asked. Each writes down what it did, a line for each event.

import FileCoordination
import FileCoordinationSystem
import Glibc

/// What a program wrote down.
enum EditEvent: String {
    /// An edit: from the beginning of the write to its end; `top` is what it built on.
    case edit
    /// A conditional write was refused: from before the read to after the refusal.
    case refused
    /// A plain program changed the file between the comparison and the accessor.
    case between
    /// The write was accepted, and the file was not what was read.
    case accepted
}

/// One event of one program.
struct EditRecord {
    let writer: String
    let event: EditEvent
    let file: Int
    let from: UInt64
    private(set) var to: UInt64
    /// When the write was called; what was finished by then must have been seen.
    let called: UInt64
    /// The edit, or who was named as the last writer; `-` for none.
    let name: String
    /// The last edit in what was read; `-` for none.
    let top: String

    var line: String {
        "\(event.rawValue) \(file) \(from) \(called) \(to) \(name) \(top)\n"
    }

    init(
        _ writer: String, _ event: EditEvent, _ file: Int, from: UInt64, called: UInt64,
        to: UInt64, name: String = "-", top: String = "-"
    ) {
        self.writer = writer
        self.event = event
        self.file = file
        self.from = from
        self.called = called
        self.to = to
        self.name = name
        self.top = top
    }

    /// The same event with another end.
    func ended(at time: UInt64) -> EditRecord {
        var record = self
        record.to = time
        return record
    }

    /// Reads a line; nil for one that is not whole.
    init?(_ line: Substring, of writer: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 7, let event = EditEvent(rawValue: words[0]),
            let file = Int(words[1]), let from = UInt64(words[2]), let called = UInt64(words[3]),
            let to = UInt64(words[4])
        else { return nil }
        self.init(
            writer, event, file, from: from, called: called, to: to, name: words[5],
            top: words[6])
    }
}

/// Where the programs of the proof work.
struct EditsPlace {
    let directory: String

    func file(_ number: Int) -> URL {
        URL(fileURLWithPath: directory + "/files/\(number)", isDirectory: false)
    }

    func journal(_ writer: String) -> String { directory + "/journals/" + writer }

    /// The text of a file: one edit a line, of which only the last are kept.
    static func adding(_ edit: String, to text: String) -> String {
        let lines = text.split(separator: "\n").suffix(63)
        return (lines.map(String.init) + [edit]).joined(separator: "\n") + "\n"
    }

    /// The last edit in a text.
    static func top(of text: String) -> String {
        text.split(separator: "\n").last.map(String.init) ?? "-"
    }

    static func read(_ url: URL) -> String {
        (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// A writer, and what it writes down.
struct EditsWriter {
    private let options: Options
    private let place: EditsPlace
    private let name: String
    private let journal: Int32
    private var dice: Dice

    init(_ options: Options) {
        self.options = options
        place = EditsPlace(directory: options.given("directory"))
        name = options.given("name")
        journal = open(place.journal(name), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        dice = Dice(options.seed, options.number("index", 0))
    }

    private func note(_ record: EditRecord) {
        let line = Array(record.line.utf8)
        _ = write(journal, line, line.count)
    }

    mutating func run() -> Never {
        let isPlain = options.given("way") == "plain"
        for number in 0..<options.number("count", 1000) {
            let file = Int.random(in: 0..<options.number("files", 50), using: &dice)
            let edit = "\(name)-\(number)"
            if isPlain {
                overwrite(file, edit, inPlace: number % 2 == 0)
            } else {
                change(file, edit)
            }
        }
        exit(0)
    }

    private mutating func think() {
        if dice.next() % 4 == 0 { Kernel.pause(milliseconds: Int(dice.next() % 2)) }
    }

    /// Reads and writes as a shell does, with no claim.
    private mutating func overwrite(_ file: Int, _ edit: String, inPlace: Bool) {
        let url = place.file(file)
        let text = EditsPlace.adding(edit, to: EditsPlace.read(url))
        think()
        let from = Kernel.now
        try? Data(text.utf8).write(to: url, options: inPlace ? [] : .atomic)
        note(EditRecord(name, .edit, file, from: from, called: from, to: Kernel.now, name: edit))
    }

    /// Reads under a claim, thinks, and writes under another one, if nothing has changed.
    private mutating func change(_ file: Int, _ edit: String) {
        let url = place.file(file)
        let isConditional = options.given("way") == "tokens"
        let coordinator = NSFileCoordinator()
        coordinator.label = name
        let began = Kernel.now
        guard
            let (text, token) = try? coordinator.coordinate(
                readingItemAt: url,
                byAccessor: { place in
                    (EditsPlace.read(place), try coordinator.token(of: place))
                })
        else { return }
        think()
        let called = Kernel.now
        do {
            let record = try coordinator.coordinate(
                writingItemAt: url, onlyIf: isConditional ? token : nil
            ) { place in
                let from = Kernel.now
                let now = EditsPlace.read(place)
                if isConditional, now != text {
                    let isSame = try coordinator.token(of: place) == token
                    return EditRecord(
                        name, isSame ? .accepted : .between, file, from: from, called: called,
                        to: Kernel.now, name: edit)
                }
                try Data(EditsPlace.adding(edit, to: text).utf8).write(to: place, options: .atomic)
                return EditRecord(
                    name, .edit, file, from: isConditional ? from : began, called: called,
                    to: Kernel.now, name: edit, top: EditsPlace.top(of: text))
            }
            // What others do before the release counts as this writer's.
            note(record.ended(at: Kernel.now))
        } catch {
            guard case FileCoordinationError.stale = error else { return }
            let parties = (error as? FileCoordinationError)?.parties ?? []
            let rival = parties.first { $0.role == .writer }?.label ?? "-"
            note(
                EditRecord(
                    name, .refused, file, from: began, called: called, to: Kernel.now, name: rival))
        }
    }
}

/// An editor that always has unsaved text, and saves when it is asked.
final class EditsEditor: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private let serial: DispatchQueue
    private let file: Int
    private let note: @Sendable (EditRecord) -> Void
    private let saves = Lock(0)

    private init(_ url: URL, _ file: Int, _ note: @escaping @Sendable (EditRecord) -> Void) {
        presentedItemURL = url
        self.file = file
        self.note = note
        serial = DispatchQueue(label: "editor \(file)")
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let coordinator = NSFileCoordinator(filePresenter: self)
        coordinator.label = "editor"
        let number = saves.withLock { saves in
            saves += 1
            return saves
        }
        let edit = "editor.\(file)-\(number)"
        if let url = presentedItemURL, number % 4 != 0 {
            let called = Kernel.now
            let record = try? coordinator.coordinate(writingItemAt: url) { place in
                let from = Kernel.now
                let text = EditsPlace.adding(edit, to: EditsPlace.read(place))
                try Data(text.utf8).write(to: place, options: .atomic)
                return EditRecord(
                    "editor", .edit, file, from: from, called: called, to: Kernel.now, name: edit)
            }
            if let record { note(record.ended(at: Kernel.now)) }
        }
        completionHandler(nil)
    }

    /// Presents the first files until the process is told to end.
    static func run(_ options: Options) -> Never {
        let place = EditsPlace(directory: options.given("directory"))
        let journal = open(place.journal("editor"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        Kernel.block([SIGTERM])
        let editors = (0..<options.number("count", 5)).map { file in
            EditsEditor(place.file(file), file) { record in
                let line = Array(record.line.utf8)
                _ = write(journal, line, line.count)
            }
        }
        for editor in editors { NSFileCoordinator.addFilePresenter(editor) }
        _ = Kernel.take([SIGTERM])
        for editor in editors { NSFileCoordinator.removeFilePresenter(editor) }
        exit(0)
    }
}
