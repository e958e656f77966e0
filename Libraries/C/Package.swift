// swift-tools-version: 6.3
//
// The C library. A package of its own, so that users of the Swift library never build it.
// Its lower targets are those of the main package, by way of the link `Rooms`: what they offer each
// other is `package`, and so is not visible to another package that merely depends on theirs.
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

/// A target of the main package.
func room(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Rooms/\(name)", swiftSettings: strict)
}

let package = Package(
    name: "filecoordination-c",
    products: [
        .library(name: "FileCoordinationC", type: .static, targets: ["FileCoordinationC"])
    ],
    targets: [
        room("MonotonicTime"),
        room("FileCoordinationArbiter", "MonotonicTime"),
        room("FileCoordinationWire", "FileCoordinationArbiter", "MonotonicTime"),
        .target(name: "CFileCoordinationSystem", path: "Rooms/CFileCoordinationSystem"),
        room("FileCoordinationSystem", "CFileCoordinationSystem", "MonotonicTime"),
        room("FileTree", "FileCoordinationSystem"),
        room(
            "FileCoordinationLedger", "FileCoordinationArbiter", "FileCoordinationSystem",
            "MonotonicTime"),
        room(
            "FileCoordinationWatching", "FileCoordinationArbiter", "FileCoordinationSystem",
            "MonotonicTime"),
        room(
            "FileCoordinationServer", "FileCoordinationArbiter", "FileCoordinationWire",
            "FileCoordinationSystem", "FileCoordinationLedger", "FileCoordinationWatching",
            "MonotonicTime"),
        room(
            "FileCoordinationClient", "FileCoordinationServer", "FileCoordinationArbiter",
            "FileCoordinationWire", "FileCoordinationSystem", "FileCoordinationLedger",
            "FileTree", "MonotonicTime"),
        room(
            "FileCoordinationVersions", "FileCoordinationClient", "FileCoordinationArbiter",
            "FileCoordinationWire", "FileCoordinationSystem", "FileTree"),
        // The header; its declarations are what the Swift target implements.
        .target(name: "CFileCoordination"),
        .target(
            name: "FileCoordinationC",
            dependencies: [
                "CFileCoordination", "FileCoordinationClient", "FileCoordinationVersions",
                "FileCoordinationArbiter", "FileCoordinationWire", "FileCoordinationSystem",
                "FileCoordinationLedger", "FileTree", "MonotonicTime",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
