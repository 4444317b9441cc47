import Foundation
import PackagePlugin

/// `swift package kvo-port`: runs the porting tool over the package's targets, or over the paths it's given.
@main
struct PortingPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var arguments = arguments
    // Whatever isn't an option is a path.
    if !arguments.contains(where: { !$0.hasPrefix("-") }) {
      arguments += context.package.targets.compactMap {
        ($0 as? SourceModuleTarget)?.directoryURL.path
      }
    }
    let process = Process()
    process.executableURL = try context.tool(named: "kvo-port").url
    process.currentDirectoryURL = context.package.directoryURL
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    switch process.terminationStatus {
    case 0: break
    // A plug-in ends with a status other than 0 only after a line with an error.
    case 1 where arguments.contains("--check"):
      Diagnostics.error("kvo-port --check: there is something to do")
    default: exit(process.terminationStatus)
    }
  }
}
