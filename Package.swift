// swift-tools-version: 6.2
//
// One library, two executables. Dependencies between the rooms point down only, in the order in
// which the targets are listed; ARCHITECTURE.md says what lives in which.
import PackageDescription

let strict: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
]

// What touches raw memory says so with `unsafe`. Tests may do without.
// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
let safe = strict + [.strictMemorySafety()]

// A package that asks for the library alone, with `traits: []`, does not fetch it.
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser",
    condition: .when(traits: ["CommandLine"]))

let package = Package(
    name: "swift-file-coordination",
    products: [
        .library(name: "FileCoordination", targets: ["FileCoordination"]),
        .executable(name: "filecoord", targets: ["filecoord"]),
        .executable(name: "filecoordinationd", targets: ["filecoordinationd"]),
    ],
    traits: [
        .default(enabledTraits: ["CommandLine"]),
        .trait(
            name: "CommandLine",
            description: "Builds filecoord and filecoordinationd, with swift-argument-parser."),
    ],
    dependencies: [
        // Executables only: what an application links stays free of third-party packages.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
    ],
    targets: [
        // MARK: Libraries, from the bottom up
        .target(name: "MonotonicTime", swiftSettings: safe),
        .target(
            name: "FileCoordinationArbiter", dependencies: ["MonotonicTime"], swiftSettings: safe),
        .target(
            name: "FileCoordinationWire",
            dependencies: ["FileCoordinationArbiter", "MonotonicTime"], swiftSettings: safe),
        .target(name: "CFileCoordinationSystem"),
        .target(
            name: "FileCoordinationSystem",
            dependencies: ["CFileCoordinationSystem", "MonotonicTime"], swiftSettings: safe),
        .target(
            name: "FileTree", dependencies: ["FileCoordinationSystem"], swiftSettings: safe),
        .target(
            name: "FileCoordinationLedger",
            dependencies: ["FileCoordinationArbiter", "FileCoordinationSystem", "MonotonicTime"],
            swiftSettings: safe),
        .target(
            name: "FileCoordinationWatching",
            dependencies: ["FileCoordinationArbiter", "FileCoordinationSystem", "MonotonicTime"],
            swiftSettings: safe),
        .target(
            name: "FileCoordinationServer",
            dependencies: [
                "FileCoordinationArbiter", "FileCoordinationWire", "FileCoordinationSystem",
                "FileCoordinationLedger", "FileCoordinationWatching", "MonotonicTime",
            ],
            swiftSettings: safe),
        .target(
            name: "FileCoordinationClient",
            dependencies: [
                "FileCoordinationServer", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationSystem", "FileCoordinationLedger", "FileTree", "MonotonicTime",
            ],
            swiftSettings: safe),
        .target(
            name: "FileCoordinationVersions",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationSystem", "FileTree",
            ],
            swiftSettings: safe),
        .target(
            name: "FoundationCompatibility",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationSystem",
                "FileTree",
            ],
            swiftSettings: safe),
        .target(
            name: "FileCoordination",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationSystem", "FileCoordinationLedger", "FileCoordinationVersions",
                "FileTree", "FoundationCompatibility",
            ],
            swiftSettings: safe),
        .target(
            name: "FileCoordinationTracing",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationWire",
                "MonotonicTime",
            ],
            swiftSettings: safe),

        // MARK: Executables
        .executableTarget(
            name: "filecoordinationd",
            dependencies: [
                "FileCoordinationServer", "FileCoordinationWire", "FileCoordinationSystem",
                argumentParser,
            ],
            swiftSettings: safe),
        .executableTarget(
            name: "filecoord",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationVersions", "FileCoordinationServer",
                "FileCoordinationArbiter", "FileCoordinationWire", "FileCoordinationSystem",
                "FileCoordinationTracing", "FileTree", argumentParser, "MonotonicTime",
            ],
            swiftSettings: safe),

        .executableTarget(
            name: "coordination-peer",
            dependencies: [
                "FileCoordination", "FileCoordinationArbiter", "FileCoordinationLedger",
                "FileCoordinationSystem", "FileCoordinationWire", "MonotonicTime",
            ],
            path: "Tests/Programs/coordination-peer", swiftSettings: strict),
        .executableTarget(
            name: "coordination-soak",
            dependencies: ["FileCoordination", "FileCoordinationSystem"],
            path: "Tests/Programs/coordination-soak", swiftSettings: strict),
        // A face of the client without Foundation; `check` looks at what it links.
        .executableTarget(
            name: "plain-client",
            dependencies: [
                "FileCoordinationClient", "FileCoordinationArbiter", "FileCoordinationSystem",
            ],
            path: "Tests/Programs/plain-client", swiftSettings: strict),
        .executableTarget(name: "open-watch", path: "Tests/Programs/open-watch"),
        .executableTarget(
            name: "ledger-peer",
            dependencies: [
                "FileCoordinationLedger", "FileCoordinationArbiter", "FileCoordinationSystem",
                "LedgerExploration",
            ],
            path: "Tests/Programs/ledger-peer", swiftSettings: strict),
        // What the fuzzer feeds, and the tests feed with what the fuzzer has found.
        .target(
            name: "FileCoordinationFuzzing",
            dependencies: [
                "FileCoordinationServer", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationSystem", "FileCoordinationLedger", "MonotonicTime",
            ],
            path: "Fuzzing/Targets", swiftSettings: strict),
        .target(
            name: "FileCoordinationTextFuzzing",
            dependencies: [
                "FileCoordinationFuzzing", "FileCoordinationServer", "FileCoordinationWire",
                "FileCoordination", "FileCoordinationClient", "filecoord",
            ],
            path: "Fuzzing/TextTargets", swiftSettings: strict),
        .testTarget(
            name: "FuzzingTests",
            dependencies: ["FileCoordinationFuzzing", "FileCoordinationTextFuzzing"],
            path: "Fuzzing/Tests", swiftSettings: strict),
        // Part of the one program of all tests, which it gives a home of its own when it is loaded.
        .target(name: "TestHome", path: "Tests/Libraries/TestHome"),
        .target(
            name: "InstantLiterals", dependencies: ["MonotonicTime"],
            path: "Tests/Libraries/InstantLiterals", swiftSettings: strict),
        // Checkers that know nothing of the system, and worlds around the arbiter for them.
        .target(
            name: "CoordinationCheckers", path: "Tests/Libraries/CoordinationCheckers",
            swiftSettings: strict),
        .target(
            name: "CoordinationSimulation",
            dependencies: ["CoordinationCheckers", "FileCoordinationArbiter", "MonotonicTime"],
            path: "Tests/Libraries/CoordinationSimulation", swiftSettings: strict),
        .executableTarget(
            name: "simulate", dependencies: ["CoordinationSimulation", "CoordinationCheckers"],
            path: "Tests/Programs/simulate", swiftSettings: strict),
        // The ledger's procedures on a model of memory, in every order.
        .target(
            name: "LedgerExploration",
            dependencies: ["FileCoordinationLedger", "FileCoordinationSystem"],
            path: "Tests/Libraries/LedgerExploration", swiftSettings: strict),
        .executableTarget(
            name: "explore", dependencies: ["LedgerExploration"],
            path: "Tests/Programs/explore", swiftSettings: strict),
        // The real server among model clients, turn by turn and operation by operation.
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
        // A model file system and its writers, around the reconciler of change watching.
        .target(
            name: "WatchingSimulation",
            dependencies: [
                "CoordinationCheckers", "FileCoordinationServer", "FileCoordinationWatching",
                "FileCoordinationArbiter", "FileCoordinationLedger", "FileCoordinationSystem",
                "MonotonicTime",
            ],
            path: "Tests/Libraries/WatchingSimulation", swiftSettings: strict),
        .executableTarget(
            name: "simulate-watching",
            dependencies: ["WatchingSimulation", "CoordinationCheckers"],
            path: "Tests/Programs/simulate-watching", swiftSettings: strict),
        .executableTarget(
            name: "measure-watching",
            dependencies: [
                "FileCoordinationWatching", "FileCoordinationArbiter", "FileCoordinationSystem",
                "MonotonicTime",
            ],
            path: "Tests/Programs/measure-watching", swiftSettings: strict),
        .testTarget(
            name: "CheckerTests", dependencies: ["CoordinationCheckers"], swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["CoordinationSimulation", "CoordinationCheckers"],
            swiftSettings: strict),
        .testTarget(
            name: "ServerSimulationTests",
            dependencies: ["CoordinationServerSimulation", "CoordinationCheckers"],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationArbiterTests",
            dependencies: ["FileCoordinationArbiter", "MonotonicTime", "InstantLiterals"],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationWireTests",
            dependencies: [
                "FileCoordinationWire", "FileCoordinationArbiter", "MonotonicTime",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationSystemTests",
            dependencies: ["FileCoordinationSystem", "MonotonicTime", "InstantLiterals"],
            swiftSettings: strict),
        .testTarget(
            name: "FileTreeTests", dependencies: ["FileTree", "FileCoordinationSystem"],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationWatchingTests",
            dependencies: [
                "FileCoordinationWatching", "FileCoordinationArbiter", "FileCoordinationSystem",
                "WatchingSimulation", "CoordinationCheckers", "TestHome", "MonotonicTime",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationLedgerTests",
            dependencies: [
                "FileCoordinationLedger", "FileCoordinationArbiter", "FileCoordinationSystem",
                "LedgerExploration", "ledger-peer", "TestHome", "MonotonicTime", "InstantLiterals",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FileCoordinationServerTests",
            dependencies: [
                "FileCoordinationServer", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationLedger", "FileCoordinationSystem", "MonotonicTime",
                "InstantLiterals",
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
                "FileCoordinationSystem", "FileCoordinationLedger", "FileCoordinationVersions",
                "FileCoordinationWire", "FileTree", "FoundationCompatibility", "TestHome",
                "MonotonicTime",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "FileCoordination", "FileCoordinationArbiter", "FileCoordinationWire",
                "FileCoordinationLedger", "FileCoordinationSystem", "FileCoordinationVersions",
                "coordination-peer", "coordination-soak", "plain-client", "CoordinationCheckers",
                "filecoordinationd", "filecoord", "TestHome",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "filecoord", "filecoordinationd", "FileCoordination", "FileCoordinationClient",
                "FileCoordinationSystem", "FileCoordinationTracing", "TestHome", "MonotonicTime",
                "InstantLiterals",
            ],
            exclude: ["Snapshots", "Scenarios"],
            swiftSettings: strict),
        // The same examples twice, through links: as programs in either language mode compile them.
        .testTarget(
            name: "SourceCompatibilitySwift5", dependencies: ["FileCoordination", "TestHome"],
            path: "Tests/SourceCompatibility/Swift5", swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "SourceCompatibilitySwift6", dependencies: ["FileCoordination", "TestHome"],
            path: "Tests/SourceCompatibility/Swift6", swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(name: "TidyTests", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

#if canImport(Darwin)
// Foundation has the classes there: the module only re-exports it, so that one source serves both.
package.dependencies = []
package.products = [.library(name: "FileCoordination", targets: ["FileCoordination"])]
package.targets = [
    .target(name: "FileCoordination", sources: ["Exports.swift"], swiftSettings: strict)
]
#endif
