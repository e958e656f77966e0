// SPDX-License-Identifier: Apache-2.0
//
// Information about this process. It is read from `/proc/thread-self`: `/proc/self` is the first
// thread, and shows little once that thread has ended. But it still has the process's name, and
// emulators of other processors know it alone as the program that they run.

internal import CFileCoordinationSystem
import Glibc

/// The process that runs this code.
public enum CurrentProcess {
    /// The process ID; different in a forked child.
    public static var id: Int32 { getpid() }

    /// Identifies the process's PID namespace; 0 if that cannot be determined.
    public static var processNamespace: UInt64 {
        // Without /proc, the namespace is not known.
        (try? FileStatus(path: "/proc/thread-self/ns/pid"))?.inode ?? 0
    }

    /// The effective user ID outside of this process's user namespace, if the namespace maps it to
    /// another one; else ``effectiveUserID``.
    public static var outerUserID: UInt32 { mappedUserID ?? effectiveUserID }

    /// Whether the effective user has no ID in this user namespace.
    ///
    /// It then has the same ID as all other such users, and the owners of files cannot be
    /// distinguished.
    public static var hasNoUserID: Bool {
        effectiveUserID == unmappedUserID && mappedUserID == nil
    }

    /// The outer ID of the effective user, from the map of this user namespace.
    private static var mappedUserID: UInt32? {
        let own = UInt64(effectiveUserID)
        let text = KernelText.read("/proc/thread-self/uid_map") ?? []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // First ID inside, first ID outside, number of IDs.
            let fields = line.split(separator: UInt8(ascii: " ")).compactMap {
                UInt64(String(decoding: $0, as: UTF8.self))
            }
            guard fields.count == 3, own >= fields[0], own - fields[0] < fields[2] else { continue }
            return UInt32(clamping: fields[1] + own - fields[0])
        }
        return nil
    }

    /// The ID that the kernel reports for users without an ID in this user namespace.
    public static let unmappedUserID: UInt32 = 65534

    /// Whether some users have no ID in this process's user namespace.
    public static var missesUsers: Bool {
        guard let text = KernelText.read("/proc/thread-self/uid_map") else { return false }
        let fields = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        return fields.map { String(decoding: $0, as: UTF8.self) } != ["0", "0", "4294967295"]
    }

    /// The user who started the process.
    public static var userID: UInt32 { getuid() }

    /// The user whose rights the process has, and who owns the files that it creates.
    public static var effectiveUserID: UInt32 { geteuid() }

    /// Whether the process has rights that the user who started it may not have, through
    /// set-user-ID, set-group-ID or file capabilities.
    ///
    /// The environment must not be trusted then.
    public static var hasBorrowedRights: Bool { fcs_process_has_borrowed_rights() != 0 }

    /// Calls `action` when the program exits normally, also in forked children.
    ///
    /// If there is no room for another handler, it is not called.
    public static func atExit(_ action: @convention(c) () -> Void) { _ = atexit(action) }

    /// The number of processors.
    public static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The number of descriptors that the process may have open.
    public static var descriptorLimit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 0
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises that limit to the maximum, for programs without calls that need a lower one.
    public static func raiseDescriptorLimit() {
        let number = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(number, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(number, &limit)
    }

    /// The absolute path of the running executable; `nil` if /proc cannot be read, or if the file
    /// has been removed or replaced.
    public static var executablePath: String? {
        guard let path = executableLink, !path.hasSuffix(deleted) else { return nil }
        return path
    }

    /// The path of a process's executable, also if that file has been removed or replaced since;
    /// `nil` if the process is gone or may not be examined.
    public static func executablePath(of processID: Int32) -> String? {
        guard let path = link("/proc/\(processID)/exe") else { return nil }
        return path.hasSuffix(deleted) ? String(path.dropLast(deleted.count)) : path
    }

    /// The file name of the executable or, if that is unknown, the kernel's name for the process.
    public static var name: String {
        if var path = executableLink {
            if path.hasSuffix(deleted) { path.removeLast(deleted.count) }
            if let name = path.split(separator: "/").last { return String(name) }
        }
        return kernelName ?? "process \(id)"
    }

    /// Returns the value of an environment variable; `nil` if it is unset or empty.
    public static func environmentVariable(_ name: String) -> String? {
        guard let value = unsafe getenv(name).map({ unsafe String(cString: $0) }), !value.isEmpty
        else {
            return nil
        }
        return value
    }

    /// All environment variables, each as `NAME=value`; invalid UTF-8 is repaired.
    public static var environmentEntries: [String] {
        var result: [String] = []
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            unsafe result.append(String(cString: text))
            unsafe entry += 1
        }
        return result
    }

    /// All environment variables by name.
    public static var environment: [String: String] { environment(of: environmentEntries) }

    /// Returns variables by name; if a name occurs twice, the last value counts.
    public static func environment(of entries: [String]) -> [String: String] {
        var result: [String: String] = [:]
        for entry in entries {
            guard let equals = entry.firstIndex(of: "=") else { continue }
            result[String(entry[..<equals])] = String(entry[entry.index(after: equals)...])
        }
        return result
    }

    private static var executableLink: String? {
        link("/proc/self/exe") ?? link("/proc/thread-self/exe")
    }

    /// The kernel's name for the process, of up to 15 bytes, and a newline.
    private static var kernelName: String? {
        let number = unsafe fcs_open_at(AT_FDCWD, "/proc/self/comm", O_RDONLY, 0)
        guard number >= 0 else { return nil }
        let file = Descriptor(adopting: number)
        var bytes = [UInt8](repeating: 0, count: 64)
        // Without `/proc`, the process has no name here.
        let count = unsafe bytes.withUnsafeMutableBytes { try? unsafe file.read(into: $0, at: 0) }
        guard let count, count > 1 else { return nil }
        return String(decoding: bytes.prefix(count - 1), as: UTF8.self)
    }

    /// The suffix that the kernel appends to the path of a removed executable.
    private static let deleted = " (deleted)"

    static func link(_ path: String) -> String? {
        let capacity = Int(PATH_MAX)
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: capacity) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            count = unsafe max(0, fcs_read_link(path, base, capacity))
        }
        guard !bytes.isEmpty, bytes.count < capacity else { return nil }
        return String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
