// SPDX-License-Identifier: Apache-2.0
//
// Asks the questions of `-i` on standard error and reads the answers from standard input. The
// commands ask before they claim access, so that a user who takes a while to answer makes no
// program wait.

import FileCoordinationClient
import Glibc

/// Asks the user.
enum Question {
    /// Whether the answer begins with "y" or "Y", as in the coreutils.
    ///
    /// No answer means no.
    static func ask(_ text: String) -> Bool {
        let line = "filecoord: \(UserText.line(text)) "
        // If standard error is closed, the answer is read all the same.
        _ = try? Console.write(Array(line.utf8), to: STDERR_FILENO)
        var first: UInt8?
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            first = first ?? byte
        }
        return first == UInt8(ascii: "y") || first == UInt8(ascii: "Y")
    }
}
