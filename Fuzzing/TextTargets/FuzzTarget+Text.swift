// SPDX-License-Identifier: Apache-2.0
//
// The readers of text that another program wrote. They need Foundation, and are linked apart.

public import FileCoordinationFuzzing

extension FuzzTarget {
    /// The readers of text.
    public static let ofText = [
        FuzzTarget("packages", seeds: { PackagesTarget.seeds }, run: PackagesTarget.run),
        FuzzTarget("commandline", seeds: { CommandLineTarget.seeds }, run: CommandLineTarget.run),
        FuzzTarget("errors", seeds: { ErrorsTarget.seeds }, run: ErrorsTarget.run),
    ]
}
