// swift-tools-version: 6.2
//
// Small programs that share files, each to be read and copied. README.md says what each teaches.
import PackageDescription

/// An example that needs the library alone.
func example(_ name: String, _ more: Target.Dependency...) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            .product(name: "FileCoordination", package: "swift-file-coordination")
        ] + more)
}

let package = Package(
    name: "Examples",
    dependencies: [
        // With `traits: []` no other package is fetched.
        .package(name: "swift-file-coordination", path: "..", traits: [])
    ],
    targets: [
        example("editor"),
        example("backup"),
        example("syncdirs"),
        example("inventory", "CSQLite"),
        example("journal"),
        .systemLibrary(name: "CSQLite"),
        .testTarget(
            name: "ExampleTests",
            dependencies: ["editor", "backup", "syncdirs", "inventory", "journal"]),
    ],
    swiftLanguageModes: [.v6]
)
