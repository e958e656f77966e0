// SPDX-License-Identifier: Apache-2.0
//
// Every number that bounds something in the arbiter, with the reason why it is this one.

/// The arbiter's bounds.
public enum Limits {
    /// How long an unbroken chain of readers may keep a presenter relinquished (Rule 6.11).
    ///
    /// A reader that takes its place later than that is not simply let in: the presenter gets its
    /// item back when the present readers are done, and only then is it asked for the new one.
    public static let readerChain: Duration = .seconds(30)

    /// The bytes of a path, its closing NUL included, as the kernel bounds it.
    ///
    /// What would have a longer one after a move does not move along: it cannot be there.
    static let pathBytes = 4096

    /// How many places a presenter is remembered to have been at (Rule 11.7).
    static let formerPlaces = 16

    /// How many places at which nothing is filed any more are kept, for when something is again.
    static let restingPlaces = 256

    /// How many grants of one purpose are compared with a claim one by one; of more, those are
    /// looked for that are at its places.
    static let grantsComparedOneByOne = 8

    /// A presenter whose process is stopped for longer is passed over (Rule 18.6).
    public static let stoppedPresenter: Duration = .seconds(2)

    /// ``stoppedPresenter`` on the arbiter's clock.
    static let stoppedPresenterNanoseconds = UInt64(stoppedPresenter / .nanoseconds(1))

    /// The number of claims up to which debug builds check every invariant after every event.
    ///
    /// The checks compare all pairs of claims. Beyond this a debug build would no longer be usable.
    static let claimsCheckedAfterEveryEvent = 24

    /// The same for presenters, each of which is looked at.
    static let presentersCheckedAfterEveryEvent = 64

    /// ``readerChain`` on the arbiter's clock, which counts nanoseconds.
    static let readerChainNanoseconds = UInt64(readerChain / .nanoseconds(1))
}
