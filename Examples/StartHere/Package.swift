// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "StartHere",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The clone of swift-kvo. Named, so that its folder may have any name.
    .package(name: "swift-kvo", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "StartHere",
      dependencies: [.product(name: "KeyValueObserving", package: "swift-kvo")]),
    .testTarget(
      name: "StartHereTests",
      dependencies: ["StartHere", .product(name: "KeyValueTesting", package: "swift-kvo")]),
  ],
  swiftLanguageModes: [.v6]
)
