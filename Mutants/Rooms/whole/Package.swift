// swift-tools-version: 6.2
//
// The libraries, the programs that tests start, and those tests that mutants of server and session
// are to fail. Without the command line; the server is in one of the programs, but for those tests
// that stop a daemon.
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "swift-file-coordination",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
    ],
    targets: [
        .target(name: "MonotonicTime", swiftSettings: strict),
        .target(
            name: "FileCoordinationArbiter", dependencies: ["MonotonicTime"],
            swiftSettings: strict),
        .target(
            name: "FileCoordinationWire",
            dependencies: ["FileCoordinationArbiter", "MonotonicTime"],
            swiftSettings: strict),
        .target(name: "TestHome", path: "Tests/Libraries/TestHome"),
        .target(name: "CFileCoordinationSystem"),
        .target(
            name: "FileCoordinationSystem",
            dependencies: ["CFileCoordinationSystem", "MonotonicTime"],
            swiftSettings: strict),
        .target(
            name: "FileTree", dependencies: ["FileCoordinationSystem"], swiftSettings: strict),
        .target(
            name: "FileCoordinationLedger",
            dependencies: ["FileCoordinationArbiter", "FileCoordinationSystem", "MonotonicTime"],
            swiftSettings: strict),
        .target(
            name: "FileCoordinationWatching",
            dependencies: ["FileCoordinationArbiter", "FileCoordinationSystem", "MonotonicTime"],
            swiftSettings: strict),
        .target(
            name: "FileCoordinationServer",
            dependencies: [
                "FileCoordinationArbiter", "FileCoordinationWire", "FileCoordinationSystem",
                "FileCoordinationLedger", "FileCoordinationWatching", "MonotonicTime",
            ],
            swiftSettings: strict),
        .target(
            name: "FileCoordinationClient",
            dependencies: [
                "FileCoordinationServer", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationSystem", "FileCoordinationLedger", "FileTree", "MonotonicTime",
            ],
            swiftSettings: strict),
        .target(
            name: "FileCoordinationVersions",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationSystem", "FileTree",
            ],
            swiftSettings: strict),
        .target(
            name: "FoundationCompatibility",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationSystem",
                "FileTree",
            ],
            swiftSettings: strict),
        .target(
            name: "FileCoordination",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationSystem", "FileCoordinationLedger", "FileCoordinationVersions",
                "FileTree", "FoundationCompatibility",
            ],
            swiftSettings: strict),
        .target(
            name: "FileCoordinationTracing",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationWire",
                "MonotonicTime",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "filecoord",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationVersions", "FileCoordinationServer",
                "FileCoordinationArbiter", "FileCoordinationWire", "FileCoordinationSystem",
                "FileCoordinationTracing", "FileTree", "MonotonicTime",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "filecoordinationd",
            dependencies: [
                "FileCoordinationServer", "FileCoordinationWire", "FileCoordinationSystem",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "coordination-peer",
            dependencies: [
                "FileCoordination", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationLedger", "FileCoordinationSystem", "MonotonicTime",
            ],
            path: "Tests/Programs/coordination-peer", swiftSettings: strict),
        .target(
            name: "InstantLiterals", dependencies: ["MonotonicTime"],
            path: "Tests/Libraries/InstantLiterals", swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationServerTests",
            dependencies: [
                "FileCoordinationServer", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationLedger", "FileCoordinationSystem", "FileCoordinationWatching",
                "MonotonicTime", "InstantLiterals",
            ],
            sources: [
                "FailedClaimTests.swift", "GatheredReportsTests.swift", "LastWritersTests.swift",
                "LateAnswerTests.swift", "StatusTests.swift", "TicketQueueEndingTests.swift",
                "TicketQueueTests.swift", "TicketQueueWorld.swift", "WatchSupervisionTests.swift",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationClientTests",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationServer",
                "FileCoordinationWire", "FileCoordinationLedger", "FileCoordinationSystem",
                "TestHome", "MonotonicTime", "InstantLiterals",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationTests",
            dependencies: [
                "FileCoordination", "FileCoordinationClient", "FileCoordinationArbiter",
                "FileCoordinationLedger", "FileCoordinationSystem", "FileCoordinationWire",
                "TestHome",
            ],
            sources: [
                "CoordinatorTestCase.swift", "DelegatedPlacesTests.swift", "LateAnswerTests.swift",
                "LaterCancellingTests.swift", "PresenterBatchTests.swift",
                "PresenterMailboxSideBySideTests.swift", "PresenterMailboxStateTests.swift",
                "PresenterTestDoubles.swift",
                "TaskAccessTests.swift", "TokenTests.swift",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "FileCoordination", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationLedger", "FileCoordinationSystem", "coordination-peer",
                "filecoordinationd", "TestHome",
            ],
            sources: [
                "AnnouncementTests.swift", "BarePresenterTests.swift", "CancellingTests.swift",
                "CycleTests.swift",
                "DeathTests.swift", "DelegationTests.swift", "DeposingTests.swift",
                "DirectoryDelegationTests.swift", "DividedWorldTests.swift",
                "ExclusionTests.swift", "FloodTests.swift", "ServerAbsenceTests.swift",
                "ServerDeathTests.swift",
                "LaterAccessTests.swift", "LingeringDeathTests.swift", "LostPlaceTests.swift",
                "MoveDoubtTests.swift", "MoveRecoveryTests.swift", "MoveTests.swift",
                "PresenterCycleTests.swift", "ProviderTests.swift", "QueuedWritesTests.swift",
                "RemovedDirectoryTests.swift",
                "SharedQueueTests.swift", "Stage",
                "StoppedTests.swift",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CommandLineTests",
            dependencies: ["filecoord", "filecoordinationd", "TestHome"],
            sources: [
                "SessionInputTests.swift", "SessionTests.swift",
                "Support/RunningCommand.swift", "Support/Sandbox.swift",
                "Support/Sandbox+Shell.swift", "Support/SessionClient.swift",
                "Support/StatusShape.swift",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
