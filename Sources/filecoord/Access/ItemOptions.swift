// SPDX-License-Identifier: Apache-2.0
//
// The options of `filecoord access` and `filecoord hold` that name the items of a claim.

import ArgumentParser
import FileCoordinationArbiter

/// The items to read and to write.
struct ItemOptions: ParsableArguments {
    @Option(
        name: .customLong("read"),
        help: ArgumentHelp("An item to read.", valueName: "path[:option]"),
        completion: .file(),
        transform: { try AccessArgument(reading: $0) })
    var reads: [AccessArgument] = []

    @Option(
        name: .customLong("read-path"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An item to read, whatever is in its name.", valueName: "path"),
        completion: .file(),
        transform: { AccessArgument(readingPath: $0) })
    var readPaths: [AccessArgument] = []

    @Option(
        name: .customLong("write"),
        help: ArgumentHelp("An item to write.", valueName: "path[:option]"),
        completion: .file(),
        transform: { try AccessArgument(writing: $0) })
    var writes: [AccessArgument] = []

    @Option(
        name: .customLong("write-path"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An item to write, whatever is in its name.", valueName: "path"),
        completion: .file(),
        transform: { AccessArgument(writingPath: $0) })
    var writePaths: [AccessArgument] = []

    @Flag(help: "Of directories, all that is inside is accessed, too.")
    var recursive = false

    @Flag(help: "Claim symbolic links themselves, not what they lead to.")
    var noFollow = false

    /// The part of the manual about symbolic links (Rule 2.25).
    static let manualOfLinks = """
        A symbolic link at the end of PATH is followed, through links to links: access is waited \
        for, and COMMAND's path is, where it leads. A link to nowhere leads to the place that it \
        names. With --no-follow the link itself is claimed.
        """

    /// All arguments, in the order of the command line.
    var all: [AccessArgument] {
        (reads + readPaths + writes + writePaths).sorted { $0.ordinal < $1.ordinal }
    }

    /// Fails if there is no item.
    ///
    /// The commands call this when they validate themselves: the usage in the message is theirs.
    func requireItem() throws {
        guard !all.isEmpty else {
            throw ValidationError("Name at least one item with --read or --write.")
        }
    }

    /// An item's access with what is said of all items.
    private func access(_ access: Access) -> Access {
        switch access {
        case .reading(var options):
            if recursive { options.insert(.includingContents) }
            if noFollow { options.remove(.resolvesSymbolicLink) }
            return .reading(options)
        case .writing(var options):
            if recursive { options.insert(.includingContents) }
            if noFollow { options.remove(.resolvesSymbolicLink) }
            return .writing(options)
        }
    }

    /// The items to claim, in the order of the command line.
    func items() throws(Failure) -> [ClaimedItem] {
        var items: [ClaimedItem] = []
        for argument in all {
            let path = try UserPath.item(argument.path)
            items.append(ClaimedItem(path: path, access: access(argument.access)))
        }
        return items
    }
}
