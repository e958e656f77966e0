// SPDX-License-Identifier: Apache-2.0
//
// Tests whether the kernel's notifications arrive at all, by changing a file of the watcher that
// has no name. The kernel queues a notification before the system call that caused it returns. So
// a notification that is not there at once never comes: some kernels accept watches but report
// nothing.

import FileCoordinationSystem

/// A watched file that the watcher changes once a minute.
struct EventDeliveryTest: Sendable {
    /// The time between two tests.
    static let pause: Duration = .seconds(60)

    private let file: Descriptor
    private let kernel: DirectoryWatch
    private let isMute: Bool

    /// Returns nil if no such file can be created or watched, because a test would show nothing
    /// then.
    ///
    /// - Parameters:
    ///   - directory: the directory of the file.
    ///   - kernel: the watch that is tested.
    ///   - isMute: whether the file is left unchanged, as if the kernel reported nothing; for
    ///     tests.
    init?(in directory: Descriptor?, _ kernel: DirectoryWatch, isMute: Bool) {
        // Without the file, there is no test.
        guard let directory, let file = try? directory.makeNamelessFile(),
            // Without the watch, there is no test either.
            (try? kernel.add("/proc/thread-self/fd/\(file.number)", [.modified])) != nil
        else { return nil }
        self.file = file
        self.kernel = kernel
        self.isMute = isMute
    }

    /// Whether a notification arrives; nil if the file cannot be changed.
    func eventArrives() -> Bool? {
        if isMute { return kernel.hasNews }
        let written = unsafe withUnsafeBytes(of: UInt8(0)) { byte -> Bool in
            // If the write fails, for example on a full file system, the test has no result.
            (try? unsafe file.write(byte, at: 0)) != nil
        }
        return written ? kernel.hasNews : nil
    }
}
