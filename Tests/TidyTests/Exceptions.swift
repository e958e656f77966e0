// SPDX-License-Identifier: Apache-2.0
//
// Files that may break a rule, with the reasons. An entry that is no longer needed fails the tests,
// so the tables shrink.

/// The excused places, each with its reason.
enum Exceptions {
    /// Files that sleep for a time.
    static let sleeping: [String: String] = [
        "Sources/FileCoordinationSystem/Pause.swift":
            "the sleep itself, for a server that neither listens nor is gone: no one event tells",
        "Tests/CommandLineTests/DemoTests.swift":
            "looks for the demo's first file, within a bound",
        "Tests/CommandLineTests/StandardInputTests.swift":
            "the kernel does not announce a signal mask: looks in /proc, within a bound",
        "Tests/CommandLineTests/Support/Sandbox.swift":
            "looks at the status as a person would, within a bound",
        "Tests/FileCoordinationTests/OwnSavesTests.swift":
            "the pause of a program that saves again and again: that nothing comes is the point",
        "Tests/Programs/coordination-peer/StagePresenter.swift":
            "keeps the threads of the default queues busy until the program is killed",
    ]

    /// Files of the product that write a duration with its unit.
    static let durations: [String: String] = [
        "Sources/FileCoordinationClient/Texts/DurationText.swift": "the definition"
    ]

    /// Files of the product with numbers of nanoseconds.
    static let nanoseconds: [String: String] = [
        "Sources/FileCoordinationSystem/StampTick.swift":
            "the time stamps of files, which have another clock",
        "Sources/FileCoordinationClient/Session/PresenterAnswerTimeout.swift":
            "a literal, so that the static is initialised without a lock",
    ]

    /// Switches with a default in the pure rooms.
    static let defaults: [String: String] = [
        "Sources/FileCoordinationLedger/LedgerError.swift":
            "over the kernel's error numbers, which are integers"
    ]

    /// Public types and functions that no example shows.
    static let unshown: [String: String] = [
        "_NotImplemented": "programs do not write it: it marks what a presenter lacks",
        "AutoreleasingUnsafeMutablePointer": "for ported code that names Apple's type",
        "NSFileProviderServiceName": "Linux has no file providers",
        "NSFileProviderService": "as before",
        "getFileProviderServicesForItem": "as before: the answer is always empty",
        "fileProviderServicesForItem": "as before",
        "URLUbiquitousItemDownloadingStatus": "a name of Apple's that no item has on Linux",
        "URLUbiquitousSharedItemRole": "as before",
        "URLUbiquitousSharedItemPermissions": "as before",
        "isUbiquitousItem": "always false on Linux: there is no cloud",
        "setUbiquitous": "always fails on Linux",
        "startDownloadingUbiquitousItem": "as before",
        "evictUbiquitousItem": "as before",
        "accommodatePresentedItemEviction": "never called on Linux",
        "getPromisedItemResourceValue": "the form of NSURL; that of URL is shown",
        "checkPromisedItemIsReachableAndReturnError": "as before",
        "makeAsyncIterator": "`for await` calls it",
        "next": "as before",
        "isEqual": "`==` calls it",
        "~=": "`catch` and `switch` call it",
        "NSFileAccessIntent": "its initializer makes an intent of nothing, which calls refuse",
        "NSFileVersion": "its initializer is unavailable",
    ]

