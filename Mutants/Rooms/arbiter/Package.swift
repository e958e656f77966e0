// swift-tools-version: 6.2
//
// The arbiter and its tests alone: built in seconds, as nothing else depends on what is in it.
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "swift-file-coordination",
    targets: [
        .target(name: "FileCoordinationArbiter", swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationArbiterTests", dependencies: ["FileCoordinationArbiter"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
