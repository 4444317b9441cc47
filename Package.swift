// swift-tools-version: 6.2.3
import CompilerPluginSupport
import Foundation
import PackageDescription

/// Where the macros' plug-in gets swift-syntax from: the end of this file says how it is found.
let syntax = SwiftSyntaxSource.inUse

let package = Package(
  name: "swift-kvo",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "KeyValueObserving", targets: ["KeyValueObserving"]),
    .library(name: "KeyValueCore", targets: ["KeyValueCore"]),
    .library(name: "KeyValueCallSites", targets: ["KeyValueCallSites"]),
    .library(name: "KeyValueTesting", targets: ["KeyValueTesting"]),
    .library(name: "FoundationKVO", targets: ["FoundationKVO"]),
    .library(name: "OpenCombineKVO", targets: ["OpenCombineKVO"]),
    .plugin(name: "PortingPlugin", targets: ["PortingPlugin"]),
  ],
  traits: [
    .trait(
      name: "OpenCombine",
      description: "OpenCombineKVO makes publishers of OpenCombine, where there is no Combine."),
    .trait(
      name: "OrderedCollections",
      description: "Ordered to-many keys may be an OrderedSet of swift-collections."),
  ],
  dependencies: syntax.packages + [
    // Neither is fetched unless its trait is on.
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    // The macros' own targets depend on where swift-syntax comes from, at the end of this file.
    .target(name: "KeyValueObserving", dependencies: ["KeyValueCore", "KeyValueMacros"]),
    .target(
      name: "KeyValueCore",
      dependencies: [
        "CKeyValueWord",
        .product(
          name: "OrderedCollections", package: "swift-collections",
          condition: .when(traits: ["OrderedCollections"])),
      ]
    ),
    // Four inline functions and the number that they use, for atomic reads that the optimiser knows to change nothing.
    .target(name: "CKeyValueWord"),
    // Apart, for a library that only it links: the toolchain's Runtime. Empty where there is none.
    .target(name: "KeyValueCallSites", dependencies: ["KeyValueCore"]),
    // Expectations for tests. It links the toolchain's Testing and XCTest, so programs don't depend on it.
    .target(name: "KeyValueTesting", dependencies: ["KeyValueCore"]),
    // Cocoa's names, for sources that are ported; all else does without Foundation.
    .target(
      name: "FoundationKVO",
      dependencies: [
        "FoundationOriginals", "KeyValueObserving", "KeyValueCore", "KeyValueMacros",
      ]),
    // Apart, because FoundationKVO hides what it calls.
    .target(name: "FoundationOriginals"),
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
      path: "Tests/Tools/KeyValueFuzzing"
    ),
    .executableTarget(
      name: "kvo-fuzz", dependencies: ["KeyValueFuzzing"], path: "Tests/Tools/kvo-fuzz"),
    // Scenarios that Scripts/second-opinion has GNUstep run as well.
    .executableTarget(
      name: "kvo-second-opinion", dependencies: ["KeyValueObserving"],
      path: "Tests/Tools/SecondOpinion/Swift"),
    .testTarget(
      name: "KeyValueFuzzingTests", dependencies: ["KeyValueFuzzing", "KeyValueTestSupport"]),
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
      name: "KeyValueCallSitesTests",
      dependencies: [
        "FoundationKVO", "KeyValueCallSites", "KeyValueObserving", "KeyValueTestSupport",
      ]),
    .testTarget(
      name: "KeyValueTestingTests",
      dependencies: ["KeyValueCallSites", "KeyValueObserving", "KeyValueTesting"]),
    .testTarget(
      name: "FoundationKVOTests", dependencies: ["FoundationKVO"]),
    .testTarget(
      name: "OpenCombineKVOTests",
      dependencies: ["OpenCombineKVO", "KeyValueObserving", "KeyValueTestSupport"]
    ),
    .testTarget(
      name: "KeyValueObservingTests", dependencies: ["KeyValueObserving", "KeyValueTestSupport"]),
    .testTarget(
      name: "ConformanceTests", dependencies: ["KeyValueObserving", "KeyValueTestSupport"]),
    // The table of constructs: what is told, and how the rest is answered.
    .testTarget(name: "SilenceTests", dependencies: ["KeyValueObserving", "KeyValueTestSupport"]),
    // What a page shows of a target whose default isolation is the main actor.
    .testTarget(
      name: "DefaultIsolationTests", dependencies: ["KeyValueObserving"],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    // The blocks of Swift of the documentation's pages.
    .testTarget(
      name: "SnippetTests",
      dependencies: [
        "FoundationKVO", "KeyValueObserving", "KeyValueTestSupport", "KeyValueTesting",
        "OpenCombineKVO",
        .product(
          name: "OrderedCollections", package: "swift-collections",
          condition: .when(traits: ["OrderedCollections"])),
      ]
    ),
    // `swift package kvo-port`, for Cocoa sources.
    .plugin(
      name: "PortingPlugin",
      capability: .command(
        intent: .custom(
          verb: "kvo-port",
          description: "Ports a Cocoa source to FoundationKVO, or says what to do."),
        permissions: [
          .writeToPackageDirectory(reason: "It changes the files that are ported, without --check.")
        ]),
      dependencies: ["kvo-port"]),
  ] + syntax.macroTargets,
  swiftLanguageModes: [.v6]
)

