extension KeyValueObservable {
  /// The object's stored keys under their own names, each superclass's in a mirror of its own.
  ///
  /// `dump`, `Mirror(reflecting:)` and a debugger's `po` show a class as they would without the
  /// macro: without the hidden storage and the library's members. Computed keys, lazy keys and
  /// properties that aren't keys don't appear; reading a lazy key would compute it.
  ///
  /// ```swift
  /// dump(person)
  /// // ▿ Person #0
  /// //   - firstName: "Ada"
  /// //   - lastName: "Lovelace"
  /// ```
  ///
  /// If a class declares `customMirror` in its body, that's used. The properties of a subclass
  /// without the macro are unknown, so its mirror has no children.
  ///
  /// - Complexity: O(*n*), where *n* is the number of the class's stored keys.
  public var customMirror: Mirror {
    let object: any KeyValueObservable = self
    let level: any KeyValueObservable.Type = type(of: object)
    return mirror(of: object, as: level)
  }
}

/// The mirror of the keys that one class declares.
private func mirror<Level: KeyValueObservable>(
  of object: any KeyValueObservable, as level: Level.Type
) -> Mirror {
  let superclass = _getSuperclass(level) as? any KeyValueObservable.Type
  // The subclass's own properties follow the superclass's; keys that only methods implement come last in each
  // schema.
  let inherited =
    superclass.map { superclass in
      KeyValueSchema.schema(of: superclass).properties.count { !($0 is AccessorProperty) }
    } ?? 0
  let own = KeyValueSchema.schema(of: level).properties.dropFirst(inherited)
  let children = own.filter(\.isReflectedStored).map { property in
    (label: Optional(property.key), value: property.reflectedValue(of: object))
  }
  // A mirror's subject type is the static type.
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

  /// The value in its own type, so that exactly the optional values are shown as optionals.
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
