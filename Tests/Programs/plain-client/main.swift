// SPDX-License-Identifier: Apache-2.0
//
// A face of FileCoordinationClient without Foundation, as small as one can be: `plain-client PATH
// TEXT` writes TEXT to PATH, coordinated, and `plain-client PATH` reads it. `./check` looks at what
// this program links.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Glibc

guard (2...3).contains(CommandLine.arguments.count) else {
    StandardError.write(Array("usage: plain-client PATH [TEXT]\n".utf8))
    exit(64)
}
let path = Array(CommandLine.arguments[1].utf8)
let text = CommandLine.arguments.dropFirst(2).first
let item = RequestedItem(
    ItemName(path: path), access: text == nil ? .reading([]) : .writing(.plain))

/// Reads or writes what is at a path.
func use(_ item: GrantedItem) -> Bool {
    let name = item.path.map { CChar(bitPattern: $0) } + [0]
    guard let file = fopen(name, text == nil ? "r" : "w") else { return false }
    defer { fclose(file) }
    if let text { return fputs(text, file) >= 0 }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    let line = bytes.prefix(count) + [UInt8(ascii: "\n")]
    return write(1, Array(line), line.count) == line.count
}

let coordinator = Coordinator()
do throws(AccessFailure) {
    let access = try coordinator.begin(
        [item], in: { () throws(AccessFailure) in try .current(PlainServices()) })
    switch access.wait(timeout: .seconds(30)) {
    case .granted: exit(coordinator.run(access) { use($0[0]) } ? 0 : 66)
    case .failed(let failure): throw failure
    case .cancelled, .timedOut: throw .cancelled
    }
} catch {
    StandardError.write(Array("plain-client: \(error)\n".utf8))
    exit(69)
}
