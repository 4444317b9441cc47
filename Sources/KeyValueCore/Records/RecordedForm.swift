/// Something recorded that an earlier version of the program may have made, with keys that are gone.
enum RecordedForm {
  case snapshot, record

  /// Rethrows an error of a key that the class doesn't have, with what to do if it had it once.
  func explainingUnknownKeys<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as KeyValueLogError {
      guard case .unknownKey = error else { throw error }
      throw error.completed { $0.reason = $0.reason ?? remedy }
    }
  }

  private var remedy: String {
    let place = self == .snapshot ? "" : "apply the record to its snapshot, and "
    return "if the class had it once, \(place)remove or rename it in the snapshot's `objects`"
  }
}
