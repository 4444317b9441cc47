#if (DEBUG || KVO_AUDIT) && os(Linux)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// The names of the running program's own symbols, read from its file.
  ///
  /// They don't include shared libraries' symbols. A stripped program has none.
  enum ProgramSymbols {
    /// The symbols that contain one of these words.
    ///
    /// - Complexity: One pass over the file's name tables.
    static func containing(_ words: [String]) -> Set<String> {
      let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return [] }
      defer { close(file) }
      let size = Int(lseek(file, 0, Int32(SEEK_END)))
      guard size > 0, let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0),
        memory != MAP_FAILED
      else { return [] }
      defer { munmap(memory, size) }
      let image = UnsafeRawBufferPointer(start: memory, count: size)
      var found: Set<String> = []
      for table in ELFImage(image).nameTables {
        find(words, in: image[table]) { found.insert($0) }
      }
      return found
    }

    /// Calls the body with each name of a table that contains one of the words.
    private static func find(
      _ words: [String], in table: Slice<UnsafeRawBufferPointer>, _ body: (String) -> Void
    ) {
      let names = UnsafeRawBufferPointer(rebasing: table)
      // Each name ends with a zero, so a table's last byte is zero.
      guard let base = names.baseAddress, names.last == 0 else { return }
      var offset = 0
      while offset < names.count {
        let name = (base + offset).assumingMemoryBound(to: CChar.self)
        let isSwifts = name[0] == 0x24 && name[1] == 0x73
        if isSwifts, words.contains(where: { strstr(name, $0) != nil }) {
          body(String(cString: name))
        }
        offset += strlen(name) + 1
      }
    }
  }

  /// A 64-bit ELF file, parsed far enough to find its name tables.
  private struct ELFImage {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
    }

    /// The name tables' ranges; none if the file is of another kind.
    var nameTables: [Range<Int>] {
      guard bytes.count > 64, bytes.prefix(5).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2]) else {
        return []
      }
      let sections = Int(read(UInt64.self, at: 0x28))
      let (size, count) = (Int(read(UInt16.self, at: 0x3A)), Int(read(UInt16.self, at: 0x3C)))
      return (0..<count).compactMap { index in
        let section = sections + index * size
        guard section + 64 <= bytes.count, read(UInt32.self, at: section + 4) == 3 else {
          return nil
        }
        let start = Int(read(UInt64.self, at: section + 0x18))
        let end = start + Int(read(UInt64.self, at: section + 0x20))
        return start <= end && end <= bytes.count ? start..<end : nil
      }
    }

    private func read<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
      bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }
  }
#endif
