// SPDX-License-Identifier: Apache-2.0
//
// What coordination needs of the kernel beside files and sockets. A sandbox may forbid some of it.
// Each is tried without changing anything.

import FileCoordinationSystem

/// A feature of the kernel that coordination uses.
enum KernelFeature: CaseIterable, Sendable {
    /// Process descriptors (pidfd), by which a server learns of a client's death.
    case processDescriptors
    /// Notifications of changes by other programs (inotify).
    case notifications
    /// Renames that exchange two items (renameat2), by which a version replaces a package.
    case exchanges

    /// The features that this process cannot use.
    static var missing: Set<KernelFeature> { Set(allCases.filter { !$0.isUsable }) }

    private var isUsable: Bool {
        switch self {
        case .processDescriptors:
            // Whatever the error is, the server notices no client's death without a descriptor.
            (try? ProcessHandle(processID: CurrentProcess.id)) != nil
        case .notifications:
            // Whatever the error is, the watcher would not get an instance either.
            (try? DirectoryWatch()) != nil
        case .exchanges: Self.canExchange
        }
    }

    /// Tries to exchange two names that do not exist: a kernel that can do that says so.
    private static var canExchange: Bool {
        do throws(SystemError) {
            let name = "filecoord-doctor-has-no-such-file"
            try Directory.open("/").rename(name, to: name, ifTaken: .exchange)
            return true
        } catch {
            return error.code == ErrorNumber.noSuchFile
        }
    }
}
