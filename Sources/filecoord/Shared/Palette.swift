// SPDX-License-Identifier: Apache-2.0
//
// All colours of texts for users. Colours carry no information of their own, so a text without them
// says the same.

/// The meaning of a part of a text, which determines its colour.
enum Tone: CaseIterable, Hashable, Sendable {
    /// Everything else.
    case plain
    /// A claim waits.
    case waiting
    /// A process is stopped.
    case stopped
    /// A presenter does not answer.
    case unresponsive
    /// Something works less well than it usually does.
    case degraded

    /// The number of the colour among the eight that every terminal has, which its user may have
    /// chosen to fit the background.
    fileprivate var colour: Int? {
        switch self {
        case .plain: nil
        case .waiting: 33
        case .stopped: 31
        case .unresponsive: 35
        case .degraded: 36
        }
    }
}

/// The colours in which a text is written.
struct Palette: Hashable, Sendable {
    private let isColoured: Bool

    /// No colours, for files, pipes and tests.
    static let none = Palette(isColoured: false)

    /// The colours for an output: none unless it is a terminal that knows them and whose user wants
    /// them (no-color.org).
    static func of(isTerminal: Bool, _ environment: [String: String]) -> Palette {
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return Palette(
            isColoured: isTerminal && knowsSequences(environment) && !isUnwanted)
    }

    /// Whether the terminal supports escape sequences, according to the environment variables.
    static func knowsSequences(_ environment: [String: String]) -> Bool {
        let kind = environment["TERM"] ?? ""
        return !kind.isEmpty && kind != "dumb"
    }

    /// Writes a text in the colour of its tone.
    func text(_ text: String, _ tone: Tone) -> String {
        guard isColoured, let colour = tone.colour, !text.isEmpty else { return text }
        return "\u{1b}[\(colour)m\(text)\u{1b}[0m"
    }
}
