// SPDX-License-Identifier: Apache-2.0
//
// Programs of two versions cannot coordinate: neither reads the other's messages and ledgers. Which
// of them came first goes on; the other one gets this error, which names the process.

package import FileCoordinationSystem
package import FileCoordinationWire

/// Why programs of another version keep this one from coordinating.
package struct VersionConflict: Error, Hashable, CustomStringConvertible {
    /// The sentence for the user: which process it is, and what to do.
    package let description: String

    /// A server has refused this process's protocol version.
    ///
    /// - Parameters:
    ///   - refusal: its answer.
    ///   - socket: the connection to the server.
    package init(_ refusal: Refusal, by socket: SequencedSocket) {
        // Servers of former versions do not say who they are; 0 means that it is not known.
        let server = (try? socket.peerCredentials().processID) ?? 0
        let isNamed = server == 0 || refusal.text.contains("process \(server)")
        description = refusal.text + (isNamed ? "" : " (the server is process \(server))")
    }

    /// Programs with ledgers of another layout live.
    ///
    /// - Parameter processes: their process IDs.
    init(foreignLedgersOf processes: [Int32]) {
        let list = processes.sorted().map(String.init).joined(separator: ", ")
        description =
            "programs of another version of file coordination still run (process \(list)), and "
            + "what they have access to is not known: end them, or wait until they have ended"
    }
}
