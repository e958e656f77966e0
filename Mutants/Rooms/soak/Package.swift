// swift-tools-version: 6.2
//
// The libraries, the daemon and the soak program, built as programs are shipped: no invariant of a
// debug build may find a fault in the place of the soak program's checks.
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
        .executableTarget(
            name: "filecoordinationd",
            dependencies: [
                "FileCoordinationServer", "FileCoordinationWire", "FileCoordinationSystem",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "coordination-soak",
            dependencies: ["FileCoordination", "FileCoordinationSystem"],
            path: "Tests/Programs/coordination-soak", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
