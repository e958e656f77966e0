// SPDX-License-Identifier: Apache-2.0
//
// The directories for tests of uploads: one with items to upload, and a separate one for temporary
// copies, so that concurrent tests do not remove each other's copies.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import FileTree
import Foundation
import Glibc

/// A new directory, removed with this object.
final class UploadStage: Sendable {
    let path: String

    /// - Parameter path: the directory; it may be there already.
    /// - Throws: an error if it cannot be made.
    init(path: String = NSTemporaryDirectory() + "upload-" + UUID().uuidString) throws {
        self.path = path
        try make("")
        try make("tmp", mode: 0o700)
    }

    deinit { Self.removeTree(at: path) }

    /// Removes a tree, also where it has directories that no user may change.
    static func removeTree(at path: String) {
        let number = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { return }
        TreeRemoval.remove(Array(path.utf8), from: Descriptor(adopting: number))
    }

    /// A directory in a file system of memory, if there is one with that many bytes to spare.
    static func inMemory(_ room: UInt) throws -> UploadStage {
        var space = statvfs()
        guard statvfs("/dev/shm", &space) == 0, space.f_bavail * space.f_frsize >= room,
            access("/dev/shm", W_OK) == 0
        else { return try UploadStage() }
        return try UploadStage(path: "/dev/shm/upload-" + UUID().uuidString)
    }

    /// A directory that a child process, made by an exit test, comes to under the same `name`.
    static func shared(_ name: String, by owner: pid_t) throws -> UploadStage {
        try UploadStage(path: NSTemporaryDirectory() + "upload-\(owner)-\(name)")
    }

    // MARK: Things to upload

    func make(_ name: String, mode: mode_t = 0o755) throws {
        guard mkdir(path + "/" + name, 0o700) == 0 || errno == EEXIST,
            chmod(path + "/" + name, mode) == 0
        else { throw SystemError(code: errno, operation: "make \(name)") }
    }

    /// A file that was last modified at `time`.
    func write(
        _ name: String, _ contents: [UInt8], mode: mode_t = 0o644, time: Int = 1_000_000_001
    ) throws {
        let number = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError(code: errno, operation: "create \(name)") }
        let file = Descriptor(adopting: number)
        try contents.withUnsafeBytes { try file.write($0, at: 0) }
        let times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
        guard fchmod(number, mode) == 0, futimens(number, times) == 0 else {
            throw SystemError(code: errno, operation: "stamp \(name)")
        }
    }

    func write(_ name: String, _ contents: String) throws {
        try write(name, Array(contents.utf8))
    }

    func name(_ name: String, also other: String) throws {
        guard Glibc.link(path + "/" + name, path + "/" + other) == 0 else {
            throw SystemError(code: errno, operation: "name \(other)")
        }
    }

    func link(_ name: String, to target: String) throws {
        guard symlink(target, path + "/" + name) == 0 else {
            throw SystemError(code: errno, operation: "link \(name)")
        }
    }

    /// A pipe, a socket: things without contents.
    func makeSpecial(_ name: String, _ kind: mode_t) throws {
        guard mknod(path + "/" + name, kind | 0o600, 0) == 0 else {
            throw SystemError(code: errno, operation: "make \(name)")
        }
    }

    // MARK: Copies

    var environment: [String: String] { ["TMPDIR": path + "/tmp"] }

    func snapshot(of name: String) throws -> UploadSnapshot {
        try snapshot(ofPath: path + "/" + name)
    }

    /// Gives `body` a copy that stays until it returns.
    func withSnapshot<Result>(
        of name: String, _ body: (UploadSnapshot) throws -> Result
    ) throws -> Result {
        let snapshot = try snapshot(of: name)
        return try withExtendedLifetime(snapshot) { try body(snapshot) }
    }

    func snapshot(ofPath path: String) throws -> UploadSnapshot {
        guard let place = ItemPath(path) else {
            throw SystemError(code: EINVAL, operation: "take \(path) for a place")
        }
        return try UploadSnapshot.make(of: place, environment: environment)
    }

    /// The directory in which the copies are.
    var root: UploadRoot { get throws { try UploadRoot.open(environment: environment) } }

    /// All that there is in the place for temporary copies, by paths inside it.
    var temporaries: [String] {
        get throws {
            let found = FileManager.default.enumerator(atPath: try root.path)
            return (found?.compactMap { $0 as? String } ?? []).sorted()
        }
    }
}

/// The bytes of the file at `url`, found as an accessor would find it.
func contents(of url: URL) throws -> [UInt8] { Array(try Data(contentsOf: url)) }

/// The status of the file at `url` itself.
func status(of url: URL) throws -> stat {
    var status = stat()
    guard lstat(url.path, &status) == 0 else {
        throw SystemError(code: errno, operation: "look at \(url.path)")
    }
    return status
}

/// Bytes that cannot be compressed, the same every time.
func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    var words: [UInt64] = []
    for _ in 0...(count / 8) {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        words.append(state)
    }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
}

/// Bytes that can be compressed, but not all the way.
func prose(_ count: Int) -> [UInt8] {
    var text = ""
    for number in 0...(count / 6) { text += "\(number &* 2_654_435_761 % 99_991) word " }
    return Array(text.utf8.prefix(count))
}
