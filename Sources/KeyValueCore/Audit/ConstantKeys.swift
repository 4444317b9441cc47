#if DEBUG || KVO_AUDIT
  extension DependencyAudit {
    /// Reports an observer of a path on which nothing can change (Parity L3).
    ///
    /// The initial value, or a binding that sets its target once, may be all that is wanted. A string that is
    /// one key may come from a loop over `keyValueKeys`.
    static func reportIfConstant(_ observance: Observance, on root: any KeyValueObservable) {
      guard !observance.options.contains(.initial),
        (observance.policy?.role ?? .observer) == .observer,
        !(observance.path.isString && observance.path.keys.count == 1)
      else { return }
      var object: (any KeyValueObservable)? = root
      for component in observance.path.keys {
        guard let present = object, let property = present.schema.property(component.name),
          present.schema.isConstant(property)
        else { return }
        object = property.observedObject(of: present) ?? nil
      }
      let schema = root.schema
      ReportOnce.tolerated("constant", of: schema.type, observance.keyPath) {
        let subject =
          observance.path.keys.count == 1
          ? "\(schema.name).\(observance.keyPath) is declared with let"
          : "Every key of '\(observance.keyPath)' of \(schema.name) is declared with let"
        let place = KeyValueTrace.Place(observance.origin).map { " It was registered at \($0)." }
        return
          "\(subject), so it never changes and its observer is never notified. Declare it with var, or "
          + "observe a key that changes." + (place ?? "")
      }
    }
  }
#endif
