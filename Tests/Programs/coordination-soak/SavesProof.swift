// SPDX-License-Identifier: Apache-2.0
//
// Whether programs that save what they present are left alone (Rules 7.9, 7.14): a document with
// autosave, an indexer that writes its index into the directory that it indexes, an editor of a
// package and a view of a folder run beside a program that does not coordinate, and beside one that
// saves under claims. Their own saves must not come back, or only once in a hundred; none of them
// may save in a circle; and temporaries of short claims are not told.

import FileCoordination
import Glibc

/// The proof `saves`.
struct SavesProof {
    private let options: Options
    private let field: Field
    private let board: SavesBoard

    init(_ options: Options, _ field: Field) throws {
        self.options = options
        self.field = field
        board = try SavesBoard(field.directory)
    }

    func run() throws -> Verdict {
        var verdict = Verdict()
        for way in SavingWay.allCases
        where options.text("way").map({ $0 == way.rawValue }) ?? true { try run(way, &verdict) }
        return verdict
    }

    /// Runs one of the programs beside its neighbours.
    private func run(_ way: SavingWay, _ verdict: inout Verdict) throws {
        for key in SavesBoard.Key.allCases { board[key] = 0 }
        let place = SavesPlace(field.directory, way)
        try place.make()
        let words = [
            "directory": field.directory, "way": way.rawValue,
            "pause": "\(options.number("pause", 20))",
        ]
        let client = try field.start("saves-client", words)
        let patience = 20 * Kernel.crowding
        guard Kernel.until(seconds: patience, { board[.isListening] == 1 }) else {
            throw SoakError("the \(way) does not listen")
        }
        let neighbours = [
            try field.start("saves-writer", words),
            try field.start("saves-writer", words.merging(["coordinated": "yes"]) { $1 }),
        ]
        let began = Kernel.now
        let seconds = options.number("seconds", 60.0)
        let saves = options.number("count", 1000)
        let isDone = Kernel.until(seconds: seconds + 10 * patience) {
            Double(Kernel.now - began) >= seconds * 1e9
                && (way == .indexer || board[.countedSaves] >= saves)
        }
        verdict.demand(isDone, "\(way): only \(board[.countedSaves]) own saves")
        for process in neighbours { _ = field.kill(process) }
        // Whatever is on its way arrives, and then nothing happens any more.
        board[.isEnding] = 1
        Kernel.pause(milliseconds: 3000)
        let settled = (board[.ownSaves], board[.messages])
        Kernel.pause(milliseconds: 2000)
        let goesOn = (board[.ownSaves], board[.messages]) != settled
        let duration = Double(Kernel.now - began) / 1e9
        Glibc.kill(client, SIGTERM)
        verdict.demand(field.reap(client, seconds: patience) == 0, "\(way): it has not ended well")
        say(
            "\(way): \(String(format: "%.0f", duration)) s, \(board[.ownSaves]) own saves, "
                + "\(board[.foreignChanges]) changes by a plain program, "
                + "\(board[.claimedChanges]) by a coordinated one, \(board[.messages]) messages, "
                + "\(board[.echoes]) echoes of \(board[.countedSaves]) own saves, "
                + "\(board[.temporaries]) about temporaries")
        verdict.demand(!goesOn, "\(way): it goes on saving, or hears something, with no cause")
        verdict.demand(
            board[.echoes] * 100 <= board[.countedSaves],
            "\(way): \(board[.echoes]) of \(board[.countedSaves]) own saves came back")
        verdict.demand(
            board[.temporaries] == 0,
            "\(way): \(board[.temporaries]) messages about temporaries of short claims")
        let causes = board[.foreignChanges] + board[.claimedChanges]
        verdict.demand(
            way != .indexer || board[.ownSaves] <= causes + 1,
            "\(way): it has saved \(board[.ownSaves]) times after \(causes) changes")
        // An own save may come before the change of the document is seen, and then hides it.
        let least = way == .document ? board[.foreignChanges] / 4 : causes / 2
        verdict.demand(board[.heard] > least, "\(way): it has heard of few changes")
    }
}

