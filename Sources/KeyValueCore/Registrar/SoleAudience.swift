/// The observance that alone watches a property and asks for nothing but its values.
///
/// Trivial to copy; the code that takes it out of the registrar's state retains the observance.
@usableFromInline
struct SoleAudience {
  @usableFromInline let observance: Unmanaged<Observance>
  /// The property, where it is the end of another object's path; a schema keeps it for ever.
  let leaf: Unmanaged<Property>?

  /// The same as a change set, without the observance's hop, which no user of a sole audience needs.
  var watches: WatchList {
    .one(Watch(observance: observance.takeUnretainedValue(), hop: nil))
  }

  @inlinable
  @inline(__always)
  var wantsOld: Bool { observance._withUnsafeGuaranteedRef { $0.wantsOld } }

  /// Tells of an assignment.
  @inlinable
  @inline(__always)
  func tell<Value>(
    _ object: AnyObject, old: UnsafeRawPointer?, _ storage: BorrowedStorage<Value>
  ) {
    let wantsNew = observance._withUnsafeGuaranteedRef { $0.wantsNew }
    guard wantsNew else { return tell(object, old: old, new: nil) }
    let new = storage.get(object)
    withUnsafePointer(to: new) { tell(object, old: old, new: UnsafeRawPointer($0)) }
  }

  /// Tells of an assignment, with the values' addresses.
  @usableFromInline
  func tell(_ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
    var delivery = Delivery(.deliver)
    delivery.old = Delivery.ValueLocation(old)
    delivery.new = Delivery.ValueLocation(new)
    withUnsafeMutablePointer(to: &delivery) { tell(object, $0) }
  }

  /// Tells of a change of this property; the delivery isn't copied on the way.
  @inline(__always)
  func tell(_ object: AnyObject, _ delivery: UnsafeMutablePointer<Delivery>) {
    observance._withUnsafeGuaranteedRef { observance in
      guard let leaf else { return observance.deliverInline(UnsafePointer(delivery), of: object) }
      delivery.pointee.leaf = leaf
      deliverAtRoot(delivery, observance)
    }
  }

  /// A function of its own, so that an object's own observers don't pay for what only a path needs.
  @inline(never)
  private func deliverAtRoot(
    _ delivery: UnsafeMutablePointer<Delivery>, _ observance: Observance
  ) {
    guard observance.isActive, let root = observance.root else { return }
    observance.deliverInline(UnsafePointer(delivery), of: root)
  }
}
