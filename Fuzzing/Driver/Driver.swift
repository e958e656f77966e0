// SPDX-License-Identifier: Apache-2.0
//
// What libFuzzer calls. The target comes in FUZZ_TARGET, so that one program serves all of them;
// with FUZZ_SEEDS it writes the target's seeds into that directory, and leaves.

import FileCoordinationFuzzing
import Glibc

#if TEXT
import FileCoordinationTextFuzzing

private let targets = FuzzTarget.ofText
#else
private let targets = FuzzTarget.ofTheServer
#endif

private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets.first(where: { $0.name == name }) else {
        say("FUZZ_TARGET is \"\(name)\"; it is one of: \(targets.map(\.name))")
        exit(64)
    }
    return target
}()

private func say(_ line: String) {
    let text = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, text, text.count)
}

private func writeSeeds(into directory: String) {
    for (number, seed) in target.seeds().enumerated() {
        guard let file = fopen("\(directory)/seed-\(number)", "w") else {
            say("cannot write into \(directory)")
            exit(73)
        }
        fwrite(seed, 1, seed.count, file)
        fclose(file)
    }
    exit(0)
}

/// Finds the target before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ argc: UnsafeMutableRawPointer?, _ argv: UnsafeMutableRawPointer?
) -> Int32 {
    _ = target
    if let directory = getenv("FUZZ_SEEDS") { writeSeeds(into: String(cString: directory)) }
    return 0
}

/// Feeds one input to the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        say("FAULT: \(error)")
        abort()
    }
    return 0
}
