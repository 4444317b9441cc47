import Foundation

/// A folder with files of a test's choice, for as long as the test runs.
final class TemporaryFolder {
  let path = NSTemporaryDirectory() + "kvo-top-\(UUID().uuidString)"

  /// - Parameter files: Texts by their paths inside the folder.
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
