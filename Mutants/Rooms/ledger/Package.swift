// swift-tools-version: 6.1
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
        .target(name: "CFileCoordinationSystem"),
        .target(
            name: "FileCoordinationSystem", dependencies: ["CFileCoordinationSystem"],
            swiftSettings: strict),
        .target(
            name: "FileCoordinationLedger", dependencies: ["FileCoordinationSystem"],
            swiftSettings: strict),
        .executableTarget(
            name: "ledger-peer",
            dependencies: ["FileCoordinationLedger", "FileCoordinationSystem"],
            path: "Tests/Peers/ledger-peer", swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationLedgerTests",
            dependencies: ["FileCoordinationLedger", "FileCoordinationSystem", "ledger-peer"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