    /// Types that are Sendable without the compiler's proof, as "path type".
    static let unchecked: [String: String] = [
        "Tests/Libraries/CoordinationServerSimulation/Activity.swift StepExecutor":
            "only the thread of its world touches it, which the compiler cannot see",
        "Tests/Libraries/CoordinationServerSimulation/Activity.swift ActivityStart":
            "as StepExecutor: the task runs on the thread that starts it",
        "Tests/Libraries/CoordinationServerSimulation/RunningServer.swift ShownView":
            "as StepExecutor: the server that calls it back runs on the world's thread",
        "Tests/Libraries/CoordinationServerSimulation/ServerWorld+Server.swift ObservedWorld":
            "as StepExecutor: the server that calls it back runs on the world's thread",
        "Tests/Programs/coordination-soak/AsyncWaits.swift WaitBook":
            "a lock of Foundation's guards its state; the sanitizer does not see Mutex",
        "Sources/FileCoordinationSystem/AtomicWord.swift AtomicWord":
            "holds an address; that all accesses to it are atomic is its very point",
        "Sources/FileCoordinationSystem/Lock.swift Lock":
            "the compiler cannot see that the mutex guards the memory behind the pointers",
        "Sources/FileCoordinationSystem/Monitor.swift Monitor":
            "as Lock: the mutex guards the memory behind the pointers",
        "Sources/FileCoordinationSystem/SharedMapping.swift SharedMapping":
            "hands out memory that other processes write to too; users go through AtomicWord",
        "Examples/Sources/inventory/Connection.swift Connection":
            "SQLite has a lock in each connection",
        "Libraries/C/Sources/FileCoordinationC/CallerText.swift CallerText":
            "C reads the memory; it is written before any other thread has the object",
        "Libraries/C/Sources/FileCoordinationC/CallerText.swift CallerTexts":
            "as CallerText",
        "Sources/FileCoordination/NSFileAccessIntent.swift NSFileAccessIntent":
            "an open class in the shape of Apple's; its state is behind a lock",
        "Sources/FileCoordination/Presenters/NSFilePresenter+Relinquishing.swift UnannotatedBlock":
            "Apple's contract: the block is called once, on the presenter's queue",
        "Sources/FileCoordination/Presenters/PresenterReference.swift PresenterReference":
            "Apple's contract: any thread reads URL and queue, the rest runs on the queue",
        "Tests/FileCoordinationTests/IntentTests.swift Annotated":
            "a subclass must restate it",
        "Tests/FileCoordinationTests/PresenterBatchTests.swift PromptQueue":
            "a subclass of OperationQueue must restate it",
        "Tests/FileCoordinationTests/PresenterErrorCodingTests.swift Peculiar":
            "a subclass of NSError must restate it",
        "Tests/FileCoordinationTests/PresenterTestDoubles.swift EventLog":
            "an NSCondition guards its lines",
        "Tests/FileCoordinationTests/PresenterTestDoubles.swift Keepsake":
            "an NSLock guards its value",
        "Sources/FileCoordination/Presenters/ForwardingPresenter.swift PresenterOperation":
            "a subclass of Operation must restate it; its closure is Sendable",
        "Tests/FileCoordinationTests/PresenterTestDoubles.swift SerialQueue":
            "a subclass of OperationQueue must restate it",
        "Tests/EndToEndTests/Stage/Program.swift Program":
            "a lock guards what its reading thread shares",
        "Tests/EndToEndTests/Stage/Program.swift Transcript":
            "an NSCondition guards its lines",
        "Tests/EndToEndTests/Stage/Stage.swift Guarded":
            "an NSLock guards its value",
        "Tests/Programs/coordination-peer/Inbox.swift Guarded":
            "an NSLock guards its value",
        "Tests/Programs/coordination-peer/Inbox.swift Inbox":
            "an NSCondition guards its lines",
        "Tests/Programs/coordination-peer/Peer.swift SharedCoordinator":
            "used on several threads on purpose, to see what then happens (Rule 2.11)",
        "Tests/Programs/coordination-peer/Provider.swift Provider":
            "its properties are those of StagePresenter",
        "Tests/Programs/coordination-peer/StagePresenter.swift StagePresenter":
            "an open class of constants and guarded values; NSObject is not Sendable",
        "Tests/Programs/coordination-peer/StagePresenter.swift HearingPresenter":
            "a subclass must restate it",
        "Tests/Programs/coordination-peer/StagePresenter.swift Heedless":
            "a subclass must restate it",
        "Tests/Programs/coordination-peer/StagePresenter.swift Lister":
            "a subclass must restate it",
        "Tests/Programs/coordination-peer/StagePresenter.swift Listener":
            "a subclass must restate it",
        "Tests/Programs/coordination-peer/StagePresenter.swift Editor":
            "a subclass must restate it",
        "Tests/Programs/coordination-peer/StagePresenter.swift AsyncEditor":
            "a subclass must restate it",
        "Tests/SourceCompatibility/Examples/CallLog.swift CallLog":
            "an NSCondition guards its calls",
        "Tests/SourceCompatibility/Examples/MemoDocument.swift MemoDocument":
            "an NSLock guards its state, as in programs from before Mutex",
        "Tests/SourceCompatibility/Examples/Wrappers.swift Cancellable":
            "what programs write to cancel from another thread",
        "Tests/SourceCompatibility/Examples/Subclasses.swift NamedIntent":
            "a subclass must restate it",
        "Tests/SourceCompatibility/Differences/IntentInitializer.swift NumberedIntent":
            "a subclass must restate it",
        "Tests/SourceCompatibility/Differences/Overriding.swift CloudlessManager":
            "a subclass of FileManager must restate it",
        "Tests/CommandLineTests/Support/RunningCommand.swift RunningCommand":
            "an NSCondition guards what its threads share",
    ]
}
