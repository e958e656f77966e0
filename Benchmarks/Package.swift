// swift-tools-version: 6.1
//
// Measurements. A package of its own, so that users of the library never see it.
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "swift-file-coordination", path: "..")],
    targets: [
        .target(name: "CEcho"),
        .executableTarget(
            name: "RoundTrip",
            dependencies: [
                "CEcho", .product(name: "FileCoordination", package: "swift-file-coordination"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
