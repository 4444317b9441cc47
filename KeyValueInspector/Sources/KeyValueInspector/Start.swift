import Foundation
import Synchronization

/// The inspector that the environment asked for; it runs as long as the process.
private let started = Mutex<KeyValueInspector?>(nil)

/// Starts an inspector if `KVO_INSPECT=1` is in the environment, and prints its address.
///
/// The program has not begun then, so a task does the work; this only starts it.
private func startIfAsked() {
  guard let setting = getenv("KVO_INSPECT"), String(cString: setting) == "1" else { return }
  Task.detached {
    do {
      let inspector = try await KeyValueInspector.start()
      started.withLock { $0 = inspector }
      write("Inspector: \(inspector.url)\n")
    } catch {
      write("The inspector can't start: \(error)\n")
    }
  }
}

private func write(_ text: String) {
  FileHandle.standardError.write(Data(text.utf8))
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
