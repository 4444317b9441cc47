/// One property of one object.
struct PropertyPlace: Hashable {
  let registrar: UnsafePointer<KeyValueRegistrar>
  let id: Int
}

extension PropertyPlace {
  init(of object: any KeyValueObservable, id: Int) {
    self.init(registrar: object._$kvoWithRegistrar { $0.address() }, id: id)
  }
}

/// One key of one object, while the object is alive.
struct ObjectKey: Hashable {
  private let object: ObjectIdentifier
  private let id: Int

  init(_ object: AnyObject, _ property: Property) {
    self.object = ObjectIdentifier(object)
    id = property.id
  }
}
