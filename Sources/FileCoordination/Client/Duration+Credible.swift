// SPDX-License-Identifier: Apache-2.0
//
// Times as people are told of them.

extension Duration {
    /// The same, or the nearest that Foundation can put into words: it ends the program for times
    /// of billions of years, which a caller may give.
    var credible: Duration { min(max(self, .zero), .seconds(1_000_000_000)) }
}
