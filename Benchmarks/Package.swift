// swift-tools-version: 6.2
//
// Measurements. A package of its own, so that users of the library never see it. The two programs
// are dependencies only so that they are built, and lie beside the one that measures them.
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "swift-file-coordination", path: "..")],
    targets: [
        .target(name: "CPeers"),
        .executableTarget(
            name: "measure",
            dependencies: [
                "CPeers",
                .product(name: "FileCoordination", package: "swift-file-coordination"),
                .product(name: "filecoordinationd", package: "swift-file-coordination"),
                .product(name: "filecoord", package: "swift-file-coordination"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
