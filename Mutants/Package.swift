// swift-tools-version: 6.2
//
// Deliberate faults, and the tests that must find them. A package of its own, like Benchmarks.
import PackageDescription

let package = Package(
    name: "Mutants",
    targets: [.executableTarget(name: "mutants")],
    swiftLanguageModes: [.v6]
)