/// Which program saves.
enum SavingWay: String, CaseIterable, CustomStringConvertible {
    case document
    case indexer
    case package
    case folder

    var description: String { rawValue }
}

/// The paths of one program and its neighbours.
struct SavesPlace {
    let root: String
    let way: SavingWay

    init(_ directory: String, _ way: SavingWay) {
        self.way = way
        root = directory + "/" + way.rawValue
    }

    /// What is presented.
    var item: String {
        switch way {
        case .document: root + "/letter.txt"
        case .package: root + "/letter.rtfd"
        case .indexer, .folder: root
        }
    }

    /// What the neighbours write.
    func neighbour(isCoordinated: Bool) -> String {
        switch way {
        // One file has one neighbour at a time; the other one works beside it.
        case .document: isCoordinated ? root + "/beside.txt" : item
        case .package: item + (isCoordinated ? "/claimed.png" : "/plain.png")
        case .indexer, .folder: root + (isCoordinated ? "/claimed.txt" : "/plain.txt")
        }
    }

    func make() throws {
        mkdir(root, 0o700)
        if way == .package { mkdir(item, 0o700) }
        for isCoordinated in [false, true] {
            try Data("text".utf8).write(
                to: URL(fileURLWithPath: neighbour(isCoordinated: isCoordinated)))
        }
        if way == .package {
            try Data("text".utf8).write(to: URL(fileURLWithPath: item + "/TXT.rtf"))
        }
    }
}

/// Numbers that the processes of the proof share.
struct SavesBoard {
    enum Key: Int, CaseIterable {
        case isListening, isEnding, ownSaves, messages, echoes, temporaries, heard
        /// The own saves after which an echo would have been recognized.
        case countedSaves
        case foreignChanges, claimedChanges
        /// When a neighbour changed something last.
        case lastChange
    }

    private let file: Int32

    init(_ directory: String) throws {
        file = open(directory + "/saves-numbers", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SoakError("no file for numbers: error \(errno)") }
    }

    subscript(key: Key) -> Int {
        get {
            var value = 0
            return pread(file, &value, 8, off_t(key.rawValue * 8)) == 8 ? value : 0
        }
        nonmutating set {
            var value = newValue
            guard pwrite(file, &value, 8, off_t(key.rawValue * 8)) == 8 else {
                say("a number cannot be written: error \(errno)")
                exit(2)
            }
        }
    }

    /// Whether no neighbour has changed anything for so long that its change was told.
    var isQuiet: Bool { Int(Kernel.now) - self[.lastChange] > 600_000_000 }
}

/// A neighbour: it changes one file every 1.5 s, in place or, under a claim, aside and over it.
enum SavesWriter {
    static func run(_ options: Options) -> Never {
        let directory = options.given("directory")
        guard let way = SavingWay(rawValue: options.given("way")),
            let board = try? SavesBoard(directory)
        else { exit(2) }
        let isCoordinated = options.has("coordinated")
        let path = SavesPlace(directory, way).neighbour(isCoordinated: isCoordinated)
        if isCoordinated { Kernel.pause(milliseconds: 100) }
        while true {
            board[.lastChange] = Int(Kernel.now)
            if isCoordinated { save(path) } else { append(path) }
            board[.lastChange] = Int(Kernel.now)
            board[isCoordinated ? .claimedChanges : .foreignChanges] += 1
            Kernel.pause(milliseconds: 1500)
        }
    }

    private static func append(_ path: String) {
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, write(file, "more", 4) == 4 else { exit(1) }
        close(file)
    }

    private static func save(_ path: String) {
        var failure: NSError?
        NSFileCoordinator().coordinate(
            writingItemAt: URL(fileURLWithPath: path), error: &failure
        ) { try? Data("saved at \(Kernel.now)".utf8).write(to: $0, options: .atomic) }
    }
}
