#if DEBUG || KVO_AUDIT
  /// The keys that lead from one object to another.
  struct KeyWay {
    /// Empty if both are the same object.
    let keys: [String]
    /// Whether the way leads through one entry of a dictionary.
    var leadsThroughDictionary = false
    /// Whether the way leads through one element of an array or a set.
    var leadsThroughCollection = false
    /// The collection on the way that no path leads through; nil if there is none.
    var barrier: (path: String, type: String)?

    /// Finds the shortest way; nil if there is none.
    ///
    /// It reads only properties that the getter has just read, and those that no accessor reports:
    /// other threads may be using other objects.
    init?(
      from start: any KeyValueObservable, to target: any KeyValueObservable,
      through recording: ReadRecording
    ) {
      var ways = [(start, KeyWay(keys: []))]
      var seen: Set<ObjectIdentifier> = [ObjectIdentifier(start)]
      var next = 0
      while next < ways.count, next < KeyWay.limit {
        let (object, way) = ways[next]
        next += 1
        if object === target {
          self = way
          return
        }
        for property in object.schema.properties {
          guard !property.isPlainValue || KeyWay.isForeignCollection(property.valueType),
            KeyWay.isOpen(property, of: object, recording), object.canBeRead(property)
          else { continue }
          way.appending(property.key).forEachObject(in: property.anyValue(of: object)) {
            object, way in
            if seen.insert(ObjectIdentifier(object)).inserted { ways.append((object, way)) }
          }
        }
      }
      return nil
    }

    private init(keys: [String]) {
      self.keys = keys
    }

    /// The number of objects to search.
    private static let limit = 1000

    private static func isOpen(
      _ property: Property, of object: any KeyValueObservable, _ recording: ReadRecording
    ) -> Bool {
      switch property.origin {
      case .stored: recording.contains(.init(object: ObjectIdentifier(object), id: property.id))
      case .manual, .constant: true
      case .computed, .accessors: false
      }
    }

    /// Whether the type is a collection of what may be objects, through which no path leads.
    private static func isForeignCollection(_ type: Any.Type) -> Bool {
      func mayHoldObjects<Values: Collection>(_ type: Values.Type) -> Bool {
        !KeyValueCore.isPlainValue(Values.Element.self)
      }
      return (unwrapped(type) as? any Collection.Type).map { mayHoldObjects($0) } ?? false
    }

    private func appending(_ key: String) -> KeyWay {
      var way = KeyWay(keys: keys + [key])
      way.leadsThroughDictionary = leadsThroughDictionary
      way.leadsThroughCollection = leadsThroughCollection
      way.barrier = barrier
      return way
    }

    private func forEachObject(in value: Any?, _ body: (any KeyValueObservable, KeyWay) -> Void) {
      switch value {
      case nil: break
      case let object as any KeyValueObservable: body(object, self)
      case let dictionary as [String: Any]:
        for (key, value) in dictionary {
          var way = appending(key)
          way.leadsThroughDictionary = true
          way.forEachObject(in: flattened(value), body)
        }
      case let collection as any ToMany:
        var way = self
        way.leadsThroughCollection = true
        for element in collection.anyElements { way.forEachObject(in: element, body) }
      case let collection as any Collection:
        var way = self
        way.barrier = barrier ?? (keys.joined(separator: "."), name(of: type(of: collection)))
        for element in collection { way.forEachObject(in: flattened(element), body) }
      default: break
      }
    }
  }

  extension DependencyExamination.Finding {
    /// How to observe what a member reads that isn't a key.
    func wayOutOfMember(_ read: String) -> String {
      let name = owner.schema.name
      guard let way else {
        return
          "No keys of \(name) lead to that object. Keep it in a property of \(name), and observe a computed "
          + "property of \(name) that depends on the path through it."
      }
      let path = (way.keys + [read]).joined(separator: ".")
      return "Observe a computed property of \(name) that depends on \"\(path)\"."
    }

    /// How to fix it.
    func wayOut(_ read: String) -> String {
      let ownerName = owner.schema.name
      let isCocoa = owner.schema.usesCocoaNaming
      let function = "keyPathsForValuesAffecting\(capitalized(key))"
      guard let way else {
        let statement =
          isCocoa
          ? "return the path through it from \(function)"
          : "write @DependsOn with the path through it"
        return
          "No keys of \(ownerName) lead to that object. Keep it in a property of \(ownerName) and "
          + "\(statement), or write @DependsOn() if \(key) need not follow it."
      }
      if let barrier = way.barrier {
        return
          "\(ownerName).\(barrier.path) is of type \(barrier.type), through which no path leads. Declare it as an "
          + "array, or write @DependsOn() if \(key) need not follow its elements."
      }
      let path = (way.keys + [read]).joined(separator: ".")
      if isCocoa, way.leadsThroughCollection {
        return
          "Cocoa does not notify it either, and raises for a path through a collection. Here \"\(path)\" leads to all "
          + "elements: return it from \(function) if observers are to follow them."
      }
      let advice =
        isCocoa ? "Return \"\(path)\" from \(function)." : "Write @DependsOn(\"\(path)\")."
      guard way.leadsThroughDictionary else { return advice }
      return advice
        + " That is one entry of a dictionary; one path leads to all elements of an array."
    }
  }
#endif
