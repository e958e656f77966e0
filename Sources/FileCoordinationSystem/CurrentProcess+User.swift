// SPDX-License-Identifier: Apache-2.0
//
// The user's home directory, and the permissions of the user's new files.

internal import CFileCoordinationSystem
import Glibc

extension CurrentProcess {
    /// The absolute path of the user's home directory: the value of `HOME`, or else that of the
    /// user database.
    ///
    /// A process with borrowed rights ignores the environment. `CFFIXED_USER_HOME` takes
    /// precedence, as in Foundation.
    public static var homeDirectory: String {
        if !hasBorrowedRights {
            for name in ["CFFIXED_USER_HOME", "HOME"] {
                if let home = environmentVariable(name), home.hasPrefix("/") { return home }
            }
        }
        return homeOfUser(effectiveUserID) ?? "/"
    }

    private static func homeOfUser(_ user: UInt32) -> String? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        guard unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0,
            unsafe found != nil,
            let home = unsafe entry.pw_dir
        else { return nil }
        let text = unsafe String(cString: home)
        return text.hasPrefix("/") ? text : nil
    }

    /// The process's umask.
    ///
    /// If it cannot be read, a mask without any rights for others.
    public static var fileModeMask: UInt32 {
        let status = KernelText.readAll("/proc/thread-self/status") ?? []
        let name = Array("Umask:".utf8)
        let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name) }
        let digits = line?.dropFirst(name.count).filter { $0 > UInt8(ascii: " ") } ?? []
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 8) ?? 0o077
    }
}

extension Directory {
    /// Opens the directory at an absolute path; creates it and missing parents first.
    ///
    /// Existing directories keep their permissions.
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
