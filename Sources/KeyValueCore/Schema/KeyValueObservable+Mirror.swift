extension KeyValueObservable {
  /// The object's stored keys under their own names, and those of each superclass in a mirror of its own.
  ///
  /// `dump`, `Mirror(reflecting:)` and a debugger's `po` show a class as they would without the macro:
  /// the hidden storage and the library's own members don't appear. Computed keys don't either, nor
  /// lazy ones, whose reading would compute them, nor properties that are no keys.
  ///
  /// ```swift
  /// dump(person)
  /// // ▿ Person #0
  /// //   - firstName: "Ada"
  /// //   - lastName: "Lovelace"
  /// ```
  ///
  /// A class that declares `customMirror` in its body is shown by that. The properties of a subclass
  /// without the macro are unknown, so its mirror has no children.
  ///
  /// - Complexity: O(*n*), where *n* is the number of the class's stored keys.
  public var customMirror: Mirror {
    let object: any KeyValueObservable = self
    let level: any KeyValueObservable.Type = type(of: object)
    return mirror(of: object, as: level)
  }
}

/// The mirror of an object's part that one class declares.
private func mirror<Level: KeyValueObservable>(
  of object: any KeyValueObservable, as level: Level.Type
) -> Mirror {
  let superclass = _getSuperclass(level) as? any KeyValueObservable.Type
  let inherited = superclass.map { KeyValueSchema.schema(of: $0).properties.count } ?? 0
  let own = KeyValueSchema.schema(of: level).properties.dropFirst(inherited)
  let children = own.filter(\.isReflectedStored).map { property in
    (label: Optional(property.key), value: property.reflectedValue(of: object))
  }
  // The type that a mirror gives as its subject's is the static one.
  return Mirror(
    unsafeDowncast(object, to: Level.self), children: children, displayStyle: .class,
    ancestorRepresentation: superclass.map { superclass in
      .customized { mirror(of: object, as: superclass) }
    } ?? .generated)
}

extension Property {
  fileprivate var isReflectedStored: Bool {
    switch origin {
    case .stored, .manual, .constant: isReflected
    case .computed, .accessors: false
    }
  }

  /// The value in its own type, so that an optional one is shown as such and no other is.
  fileprivate func reflectedValue(of object: AnyObject) -> Any {
    func read<Value>(_ type: Value.Type) -> Any {
      var value: Any = ()
      capture(from: object).withAddress { address in
        value = address.assumingMemoryBound(to: type).pointee
      }
      return value
    }
    return read(valueType)
  }
}
