extension Edit {
  /// Changes the value at an address, in place if it is uniquely referenced.
  ///
  /// `type` is the type of the value at the address.
  func apply(at address: UnsafeMutableRawPointer, type: Any.Type) {
    if let optional = type as? any AnyOptional.Type {
      // The wrapped type may be optional itself.
      guard let many = unwrapped(optional.wrappedType) as? any ToMany.Type else { return }
      optional.modifyWrapped(at: address, orIfNil: many.empty) { apply(at: $0, type: $1) }
    } else if let ordered = type as? any OrderedToMany.Type {
      apply(to: address, ordered)
    } else if let unordered = type as? any UnorderedToMany.Type {
      apply(to: address, unordered)
    }
  }

  private func apply<Value: OrderedToMany>(to address: UnsafeMutableRawPointer, _ type: Value.Type)
  {
    let value = address.assumingMemoryBound(to: Value.self)
    switch self {
    case .insertion(let indexes, let elements):
      value.pointee.insertElements(elements, at: indexes)
    case .removal(let indexes):
      value.pointee.removeElements(at: indexes)
    case .replacement(let indexes, let elements):
      value.pointee.replaceElements(at: indexes, with: elements)
    case .setting, .exchange, .algebra: break
    }
  }

  private func apply<Value: UnorderedToMany>(
    to address: UnsafeMutableRawPointer, _ type: Value.Type
  ) {
    guard case .algebra(let kind, let elements) = self else { return }
    address.assumingMemoryBound(to: Value.self).pointee.apply(kind, elements)
  }

  // MARK: What the change says

  /// The old value of the change: the whole value, or the elements that will leave it.
  func leaving(_ before: any CapturedValue) -> any CapturedValue {
    switch self {
    case .setting, .exchange, .algebra(.union, _): before
    case .insertion(let indexes, _), .removal(let indexes), .replacement(let indexes, _):
      before.elements(at: indexes)
    case .algebra(.minus, let elements): before.elements(in: elements)
    case .algebra(.intersect, let elements), .algebra(.set, let elements):
      before.elements(notIn: elements)
    }
  }

  /// The elements that a set doesn't have yet; nil if the edit isn't set algebra that adds elements.
  func entering(_ before: @autoclosure () -> any CapturedValue) -> (any CapturedValue)? {
    switch self {
    case .algebra(.union, let elements), .algebra(.set, let elements):
      before().missing(of: elements)
    default: nil
    }
  }
}
