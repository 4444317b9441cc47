// swift-tools-version: 6.2
import PackageDescription

/// One system that is compared: its models, public, and the code that uses them, so that every
/// workload can be run across modules, too.
func system(_ name: String, _ dependencies: [Target.Dependency] = []) -> [Target] {
  let own: [Target.Dependency] = ["BenchmarkSupport", .target(name: "\(name)Models")]
  return [
    .target(name: "\(name)Models", dependencies: dependencies),
    .target(name: "\(name)System", dependencies: own + dependencies),
  ]
}

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-kvo")

let package = Package(
  name: "swift-kvo-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-kvo", path: "..")
  ],
  targets: [
    .target(name: "MemoryInUse"),
    .target(name: "BenchmarkSupport", dependencies: ["MemoryInUse"]),
    .target(name: "KeyPathSystem", dependencies: ["BenchmarkSupport"]),
    .executableTarget(
      name: "growth", dependencies: ["BenchmarkSupport", observing], path: "Sources/Growth"),
    .executableTarget(
      name: "compare",
      dependencies: [
        "BenchmarkSupport", "HandWrittenSystem", "KeyPathSystem", "KeyValueSystem", "PlainSystem",
      ],
      path: "Sources/Compare"),
  ] + system("Plain") + system("HandWritten") + system("KeyValue", [observing]),
  swiftLanguageModes: [.v6]
)
