// SPDX-License-Identifier: Apache-2.0
//
// `filecoord rm`: removes items under one claim. It checks all of them before it removes the first.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import FileTree
import Glibc

/// A coordinated deletion.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove files once no program uses them, and once their editors agree.",
        usage: "filecoord rm [<options>] <path> ...",
        discussion: """
            One claim covers all PATHs. The editors of the files, and of what is inside of \
            directories, are asked to accommodate the deletion, and may refuse: then nothing is \
            removed. Nothing is removed, either, if a PATH does not exist and -f is missing, or if \
            it is a directory and -r is missing. Of a symbolic link it is the link that is removed.

            With -i, each removal is asked about on standard error before access is claimed; what \
            does not begin with "y" is a no. Of -f and -i the last one counts. What cannot be \
            removed is named with the reason, and the rest is removed nevertheless.

            With --json, one object on a line for each item that is removed, those inside of \
            directories before these:
              {"path": path, "directory": true|false}

            \(ConditionOptions.manual)

            \(ExitStatus.manualWithoutCommand)

            EXAMPLES
              filecoord rm draft.txt
              filecoord rm --timeout 10 -r Build
              filecoord rm -f -v -- "$old" "$older"
            """)

    /// Whether to ask the user.
    enum Asking: String, EnumerableFlag {
        case force
        case interactive

        static func name(for value: Asking) -> NameSpecification { .shortAndLong }

        static func help(for value: Asking) -> ArgumentHelp? {
            switch value {
            case .force: "Do not complain of what does not exist, and ask nothing."
            case .interactive: "Ask before each removal."
            }
        }
    }

    @Flag(name: .shortAndLong, help: "Remove directories, with all that is inside.")
    var recursive = false

    @Flag(exclusivity: .chooseLast)
    var asking: Asking?

    @Flag(name: .shortAndLong, help: "Print what is removed.")
    var verbose = false

    @Flag(help: "Print what is removed as JSON.")
    var json = false

    @OptionGroup var conditions: ConditionOptions

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptionsOf<WaitingToAct>

    @Argument(help: ArgumentHelp("The files to remove.", valueName: "path"), completion: .file())
    var paths: [String] = []

    func validate() throws {
        guard !paths.isEmpty || asking == .force else {
            throw ValidationError("Missing expected argument '<path> ...'")
        }
        if let complaint = conditions.complaint(paths: paths.count...paths.count) {
            throw ValidationError(complaint)
        }
    }

    func run() throws {
        let signals = try SignalReceiver()
        var items: [ClaimedItem] = []
        // A slash at the end of a path is only valid for a directory.
        var directories: Set<NativePath> = []
        let tokens = try conditions.terms.tokens(paths: paths.count...paths.count)
        for (text, token) in zip(paths, tokens) {
            try UserPath.refuseDots(text, "removed")
            let path = try UserPath.item(text)
            if text.utf8.last == UInt8(ascii: "/") { directories.insert(path) }
            // Whether an item with a token is still there is a question of the token.
            guard try token != nil || mayGo(path, isDirectory: directories.contains(path)) else {
                continue
            }
            items.append(
                ClaimedItem(path: path, access: .writing(.deleting), onlyIf: token))
        }
        var agreed: Set<NativePath>?
        if asking == .interactive {
            var questions = RemovalQuestions()
            items = items.filter { questions.ask(about: $0.path) }
            agreed = questions.agreed
        }
        guard !items.isEmpty else { return }
        let named = items.map(\.path)
        // They are printed later: a reader that pauses would prolong the claim.
        var removed: [String] = []
        var failures = try Admission(waiting.terms, signals: signals).run(items) {
            paths throws(Failure) in
            for (path, name) in zip(paths, named) {
                _ = try mayGo(path, isDirectory: directories.contains(name))
            }
            // The user was not asked about the new path of an item that was moved during the wait
            // (Rule 11.4).
            guard agreed == nil || paths == named else {
                throw Failure(
                    .badPath, "a file was moved after it was asked about: nothing was removed")
            }
            return try remove(paths, agreed: agreed, signals, &removed)
        }
        signals.finish()
        do throws(Failure) {
            for line in removed { try Console.print(line) }
        } catch {
            failures.insert(error, at: 0)
        }
        guard let first = failures.first else { return }
        throw Failure(status: first.status, lines: failures.flatMap(\.lines))
    }

    /// Whether there is an item to remove, which must be a directory if `isDirectory` is true.
    ///
    /// Throws if it cannot be removed.
    private func mayGo(_ path: NativePath, isDirectory: Bool) throws(Failure) -> Bool {
        let status: FileStatus
        do throws(SystemError) {
            status = try path.status()
            if isDirectory, status.kind != .directory {
                throw SystemError(code: ENOTDIR, operation: "remove \(path)/")
            }
        } catch {
            if asking == .force, error.code == ENOENT || error.code == ENOTDIR { return false }
            throw Failure(errorNumber: error.code, doing: "remove", path: path)
        }
        guard recursive || status.kind != .directory else {
            throw Failure(
                .badPath, "\(path) is a directory: use -r to remove it with all that is inside")
        }
        return true
    }

    /// Removes the items, and returns why some were not removed, which may be a signal.
    ///
    /// With `verbose` or `json`, adds a line to `removed` for each item.
    private func remove(
        _ paths: [NativePath], agreed: Set<NativePath>?, _ signals: SignalReceiver,
        _ removed: inout [String]
    ) throws(Failure) -> [Failure] {
        var removal = TreeRemoval()
        // The signal that stopped the removal. One that comes after the last item changes nothing.
        var stopper: Int32?
        removal.isUnwanted = {
            stopper = signals.noted
            return stopper != nil
        }
        if let agreed { removal.isAgreed = { agreed.contains(NativePath($0)) } }
        var failures: [Failure] = []
        var lines: [String] = []
        if json {
            removal.report = { path, isDirectory in
                let fields: [(name: String, value: JSONValue)] = [
                    ("path", .path(path)), ("directory", .truth(isDirectory)),
                ]
                lines.append(JSONValue.object(fields).description)
            }
        } else if verbose {
            removal.report = { path, isDirectory in
                let word = isDirectory ? "directory " : ""
                lines.append("removed \(word)\(NativePath(path))")
            }
        }
        defer { removed = lines }
        for path in paths {
            do throws(SystemError) {
                let parent = try path.directory.openDirectory()
                removal.remove(TreePlace(path.name, in: parent, path: path.bytes))
            } catch {
                // Its directory may have been removed just now, as another one of the items.
                let isGone = error.code == ENOENT || error.code == ENOTDIR
                guard !isGone || asking != .force else { continue }
                failures.append(
                    Failure(errorNumber: error.code, doing: "open", path: path.directory))
            }
        }
        // What was removed by then is still to be printed.
        if let stopper { return [Failure.interrupted(by: stopper)] }
        return failures
            + removal.failures.map {
                Failure(
                    errorNumber: $0.error.code, doing: "remove", path: NativePath($0.path))
            }
    }
}

/// The questions of `rm -i` for each item, and the user's answers.
struct RemovalQuestions {
    /// The items that may be removed.
    private(set) var agreed: Set<NativePath> = []

    /// Asks about the item at `path` and everything inside.
    ///
    /// Returns whether something may be removed.
    mutating func ask(about path: NativePath) -> Bool {
        // A missing item needs no confirmation.
        guard let status = try? path.status() else { return false }
        guard status.kind == .directory else {
            let isAgreed = Question.ask("remove \(Self.word(status)) \(path)?")
            if isAgreed { agreed.insert(path) }
            return isAgreed
        }
        // If it cannot be read, removing it reports the error.
        let names = (try? path.openDirectory().names()) ?? []
        if !names.isEmpty {
            guard Question.ask("descend into directory \(path)?") else { return false }
        }
        var mayGo = false
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if ask(about: path.appending(name)) { mayGo = true }
        }
        guard Question.ask("remove directory \(path)?") else { return mayGo }
        agreed.insert(path)
        return true
    }

    private static func word(_ status: FileStatus) -> String {
        switch status.kind {
        case .regular: status.size == 0 ? "empty file" : "file"
        case .symbolicLink: "symbolic link"
        case .directory, .socket, .other: "special file"
        }
    }
}
