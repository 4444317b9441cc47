// swift-tools-version: 6.2
import PackageDescription

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-kvo")

func step(_ name: String) -> Target {
  .executableTarget(
    name: name, dependencies: ["KeyValueReplica", observing], path: "Tests/TutorialSteps/\(name)")
}

let package = Package(
  name: "KeyValueReplica",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "KeyValueReplica", targets: ["KeyValueReplica"])
  ],
  dependencies: [
    // Named, so that it resolves whatever the clone's folder is called.
    .package(name: "swift-kvo", path: ".."),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    // The system's SQLite. PostgreSQL's client library is loaded when the first store needs it, so that a
    // program that keeps its documents in files builds and runs without it.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "KeyValueReplica",
      dependencies: [
        "CSQLite", observing,
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ]),
    // The tests kill it.
    .executableTarget(name: "replica-writer", dependencies: ["KeyValueReplica"]),
    // A PostgreSQL server for tests and measurements, and a document for random edits.
    .target(
      name: "KeyValueReplicaTestSupport", dependencies: [observing],
      path: "Tests/KeyValueReplicaTestSupport"),
    // Random edits in several processes, while they are killed and their connections cut.
    .executableTarget(
      name: "replica-fuzz",
      dependencies: [
        "KeyValueReplica", "KeyValueReplicaTestSupport", observing,
        .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(
      name: "replica-bench",
      dependencies: ["KeyValueReplica", "KeyValueReplicaTestSupport", observing]),
    .testTarget(
      name: "KeyValueReplicaTests",
      dependencies: [
        "KeyValueReplica", "KeyValueReplicaTestSupport", "replica-fuzz", "replica-writer",
        observing, .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    // The program of the page on several processes, which its test runs.
    .executableTarget(name: "acme", dependencies: ["KeyValueReplica", observing]),
    .testTarget(
      name: "PageTests",
      dependencies: ["acme", "Share-6", "Share-7", "Share-8", "KeyValueReplica", observing]),
    // The steps of the library's tutorial that open a document; a test compares them with it.
    step("Share-6"),
    step("Share-7"),
    step("Share-8"),
  ],
  swiftLanguageModes: [.v6]
)
