// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let package = Package(
  name: "swift-kvo",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "KeyValueObserving", targets: ["KeyValueObserving"]),
    .library(name: "KeyValueCore", targets: ["KeyValueCore"]),
    .library(name: "OpenCombineKVO", targets: ["OpenCombineKVO"]),
  ],
  traits: [
    .trait(
      name: "OpenCombine",
      description: "OpenCombineKVO makes publishers of OpenCombine, where there is no Combine."),
    .trait(
      name: "OrderedCollections",
      description: "Ordered to-many keys may be an OrderedSet of swift-collections."),
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"700.0.0"),
    // Neither is fetched unless its trait is on.
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    .target(name: "KeyValueObserving", dependencies: ["KeyValueCore", "KeyValueMacros"]),
    .target(
      name: "KeyValueCore",
      dependencies: [
        .product(
          name: "OrderedCollections", package: "swift-collections",
          condition: .when(traits: ["OrderedCollections"]))
      ]
    ),
    .macro(
      name: "KeyValueMacros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ]
    ),
    .target(
      name: "OpenCombineKVO",
      dependencies: [
        "KeyValueCore",
        .product(
          name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
      ]
    ),
    .target(
      name: "KeyValueTestSupport",
      dependencies: ["KeyValueObserving"],
      path: "Tests/KeyValueTestSupport"
    ),
    // Random programs, run by the library and by a reference, and compared.
    .target(
      name: "KeyValueFuzzing",
      dependencies: ["KeyValueObserving", "KeyValueTestSupport"],
      path: "Tests/KeyValueFuzzing"
    ),
    .executableTarget(
      name: "kvo-fuzz", dependencies: ["KeyValueFuzzing"], path: "Tests/kvo-fuzz"),
    // Scenarios that Scripts/second-opinion has GNUstep run as well.
    .executableTarget(
      name: "kvo-second-opinion", dependencies: ["KeyValueObserving"],
      path: "Tests/SecondOpinion/Swift"),
    .testTarget(name: "KeyValueFuzzingTests", dependencies: ["KeyValueFuzzing"]),
    .testTarget(
      name: "KeyValueMacrosTests",
      dependencies: [
        "KeyValueMacros",
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ]
    ),
    .testTarget(
      name: "KeyValueCoreTests",
      dependencies: [
        "KeyValueCore", "KeyValueTestSupport",
        .product(
          name: "OrderedCollections", package: "swift-collections",
          condition: .when(traits: ["OrderedCollections"])),
      ]
    ),
    .testTarget(
      name: "OpenCombineKVOTests",
      dependencies: ["OpenCombineKVO", "KeyValueObserving", "KeyValueTestSupport"]
    ),
    .testTarget(
      name: "KeyValueObservingTests", dependencies: ["KeyValueObserving", "KeyValueTestSupport"]),
    .testTarget(
      name: "ConformanceTests", dependencies: ["KeyValueObserving", "KeyValueTestSupport"]),
    // The blocks of Swift of the documentation's pages.
    .testTarget(
      name: "SnippetTests",
      dependencies: [
        "KeyValueObserving", "KeyValueTestSupport", "OpenCombineKVO",
        .product(
          name: "OrderedCollections", package: "swift-collections",
          condition: .when(traits: ["OrderedCollections"])),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
