// Reading and setting: `person.kvo.name.value`.
extension KeyValueBoundPath {
  // A declared property would hide keys named `value`: Swift looks for dynamic members only where no
  // declared one exists. Generic, and disfavoured twice, here and at `_KeyValueBoundMember.value`: so a key
  // of that name wins, behind an optional too, and the compiler still names a misspelt member
  // (Architecture.md, decision (i2)).
  /// The value of the path, `person.kvo.name.value`, which reads and sets it.
  ///
  /// ```swift
  /// print(person.kvo.name.value)                    // Ada
  /// person.kvo.name.value = "Grace"                 // notifies, like an assignment
  /// print(person.kvo.account.balance.value ?? 0)    // 0.0: there is no account
  /// person.kvo.account.balance.value = 100          // nothing to set it in: does nothing
  /// ```
  ///
  /// Reading runs the getters on the way, on this thread. A path through optionals reads as nil while
  /// one of them is nil; behind a collection, the value has all elements, `company.kvo.people[each:
  /// \.name].value`, or is the operator's.
  ///
  /// Setting announces the change like an assignment to the last key. It calls no validator. While an
  /// object on the way is nil, it does nothing, as `setValue(_:forKeyPath:)` does. A path by string
  /// through a collection sets each element's value, also as that method does. Changing in place,
  /// `kvo.age.value += 1`, reads and then sets.
  ///
  /// If the class has a key named `value`, that name is the key's path: `slider.kvo.value` is the path,
  /// `slider.kvo.value.value` its value.
  ///
  /// Errors: the value of an operator, of `[each:]` and of a property without a setter can't be set, nor
  /// can nil be set for a key that can't be nil. That goes to the violation handler, which
  /// traps by default. A constant isn't known at compile time to be one.
  ///
  /// - Important: A `value` that is read isn't observed. In a getter, read the property itself: the
  ///   macro finds a dependency there, and none here.
  ///
  /// - Complexity: Reading takes what the getters take, and O(*n*) behind a collection of *n* elements.
  ///
  /// Source of the behaviour: this library's; a value behind nil is Cocoa's.
  @_disfavoredOverload
  @inlinable
  public subscript<Member>(
    dynamicMember keyPath: KeyPath<_KeyValueBoundMember, Member>
  ) -> Value {
    get { _path.reading.read(_object) }
    nonmutating set { _set(newValue) }
  }

  @usableFromInline
  func _set(_ value: Value) {
    do {
      let end = writableEnd(false) { KeyValueViolation.report(.unobservablePath, "\($0)") }
      _ = try end?.write(value, to: _object)
    } catch {
      KeyValueViolation.report(.unobservablePath, "\(error)")
    }
  }
}

/// The members that each bound path has, unless a key of its value has the same name.
public struct _KeyValueBoundMember {
  /// The path's value.
  @_disfavoredOverload
  public var value: Never { fatalError("Only its key path is used.") }
}
