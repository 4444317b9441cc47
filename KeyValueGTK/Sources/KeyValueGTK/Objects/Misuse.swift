/// Misuse that neither the compiler nor an error can report.
enum Misuse {
  /// Stops the program with a message, in release builds, too.
  static func stop(_ message: String) -> Never { fatalError(message) }
}
