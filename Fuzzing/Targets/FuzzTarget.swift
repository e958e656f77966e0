// SPDX-License-Identifier: Apache-2.0
//
// The readers of bytes that another process wrote, each as a function that anything may be fed to.
// It ends whatever the bytes are, and throws if what came of them is not what it must be; a trap,
// and memory or time without bound, are the other ways to be wrong.
//
// The same functions serve the fuzzer, which looks for bytes that take new ways through the source,
// and the tests, which feed them all that it has found.

/// A reader of bytes that another process wrote.
public struct FuzzTarget: Sendable {
    /// What it is called on the command line, and in the directory of kept inputs.
    public let name: String
    /// Initial inputs: bytes that correct writers write.
    public let seeds: @Sendable () -> [[UInt8]]
    /// Feeds bytes to the reader.
    public let run: @Sendable ([UInt8]) throws -> Void

    package init(
        _ name: String, seeds: @escaping @Sendable () -> [[UInt8]],
        run: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.seeds = seeds
        self.run = run
    }

    /// What a server reads; linked without Foundation, whose tables would make each run slower.
    public static let ofTheServer = [
        FuzzTarget("decoder", seeds: { DecoderSeeds.all }, run: DecoderTarget.run),
        FuzzTarget("ledger", seeds: { LedgerTarget.seeds }, run: LedgerTarget.run),
        FuzzTarget(
            "relocations", seeds: { RelocationLogTarget.seeds }, run: RelocationLogTarget.run),
        FuzzTarget("writer", seeds: { WriterTarget.seeds }, run: WriterTarget.run),
        FuzzTarget("server", seeds: { ServerSeeds.all }, run: ServerTarget.run),
    ]
}

/// What came of some bytes is not what must come of any.
public struct FuzzFault: Error, CustomStringConvertible {
    /// What is wrong, in words.
    public let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws unless `condition` holds.
package func require(
    _ condition: Bool, _ description: @autoclosure () -> String
) throws(FuzzFault) {
    guard condition else { throw FuzzFault(description()) }
}
