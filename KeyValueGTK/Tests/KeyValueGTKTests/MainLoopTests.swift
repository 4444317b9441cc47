import CGtk4
import Foundation
import XCTest

@testable import KeyValueGTK

/// The main actor under GLib's main loop.
final class MainLoopTests: GTKTestCase {
  func testCodeOfTheMainActorRuns() throws {
    try gtk {
      GLibMainLoop.serveMainActor()
      GLibMainLoop.serveMainActor()
      let log = Log()
      Task { @MainActor in
        log.note("task")
        let sum = await Task.detached { (1...10).reduce(0, +) }.value
        log.note("after another thread: \(sum)")
        await Task.yield()
        log.note("after a yield")
      }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          log.note("main queue")
          DispatchQueue.main.async { MainActor.assumeIsolated { log.note("from the queue") } }
        }
      }
      log.wait(for: 5)
      XCTAssertEqual(
        Set(log.lines),
        ["task", "main queue", "from the queue", "after another thread: 55", "after a yield"])
      XCTAssertTrue(log.wereOnMainThread)
    }
  }

  func testTheLoopRestsAfterTheQueue() throws {
    try gtk {
      GLibMainLoop.serveMainActor()
      let log = Log()
      DispatchQueue.main.async { MainActor.assumeIsolated { log.note("ran") } }
      log.wait(for: 1)
      runMainLoop()
      XCTAssertEqual(g_main_context_pending(nil), 0, "The queue's descriptor is read.")
    }
  }

  func testATaskMayChangeWhatAWindowShows() throws {
    try gtk {
      GLibMainLoop.serveMainActor()
      let person = Person("Ada", 36)
      let label = Widget(gtk_label_new(nil))
      person.kvo.name.bind(to: label.pointer, "label")
      let log = Log()
      Task {
        person.name = await Task.detached { "Grace" }.value
        log.note(label.pointer.text("label"))
      }
      log.wait(for: 1)
      XCTAssertEqual(log.lines, ["Grace"])
    }
  }
}

/// What has run.
@MainActor
private final class Log {
  private(set) var lines: [String] = []
  private(set) var wereOnMainThread = true

  func note(_ line: String) {
    lines.append(line)
    if !kvo_is_main_thread() { wereOnMainThread = false }
  }

  /// Runs GLib's main loop until a number of lines are there.
  func wait(for count: Int) {
    let areThere = runMainLoop { lines.count >= count }
    XCTAssertTrue(areThere, "Lines are missing.")
  }
}
