// swift-tools-version: 6.2
//
// The arbiter, its simulation and their tests alone: built in seconds.
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
            name: "CoordinationCheckers", path: "Tests/Libraries/CoordinationCheckers",
            swiftSettings: strict),
        .target(
            name: "CoordinationSimulation",
            dependencies: ["CoordinationCheckers", "FileCoordinationArbiter", "MonotonicTime"],
            path: "Tests/Libraries/CoordinationSimulation", swiftSettings: strict),
        .target(
            name: "InstantLiterals", dependencies: ["MonotonicTime"],
            path: "Tests/Libraries/InstantLiterals", swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["CoordinationSimulation", "CoordinationCheckers"],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationArbiterTests",
            dependencies: ["FileCoordinationArbiter", "MonotonicTime", "InstantLiterals"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
