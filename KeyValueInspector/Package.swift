// swift-tools-version: 6.2
import PackageDescription

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-kvo")
// Records where changes are made.
let callSites: Target.Dependency = .product(name: "KeyValueCallSites", package: "swift-kvo")

let package = Package(
  name: "KeyValueInspector",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "KeyValueInspector", targets: ["KeyValueInspector"])
  ],
  dependencies: [
    // Named, so that it resolves whatever the clone's folder is called.
    .package(name: "swift-kvo", path: ".."),
    // Without its traits: neither the whole of Foundation nor swift-configuration is needed.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    // What the page shows, without a server.
    .target(name: "Inspection", dependencies: [observing]),
    .target(
      name: "KeyValueInspector",
      dependencies: [
        "Inspection", observing, callSites,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ],
      // Embedded, so that a program finds them wherever it is installed.
      resources: [.embedInCode("Page")]
    ),
    // What Scripts/inspector-in-browser opens.
    .executableTarget(name: "inspected-program", dependencies: ["KeyValueInspector", observing]),
    // Measures what the inspector costs the inspected program.
    .executableTarget(
      name: "inspector-cost", dependencies: ["KeyValueInspector", observing, callSites]),
    .testTarget(name: "InspectionTests", dependencies: ["Inspection", observing]),
  ],
  swiftLanguageModes: [.v6]
)
