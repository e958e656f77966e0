// SPDX-License-Identifier: Apache-2.0
//
// All limits of the arbiter, with the reason for each value.

/// The arbiter's limits.
public enum Limits {
    /// How long an unbroken chain of readers may keep a presenter relinquished (Rule 6.11).
    ///
    /// A reader that comes later than that must wait: the presenter gets its item back when the
    /// present readers are done, and is asked again for the new one after that.
    public static let readerChain: Duration = .seconds(30)

    /// The most bytes of a path including its NUL, as in the kernel.
    ///
    /// An item whose path would be longer after a move cannot exist there, so it does not follow
    /// the move.
    static let pathBytes = 4096

    /// The number of former paths that are remembered for a presenter (Rule 11.7).
    static let formerPlaces = 16

    /// The number of empty tree nodes that are kept for reuse.
    static let restingPlaces = 256

    /// The number of claims that are compared with a claim one by one: grants of one purpose, and
    /// claims that wait for a presenter's answer.
    ///
    /// If there are more, the tree is searched.
    static let claimsComparedOneByOne = 8

    /// How long a claim waits for a presenter whose process is stopped (Rule 18.6).
    public static let stoppedPresenter: Duration = .seconds(2)

    /// How long a claim waits for the provider of contents that are not here to be started (Rule
    /// 15.4): what a restart takes at most.
    public static let absentProvider: Duration = .seconds(60)

    /// The number of claims up to which debug builds check every invariant after each event.
    ///
    /// The checks compare all pairs of claims, so with more claims debug builds would be unusable.
    static let claimsCheckedAfterEveryEvent = 24

    /// The number of presenters up to which each is checked after every event.
    static let presentersCheckedAfterEveryEvent = 64

    /// The number of delegations up to which each is checked after every event.
    ///
    /// A claim that was granted without a report is one of them, and a client can have thousands.
    static let delegationsCheckedAfterEveryEvent = 256
}
