// SPDX-License-Identifier: Apache-2.0
//
// Shows one status report, or one after the other: as JSON, as text, or as pictures, each of which
// replaces the one before on the terminal.

import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationTracing
import FileCoordinationWire
import Glibc

/// Shows status reports on standard output.
final class StatusView {
    /// How reports are shown.
    enum Form {
        /// One object on a line.
        case json
        /// Text for people; an empty line separates one report from the next.
        case text
        /// Text in the same place of a terminal, as much as fits.
        case pictures(TerminalScreen)
    }

    private let form: Form
    private let environment: [String: String]
    private let palette: Palette
    private let remarks = NameRemarkReader()
    /// Whether the files with the longest waits come first.
    private let isSortedByWait: Bool
    /// Whether each delegation has a row.
    private let showsAllDelegations: Bool
    private var isAgain = false

    /// Creates a view.
    ///
    /// - Parameters:
    ///   - form: how reports are shown.
    ///   - environment: the environment variables, which determine the runtime directory and the
    ///     terminal's abilities.
    ///   - isWatching: whether reports are shown one after the other.
    ///   - showsAllDelegations: whether each delegation has a row; otherwise those of files that
    ///     have other rows.
    init(
        _ form: Form, environment: [String: String], isWatching: Bool, showsAllDelegations: Bool
    ) {
        self.form = form
        self.showsAllDelegations = showsAllDelegations
        self.environment = environment
        isSortedByWait = isWatching
        palette = .of(isTerminal: Console.isTerminal, environment)
    }

    /// The view of a report that is watched on standard output.
    ///
    /// Call it on the main thread, before there is another thread.
    ///
    /// - Throws: ``Failure`` if the terminal cannot be watched.
    static func watching(
        asJSON isJSON: Bool, environment: [String: String], showsAllDelegations: Bool
    ) throws(Failure) -> StatusView {
        func view(_ form: Form) -> StatusView {
            StatusView(
                form, environment: environment, isWatching: true,
                showsAllDelegations: showsAllDelegations)
        }
        guard !isJSON, Console.isTerminal, Palette.knowsSequences(environment) else {
            ClosedOutput.endProgram()
            return view(isJSON ? .json : .text)
        }
        let screen = try TerminalScreen(STDOUT_FILENO)
        try screen.takeSignals()
        return view(.pictures(screen))
    }

    /// The screen on which pictures are shown, if any.
    var screen: TerminalScreen? {
        if case .pictures(let screen) = form { screen } else { nil }
    }

    /// Shows a report by one system call; nil means that there is no arbiter.
    func show(_ report: StatusReport?) throws {
        switch form {
        case .json: try Console.print(StatusJSON.text(report))
        case .text:
            let lines = try table(of: report).lines.map { $0.text(palette) }
            try Console.print((isAgain ? "\n" : "") + lines.joined(separator: "\n"))
            isAgain = true
        case .pictures(let screen):
            let table = try table(of: report)
            try screen.show { size in
                table.lines(fitting: size).map { $0.text(palette) }
            }
        }
    }

    private func table(of report: StatusReport?) throws(Failure) -> StatusTable {
        let directory = try StatusCommand.opening {
            try RuntimePlace(variable: { environment[$0] }).path
        }
        return StatusTable(
            report, runtimeDirectory: directory, nameRemarks: remarks.remarks(on: report),
            isSortedByWait: isSortedByWait, showsAllDelegations: showsAllDelegations)
    }
}
