/// Elements that an observer may read while it's called.
// Checked by hand: `objects` is accessed on the thread of the call only, where no two accesses can overlap.
// The call's end releases them there.
@usableFromInline
final class LentElements: @unchecked Sendable {
  private let thread = ThreadIdentity.current
  let identities: [ObjectIdentifier]
  @exclusivity(unchecked) private var objects: [AnyObject]?

  init(_ objects: [AnyObject]) {
    self.objects = objects
    identities = objects.map { ObjectIdentifier($0) }
  }

  /// The elements; nil if the call has ended or is on another thread.
  var readable: [AnyObject]? { thread == .current ? objects : nil }

  /// Called on the thread of the call, when it has ended.
  func end() { objects = nil }
}
