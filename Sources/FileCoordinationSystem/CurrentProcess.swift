// SPDX-License-Identifier: Apache-2.0
//
// What this process knows about itself.

internal import CFileCoordinationSystem
import Glibc

/// The process that this code runs in.
public enum CurrentProcess {
    /// Its number; another one in a forked child.
    public static var id: Int32 { getpid() }

    /// Tells process numbers of one container from those of another; 0 if it cannot be told.
    public static var processNamespace: UInt64 {
        (try? FileStatus(path: "/proc/self/ns/pid"))?.inode ?? 0
    }

    /// The effective user's number outside of this process's user namespace, if it is in one whose
    /// numbers are others; else ``effectiveUserID``.
    public static var outerUserID: UInt32 { mappedUserID ?? effectiveUserID }

    /// Whether this process's user has no number in its user namespace: then it has the same as all
    /// others without one, and nothing tells its files from theirs.
    public static var hasNoUserID: Bool {
        effectiveUserID == unmappedUserID && mappedUserID == nil
    }

    /// What the map of this process's user namespace says of the effective user.
    private static var mappedUserID: UInt32? {
        let own = UInt64(effectiveUserID)
        let text = KernelText.read("/proc/self/uid_map") ?? []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // The first number in here, the first one outside, how many.
            let fields = line.split(separator: UInt8(ascii: " ")).compactMap {
                UInt64(String(decoding: $0, as: UTF8.self))
            }
            guard fields.count == 3, own >= fields[0], own - fields[0] < fields[2] else { continue }
            return UInt32(clamping: fields[1] + own - fields[0])
        }
        return nil
    }

    /// What the kernel says instead of the number of a user who has none in this process's user
    /// namespace.
    public static let unmappedUserID: UInt32 = 65534

    /// Whether some users have no number in this process's user namespace.
    public static var missesUsers: Bool {
        guard let text = KernelText.read("/proc/self/uid_map") else { return false }
        let fields = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        return fields.map { String(decoding: $0, as: UTF8.self) } != ["0", "0", "4294967295"]
    }

    /// The user who started it.
    public static var userID: UInt32 { getuid() }

    /// The user whose rights it has, who owns what it creates.
    public static var effectiveUserID: UInt32 { geteuid() }

    /// Whether it has rights that the user who started it need not have: set-user-ID, set-group-ID,
    /// file capabilities.
    ///
    /// Then the environment is not to be trusted.
    public static var hasBorrowedRights: Bool { fcs_process_has_borrowed_rights() != 0 }

    /// Has `action` called when the program exits normally; in forked children, too.
    ///
    /// If there is no room for another one it is not called.
    public static func atExit(_ action: @convention(c) () -> Void) { _ = atexit(action) }

    /// How many processors there are for it.
    public static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// How many descriptors it may have open at a time.
    public static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Lets it have as many as it may, for programs that know no calls with a smaller bound.
    public static func raiseDescriptorLimit() {
        let number = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(number, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(number, &limit)
    }

    /// The absolute path of the running executable; `nil` if /proc cannot be read, or the file has
    /// been removed or replaced since.
    public static var executablePath: String? {
        guard let path = link("/proc/self/exe"), !path.hasSuffix(deleted) else { return nil }
        return path
    }

    /// The executable's file name; failing that, the name that the kernel has for the process.
    public static var name: String {
        if var path = link("/proc/self/exe") {
            if path.hasSuffix(deleted) { path.removeLast(deleted.count) }
            if let name = path.split(separator: "/").last { return String(name) }
        }
        return kernelName ?? "process \(id)"
    }

    /// The value of an environment variable; `nil` if it is not set, or empty.
    public static func environmentVariable(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else {
            return nil
        }
        return value
    }

    /// All environment variables, each as `NAME=value`; what is no text is repaired.
    public static var environmentEntries: [String] {
        var result: [String] = []
        var entry = environ
        while let text = entry.pointee {
            result.append(String(cString: text))
            entry += 1
        }
        return result
    }

    /// All environment variables by their names.
    public static var environment: [String: String] { environment(of: environmentEntries) }

    /// Variables by their names; of two with one name the last counts.
    public static func environment(of entries: [String]) -> [String: String] {
        var result: [String: String] = [:]
        for entry in entries {
            guard let equals = entry.firstIndex(of: "=") else { continue }
            result[String(entry[..<equals])] = String(entry[entry.index(after: equals)...])
        }
        return result
    }

    /// Up to 15 bytes, and a line feed.
    private static var kernelName: String? {
        let number = fcs_open_at(AT_FDCWD, "/proc/self/comm", O_RDONLY, 0)
        guard number >= 0 else { return nil }
        let file = Descriptor(adopting: number)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { try? file.read(into: $0, at: 0) }
        guard let count, count > 1 else { return nil }
        return String(decoding: bytes.prefix(count - 1), as: UTF8.self)
    }

    /// What the kernel appends to the path of an executable that has been removed.
    private static let deleted = " (deleted)"

    static func link(_ path: String) -> String? {
        let capacity = Int(PATH_MAX)
        let bytes = [CChar](unsafeUninitializedCapacity: capacity) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            count = max(0, fcs_read_link(path, base, capacity))
        }
        guard !bytes.isEmpty, bytes.count < capacity else { return nil }
        return String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
