// swift-tools-version: 6.2
//
// The ledger, its explorer, and what both stand on.
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
        .target(
            name: "LedgerExploration",
            dependencies: ["FileCoordinationLedger", "FileCoordinationSystem"],
            path: "Tests/Libraries/LedgerExploration", swiftSettings: strict),
        .executableTarget(
            name: "explore", dependencies: ["LedgerExploration"],
            path: "Tests/Programs/explore", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
