#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why a file or folder could not be read.
package struct FileFailure: Error, Equatable, CustomStringConvertible {
  package let path: String
  package let code: CInt

  package var description: String { "\(path): \(String(cString: strerror(code)))" }

  /// Whether the process behind the file ended, before opening or reading.
  package var meansVanished: Bool { code == ENOENT || code == ESRCH }
}

/// A whole file.
///
/// Files of a proc file system report size 0, so the size is ignored.
func readFile(_ path: String) throws(FileFailure) -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw FileFailure(path: path, code: errno) }
  defer { close(file) }

  var text: [UInt8] = []
  while true {
    var failure: CInt?
    let chunk = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      let result = read(file, buffer.baseAddress, buffer.count)
      failure = result < 0 ? errno : nil
      count = max(0, result)
    }
    if let failure, failure != EINTR { throw FileFailure(path: path, code: failure) }
    if failure == nil, chunk.isEmpty { return text }
    text += chunk
  }
}

/// The user that a file belongs to.
func ownerOfFile(_ path: String) throws(FileFailure) -> UInt32 {
  var information = stat()
  guard stat(path, &information) == 0 else { throw FileFailure(path: path, code: errno) }
  return information.st_uid
}

/// The names in a folder, in no particular order.
func namesInFolder(_ path: String) throws(FileFailure) -> [String] {
  guard let folder = opendir(path) else { throw FileFailure(path: path, code: errno) }
  defer { closedir(folder) }

  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
        String(cString: $0)
      }
    }
    names.append(name)
  }
  return names
}
