// swift-tools-version: 6.2
//
// The ledger, its tests with the explorer, and what both stand on.
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "swift-file-coordination",
    targets: [
        .target(name: "MonotonicTime", swiftSettings: strict),
        .target(
            name: "FileCoordinationArbiter", dependencies: ["MonotonicTime"],
            swiftSettings: strict),
        .target(name: "CFileCoordinationSystem"),
        .target(
            name: "FileCoordinationSystem",
            dependencies: ["CFileCoordinationSystem", "MonotonicTime"],
            swiftSettings: strict),
        .target(
            name: "FileCoordinationLedger",
            dependencies: ["FileCoordinationArbiter", "FileCoordinationSystem", "MonotonicTime"],
            swiftSettings: strict),
        .target(name: "TestHome", path: "Tests/Libraries/TestHome"),
        .target(
            name: "LedgerExploration",
            dependencies: ["FileCoordinationLedger", "FileCoordinationSystem"],
            path: "Tests/Libraries/LedgerExploration", swiftSettings: strict),
        .executableTarget(
            name: "ledger-peer",
            dependencies: [
                "FileCoordinationLedger", "FileCoordinationArbiter", "FileCoordinationSystem",
                "LedgerExploration",
            ],
            path: "Tests/Programs/ledger-peer", swiftSettings: strict),
        .target(
            name: "InstantLiterals", dependencies: ["MonotonicTime"],
            path: "Tests/Libraries/InstantLiterals", swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationLedgerTests",
            dependencies: [
                "FileCoordinationLedger", "FileCoordinationArbiter", "FileCoordinationSystem",
                "LedgerExploration", "ledger-peer", "TestHome", "MonotonicTime", "InstantLiterals",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
