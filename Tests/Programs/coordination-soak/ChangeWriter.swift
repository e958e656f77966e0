// SPDX-License-Identifier: Apache-2.0
//
// A process that changes a tree at random, either as programs do that do not coordinate, or under
// claims. It stops whenever it has done as many operations as the proof wants so far.

import FileCoordination
import Glibc

/// The paths of the proof `changes`, and the numbers through which its processes speak.
struct ChangesPlace {
    let root: String
    /// On the same file system, and not followed.
    let aside: String
    private let numbers: Int32

    /// In this part of the tree only coordinated writers work.
    static let claimed = "claimed"
    /// In this one only programs that do not coordinate.
    static let plain = "plain"
    static let mixed = "mixed"

    init(_ directory: String) throws {
        root = directory + "/tree"
        aside = directory + "/aside"
        numbers = open(directory + "/numbers", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard numbers >= 0 else { throw SoakError("no file for numbers: error \(errno)") }
        mkdir(root, 0o700)
        mkdir(aside, 0o700)
        for part in [Self.claimed, Self.plain, Self.mixed] { mkdir(root + "/" + part, 0o700) }
    }

    /// How many operations the proof wants so far, at 0; how many a writer has done, behind it.
    subscript(index: Int) -> Int {
        get {
            var value = 0
            return pread(numbers, &value, 8, off_t(index * 8)) == 8 ? value : 0
        }
        nonmutating set {
            var value = newValue
            guard pwrite(numbers, &value, 8, off_t(index * 8)) == 8 else {
                say("a number cannot be written: error \(errno)")
                exit(2)
            }
        }
    }
}

/// One process that writes.
struct ChangeWriter {
    private let place: ChangesPlace
    private let index: Int
    private let isCoordinated: Bool
    /// Whether each operation is printed.
    private let isLogged: Bool
    private var dice: Dice

    init(_ options: Options) {
        guard let place = try? ChangesPlace(options.given("directory")) else { exit(2) }
        self.place = place
        index = options.number("index", 1)
        isCoordinated = options.has("coordinated")
        isLogged = options.has("log")
        dice = Dice(options.seed, index)
    }

    /// Works until it is killed.
    mutating func run() -> Never {
        var done = 0
        while true {
            let wanted = place[0]
            while done < wanted { if act() { done += 1 } }
            if place[index] != done { place[index] = done }
            Kernel.pause(milliseconds: 1)
        }
    }

    // MARK: What it does

    /// Does one thing; false if that was not possible.
    private mutating func act() -> Bool {
        let part = ChangesPlace.mixed
        let own = isCoordinated ? ChangesPlace.claimed : ChangesPlace.plain
        let top = place.root + "/" + (dice.once(in: 3) ? part : own)
        let directory = directory(below: top)
        let file = directory + "/f\(dice.below(6))"
        let count = 1 + dice.below(64)
        switch dice.below(16) {
        case 0...4: return under(file) { Self.write($0, O_CREAT | O_WRONLY | O_APPEND, count) }
        case 5: return under(file) { Self.write($0, O_WRONLY | O_TRUNC, count) }
        case 6, 7: return under(directory + "/d\(dice.below(3))") { mkdir($0, 0o700) == 0 }
        case 8, 9: return under(file, .forDeleting) { unlink($0) == 0 }
        case 10: return under(directory, .forDeleting) { $0 != top && rmdir($0) == 0 }
        case 11: return saveAside(file, count)
        case 12: return chmod(file)
        case 13, 14: return move(file, self.directory(below: top) + "/f\(dice.below(6))")
        default:
            let path = self.directory(below: top) + "/d\(dice.below(3))"
            // What is moved too deep would be reached no more, and the tree would grow for ever.
            let levels = (path.utf8.count - top.utf8.count) / 3 + Self.height(directory)
            return directory != top && levels <= 5 && move(directory, path)
        }
    }

    /// How many levels of directories there are, the item itself included.
    private static func height(_ path: String) -> Int {
        // What is gone by now, or is no directory, has nothing inside.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let inside = names.filter { $0.hasPrefix("d") }.map { height(path + "/" + $0) }
        return 1 + (inside.max() ?? 0)
    }

    /// A directory that may be there, at most three levels below the top.
    private mutating func directory(below top: String) -> String {
        var path = top
        while dice.below(2) == 0, path.utf8.count < top.utf8.count + 9 {
            path += "/d\(dice.below(3))"
        }
        return path
    }

    private static func write(_ path: String, _ flags: Int32, _ count: Int) -> Bool {
        let file = open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let bytes = [UInt8](repeating: 0x2E, count: count)
        return Glibc.write(file, bytes, count) == count
    }

    private mutating func chmod(_ path: String) -> Bool {
        let mode: mode_t = dice.once(in: 2) ? 0o600 : 0o640
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & 0o777 != mode else { return false }
        return under(path, .contentIndependentMetadataOnly) { Glibc.chmod($0, mode) == 0 }
    }

    /// Writes a new file aside, and renames it over the old one.
    private func saveAside(_ path: String, _ count: Int) -> Bool {
        let fresh = place.aside + "/\(index)"
        guard Self.write(fresh, O_CREAT | O_WRONLY | O_TRUNC, count) else { return false }
        return under(path, .forReplacing) { rename(fresh, $0) == 0 }
    }

    // MARK: Claims

    /// Does something to an item, under a claim if this process coordinates.
    private func under(
        _ path: String, _ options: NSFileCoordinator.WritingOptions = [],
        _ body: (String) -> Bool
    ) -> Bool {
        var (failure, isDone): (NSError?, Bool) = (nil, false)
        note("begins \(options.rawValue) \(path)")
        defer { note("has \(isDone ? "done" : "not done") \(options.rawValue) \(path)") }
        guard isCoordinated else {
            isDone = body(path)
            return isDone
        }
        NSFileCoordinator().coordinate(
            writingItemAt: URL(fileURLWithPath: path), options: options, error: &failure
        ) { isDone = body($0.path) }
        return isDone
    }

    private func move(_ former: String, _ path: String) -> Bool {
        guard former != path, !path.hasPrefix(former + "/"), access(former, F_OK) == 0 else {
            return false
        }
        note("moves \(former) to \(path)")
        guard isCoordinated else { return rename(former, path) == 0 }
        let (old, new) = (URL(fileURLWithPath: former), URL(fileURLWithPath: path))
        let coordinator = NSFileCoordinator()
        var (failure, isDone): (NSError?, Bool) = (nil, false)
        coordinator.coordinate(
            writingItemAt: old, options: .forMoving, writingItemAt: new, options: .forReplacing,
            error: &failure
        ) { from, to in
            coordinator.item(at: from, willMoveTo: to)
            isDone = rename(from.path, to.path) == 0
            if isDone { coordinator.item(at: from, didMoveTo: to) }
        }
        return isDone
    }

    private func note(_ text: @autoclosure () -> String) {
        if isLogged { say("\(Kernel.now) \(isCoordinated ? "claims" : "plain") \(text())") }
    }
}
