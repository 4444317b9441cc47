/// The latest string paths requested from objects of one class.
// Checked by hand: `contents` is accessed only under `lock`.
final class RememberedStrings: @unchecked Sendable {
  struct Key: Hashable {
    private let string: String
    private let root: ObjectIdentifier
    private let value: ObjectIdentifier

    init(_ string: String, _ root: Any.Type, _ value: Any.Type) {
      self.string = string
      self.root = ObjectIdentifier(root)
      self.value = ObjectIdentifier(value)
    }
  }

  /// More than a program spells; only strings computed at run time exceed it.
  private static let limit = 256
  private let lock = UnfairLock()
  @exclusivity(unchecked) private var contents: [Key: AnyObject] = [:]

  subscript(key: Key) -> AnyObject? {
    get { lock.withLock { contents[key] } }
    set {
      lock.withLock {
        if contents.count == RememberedStrings.limit { contents = [:] }
        contents[key] = newValue
      }
    }
  }
}
