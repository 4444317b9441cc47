// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "swift-kvo-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-kvo", path: "..")],
  targets: [
    .target(name: "BenchmarkSupport"),
    .executableTarget(
      name: "growth",
      dependencies: [
        "BenchmarkSupport",
        .product(name: "KeyValueObserving", package: "swift-kvo"),
      ],
      path: "Sources/Growth"
    ),
  ],
  swiftLanguageModes: [.v6]
)
