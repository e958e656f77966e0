// SPDX-License-Identifier: Apache-2.0
//
// Who made a change: what a presenter is told beside the change if its record asks for that
// (``RecordSupplement/wantsAuthors``).

/// The process that made a change by a coordinated access.
public struct ChangeAuthor: Hashable, Sendable {
    /// The process ID; see ``ProcessNumber``.
    public var processID: Int32
    /// A text for people: the label of the access, or else that of its process, or else the name of
    /// its program (Rule 18.15).
    public var label: String

    /// Creates an author.
    public init(processID: Int32, label: String) {
        self.processID = processID
        self.label = label
    }
}

extension ChangeAuthor: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.processID(processID)
        encoder.text(label)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        processID = try decoder.processID()
        label = try decoder.text()
    }
}
