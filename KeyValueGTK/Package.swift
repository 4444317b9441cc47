// swift-tools-version: 6.2
import PackageDescription

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-kvo")

let package = Package(
  name: "KeyValueGTK",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "KeyValueGTK", targets: ["KeyValueGTK"])
  ],
  dependencies: [
    // Named, so that it resolves whatever the clone's folder is called.
    .package(name: "swift-kvo", path: "..")
  ],
  targets: [
    // The system's GTK 4.
    .systemLibrary(
      name: "CGtk4", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
    .target(name: "KeyValueGTK", dependencies: ["CGtk4", observing]),
    .testTarget(name: "KeyValueGTKTests", dependencies: ["CGtk4", "KeyValueGTK", observing]),
  ],
  swiftLanguageModes: [.v6]
)
