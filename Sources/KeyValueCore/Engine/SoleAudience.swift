/// A property's only observance, which asks for nothing but the property's values.
///
/// Trivial to copy; code that reads it from the registrar's state retains the observance.
@usableFromInline
struct SoleAudience {
  @usableFromInline let observance: Unmanaged<Observance>
  /// The property, if it's the end of another object's path; the schema never releases it.
  let leaf: Unmanaged<Property>?

  /// Whether a watch is of this observance.
  func isOf(_ watch: Watch) -> Bool {
    observance._withUnsafeGuaranteedRef { $0 === watch.observance }
  }

  @inlinable
  @inline(__always)
  var wantsOld: Bool { observance._withUnsafeGuaranteedRef { $0.wantsOld } }

  /// Notifies the observance of an assignment, with the value that is stored now.
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

  /// Notifies the observance of an assignment that stored exactly the assigned value.
  @inlinable
  @inline(__always)
  func tell<Value>(_ object: AnyObject, old: UnsafeRawPointer?, assigned: Value) {
    let wantsNew = observance._withUnsafeGuaranteedRef { $0.wantsNew }
    withUnsafePointer(to: assigned) {
      tell(object, old: old, new: wantsNew ? UnsafeRawPointer($0) : nil)
    }
  }

  /// Notifies the observance of an assignment, with the values' addresses.
  @usableFromInline
  func tell(_ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
    var delivery = Delivery()
    delivery.old = Delivery.ValueLocation(old)
    delivery.new = Delivery.ValueLocation(new)
    withUnsafeMutablePointer(to: &delivery) { tell(object, $0) }
  }

  /// Notifies the observance of a change of this property, without copying the delivery.
  @inline(__always)
  func tell(_ object: AnyObject, _ delivery: UnsafeMutablePointer<Delivery>) {
    observance._withUnsafeGuaranteedRef { observance in
      guard let leaf else { return observance.deliverInline(UnsafePointer(delivery), of: object) }
      delivery.pointee.leaf = leaf
      deliverAtRoot(delivery, observance)
    }
  }

  /// Not inlined, so that an object's own observers don't pay for what only a path needs.
  @inline(never)
  private func deliverAtRoot(
    _ delivery: UnsafeMutablePointer<Delivery>, _ observance: Observance
  ) {
    guard observance.isActive, let root = observance.root else { return }
    observance.deliverInline(UnsafePointer(delivery), of: root)
  }
}
