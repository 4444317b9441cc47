extension KeyValueRegistrar {
  /// Lets a proxy change an array's elements in place, and notifies an observance that is the property's
  /// only one and needs nothing but values.
  ///
  /// It takes the lock twice, like any in-place modification.
  ///
  /// The elements exist. Their indexes are those after the change for an insertion, and before it for a
  /// removal.
  ///
  /// - Returns: False, with nothing done, if other observances have to be notified; the caller then
  ///   uses a `ManualMutation`.
  borrowing func changeElements(
    _ kind: KeyValueChangeKind, _ range: Range<Int>, of property: Property,
    _ object: any KeyValueObservable, _ change: () -> Void
  ) -> Bool {
    guard let storage = property.elements else { return false }
    var modification = KeyValueModification(property.id)
    var old: (any CapturedValue)?
    if !markIdle(property.id) {
      switch begin(&modification, hasOld: kind != .insertion) {
      case .marked: break
      case .overlapping: overlappingAccess(property.id)
      case .announces: return false
      case .readsOld:
        old = storage.capture(object, IndexRanges(range))
        mark(property.id, of: object)
      case .unheld: mark(property.id, of: object)
      }
      #if DEBUG || KVO_AUDIT
        TokenLifetime.noteChange()
      #endif
    }
    change()
    endAccess(property.id)
    if RegistrarState.attachmentCount != modification.attachment {
      followLate(modification, kind, range, of: property, object)
    }
    guard let sole = modification.sole else { return true }
    withUnsafePointer(to: IndexRanges(range)) { ranges in
      var delivery = Delivery(.deliver)
      delivery.kind = kind
      delivery.ranges = ranges
      old.withAddress { old in
        delivery.old = Delivery.ValueLocation(old)
        let wantsNew = sole.observance._withUnsafeGuaranteedRef { $0.wantsNew }
        guard wantsNew, kind != .removal else { return sole.tell(object, &delivery) }
        storage.lend(object, range) { new in
          delivery.new = .address(new)
          sole.tell(object, &delivery)
        }
      }
    }
    sole.observance.release()
    return true
  }

  /// Updates what was attached to the property during the change.
  @inline(never)
  private borrowing func followLate(
    _ modification: KeyValueModification, _ kind: KeyValueChangeKind, _ range: Range<Int>,
    of property: Property, _ object: any KeyValueObservable
  ) {
    guard object.schema.traits(of: property).isAutomatic else { return }
    ManualMutation(object, property, Edit(kind, at: IndexRanges(range)), isChecked: true)
      .followLateHops(
        since: modification.attachment, besides: modification.sole?.watches ?? .none)
  }
}
