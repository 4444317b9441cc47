import CGtk4

/// GTK's thread.
enum MainThread {
  /// Stops the program if this isn't the process's first thread, the only one that may call GTK.
  @inline(__always)
  static func require(_ what: @autoclosure () -> String) {
    if !kvo_is_main_thread() { fail(what()) }
  }

  @inline(never)
  private static func fail(_ what: String) -> Never {
    Misuse.stop(
      """
      \(what) on a thread that isn't the main one, the only one that may call GTK. Change what a window \
      shows on the main actor, in code that GLib's main loop runs.
      """)
  }
}
