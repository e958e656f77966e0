// SPDX-License-Identifier: Apache-2.0
//
// A fast parser for simple command lines of `filecoord read` and `filecoord write`. Scripts start
// these often, and the argument parser takes longer to look up its own types than the rest of the
// program takes to run. Everything else (other commands, help, abbreviated options, values after
// "=", errors) is left to the argument parser. If both understand a command line, they must
// understand it in the same way.

import FileCoordinationArbiter

/// A command line that this parser understands.
enum PlainArguments: Hashable {
    case read(ReadRequest)
    case write(WriteRequest)

    /// Parses the arguments after the program's name.
    ///
    /// Returns nil if the argument parser must do it.
    init?(_ arguments: [String]) {
        let dashes = arguments.firstIndex(of: "--")
        let command = dashes.map { Array(arguments[($0 + 1)...]) } ?? []
        guard dashes == nil || !command.isEmpty else { return nil }
        let words = arguments[..<(dashes ?? arguments.endIndex)]
        switch words.first {
        case "read":
            var request = ReadRequest(command: command)
            guard request.take(words.dropFirst()) else { return nil }
            self = .read(request)
        case "write":
            var request = WriteRequest(command: command)
            guard request.take(words.dropFirst()) else { return nil }
            self = .write(request)
        case _: return nil
        }
    }

    /// Executes the command.
    func run() throws(Failure) {
        switch self {
        case .read(let request): try request.run()
        case .write(let request): try request.run()
        }
    }
}

/// Parses the words before "--" in order.
private struct PlainWords {
    private var rest: ArraySlice<String>
    private var options: [String] = []
    private(set) var paths: [String] = []
    private(set) var waiting = WaitingTerms()

    init(_ words: ArraySlice<String>) { rest = words }

    private static let dash = UInt8(ascii: "-")

    /// Parses all words.
    ///
    /// `flag` returns whether it knows an option without a value.
    mutating func take(_ flag: (String) -> Bool) -> Bool {
        while let word = rest.popFirst() {
            guard let first = word.utf8.first else { return false }
            if first != Self.dash {
                // The argument parser has a command of this name.
                guard word != "help" else { return false }
                paths.append(word)
                continue
            }
            // A repeated option may be an error.
            guard !options.contains(word), takeOption(word) || flag(word) else { return false }
            options.append(word)
        }
        return !paths.isEmpty && waiting.complaint == nil
    }

    private mutating func takeOption(_ word: String) -> Bool {
        switch word {
        case "--timeout", "-w":
            // `--timeout` and `-w` are the same option, which may occur once.
            guard waiting.timeout == nil else { return false }
            guard let seconds = takeValue().flatMap({ Double($0) }) else { return false }
            waiting.timeout = seconds
        case "--purpose":
            guard let purpose = takeValue() else { return false }
            waiting.purpose = purpose
        case "--label":
            guard let label = takeValue() else { return false }
            waiting.label = label
        case "-E":
            guard let status = takeValue().flatMap({ UInt8($0) }) else { return false }
            waiting.conflictStatus = status
        case "-n", "--nonblock":
            guard !waiting.nonblock else { return false }
            waiting.nonblock = true
        case "--detached": waiting.detached = true
        case "-q", "--quiet":
            guard !waiting.quiet else { return false }
            waiting.quiet = true
        case _: return false
        }
        return true
    }

    private mutating func takeValue() -> String? {
        guard let value = rest.popFirst(), let first = value.utf8.first, first != Self.dash
        else { return nil }
        return value
    }
}

extension ReadRequest {
    fileprivate mutating func take(_ words: ArraySlice<String>) -> Bool {
        var options: FileCoordinationArbiter.ReadingOptions = .resolvesSymbolicLink
        var plain = PlainWords(words)
        let isTaken = plain.take { word in
            switch word {
            case "--without-changes": options.insert(.withoutChanges)
            case "--no-follow": options.remove(.resolvesSymbolicLink)
            case "--metadata-only": options.insert(.immediatelyAvailableMetadataOnly)
            case "--for-uploading": options.insert(.forUploading)
            case "--recursive": options.insert(.includingContents)
            case _: return false
            }
            return true
        }
        (self.options, paths, waiting) = (options, plain.paths, plain.waiting)
        return isTaken && complaint == nil
    }
}

extension WriteRequest {
    fileprivate mutating func take(_ words: ArraySlice<String>) -> Bool {
        var aims: [WritingAim] = []
        var isRecursive = false
        var followsLinks = true
        var plain = PlainWords(words)
        let isTaken = plain.take { word in
            if word == "--recursive" {
                isRecursive = true
                return true
            }
            if word == "--no-follow" {
                followsLinks = false
                return true
            }
            guard let aim = WritingAim.allCases.first(where: { "--\($0.name)" == word }) else {
                return false
            }
            aims.append(aim)
            return true
        }
        (self.aims, self.isRecursive, self.followsLinks) = (aims, isRecursive, followsLinks)
        (paths, waiting) = (plain.paths, plain.waiting)
        return isTaken && complaint == nil
    }
}
