// SPDX-License-Identifier: Apache-2.0
//
// A process's number counts in its process namespace only. Where the reader of a report is in
// another one, and the process is not seen from there, the report says so with the number.

/// The numbers of processes in reports.
public enum ProcessNumber {
    /// Above all numbers that the kernel gives.
    private static let mark: Int32 = 1 << 30

    /// Says that `number` is that of a namespace which is not the reader's.
    public static func inAnotherNamespace(_ number: Int32) -> Int32 { number | mark }

    /// Whether the reader knows no process, or another one, by that number.
    public static func isOfAnotherNamespace(_ number: Int32) -> Bool { number & mark != 0 }

    /// The number in the process's own namespace.
    public static func plain(_ number: Int32) -> Int32 { number & ~mark }

    /// The number for people: "pid 12", or "pid 12 in another namespace".
    public static func text(_ number: Int32) -> String {
        let place = isOfAnotherNamespace(number) ? " in another namespace" : ""
        return "pid \(plain(number))\(place)"
    }
}
