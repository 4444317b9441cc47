// swift-tools-version: 6.2
import PackageDescription

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-kvo")

let package = Package(
  name: "KeyValueGTK",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "KeyValueGTK", targets: ["KeyValueGTK"]),
    // GTK's functions, as the library imports them.
    .library(name: "CGtk4", targets: ["CGtk4"]),
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
    // A display without a screen, for tests and measurements.
    .target(
      name: "KeyValueGTKTestSupport", dependencies: ["CGtk4"],
      path: "Tests/KeyValueGTKTestSupport"),
    // What it costs, beside an object of C.
    .target(name: "CPlainObject", dependencies: ["CGtk4"]),
    .executableTarget(
      name: "gtk-bench",
      dependencies: ["CGtk4", "CPlainObject", "KeyValueGTK", "KeyValueGTKTestSupport", observing]),
    // The program of the page *Windows with GTK*, which a test starts.
    .executableTarget(name: "first-window", dependencies: ["CGtk4", "KeyValueGTK", observing]),
    // The example: a window on people, which a test uses as a user does.
    .target(name: "PeopleExample", dependencies: ["CGtk4", "KeyValueGTK", observing]),
    .executableTarget(
      name: "kvo-people", dependencies: ["CGtk4", "KeyValueGTK", "PeopleExample"]),
    // Stops with the message of a misuse, which a test compares.
    .executableTarget(
      name: "gtk-misuse",
      dependencies: ["CGtk4", "KeyValueGTK", "KeyValueGTKTestSupport", observing]),
    .testTarget(
      name: "KeyValueGTKTests",
      dependencies: [
        "CGtk4", "KeyValueGTK", "KeyValueGTKTestSupport", "PeopleExample", "gtk-misuse",
        "first-window", observing,
      ]),
  ],
  swiftLanguageModes: [.v6]
)
