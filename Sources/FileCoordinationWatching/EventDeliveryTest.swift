// SPDX-License-Identifier: Apache-2.0
//
// Finds out whether the kernel's notifications arrive at all, with a file of the watcher's own that
// has no name. The kernel queues a notification before the system call that caused it returns. So
// it is there at once, or never: some kernels accept watches and say nothing.

import FileCoordinationSystem

/// A watched file that is changed now and then.
struct EventDeliveryTest: Sendable {
    /// The time between two tests, in nanoseconds.
    static let pause: UInt64 = 60_000_000_000

    private let file: Descriptor
    private let kernel: DirectoryWatch
    private let isMute: Bool

    /// Returns nil if no such file can be made or watched: then a test would show nothing.
    ///
    /// - Parameters:
    ///   - directory: the directory of the file.
    ///   - kernel: the watch that is tested.
    ///   - isMute: whether the file is not changed, as if the kernel said nothing; for tests.
    init?(in directory: Descriptor?, _ kernel: DirectoryWatch, isMute: Bool) {
        // Without the file, there is no test.
        guard let directory, let file = try? directory.makeNamelessFile(),
            // Without the watch, there is no test either.
            (try? kernel.add("/proc/self/fd/\(file.number)", [.modified])) != nil
        else { return nil }
        self.file = file
        self.kernel = kernel
        self.isMute = isMute
    }

    /// Whether a notification arrives; nil if the file cannot be changed.
    func eventArrives() -> Bool? {
        if isMute { return kernel.hasNews }
        let written = unsafe withUnsafeBytes(of: UInt8(0)) { byte -> Bool in
            // A full file system says nothing about notifications.
            (try? unsafe file.write(byte, at: 0)) != nil
        }
        return written ? kernel.hasNews : nil
    }
}
