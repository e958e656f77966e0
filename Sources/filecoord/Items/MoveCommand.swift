// SPDX-License-Identifier: Apache-2.0
//
// `filecoord mv`: moves items. Each move makes one claim for the item and its destination, and
// checks the destination before the wait and again under the claim. The item's presenters are told
// its new path. Several items are moved one after the other, as `mv` of the coreutils does.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// A coordinated move.
struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv",
        abstract: "Move or rename a file once no program uses it; its presenters follow.",
        usage: """
            filecoord mv [<options>] <source> <destination>
            filecoord mv [<options>] <source> ... <directory>
            filecoord mv [<options>] -t <directory> <source> ...
            """,
        discussion: """
            SOURCE and DESTINATION are one claim. Programs that show SOURCE, or what is inside of \
            it, go on with it at its new place, and so do those that wait for access to it. \
            Several SOURCES are moved one after the other, each by a claim of its own; if one \
            cannot be moved, the others are nevertheless.

            If DESTINATION is a directory, or a link to one, SOURCE is moved into it under its own \
            name; a package counts as a file. A file takes the place of another file, once the \
            editors of that one agree, and a directory that of an empty one. A symbolic link is \
            moved itself.

            Within a file system the move is one step, and if it is refused or fails, all is as \
            it was. To another one, mv of the coreutils copies the item and then removes SOURCE; \
            one that fails or is killed leaves what mv leaves: SOURCE, and at DESTINATION a part \
            of the copy. Presenters follow once SOURCE is gone and DESTINATION is there.

            With -n, and something at DESTINATION, it does nothing, says nothing and ends with 0. \
            With -i it asks before access is claimed. Of -f, -i and -n the last one counts.

            With --json, one object on a line for each item that is moved:
              {"source": path, "destination": path}

            \(ConditionOptions.manual) One TOKEN is about each SOURCE, and is compared when that \
            is moved; a second one for a single SOURCE is about DESTINATION.

            \(ExitStatus.manualWithoutCommand)

            EXAMPLES
              filecoord mv draft.txt final.txt
              filecoord mv -v -t Archive -- "$first" "$second"
              filecoord mv -T --timeout 10 Build.new Build
            """)

    /// What to do if the destination exists.
    enum Clobbering: String, EnumerableFlag {
        case force
        case interactive
        case noClobber

        static func name(for value: Clobbering) -> NameSpecification {
            switch value {
            case .force, .interactive: .shortAndLong
            case .noClobber: [.customShort("n"), .long]
            }
        }

        static func help(for value: Clobbering) -> ArgumentHelp? {
            switch value {
            case .force: "Replace what is at DESTINATION without a question, as without this."
            case .interactive: "Ask before something is replaced."
            case .noClobber: "Leave what is at DESTINATION, and then move nothing."
            }
        }

        /// The corresponding value for `MovePlan`.
        var taken: MovePlan.Taken {
            switch self {
            case .force: .replace
            case .interactive: .ask
            case .noClobber: .leave
            }
        }
    }

    @Flag(exclusivity: .chooseLast)
    var clobbering: Clobbering = .force

    @Flag(
        name: [.customShort("T"), .long],
        help: "Take DESTINATION as the new name, also if it is a directory.")
    var noTargetDirectory = false

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("Move all SOURCES into DIRECTORY.", valueName: "directory"),
        completion: .directory)
    var targetDirectory: String?

    @Flag(name: .shortAndLong, help: "Print what is moved, and where to.")
    var verbose = false

    @Flag(help: "Print what is moved as JSON.")
    var json = false

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var tokens: TokenFileOption

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptionsOf<WaitingToMove>

    @Argument(
        help: ArgumentHelp(
            "The files or directories to move, and the last one's new name, or the directory to "
                + "move them into.", valueName: "path"), completion: .file())
    var paths: [String]

    func validate() throws {
        guard targetDirectory == nil || !noTargetDirectory else {
            throw ValidationError("Use -t or -T, not both.")
        }
        guard targetDirectory != nil || paths.count > 1 else {
            throw ValidationError("Missing expected argument '<destination>'")
        }
        guard !noTargetDirectory || paths.count == 2 else {
            throw ValidationError("With -T, give one SOURCE and one DESTINATION.")
        }
        if let complaint = conditions.complaint(paths: conditionCounts) {
            throw ValidationError(complaint)
        }
    }

    /// How many conditions may be given: one for each source and, of a single one, one for the
    /// path that it gets.
    private var conditionCounts: ClosedRange<Int> {
        let sources = targetDirectory == nil ? paths.count - 1 : paths.count
        return sources...(sources == 1 ? 2 : sources)
    }

    func run() throws {
        let signals = try SignalReceiver()
        let sources = targetDirectory == nil ? Array(paths.dropLast()) : paths
        let destination = targetDirectory ?? paths.last ?? ""
        if needsDirectory { try requireDirectory(destination) }
        let states = try conditions.terms.tokens(paths: conditionCounts)
        let tokenFile = try TokenFile(tokens.file)
        var failures: [Failure] = []
        var moved: Set<MovedItem> = []
        var left: [ItemToken?] = []
        for (index, source) in sources.enumerated() {
            // A signal that came during the last move came too late: everything is moved.
            if let signal = signals.noted { throw Failure.interrupted(by: signal) }
            do throws(Failure) {
                let both = (states[index], sources.count == 1 ? states[1] : nil)
                left.append(try move(source, to: destination, onlyIf: both, signals, &moved))
            } catch {
                left.append(nil)
                // After a signal, the remaining items are not moved. One that was forwarded to mv
                // is in the status.
                let isInterrupted = signals.noted != nil || error.status > ExitStatus.signal(0)
                guard !isInterrupted, sources.count > 1 else { throw error }
                failures.append(error)
            }
        }
        try tokenFile?.write(left)
        guard let first = failures.first else { return }
        throw Failure(status: first.status, lines: failures.flatMap(\.lines))
    }

    /// Whether DESTINATION cannot be a new name.
    private var needsDirectory: Bool { targetDirectory != nil || paths.count > 2 }

    private func requireDirectory(_ text: String) throws(Failure) {
        let path = try UserPath.path(text)
        let isDirectory: Bool
        let directory: [UInt8]
        do throws(SystemError) {
            isDirectory = try FileStatus(path: path.bytes).kind == .directory
            directory = try RealPath.resolve(path.bytes)
        } catch {
            throw Failure(errorNumber: error.code, doing: "move into", path: path)
        }
        if isDirectory, targetDirectory == nil, try Packages.isPackage(directory) {
            throw Failure(
                .badPath, "\(path) is a package, which counts as a file: use -t to move into it")
        }
        guard !isDirectory else { return }
        throw Failure(.badPath, "\(path) is no directory to move several files into")
    }

    /// Moves an item; returns the token of what is at its new path then, if the user wants it.
    private func move(
        _ text: String, to destination: String, onlyIf states: (ItemToken?, ItemToken?),
        _ signals: SignalReceiver, _ moved: inout Set<MovedItem>
    ) throws(Failure) -> ItemToken? {
        try UserPath.refuseDots(text, "moved")
        let source = try UserPath.item(text)
        let isDirectory = text.utf8.last == UInt8(ascii: "/")
        let target = try target(of: source, destination)
        let plan = MovePlan(
            from: source, isDirectory: isDirectory, to: target, clobbering.taken, sparing: moved)
        try signals.end(removing: nil)
        // Whether an item with a token is still there is a question of the token.
        if let seen = states.0 { try requireThere(source, seen) }
        guard let taken = try plan.mayGo() else { return nil }
        let items = [
            ClaimedItem(path: source, access: .writing(.moving), onlyIf: states.0),
            ClaimedItem(path: target.path, access: .writing(.replacing), onlyIf: states.1),
        ]
        var left: ItemToken?
        // It is printed later: a reader that pauses would prolong the claim.
        var line: String?
        var remains: Failure?
        try Admission(waiting.terms, signals: signals).run(items) { paths, access throws(Failure) in
            // The destination may have been moved during the wait (Rule 11.4).
            let target = MoveTarget(path: paths[1], isDirectory: target.isDirectory)
            let plan = MovePlan(
                from: paths[0], isDirectory: isDirectory, to: target, taken, sparing: moved)
            guard try plan.mayGo() != nil else { return }
            remains = try plan.run(signals)
            // If the item is gone again, a later source may use its name.
            if let status = try? paths[1].status() {
                moved.insert(MovedItem(name: paths[1].name, number: FileNumber(status)))
            }
            access.announceMove(from: paths[0], to: paths[1])
            // The item is moved, whether or not it can be looked at.
            if tokens.file != nil { left = try? paths[1].token() }
            line = json ? Self.json(paths) : "renamed \(paths[0]) -> \(paths[1])"
        }
        if verbose || json, let line {
            signals.finish()
            do throws(Failure) { try Console.print(line) } catch { throw remains ?? error }
        }
        if let remains { throw remains }
        return left
    }

    /// Fails if there is nothing at a path where the user has seen something.
    private func requireThere(_ path: NativePath, _ seen: ItemToken) throws(Failure) {
        // What else differs is found under the claim, also that it cannot be looked at.
        guard let found = try? seen.difference(fromItemAt: path.bytes), found == .gone else {
            return
        }
        let failure = Failure(
            .stale(Staleness(difference: found), item: 0), of: [path])
        throw Failure(
            status: Int32(waiting.terms.staleStatus),
            lines: waiting.terms.quiet ? [] : failure.lines)
    }

    /// The move as JSON.
    private static func json(_ paths: [NativePath]) -> String {
        JSONValue.object([
            ("source", .path(paths[0].bytes)), ("destination", .path(paths[1].bytes)),
        ]).description
    }

    /// The path that the item at `source` is to get.
    private func target(
        of source: NativePath, _ destination: String
    ) throws(Failure) -> MoveTarget {
        let path = try UserPath.path(destination)
        // If there is no directory any more, the move
        // fails: as a new name, DESTINATION would be replaced by one source after the other.
        guard !needsDirectory else {
            return MoveTarget(path: path.appending(source.name), isDirectory: false)
        }
        // If the path is not a directory, it is the item's new name.
        guard !noTargetDirectory, let directory = try? RealPath.resolve(path.bytes),
            (try? FileStatus(path: directory, followLinks: false))?.kind == .directory,
            try !Packages.isPackage(directory)
        else { return MoveTarget(path: path.withoutSlashAtEnd, isDirectory: path.endsWithSlash) }
        return MoveTarget(path: path.appending(source.name), isDirectory: false)
    }
}
