// SPDX-License-Identifier: Apache-2.0
//
// The root command of filecoord: its manual, and the beginning and the end of the program. A holder
// ends elsewhere.

import ArgumentParser
import FileCoordinationServer
import FileCoordinationSystem

/// `filecoord`: file coordination for scripts, other languages and the curious.
@main
struct FileCoord: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filecoord",
        abstract: "Read and write files in turn with the other programs of this user.",
        discussion: """
            Each access waits until no other program has a conflicting one, and until every \
            program that shows the file has saved it or let go of it. What programs do to files \
            without asking is not held back by this. \(OtherNames.manual)

            Programs meet in $FILECOORDINATION_RUNTIME_DIR, else in \
            /dev/shm/filecoordination-UID, whether they run in a login, a job or a service: only \
            those of one user that share this directory know of each other. The server is the \
            daemon $FILECOORDINATIOND, or filecoordinationd beside filecoord or in the PATH; where \
            there is none, or with FILECOORDINATIOND= (empty), the first program that needs the \
            server runs it itself.

            \(ExitStatus.manual)

            EXAMPLES
              filecoord read notes.txt | wc -l
              filecoord update list -- sort
              filecoord write app.db -- sh -c 'sqlite3 "$FILECOORD_PATH_1" VACUUM'
              filecoord status
            """,
        version: "filecoord \(SoftwareVersion.number)",
        subcommands: [
            ReadCommand.self, WriteCommand.self, UpdateCommand.self, AccessCommand.self,
            HoldCommand.self, MoveCommand.self, RemoveCommand.self, TokenCommand.self,
            VersionsCommand.self,
            PresentCommand.self, SessionCommand.self, StatusCommand.self, ExplainCommand.self,
            GraphCommand.self,
            ReleaseCommand.self, RecordCommand.self, ReportCommand.self, DoctorCommand.self,
            DemoCommand.self, KeepHoldCommand.self,
        ])

    static func main() {
        CurrentProcess.keepOneHeap()
        ChildStatus.expectChildren()
        let arguments = ArgumentText.ofProcess
        do throws(Failure) {
            if let plain = PlainArguments(Array(arguments.dropFirst())) {
                return try plain.run()
            }
        } catch {
            error.endProgram()
        }
        do {
            var command = try command(for: arguments)
            try command.run()
        } catch let failure as Failure {
            failure.endProgram()
        } catch {
            exit(withError: error)
        }
    }

    /// Parses the arguments, of which the first one is the program's name.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
        let words = FoldedArguments.fold(arguments)
        if let complaint = CommandNames.complaint(about: words) { throw ValidationError(complaint) }
        do {
            return try parseAsRoot(words)
        } catch {
            guard exitCode(for: error) == .validationFailure else { throw error }
            throw unknownOption(in: words) ?? error
        }
    }

    /// Returns the parser's error about an unknown option, or nil if there is no such option.
    ///
    /// The parser complains of missing items first, also where an item is missing because the
    /// option for it was mistyped. So this adds items.
    private static func unknownOption(in words: [String]) -> (any Error)? {
        let hasItemOptions = words.first == "access" || words.first == "hold"
        do {
            _ = try parseAsRoot(words + (hasItemOptions ? ["--read-path", "/"] : ["/", "/"]))
            return nil
        } catch {
            return message(for: error).hasPrefix("Unknown option") ? error : nil
        }
    }
}
