/// How much a store hands over at once.
enum LogLimits {
  /// The records of a `behind`.
  static let records = 1000
  /// The bytes of payloads, unless one record alone has more: a reader that is far behind needs no
  /// more memory than that.
  static let bytes = 8 << 20
  /// The most transactions in one append; fewer if the first ones have so many bytes together.
  static let append = (count: 256, bytes: 4 << 20)
}

extension LogError {
  /// The error of a call that names other transactions than the call before, whose outcome was unknown.
  static func partlyAppended(to document: String) -> LogError {
    .refused(
      code: "partly appended",
      message: "Some of the transactions are in \(document) already, and others aren't. After an "
        + "unknown outcome append the same ones.")
  }
}
