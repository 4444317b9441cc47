import Foundation

/// A folder with a test's files, which is deleted with this object.
final class TemporaryFolder {
  let path = NSTemporaryDirectory() + "kvo-top-\(UUID().uuidString)"

  /// Writes each text to its path inside the folder.
  ///
  /// - Throws: The file system's error.
  init(_ files: [String: String] = [:]) throws {
    for (name, text) in files { try write(text, to: name) }
  }

  func write(_ text: String, to name: String) throws {
    let url = URL(fileURLWithPath: path).appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
