// SPDX-License-Identifier: Apache-2.0
//
// The entry of a status report about a delegation: which process may use which item without asking
// the server. A delegation does not hold the item: a claim of another process causes its recall.

/// What a process may do without asking the server.
public enum DelegationKind: UInt8, CaseIterable, Hashable, Sendable {
    /// Read the item; other processes may have the same.
    case reading = 0
    /// Read and write the item.
    case writing = 1
    /// Read and write each item directly inside the directory.
    case directory = 2
    /// Write the item in turn with the other processes of a ticket queue.
    case queue = 3
}

/// The status of a delegation, for one process.
public struct DelegationStatus: Hashable, Sendable {
    /// The process ID.
    public var processID: Int32
    /// The name of the program.
    public var processName: String
    /// The label of the process; if empty, the program's name is used (Rule 18.15).
    public var label: String
    /// The item or directory.
    public var path: [UInt8]
    /// What the process may do.
    public var kind: DelegationKind

    /// Creates a status.
    public init(
        processID: Int32, processName: String, label: String = "", path: [UInt8],
        kind: DelegationKind
    ) {
        self.processID = processID
        self.processName = processName
        self.label = label
        self.path = path
        self.kind = kind
    }
}

extension DelegationStatus: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.processID(processID)
        encoder.text(processName)
        encoder.text(label)
        encoder.path(path)
        encoder.raw(kind)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        processID = try decoder.processID()
        processName = try decoder.text()
        label = try decoder.text()
        path = try decoder.path()
        kind = try decoder.raw(DelegationKind.self, .statusReport)
    }
}
