/// Makes an observance known to the objects it concerns.
extension Observance {
  /// Attaches to a path of the object and, where asked for, delivers the initial change.
  @usableFromInline
  func register(on object: any KeyValueObservable, path: ObservedPath) throws {
    #if DEBUG || KVO_AUDIT
      let (_, recording) = try ReadRecording.record { try attach(to: object, path) }
      defer { DependencyAudit.registered(self, on: object, recording) }
    #else
      try attach(to: object, path)
    #endif
    detachIfEnded()
    guard options.contains(.initial) else { return }
    var delivery = Delivery(.deliver)
    delivery.new = .evaluate
    deliver(delivery, of: object)
  }

  private func attach(to object: any KeyValueObservable, _ path: ObservedPath) throws {
    try CollectionOperator.check(path.keys)
    let schema = object.schema
    guard let property = try path.firstProperty(of: object, in: schema) else { return }
    let traits = schema.traits(of: property)
    let isWholePath =
      path.keys.count == 1 && !path.hasTail
      && (path.leafType ?? property.valueType) == property.valueType
    if isWholePath, traits.dependencies.isEmpty, property.ownership != .weak {
      object._$kvoWithRegistrar { registrar in
        registrar.update(of: object) { storage, state in
          attach(to: storage, id: property.id, of: object)
          state.insert(
            Watch(observance: self, hop: nil), property, isAutomatic: traits.isAutomatic)
        }
      }
    } else {
      let tree = HopTree(
        root: object, observance: self, path: path, soleProperty: isWholePath ? property : nil)
      attach(through: tree)
      try tree.attach(property)
    }
  }
}
