// SPDX-License-Identifier: Apache-2.0
//
// `present --on MESSAGE SHELL` takes two values, which the argument parser has no notion of. They
// are folded into one value before it sees them, and taken apart after it.

import ArgumentParser

/// Options with two values.
enum PairedOptions {
    private static let names: Set<String> = ["--on", "--delay"]

    /// No message's name contains it.
    private static let separator: Character = "\n"

    /// The arguments behind the program's name, with each pair in one argument.
    static func folded(_ arguments: [String]) -> [String] {
        var rest = arguments.dropFirst()
        guard rest.first == "present" else { return Array(rest) }
        var result: [String] = []
        while let argument = rest.popFirst() {
            guard argument != "--" else { return result + [argument] + rest }
            guard names.contains(argument), rest.count >= 2 else {
                result.append(argument)
                continue
            }
            let first = rest.removeFirst()
            result.append("\(argument)=\(first)\(separator)\(rest.removeFirst())")
        }
        return result
    }

    /// A pair as it was before it was folded.
    static func unfold(_ argument: String, option: String) throws -> (String, String) {
        guard let end = argument.firstIndex(of: separator) else {
            throw ValidationError("\(option) takes two values; the second is missing.")
        }
        return (String(argument[..<end]), String(argument[argument.index(after: end)...]))
    }
}
