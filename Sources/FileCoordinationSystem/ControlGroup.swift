// SPDX-License-Identifier: Apache-2.0
//
// Finds out whether a process is frozen with its control group, as container tools and session
// managers do. The process state does not show that: a frozen process looks asleep.

import Glibc

/// Queries about the control groups of processes.
enum ControlGroup {
    /// Whether the process's control group, or one around it, is frozen.
    ///
    /// - Parameters:
    ///   - processID: the process.
    ///   - root: the mount point of the control groups.
    /// - Returns: false also if that cannot be determined.
    static func isFrozen(_ processID: Int32, root: String = "/sys/fs/cgroup") -> Bool {
        guard let text = KernelText.read("/proc/\(processID)/cgroup") else { return false }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // NUMBER:CONTROLLERS:PATH; the single hierarchy of version 2 has no controllers.
            let fields = line.split(
                separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let path = String(decoding: fields[2], as: UTF8.self)
            if fields[1].isEmpty {
                if isGroupFrozen(root + path) || isGroupFrozen(root + "/unified" + path) {
                    return true
                }
            } else if fields[1].split(separator: UInt8(ascii: ",")).contains(where: isFreezer) {
                let state = KernelText.read(root + "/freezer" + path + "/freezer.state")
                if state?.starts(with: Array("FROZEN".utf8)) == true { return true }
            }
        }
        return false
    }

    private static func isFreezer(_ controller: ArraySlice<UInt8>) -> Bool {
        controller.elementsEqual("freezer".utf8)
    }

    /// Whether a version 2 group, or one around it, is frozen.
    private static func isGroupFrozen(_ group: String) -> Bool {
        guard let events = KernelText.read(group + "/cgroup.events") else { return false }
        return events.split(separator: UInt8(ascii: "\n")).contains {
            $0.elementsEqual("frozen 1".utf8)
        }
    }
}

/// Reads the kernel's small text files.
package enum KernelText {
    /// Returns the contents of a file, if it is not longer than such files are.
    package static func read(_ path: String) -> [UInt8]? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        defer { close(number) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(number, &buffer, buffer.count)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// Returns the contents of a file of any length, such as `/proc/PID/status`, which lists
    /// groups.
    static func readAll(_ path: String) -> [UInt8]? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        defer { close(number) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe Glibc.read(number, &buffer, buffer.count)
            guard count > 0 else { return count < 0 ? nil : text }
            text += buffer[..<count]
        }
    }
}
