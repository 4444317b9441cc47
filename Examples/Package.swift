// swift-tools-version: 6.2
import PackageDescription

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-kvo")
let testing: Target.Dependency = .product(name: "KeyValueTesting", package: "swift-kvo")
let cocoa: Target.Dependency = .product(name: "FoundationKVO", package: "swift-kvo")
let replica: Target.Dependency = .product(name: "KeyValueReplica", package: "KeyValueReplica")
let arguments: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "kvo-ledger", targets: ["kvo-ledger"]),
    .executable(name: "kvo-top", targets: ["kvo-top"]),
    .executable(name: "kvo-tour", targets: ["kvo-tour"]),
    .executable(name: "raise-man", targets: ["raise-man"]),
    .executable(name: "reader-settings", targets: ["reader-settings"]),
    .executable(name: "download-queue", targets: ["download-queue"]),
    .executable(name: "conditional-operations", targets: ["conditional-operations"]),
  ],
  traits: [
    .trait(
      name: "Inspector",
      description: "kvo-top and kvo-ledger have --inspect. It fetches and compiles Hummingbird.")
  ],
  dependencies: [
    // Named, so that it resolves whatever the clone's folder is called.
    .package(name: "swift-kvo", path: ".."),
    .package(name: "KeyValueInspector", path: "../KeyValueInspector"),
    .package(name: "KeyValueReplica", path: "../KeyValueReplica"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // kvo-top. The point of the example is which module depends on which: the view, the verifier and
    // the sampler depend on the model, and not on each other.
    .target(name: "ProcFiles"),
    // kvo-top and kvo-ledger start it for the option --inspect.
    .target(
      name: "Inspecting",
      dependencies: [
        observing,
        .product(
          name: "KeyValueInspector", package: "KeyValueInspector",
          condition: .when(traits: ["Inspector"])),
      ]),
    .target(name: "TerminalSupport"),
    // The tests of kvo-top, kvo-tour and kvo-ledger ask it what the inspector would show in red.
    .target(name: "FindingSupport", dependencies: [observing], path: "Tests/FindingSupport"),
    .target(name: "MachineModel", dependencies: [observing]),
    .target(name: "MachineSampling", dependencies: ["MachineModel", "ProcFiles", observing]),
    .target(name: "Following", dependencies: [observing]),
    .target(
      name: "MachineView",
      dependencies: ["Following", "MachineModel", "TerminalSupport", observing]),
    .target(name: "MachineVerification", dependencies: ["Following", "MachineModel", observing]),
    .target(
      name: "KvoTopCommand",
      dependencies: [
        "Inspecting", "MachineModel", "MachineSampling", "MachineVerification", "MachineView",
        "ProcFiles", "TerminalSupport", observing, arguments,
      ]
    ),
    .executableTarget(name: "kvo-top", dependencies: ["KvoTopCommand"]),
    .testTarget(
      name: "KvoTopTests",
      dependencies: [
        // The tests of the whole program start it, so it's built before them.
        "kvo-top",
        "FindingSupport", "Following", "KvoTopCommand", "MachineModel", "MachineSampling",
        "MachineVerification", "MachineView", "ProcFiles", "TerminalSupport", observing, testing,
      ]
    ),

    // A model layer and three programs of Cocoa's, ported: Ports has the files before, Scripts/count-port
    // compares.
    .target(
      name: "PortedModel", dependencies: [cocoa], swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "PortedModelTests", dependencies: ["PortedModel", cocoa, testing]),
    .executableTarget(
      name: "raise-man", dependencies: [cocoa], swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "reader-settings", dependencies: [cocoa], swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "download-queue", dependencies: [cocoa], swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "conditional-operations", dependencies: [cocoa],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "PortedProgramTests",
      // Started by the tests.
      dependencies: ["raise-man", "reader-settings", "download-queue", "conditional-operations"]
    ),

    // kvo-tour.
    .target(name: "KvoTour", dependencies: [observing, arguments]),
    .executableTarget(name: "kvo-tour", dependencies: ["KvoTour"]),
    .testTarget(name: "KvoTourTests", dependencies: ["FindingSupport", "KvoTour", observing]),

    // kvo-ledger. The writer, the fields and the report of changes depend on the model, which depends
    // on none of them.
    .target(name: "LedgerModel", dependencies: [observing]),
    .target(name: "LedgerFields", dependencies: ["LedgerModel", observing]),
    .target(
      name: "LedgerStorage",
      dependencies: [
        "LedgerModel", observing, replica, .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .target(
      name: "KvoLedgerCommand",
      dependencies: [
        "Inspecting", "LedgerFields", "LedgerModel", "LedgerStorage", "TerminalSupport", observing,
        replica, arguments,
      ]
    ),
    .executableTarget(name: "kvo-ledger", dependencies: ["KvoLedgerCommand"]),
    .testTarget(
      name: "KvoLedgerTests",
      dependencies: [
        // Started by the tests.
        "kvo-ledger",
        "FindingSupport", "KvoLedgerCommand", "LedgerFields", "LedgerModel", "LedgerStorage",
        observing, replica, testing,
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      resources: [.copy("Recordings")]
    ),
  ],
  swiftLanguageModes: [.v6]
)
