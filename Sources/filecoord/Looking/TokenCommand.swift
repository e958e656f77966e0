// SPDX-License-Identifier: Apache-2.0
//
// `filecoord token`: prints what is to be seen of files now, or says whether one is as it was seen.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationSystem

/// Takes and compares tokens.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print what is seen of files, to refuse a later write if any has changed.",
        usage: """
            filecoord token [<options>] <path> ...
            filecoord token --is <token> <path>
            """,
        discussion: """
            A token is a short text that says which state of a file was seen: take it before you \
            read, and give it to --only-if when you write. It holds no access. It sees every \
            change of contents, attributes or names, by any program; "1.absent" says that there \
            is nothing. A token stays good when programs and the machine are restarted.

            With --digest it has a digest of the contents: then equal contents count as unchanged, \
            and stores into a mapped file are seen. On file servers each token has one.

            With --is nothing is printed but a reason: the status says whether the file is as \
            TOKEN says. Do not compare the texts of two tokens.

            A symbolic link at the end of PATH is followed, unless --no-follow is given.

            EXIT STATUS
              0        done; with --is: nothing has changed
              64       wrong usage, or a token of another version
              66       a path that cannot be looked at
              73       with --is: the file has changed

            EXAMPLES
              seen=$(filecoord token config.json)
              new=$(make-new-config <config.json)
              echo "$new" | filecoord write --only-if "$seen" config.json
            """)

    @Flag(help: "Also take a digest of the contents.")
    var digest = false

    @Option(
        name: .customLong("is"),
        help: ArgumentHelp("Say whether the file is as TOKEN says.", valueName: "token"),
        transform: { try Condition(argument: $0) })
    var seen: Condition?

    @Flag(help: "Of a symbolic link, look at the link itself.")
    var noFollow = false

    @Argument(help: ArgumentHelp("The files.", valueName: "path"), completion: .file())
    var paths: [String]

    func validate() throws {
        guard let seen else { return }
        guard paths.count == 1 else { throw ValidationError("With --is, give one PATH.") }
        guard !digest else {
            throw ValidationError("--digest is for taking a token; leave it out with --is.")
        }
        guard seen.token != nil else { throw ValidationError("\"any\" is no token.") }
    }

    func run() throws {
        if let token = seen?.token { return try compare(token) }
        // A failure prints no tokens at all, so that none is taken for that of another file.
        var tokens: [String] = []
        for path in paths { tokens.append(try place(of: path).token(withDigest: digest).text) }
        for token in tokens { try Console.print(token) }
    }

    private func compare(_ token: ItemToken) throws(Failure) {
        let path = try UserPath.item(paths[0])
        let place = try place(of: paths[0])
        let difference: ItemDifference?
        do throws(SystemError) {
            difference = try token.difference(fromItemAt: place.bytes)
        } catch {
            throw Failure(errorNumber: error.code, doing: "look at", path: path)
        }
        guard let difference else { return }
        throw Failure(.stale, "\(path) is not as it was: \(difference.text)")
    }

    private func place(of text: String) throws(Failure) -> NativePath {
        let path = try UserPath.item(text)
        do throws(SystemError) {
            return noFollow ? path : try path.followed()
        } catch {
            throw Failure(errorNumber: error.code, doing: "look at", path: path)
        }
    }
}
