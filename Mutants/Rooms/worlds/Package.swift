// swift-tools-version: 6.2
//
// The libraries up to the client, and the simulation of the server.
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
            name: "CoordinationCheckers", path: "Tests/Libraries/CoordinationCheckers",
            swiftSettings: strict),
        .target(
            name: "CoordinationSimulation",
            dependencies: ["CoordinationCheckers", "FileCoordinationArbiter", "MonotonicTime"],
            path: "Tests/Libraries/CoordinationSimulation", swiftSettings: strict),
        .target(
            name: "CoordinationServerSimulation",
            dependencies: [
                "CoordinationSimulation", "CoordinationCheckers", "FileCoordinationClient",
                "FileCoordinationServer", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationLedger", "FileCoordinationSystem", "MonotonicTime",
            ],
            path: "Tests/Libraries/CoordinationServerSimulation", swiftSettings: strict),
        .executableTarget(
            name: "simulate-server",
            dependencies: ["CoordinationServerSimulation", "CoordinationCheckers"],
            path: "Tests/Programs/simulate-server", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
