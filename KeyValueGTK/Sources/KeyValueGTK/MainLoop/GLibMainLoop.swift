import CGtk4

#if os(Linux)
  import Glibc
#endif

/// GLib's main loop, as the place where the main actor's code runs.
@MainActor
public enum GLibMainLoop {
  private static var isServing = false

  /// Has GLib's main loop run the code of the main actor and of libdispatch's main queue.
  ///
  /// Call it once before the loop starts, at the beginning of `main.swift` or of `main()`:
  ///
  /// ```swift
  /// GLibMainLoop.serveMainActor()
  /// let status = g_application_run(application, 0, nil)
  /// ```
  ///
  /// Without it, `Task { @MainActor in … }`, `DispatchQueue.main.async` and what awaits the main actor don't
  /// run until the loop ends. Calling it again does nothing.
  ///
  /// - Important: Start the loop from synchronous code. After an `async` `main()` has suspended, Swift runs
  ///   the main actor on another thread, which can't be GTK's.
  ///
  /// On Apple's platforms GLib's loop is CoreFoundation's, which runs the main queue itself, and this does
  /// nothing.
  public static func serveMainActor() {
    MainThread.require("GLibMainLoop.serveMainActor() was called")
    guard !isServing else { return }
    isServing = true
    #if os(Linux)
      g_unix_fd_add(
        _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
        { descriptor, _, _ in
          // libdispatch only writes to the descriptor. Unread, it would wake the loop without end, and
          // GDK's frames, which have a lower priority, would never be drawn. It's read before the queue
          // runs, so that what the queue's code adds wakes the loop again.
          var count: UInt64 = 0
          _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
          _dispatch_main_queue_callback_4CF(nil)
          return 1
        }, nil)
    #endif
  }
}
