/// A key of a coded dictionary or object, of any name.
struct RecordKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// The fields of what is written.
extension RecordKey {
  // Of a snapshot, and of an object in it.
  static let root = RecordKey("root")
  static let objects = RecordKey("objects")
  static let schema = RecordKey("schema")
  static let `class` = RecordKey("class")
  static let values = RecordKey("values")

  // Of a record.
  static let id = RecordKey("id")
  static let origin = RecordKey("origin")
  static let isTransaction = RecordKey("isTransaction")
  static let edits = RecordKey("edits")

  // Of an edit, beside its verb; an object that comes or leaves has `class` and `values`.
  static let key = RecordKey("key")
  static let old = RecordKey("old")
  static let new = RecordKey("new")
  static let indexes = RecordKey("indexes")
  static let elements = RecordKey("elements")
  static let removed = RecordKey("removed")
  static let inserted = RecordKey("inserted")
  static let entry = RecordKey("entry")
}

/// A text from outside in an error: in quotation marks, shortened.
func quoted(_ text: String) -> String {
  text.utf8.count > 60 ? "'\(text.prefix(40))…'" : "'\(text)'"
}
