import Foundation

/// A file by its descriptor, with the system's calls that a file of records needs.
final class OpenFile {
  private let descriptor: Int32

  /// What the system says of a file.
  struct Status {
    fileprivate let device: dev_t
    fileprivate let number: ino_t
    let size: Int
    let mode: mode_t

    fileprivate init(_ found: stat) {
      (device, number) = (found.st_dev, found.st_ino)
      (size, mode) = (Int(found.st_size), found.st_mode & 0o777)
    }

    func isSameFile(as other: Status) -> Bool {
      device == other.device && number == other.number
    }
  }

  init(_ path: String, _ flags: Int32, mode: mode_t = 0o666) throws {
    descriptor = open(path, flags | O_CLOEXEC, mode)
    if descriptor < 0 { throw SystemError() }
  }

  deinit { close(descriptor) }

  /// Replaces a file, or creates it, so that a crash leaves the old file or the new one.
  ///
  /// The new one lasts once its folder is on the disk, too.
  ///
  /// - Returns: The new file.
  static func replace(_ path: String, by data: Data, mode: mode_t?) throws -> OpenFile {
    let new = path + ".new"
    let file = try OpenFile(new, O_RDWR | O_CREAT | O_TRUNC, mode: mode ?? 0o666)
    do {
      if let mode { try check(fchmod(file.descriptor, mode)) }
      try file.write(data, at: 0)
      try file.synchronize()
      try check(rename(new, path))
    } catch {
      unlink(new)
      throw error
    }
    return file
  }

  static func synchronizeFolder(of path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try OpenFile(folder, O_RDONLY).synchronize()
  }

  func read() throws -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(data.count))
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw SystemError() }
      if count == 0 { return data }
      data += buffer[..<count]
    }
  }

  func write(_ data: Data, at offset: Int) throws {
    var done = 0
    while done < data.count {
      let count = data.withUnsafeBytes { bytes in
        pwrite(
          descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw SystemError() }
      done += count
    }
  }

  func truncate(_ size: Int) throws { try Self.check(ftruncate(descriptor, off_t(size))) }

  func synchronize() throws { try Self.check(fsync(descriptor)) }

  func status() throws -> Status {
    var found = stat()
    try Self.check(fstat(descriptor, &found))
    return Status(found)
  }

  static func status(of path: String) throws -> Status {
    var found = stat()
    try check(stat(path, &found))
    return Status(found)
  }

  private static func check(_ result: Int32) throws {
    if result < 0 { throw SystemError() }
  }
}

/// What the system refused, in its words.
struct SystemError: Error, CustomStringConvertible {
  let description = String(cString: strerror(errno))
}
