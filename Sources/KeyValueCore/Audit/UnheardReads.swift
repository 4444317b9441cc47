#if DEBUG || KVO_AUDIT
  /// Reports a getter's visible reads of an object or a class that announces nothing (Parity L3).
  ///
  /// The macro writes `motor.power` for a getter that reads it. If `motor`'s class lacks the macro,
  /// the dependency ends at `motor`. A member that the class stores may change unannounced, which
  /// is reported. Other members, such as `image.size`, are unknown and aren't reported. The same applies
  /// to a variable that a class without the macro declares above or below one with it.
  extension DependencyAudit {
    /// Checks the inferred dependencies of an observed path's keys.
    static func reportUnheardReads(_ keys: [PathComponent], of object: any KeyValueObservable) {
      var object = object
      for key in keys.map(\.name) {
        var seen: Set<String> = []
        reportUnheardReads(of: key, object, &seen)
        reportIfWithoutSource(key, object.schema)
        guard let property = object.schema.property(key), case .stored = property.origin,
          object.canBeRead(property),
          let next = property.anyValue(of: object) as? any KeyValueObservable
        else { return }
        object = next
      }
    }

    private static func reportUnheardReads(
      of key: String, _ object: any KeyValueObservable, _ seen: inout Set<String>
    ) {
      let schema = object.schema
      guard seen.insert(key).inserted, !schema.hasCompleteDependencies(key) else { return }
      for path in schema.inferredDependencies(of: key) {
        let components = path.components.map(\.name)
        guard let property = schema.property(components[0]) else {
          reportUnheardVariable(components[0], readBy: key, of: object)
          continue
        }
        if case .computed = property.origin {
          reportUnheardReads(of: components[0], object, &seen)
        } else if components.count > 1, refersToUnheard(property.valueType),
          let unheard = sample(of: property.anyValue(of: object)),
          stores(unheard, components[1])
        {
          report(key, components, type(of: unheard), schema)
        } else if components.count > 1,
          let declared = observedClass(in: property.valueType),
          KeyValueSchema.schema(of: declared).property(components[1]) == nil,
          object.canBeRead(property),
          let next = sample(of: property.anyValue(of: object)) as? any KeyValueObservable,
          next.schema.property(components[1]) == nil,
          ReportOnce.isFirst("look for \(components[1])", of: next.schema.type, ""),
          let type = UnannotatedClasses.declaring(components[1], for: next)
        {
          report(key, components, type, schema)
        }
      }
    }

    /// Reports a computed key without known dependencies.
    ///
    /// If the class's body shows that the value never changes, or that the class announces it, the
    /// macro has marked the key as complete.
    private static func reportIfWithoutSource(_ key: String, _ schema: KeyValueSchema) {
      guard let property = schema.property(key), case .computed = property.origin,
        !property.hasSetter, !schema.hasCompleteDependencies(key),
        schema.inferredDependencies(of: key).isEmpty
      else { return }
      let traits = schema.traits(of: property)
      guard traits.isAutomatic, traits.dependencies.isEmpty else { return }
      ReportOnce.tolerated("no source", of: schema.type, key) {
        let ways =
          schema.usesCocoaNaming
          ? "keyPathsForValuesAffecting\(capitalized(key)) with what it depends on, "
            + "automaticallyNotifiesObserversOf\(capitalized(key)) if the class announces its changes, or "
            + "@DependsOn() if it does not change"
          : "@DependsOn with what it depends on, or @DependsOn() if it does not change or if the class "
            + "announces its changes"
        return
          "\(schema.name).\(key) is computed and is not known to depend on any key, so its observers "
          + "are never notified. \(foundationsPair(schema))Write \(ways)."
      }
    }

    /// Why a pair by name announces nothing under Foundation's `Operation`; empty for other classes.
    private static func foundationsPair(_ schema: KeyValueSchema) -> String {
      let isOperation = StoredField.superclasses(of: schema.type).contains {
        $0 as? any KeyValueObservable.Type == nil && name(of: $0) == "Operation"
      }
      return isOperation
        ? "Under Operation, willChangeValue(forKey:) and didChangeValue(forKey:) are Foundation's; "
          + "withChange(of:) notifies observers. " : ""
    }

    /// Reports a variable of the object that a class without the macro declares.
    private static func reportUnheardVariable(
      _ name: String, readBy key: String, of object: any KeyValueObservable
    ) {
      let schema = object.schema
      guard !schema.statesDependencies(of: key),
        ReportOnce.isFirst("look for \(name)", of: schema.type, key),
        let type = UnannotatedClasses.declaring(name, for: object)
      else { return }
      ReportOnce.tolerated("read \(name)", of: schema.type, key) {
        let declarer = KeyValueCore.name(of: type)
        let statement =
          schema.usesCocoaNaming
          ? "return the rest of what it depends on from keyPathsForValuesAffecting\(capitalized(key))"
          : "write @DependsOn with the rest of what it depends on"
        return
          "\(schema.name).\(key) reads '\(name)', which \(declarer) declares, and \(declarer) is not "
          + "@KeyValueObservable, so it is not notified when that changes. Annotate \(declarer) with "
          + "@KeyValueObservable, or \(statement) if '\(name)' does not change."
      }
    }

    private static func report(
      _ key: String, _ components: [String], _ unheard: AnyClass, _ schema: KeyValueSchema
    ) {
      let path = components.joined(separator: ".")
      ReportOnce.tolerated("read \(path)", of: schema.type, key) {
        let type = name(of: unheard)
        return
          "\(schema.name).\(key) reads '\(path)' of an object of \(type), which is not "
          + "@KeyValueObservable, so it is not notified when that object changes. Annotate \(type) with "
          + "@KeyValueObservable, or write @DependsOn() if what is read does not change."
      }
    }

    /// Whether a property refers to objects of a class without the macro.
    private static func refersToUnheard(_ type: Any.Type) -> Bool {
      let type = unwrapped(type)
      if let collection = type as? any ToMany.Type {
        return refersToUnheard(collection.elementType)
      }
      return type is AnyClass && !(type is any KeyValueObservable.Type)
    }

    /// The object, or one of the objects, in a value.
    private static func sample(of value: Any?) -> AnyObject? {
      guard let value else { return nil }
      if type(of: value) is AnyClass { return value as AnyObject }
      return Mirror(reflecting: value).children.first.flatMap { sample(of: $0.value) }
    }

    /// Whether the object's class or a superclass stores a property of this name.
    private static func stores(_ object: AnyObject, _ name: String) -> Bool {
      var mirror: Mirror? = Mirror(reflecting: object)
      while let level = mirror {
        if level.children.contains(where: { $0.label == name }) { return true }
        mirror = level.superclassMirror
      }
      return false
    }
  }
#endif
