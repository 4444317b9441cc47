import Foundation
import KeyValueCallSites
import KeyValueInspector
import KeyValueObserving

/// What watches the program while it's measured.
enum Setting: String, CaseIterable {
  case off = "nothing"
  case closure = "a closure that ignores the events"
  case inspector = "the inspector"
  case page = "the inspector, its page open"
  case closureAndSites = "such a closure, and call sites"
  case inspectorAndSites = "the inspector, and call sites"
  case pageAndSites = "the inspector, its page open, and call sites"

  private var recordsCallSites: Bool {
    switch self {
    case .off, .closure, .inspector, .page: false
    case .closureAndSites, .inspectorAndSites, .pageAndSites: true
    }
  }

  /// Runs a closure in this setting.
  func during(_ body: () -> Void) throws {
    switch self {
    case .off: body()
    case .closure, .closureAndSites:
      if recordsCallSites { KeyValueTrace.recordCallSites() }
      let token = KeyValueTrace.observe { _ in }
      body()
      token.invalidate()
      if recordsCallSites { KeyValueTrace.recordCallSites(false) }
    case .inspector, .inspectorAndSites, .page, .pageAndSites:
      let inspector = try KeyValueInspector.start(recordingCallSites: recordsCallSites)
      let reader = self == .page || self == .pageAndSites ? try read(inspector.url) : nil
      body()
      reader?.terminate()
      reader?.waitUntilExit()
      inspector.stop()
    }
  }

  /// Reads the events as a page does, in another process.
  private func read(_ url: String) throws -> Process {
    let reader = Process()
    reader.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    reader.arguments = ["curl", "--silent", "--no-buffer", url + "events"]
    reader.standardOutput = FileHandle.nullDevice
    try reader.run()
    return reader
  }
}