/// Where the macros' plug-in gets swift-syntax from.
///
/// A toolchain for Linux has swift-syntax built, for the standard library's own macros. With it the
/// plug-in compiles in seconds; the package takes minutes. So the toolchain's is used where it is
/// there, and the package elsewhere. `SWIFT_KVO_SYNTAX=package` and `SWIFT_KVO_SYNTAX=toolchain` in
/// the environment ask for one of the two. `swift package show-dependencies` lists swift-syntax if the
/// package is in use.
enum SwiftSyntaxSource {
  case package
  /// The folder with the toolchain's modules and libraries.
  case toolchain(String)

  static var inUse: SwiftSyntaxSource {
    switch Context.environment["SWIFT_KVO_SYNTAX"] {
    case "package": return .package
    case "toolchain":
      switch inToolchain {
      case .success(let folder): return .toolchain(folder)
      case .failure(let reason): stop("SWIFT_KVO_SYNTAX=toolchain cannot be met: \(reason).")
      }
    case nil, "": return (try? inToolchain.get()).map(SwiftSyntaxSource.toolchain) ?? .package
    case let other?: stop("SWIFT_KVO_SYNTAX is 'package' or 'toolchain', not '\(other)'.")
    }
  }

  /// The toolchain's folder, or why it cannot be used.
  ///
  /// The toolchain in use is the one whose library of manifests this process has loaded. `PATH` would
  /// lead to the proxies of version managers instead.
  private static var inToolchain: Result<String, Obstacle> {
    #if os(Linux) && compiler(>=6.3)
      let library = "/usr/lib/swift/pm/ManifestAPI/libPackageDescription.so"
      // Read to its end: `String(contentsOfFile:)` stops after the first piece of such a file.
      let maps = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
      let lines = String(decoding: maps ?? Data(), as: UTF8.self).split(separator: "\n")
      guard let line = lines.first(where: { $0.hasSuffix(library) }),
        let path = line.firstIndex(of: "/").map({ line[$0...] })
      else { return .failure("this process has not loaded \(library)") }
      let folder = path.dropLast(library.count) + "/usr/lib/swift/host"
      for module in modules {
        for name in ["\(module).swiftmodule", "lib\(module).so"]
        where !FileManager.default.fileExists(atPath: "\(folder)/\(name)") {
          return .failure("\(folder) has no \(name)")
        }
      }
      return .success(String(folder))
    #else
      return .failure("only Linux and Swift 6.3 or later are known to work")
    #endif
  }

  private static let modules = [
    "SwiftBasicFormat", "SwiftCompilerPluginMessageHandling", "SwiftDiagnostics", "SwiftIfConfig",
    "SwiftOperators", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
    "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
  ]

  var packages: [Package.Dependency] {
    guard case .package = self else { return [] }
    return [.package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"700.0.0")]
  }

  /// The macros' plug-in and its tests.
  var macroTargets: [Target] {
    switch self {
    case .package:
      let products = [
        "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftParserDiagnostics",
        "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
      ].map { Target.Dependency.product(name: $0, package: "swift-syntax") }
      return [
        .macro(name: "KeyValueMacros", dependencies: products),
        .target(name: "KeyValuePorting", dependencies: products),
        .executableTarget(name: "kvo-port", dependencies: ["KeyValuePorting"]),
        .testTarget(
          name: "KeyValuePortingTests", dependencies: ["KeyValuePorting", "kvo-port"],
          exclude: ["Fixtures"]),
        .testTarget(name: "KeyValueMacrosTests", dependencies: ["KeyValueMacros"] + products),
      ]
    case .toolchain(let folder):
      let swift: [SwiftSetting] = [
        .define("KVO_TOOLCHAIN_SYNTAX"), .unsafeFlags(["-I", folder]),
        // Our own part of the plug-in is a hundredth of its time, and optimising it is most of its build.
        .unsafeFlags(["-Onone"], .when(configuration: .release)),
      ]
      let linker: [LinkerSetting] = [
        .unsafeFlags(["-L", folder, "-Xlinker", "-rpath", "-Xlinker", folder])
      ]
      return [
        // Apart from the plug-in, so that the tests need not link it: SwiftPM builds everything that
        // is linked with a plug-in once more.
        .target(
          name: "KeyValueExpansion", path: "Sources/KeyValueMacros", exclude: ["Plugin"],
          swiftSettings: swift),
        .macro(
          name: "KeyValueMacros", dependencies: ["KeyValueExpansion"],
          path: "Sources/KeyValueMacros/Plugin", swiftSettings: swift,
          linkerSettings: linker),
        .target(
          name: "KeyValuePorting", swiftSettings: swift, linkerSettings: linker),
        .executableTarget(
          name: "kvo-port", dependencies: ["KeyValuePorting"], swiftSettings: swift,
          linkerSettings: linker),
        .testTarget(
          name: "KeyValuePortingTests", dependencies: ["KeyValuePorting", "kvo-port"],
          exclude: ["Fixtures"], swiftSettings: swift, linkerSettings: linker),
        .testTarget(
          name: "KeyValueMacrosTests", dependencies: ["KeyValueExpansion"], swiftSettings: swift,
          linkerSettings: linker),
      ]
    }
  }

  private static func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data("swift-kvo: \(message)\n".utf8))
    exit(1)
  }

  private struct Obstacle: Error, ExpressibleByStringInterpolation, CustomStringConvertible {
    let description: String
    init(stringLiteral value: String) { description = value }
  }
}
