/// A key of a coded dictionary or object, of any name.
struct RecordKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A text from outside in an error: in quotation marks, shortened.
func quoted(_ text: String) -> String {
  text.utf8.count > 60 ? "'\(text.prefix(40))…'" : "'\(text)'"
}
