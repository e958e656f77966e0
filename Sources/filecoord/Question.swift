// SPDX-License-Identifier: Apache-2.0
//
// Questions of `-i`, asked on standard error and answered on standard input. They are asked before
// access is claimed: a user who takes a while to answer keeps no program waiting.

import Glibc

/// Asking the user.
enum Question {
    /// Whether the answer begins with "y" or "Y", as the coreutils have it; no answer is no.
    static func ask(_ text: String) -> Bool {
        let line = "filecoord: \(PeopleText.line(text)) "
        _ = try? Console.write(Array(line.utf8), to: STDERR_FILENO)
        var first: UInt8?
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            first = first ?? byte
        }
        return first == UInt8(ascii: "y") || first == UInt8(ascii: "Y")
    }
}
