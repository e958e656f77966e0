// SPDX-License-Identifier: Apache-2.0
//
// Says why a file did not get new content, and what the user can do.

import FileCoordinationClient
import FileCoordinationSystem

extension Failure {
    /// The failure of a replacement.
    init(_ error: ReplacingError) {
        switch error {
        case .failed(let error, let verb, let path):
            self.init(errorNumber: error.code, doing: verb, path: path)
        case .changed(let path, let difference):
            self.init(
                .inputOutput,
                "\(path) was changed meanwhile: \(difference.text); nothing was "
                    + "replaced, try again")
        case .unsuitable(let path, .directory):
            self.init(.badPath, "\(path) is a directory: name a file in it, or give a COMMAND")
        case .unsuitable(let path, .symbolicLink):
            self.init(
                .badPath, "\(path) is a symbolic link: leave out --no-follow, or name its target")
        case .unsuitable(let path, .noRegularFile):
            self.init(.badPath, "\(path) is not a regular file: only those can be replaced")
        case .unsuitable(let path, .severalNames(let count)):
            self.init(
                .badPath,
                "\(path) is one of \(count) names of its file (hard links), and the others would "
                    + "keep the old content: use --in-place to write the file that all of them "
                    + "name, or --break-links to give this name a file of its own")
        }
    }
}

/// Does something to a file that gets new content; its error becomes one for the user.
func replacing<Result>(
    _ body: () throws(ReplacingError) -> Result
) throws(Failure) -> Result {
    do throws(ReplacingError) {
        return try body()
    } catch {
        throw Failure(error)
    }
}
