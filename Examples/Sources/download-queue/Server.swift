import FoundationKVO

/// Stands in for a server: it sends one chunk after the other, on its own queue.
class Server {
  enum Reply {
    case chunk(Data), end, missing
  }

  private let files: [String: Int]
  private let chunkSize: Int
  private let queue = DispatchQueue(label: "server")

  init(files: [String: Int], chunkSize: Int) {
    self.files = files
    self.chunkSize = chunkSize
  }

  /// Calls a closure with each chunk of a file, until the closure returns false.
  func request(_ file: String, reply: @escaping (Reply) -> Bool) {
    queue.async {
      guard let size = self.files[file] else {
        _ = reply(.missing)
        return
      }
      for start in stride(from: 0, to: size, by: self.chunkSize) {
        guard reply(.chunk(Data(count: min(self.chunkSize, size - start)))) else { return }
      }
      _ = reply(.end)
    }
  }
}
