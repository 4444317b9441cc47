// swift-tools-version: 6.2
import PackageDescription

/// One compared system: its public models, and the code that uses them in a module of its own, so
/// that a workload can run across modules.
func system(_ name: String, _ dependencies: [Target.Dependency] = []) -> [Target] {
  let own: [Target.Dependency] = ["BenchmarkSupport", .target(name: "\(name)Models")]
  return [
    .target(name: "\(name)Models", dependencies: dependencies),
    .target(name: "\(name)System", dependencies: own + dependencies),
  ]
}

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-kvo")
let combine: Target.Dependency = .product(name: "OpenCombine", package: "OpenCombine")

let package = Package(
  name: "swift-kvo-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-kvo", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .target(name: "MemoryInUse"),
    .target(name: "BenchmarkSupport", dependencies: ["MemoryInUse"]),
    .target(name: "KeyPathSystem", dependencies: ["BenchmarkSupport"]),
    .target(name: "ObservationSystem", dependencies: ["BenchmarkSupport"]),
    .target(name: "OpenCombineSystem", dependencies: ["BenchmarkSupport", combine]),
    .executableTarget(
      name: "compare",
      dependencies: [
        "BenchmarkSupport", "HandWrittenSystem", "KeyPathSystem", "KeyValueSystem",
        "ObservationSystem", "OpenCombineSystem", "PlainSystem",
      ],
      path: "Sources/Compare"),
    .executableTarget(
      name: "instructions",
      dependencies: ["BenchmarkSupport", "HandWrittenSystem", "KeyValueSystem", "PlainSystem"],
      path: "Sources/Instructions"),
    .executableTarget(
      name: "growth", dependencies: ["BenchmarkSupport", observing], path: "Sources/Growth"),
    .executableTarget(name: "charts", path: "Sources/Charts"),
  ] + system("Plain") + system("HandWritten") + system("KeyValue", [observing]),
  swiftLanguageModes: [.v6]
)
