// SPDX-License-Identifier: Apache-2.0
//
// Where the user's files are, and what new ones are like.

internal import CFileCoordinationSystem
import Glibc

extension CurrentProcess {
    /// The user's home directory, as an absolute path: what `HOME` says, or else the user database.
    ///
    /// With rights that its starter need not have, the process does not believe the environment.
    /// `CFFIXED_USER_HOME` comes first, as for Foundation.
    public static var homeDirectory: String {
        if !hasBorrowedRights {
            for name in ["CFFIXED_USER_HOME", "HOME"] {
                if let home = environmentVariable(name), home.hasPrefix("/") { return home }
            }
        }
        return homeOfUser(effectiveUserID) ?? "/"
    }

    private static func homeOfUser(_ user: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let home = entry.pw_dir
        else { return nil }
        let text = String(cString: home)
        return text.hasPrefix("/") ? text : nil
    }

    /// What this process leaves out of the mode of new files; everything of others if it cannot be
    /// read.
    public static var fileModeMask: UInt32 {
        let status = KernelText.readAll("/proc/self/status") ?? []
        let name = Array("Umask:".utf8)
        let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name) }
        let digits = line?.dropFirst(name.count).filter { $0 > UInt8(ascii: " ") } ?? []
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 8) ?? 0o077
    }
}

extension Directory {
    /// Opens the directory at an absolute path; it and what is missing on the way are made first.
    ///
    /// What exists keeps its own permissions.
    public static func make(_ path: String, mode: UInt32) throws(SystemError) -> Directory {
        do throws(SystemError) {
            return try open(path)
        } catch {
            let components = path.split(separator: "/")
            guard error.code == ErrorNumber.noSuchFile, let name = components.last else {
                throw error
            }
            let parent = "/" + components.dropLast().joined(separator: "/")
            return try make(parent, mode: mode)
                .openSubdirectory(String(name), creatingWithMode: mode)
        }
    }
}
