// SPDX-License-Identifier: Apache-2.0
//
// The rules that must have a test by now, in the order of the rule book, each in a line of our own
// words. The rule book has the whole of them; a rule that is implemented later joins when it is.

/// The rules that tests are asked for.
enum RuleTable {
    /// Number and summary of each rule.
    static let required: [(number: String, summary: String)] = [
        ("1.10", "what is not a file's URL, or no path at all, is refused with a documented error"),

        ("2.0", "one user, one runtime directory; two arbiters side by side are never silent"),
        ("2.1", "reads never wait for reads"),
        ("2.2", "a read and a write exclude each other on one item, or in one package"),
        ("2.3", "so do two writes"),
        ("2.4", "a plain write or a read of a directory leaves what is inside alone"),
        ("2.5", "deleting an item leaves readers and plain writers of its directory alone"),
        ("2.6", "deleting, moving, replacing a directory waits for what is inside, and back"),
        ("2.7", "on a plain file, moving and deleting wait like a plain write"),
        ("2.8", "replacing waits and asks like deleting"),
        ("2.8a", "moving a directory goes before the claims inside that are still queued"),
        ("2.9", "access to metadata alone waits like any other"),
        ("2.10", "claims of one purpose never wait for each other"),
        ("2.11", "one coordinator, or one presenter, is one purpose, on any thread"),
        ("2.12", "two coordinators without presenter exclude each other"),
        ("2.13", "several items in one call are one claim: granted at once or not at all"),
        ("2.14", "first come, first served: also behind those that still wait"),
        ("2.15", "claims that do not conflict overtake"),
        ("2.16", "a presenter that is asked may use the item before it answers"),
        ("2.17", "a claim made inside an accessor does not queue behind who waits for that one"),
        ("2.18", "the exception for an asked presenter holds for its own purpose alone"),
        ("2.19", "first the claims before it, then the presenters, then the accessor"),
        ("2.20", "a claim ends when its accessor returns or throws"),
        ("2.21", "uncoordinated access is not held back"),
        ("2.22", "no claim is ended because it took long"),

        ("4.1", "every coordinator has a purpose from birth"),
        ("4.2", "coordinators of one presenter share its purpose"),
        ("4.2a", "a coordinator keeps its presenter alive"),
        ("4.3", "a purpose is set once, on a coordinator without presenter, and is not empty"),
        ("4.4", "the first use fixes the purpose"),
        ("4.5", "a presenter hears nothing of claims with its own purpose"),

        ("5.1", "the list of presenters is a copy: this process's, in order"),
        ("5.2", "adding twice and removing a stranger do nothing"),
        ("5.3", "what a presenter has not implemented is never sent, and delays nobody"),
        ("5.4", "a presenter is seen by every claim granted after it was added"),
        ("5.5", "a presenter without a place gets one by a coordinated access of its own"),
        ("5.6", "a presenter's place is not polled: who changes it registers again"),
        ("5.7", "after removal nothing is delivered, and nobody waits for the presenter"),
        ("5.8", "adding and removing work from any thread, also inside callbacks"),
        ("5.9", "a registration keeps the presenter alive"),
        ("5.10", "all presenters of an item are asked, in whatever process"),
        ("5.11", "an absent item can be presented"),

        ("6.1", "who is asked what before which access: the table"),
        ("6.2", "presenters of plain directories above are not asked"),
        ("6.3", "a package's presenter hears of a deletion inside in the form for subitems"),
        ("6.4", "presenters inside a package relinquish for an access to the package"),
        ("6.5", "relinquish, then save or accommodate, then the accessor, then reacquire"),
        ("6.6", "without relinquish, saving is asked for directly"),
        ("6.7", "presenters are asked at the same time, and all are waited for"),
        ("6.8", "an answer may come later, from any thread; the second one is ignored"),
        ("6.9", "without changes means without saving"),
        ("6.10", "several items ask each presenter once per kind"),
        ("6.11", "a relinquished presenter is not asked again until it has reacquired"),
        ("6.12", "a presenter added while others are asked is not"),
        ("6.13", "what a presenter writes while it is asked, the reader sees"),
        ("6.14", "a presenter's own access is waited for before it is asked"),
        ("6.15", "a presenter may answer from a later operation of its serial queue"),

        ("7.1", "the writer does not wait for messages about its change"),
        ("7.1a", "messages to one presenter about one item keep the arbiter's order"),
        ("7.2", "they come before the reacquirer"),
        ("7.3", "presenters of a changed file or package hear of it"),
        ("7.4", "presenters of every directory above hear of it, packages by their fallback"),
        ("7.5", "a new item appears, and has changed"),
        ("7.6", "a deleted item has changed, where nothing is any more"),
        ("7.7", "the item named is the one that changed, also if it is a directory"),
        ("7.8", "no change, no message; in doubt, a message"),
        ("7.9", "who shares the writer's purpose hears nothing"),
        ("7.10", "a coordinator without presenter messages its own process too"),
        ("7.11", "reads change nothing, and say so"),
        ("7.12", "one write, one message"),
        ("7.13", "a write of metadata is a change"),

        ("8.1", "a presenter may hand over a reacquirer, or none"),
        ("8.2", "reacquirers run on the presenter's queue"),
        ("8.3", "once per relinquishment, after the last claim that needed it"),
        ("8.4", "also if the access never came to be"),
        ("8.5", "the claimant does not wait for it, the next writer does"),
        ("8.6", "at once, if the claim was cancelled before the presenter let go"),

        ("9.1", "a presenter's error fails the access"),
        ("9.2", "the caller gets that very error"),
        ("9.3", "the first error wins, and all that let go reacquire"),
        ("9.4", "relinquishing cannot fail"),
        ("9.5", "a failed access changed nothing, and says nothing"),
        ("9.6", "success leaves the caller's error alone"),

        ("12.1", "cancel returns at once, on any thread"),
        ("12.2", "what waits ends with the error for cancelled"),
        ("12.3", "what runs goes on"),
        ("12.4", "a cancelled coordinator stays cancelled"),
        ("12.5", "messages are not recalled, reacquirers run"),
        ("12.6", "others of the same purpose are not touched"),
        ("12.7", "cancelled inside an accessor, its further calls fail"),

        ("13.1", "the asynchronous call returns at once, and calls back once"),
        ("13.2", "the claim is held until the accessor has returned"),
        ("13.3", "the intents are the caller's, with the place that holds now"),
        ("13.4", "it waits and asks like the synchronous one"),
        ("13.5", "several of one coordinator do not hold each other back"),
        ("13.6", "no intents: the accessor just runs"),
        ("13.7", "the coordinator may be let go meanwhile"),
        ("13.8", "the synchronous one runs on the caller's thread"),
        ("13.9", "what an accessor started elsewhere is not covered"),

        ("15.8", "death of a claimant or of a presenter lets the others go on"),

        ("18.5", "who holds and who waits can always be seen"),
        ("18.7", "the arbiter's death is a short delay and nothing else"),
        ("18.8", "a client's death frees what it had, at once; a forked child has nothing"),
    ]

    /// Rules of these sections that have no test, and why.
    static let notTested: [(number: String, reason: String)] = [
        ("5.12", "comes with announced moves"),
        ("9.7", "eviction needs a provider of files, which does not exist here"),
        ("12.8", "comes with announced moves"),
        ("7.14", "comes with change watching"),
    ]

    /// All numbers that a range of rules may run over, in order.
    static let order = (required.map(\.number) + notTested.map(\.number)).sorted {
        sortKey($0) < sortKey($1)
    }

    /// A number in a form that sorts: 2.8 < 2.8a < 2.10.
    static func sortKey(_ number: String) -> Int {
        let parts = number.split(separator: ".")
        guard parts.count == 2, let section = Int(parts[0]) else { return .max }
        let letter = parts[1].last.flatMap(\.asciiValue).map(Int.init) ?? 0
        let isLettered = letter >= 97
        let rule = Int(isLettered ? parts[1].dropLast() : parts[1]) ?? 0
        return (section * 1000 + rule) * 100 + (isLettered ? letter - 96 : 0)
    }
}
