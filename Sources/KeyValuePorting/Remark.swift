/// Something that the tool leaves to a person, and what to do about it.
package struct Remark: Equatable, Comparable {
  package let file: String
  package let line: Int
  /// Its place in the file, in UTF-8.
  let offset: Int
  /// What is there, and what to write instead.
  package let text: String

  init(file: String, line: Int, offset: Int = 0, text: String) {
    (self.file, self.line, self.offset, self.text) = (file, line, offset, text)
  }

  package static func < (left: Remark, right: Remark) -> Bool {
    (left.file, left.line, left.text) < (right.file, right.line, right.text)
  }
}

extension Remark: CustomStringConvertible {
  package var description: String { "\(file):\(line): \(text)" }
}
