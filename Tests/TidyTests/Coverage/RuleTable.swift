// SPDX-License-Identifier: Apache-2.0
//
// The rules that must have a test by now, in the order of the rule book, each in a line of our own
// words. The rule book has the whole of them; a rule that is implemented later joins when it is.

/// The rules that tests are asked for.
enum RuleTable {
    /// Number and summary of each rule.
    static let required: [(number: String, summary: String)] = [
        ("1.1", "a place can be coordinated whether or not anything is there"),
        ("1.2", "names are compared byte for byte"),
        ("1.3", "links on the way are resolved: one item has many spellings"),
        ("1.4", "a link in the last component is an item of its own"),
        ("1.5", "a read can follow it, hop by hop, and waits where it leads"),
        ("1.6", "a write never follows it"),
        ("1.8", "the accessor gets the URL as it was passed, while nothing moves"),
        ("1.9", "a trailing slash makes no other item"),
        ("1.10", "what is not a file's URL, or no path at all, is refused with a documented error"),

        ("1.11", "one policy says which directories are packages"),
        ("1.12", "packages nest: the outermost waits, every one is told"),
        ("1.13", "contained means at any depth"),
        ("1.14", "relative URLs are made absolute"),
        ("1.15", "a rename before a claim is seen by it"),

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
        ("2.8b", "several writing options in one call are their union"),
        ("2.9", "access to metadata alone waits like any other"),
        ("2.10", "claims of one purpose never wait for each other"),
        ("2.11", "one coordinator, or one presenter, is one purpose, on any thread"),
        ("2.12", "two coordinators without presenter exclude each other"),
        ("2.13", "several items in one call are one claim: granted at once or not at all"),
        ("2.14", "first come, first served: also behind those that still wait"),
        ("2.15", "claims that do not conflict overtake"),
        ("2.16", "a presenter that is asked may use the item before it answers"),
        ("2.17", "a claim made inside an accessor passes claims that wait for that accessor"),
        ("2.18", "the exception for an asked presenter holds for its own purpose alone"),
        ("2.19", "first the claims before it, then the presenters, then the accessor"),
        ("2.20", "a claim ends when its accessor returns or throws"),
        ("2.21", "uncoordinated access is not held back"),
        ("2.22", "no claim is ended because it took long"),
        ("2.23", "a claim can cover everything inside a directory"),
        ("2.24", "several names of one item are several places, and people are told"),
        ("2.25", "the command line, C and Python follow a final link; Swift does if asked"),

        ("3.1", "calls of one coordinator nest inside its accessors"),
        ("3.2", "in any order: read in write, write in read, write in write"),
        ("3.3", "a nested call through an unrelated coordinator is refused, not for ever"),
        ("3.4", "so is one of two that nest in opposite order"),
        ("3.5", "a thread knows the accessors that it is inside of"),
        ("3.6", "nested calls ask presenters again, but never to relinquish twice"),
        ("3.7", "a presenter that is asked may coordinate on its own behalf"),

        ("4.1", "every coordinator has a purpose from birth"),
        ("4.2", "coordinators of one presenter share its purpose"),
        ("4.2a", "a coordinator keeps its presenter alive"),
        ("4.3", "a purpose is set once, on a coordinator without presenter, and is not empty"),
        ("4.4", "the first use fixes the purpose"),
        ("4.5", "a presenter is not told of claims with its own purpose"),

        ("5.1", "the list of presenters is a copy: this process's, in order"),
        ("5.2", "adding twice and removing a stranger do nothing"),
        ("5.3", "what a presenter has not implemented is never sent, and delays no access"),
        ("5.4", "a presenter is seen by every claim granted after it was added"),
        ("5.5", "a presenter without a place gets one by a coordinated access of its own"),
        ("5.6", "a presenter's path is not polled: register again after changing it"),
        ("5.7", "after removal nothing is delivered, and no claim waits for the presenter"),
        ("5.8", "adding and removing work from any thread, also inside callbacks"),
        ("5.9", "a registration keeps the presenter alive"),
        ("5.10", "all presenters of an item are asked, in whatever process"),
        ("5.11", "an absent item can be presented"),

        ("5.12", "presenters of a moved directory are still told of what is inside"),

        ("6.1", "which presenters are asked what before which access: the table"),
        ("6.2", "presenters of plain directories above are not asked"),
        ("6.3", "a package's presenter is asked about a deletion inside as for subitems"),
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
        ("7.9", "presenters of the writer's purpose are not told"),
        ("7.10", "a coordinator without presenter messages its own process too"),
        ("7.11", "reads change nothing, and say so"),
        ("7.12", "one write, one message"),
        ("7.13", "a write of metadata is a change"),
        ("7.14", "changes by programs that do not coordinate are told afterwards"),

        ("8.1", "a presenter may hand over a reacquirer, or none"),
        ("8.2", "reacquirers run on the presenter's queue"),
        ("8.3", "once per relinquishment, after the last claim that needed it"),
        ("8.4", "also if the access never came to be"),
        ("8.5", "the claimant does not wait for it, the next writer does"),
        ("8.6", "at once, if the claim was cancelled before the presenter relinquished"),

        ("9.1", "a presenter's error fails the access"),
        ("9.2", "the caller gets that very error"),
        ("9.3", "the first error wins, and all that relinquished reacquire"),
        ("9.4", "relinquishing cannot fail"),
        ("9.5", "a failed access changed nothing, and says nothing"),
        ("9.6", "success leaves the caller's error alone"),

        ("10.1", "presenters of an item and of its directories hear of its versions"),
        ("10.2", "from changes inside coordinated writes"),
        ("10.3", "the writer's own presenter, too"),
        ("10.4", "presenters hear of the ubiquity attributes that they observe"),
        ("10.5", "which are all by default, and no others"),
        ("10.6", "presenters of directories hear nothing of them"),

        ("11.1", "a move is announced, or found out of a writer for moving; never told twice"),
        ("11.2", "presenters of the item, of its contents, of its directories, in this order"),
        ("11.3", "directories hear of appearances, moves and changes at both ends"),
        ("11.4", "presenters and waiting claims follow"),
        ("11.5", "a waiting replacement means the path"),
        ("11.6", "claims that ask presenters follow, too"),
        ("11.7", "a presenter's coordinator is sent on until the presenter has heard"),
        ("11.8", "presenters of what was moved over stay"),
        ("11.9", "a move without coordination is told as a move if both ends are seen"),
        ("11.10", "outside of an accessor, or without a move, an announcement has no effect"),
        ("11.11", "neither has the one beforehand"),
        ("11.12", "moves compose"),
        ("11.13", "what is deleted meanwhile is found absent"),
        ("11.14", "moves are told before the item is given back"),

        ("12.1", "cancel returns at once, on any thread"),
        ("12.2", "what waits ends with the error for cancelled"),
        ("12.3", "what runs goes on"),
        ("12.4", "a cancelled coordinator stays cancelled"),
        ("12.5", "messages are not recalled, reacquirers run"),
        ("12.6", "others of the same purpose are not touched"),
        ("12.7", "cancelled inside an accessor, its further calls fail"),

        ("12.8", "a move can be announced after cancelling"),

        ("13.1", "the asynchronous call returns at once, and calls back once"),
        ("13.2", "the claim is held until the accessor has returned"),
        ("13.3", "the intents are the caller's, with the place that holds now"),
        ("13.4", "it waits and asks like the synchronous one"),
        ("13.5", "several of one coordinator do not hold each other back"),
        ("13.6", "no intents: the accessor just runs"),
        ("13.7", "the coordinator may be released meanwhile"),
        ("13.8", "the synchronous one runs on the caller's thread"),
        ("13.9", "what an accessor started elsewhere is not covered"),

        ("14.1", "a batch asks the presenters of its items and of all inside"),
        ("14.2", "to save and to accommodate, not to relinquish"),
        ("14.3", "it excludes no claim"),
        ("14.4", "it returns when its handler was called or dropped"),
        ("14.5", "calls inside of it are as ever, on any thread"),
        ("14.6", "options that mean nothing in it are errors"),
        ("14.7", "a refusal or a cancel keeps it from running"),
        ("14.8", "top-level items are enough"),
        ("14.9", "others are served meanwhile"),

        ("15.1", "an upload gets a copy, and its claim ends before its accessor runs"),
        ("15.2", "of a file the file, of a directory a zip; gone afterwards"),
        ("15.3", "what does not exist cannot be copied"),
        ("15.7", "a stopped process loses no claim (18.6)"),
        ("15.8", "death of a claimant or of a presenter lets the others go on"),
        ("15.9", "the server's death only delays calls (18.7)"),

        ("16.1", "a coordinator may be used on one thread after the other"),
        ("16.2", "a presenter on the main queue that is only told delays no access"),
        ("16.3", "a presenter's place and queue are asked for without a lock held"),
        ("16.4", "on a concurrent queue callbacks may overlap"),
        ("16.5", "a waiting call does not occupy the presenter's queue"),

        ("17.1", "cancelled is 3072"),
        ("17.2", "a presenter's error is passed on as it is"),
        ("17.3", "missing files, permissions and loops have Foundation's codes"),
        ("17.4", "ubiquity errors have their range"),
        ("17.5", "in Foundation's domain"),

        ("18.1", "every wait can have a deadline, whose error names the holders"),
        ("18.2", "cancelling ends a wait at once, and frees the place in the queue"),
        ("18.3", "a presenter that does not answer delays one claim by its bound"),
        ("18.4", "a cycle of waits is found, also by way of presenters, and one call fails"),
        ("18.5", "holders and waiters can always be listed"),
        ("18.6", "stopped and frozen processes delay others by seconds, and lose nothing"),
        ("18.7", "the arbiter's death is a short delay and nothing else"),
        ("18.7a", "a stopped server is deposed after a second, and is a client when it runs again"),
        ("18.8", "a client's death frees what it had, at once; a forked child has nothing"),
        ("18.9", "no claim waits for one that was filed after it, but by the exceptions"),
        ("18.10", "a change is found though the time of modification says nothing"),
        ("18.11", "async calls hold no thread, and end with their task"),
        ("18.12", "errors of ours have a code, a path, the holders and a sentence"),
        ("18.13", "by option, access lasts until the last process that inherited it has gone"),
        ("18.14", "all processes of one user on one machine meet at one server"),
        ("18.15", "claims and presenters are shown by labels"),
        ("18.16", "what nobody has seen is not overwritten by who writes with a token"),

        ("19.1", "no file, no versions; the current one is not among the others"),
        ("19.2", "objects for one version are equal"),
        ("19.3", "resolving a conflict is for good"),
        ("19.4", "discardable can be set, not unset, and not on the current version"),
        ("19.5", "the current version cannot be removed"),
        ("19.6", "contents are copied in, or moved"),
        ("19.7", "replacing an item writes a version's contents, and keeps the name"),
        ("19.8", "a version is found again by its identifier"),
        ("19.9", "of a removed version nothing may be known"),
        ("19.10", "a temporary directory is made, for the caller to remove"),
        ("19.11", "removing the others keeps the current one"),
    ]

    /// Rules of these sections that have no test, and why.
    static let notTested: [(number: String, reason: String)] = [
        ("1.7", "of macOS alone; here such directories are links like others (1.3)"),
        ("9.7", "eviction needs a provider of files, which does not exist here"),
        ("15.4", "needs a provider of files, which does not exist here"),
        ("15.5", "the same"),
        ("15.6", "the same"),
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
