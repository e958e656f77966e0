// SPDX-License-Identifier: Apache-2.0
//
// Process IDs in reports. A process ID is valid only in its PID namespace. If the reader of a
// report cannot see the process, a bit in the number says so.

/// Process IDs in reports.
public enum ProcessNumber {
    /// A bit above all process IDs of the kernel.
    private static let mark: Int32 = 1 << 30

    /// Marks a process ID as one of another PID namespace than the reader's.
    public static func inAnotherNamespace(_ number: Int32) -> Int32 { number | mark }

    /// Whether the process ID belongs to another PID namespace than the reader's.
    public static func isOfAnotherNamespace(_ number: Int32) -> Bool { number & mark != 0 }

    /// The process ID in the process's own PID namespace.
    public static func plain(_ number: Int32) -> Int32 { number & ~mark }

    /// A text for people: "pid 12", or "pid 12 in another namespace".
    public static func text(_ number: Int32) -> String {
        let place = isOfAnotherNamespace(number) ? " in another namespace" : ""
        return "pid \(plain(number))\(place)"
    }
}
