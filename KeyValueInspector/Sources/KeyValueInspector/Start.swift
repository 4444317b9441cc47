import Foundation
import Inspection
import KeyValueObserving
import Synchronization

/// Starts an inspector if `KVO_INSPECT=1` is in the environment, and prints its address.
///
/// The loader calls it before the program begins, when little can be relied on. So it only starts tracing;
/// the program's first event starts the server.
private func startIfAsked() {
  guard let setting = getenv("KVO_INSPECT"), String(cString: setting) == "1" else { return }
  launch.begin()
}

private let launch = Launch()

/// The inspector that the environment requests; it runs as long as the process.
private final class Launch: Sendable {
  private let buffer = EventBuffer()
  private let hasStarted = Atomic<Bool>(false)
  private let tracing = Mutex<KeyValueTrace.Token?>(nil)
  private let callSites = Mutex<CallSiteRecording?>(nil)
  private let inspector = Mutex<KeyValueInspector?>(nil)

  func begin() {
    callSites.withLock { $0 = CallSiteRecording() }
    let token = KeyValueTrace.observe { [self] event in
      buffer.add(event)
      if !hasStarted.load(ordering: .relaxed) { start() }
    }
    tracing.withLock { $0 = token }
  }

  private func start() {
    guard !hasStarted.exchange(true, ordering: .relaxed) else { return }
    Task.detached { [self] in
      guard let token = tracing.withLock({ $0.take() }) else { return }
      do {
        let started = try await KeyValueInspector.start(
          buffer: buffer, tracing: token, callSites: callSites.withLock { $0.take() })
        inspector.withLock { $0 = started }
        report("Inspector: \(started.url)\n")
      } catch {
        report("The inspector can't start: \(error)\n")
      }
    }
  }

  private func report(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}

#if compiler(>=6.3)
  // The loader calls the functions in this section before the program begins.
  #if objectFormat(ELF)
    @section(".init_array") @used
    private let start: @convention(c) () -> Void = { startIfAsked() }
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func") @used
    private let start: @convention(c) () -> Void = { startIfAsked() }
  #endif
#endif
