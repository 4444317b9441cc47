#if !canImport(Darwin)
  // Casts of a change's values, `change?[.newKey] as? CGRect`, which succeed on Apple's systems. Foundation on Linux
  // bridges numbers and strings, but neither `CGFloat` nor the structures that Cocoa keeps in an `NSValue`, so such a
  // cast would be nil without a word.

  extension CGFloat: @retroactive _ObjectiveCBridgeable {
    /// The object that Cocoa has for the value.
    public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

    /// What `as?` makes of an object; false if the object holds something else.
    public static func _conditionallyBridgeFromObjectiveC(
      _ source: NSNumber, result: inout CGFloat?
    ) -> Bool {
      result = (source as? Double).map { CGFloat($0) }
      return result != nil
    }

    /// What `as!` makes of an object.
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) {
      result = CGFloat(source.doubleValue)
    }

    /// What becomes of an object from a method of Objective-C.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> CGFloat {
      CGFloat(source?.doubleValue ?? 0)
    }
  }

  /// A structure that Cocoa keeps in an `NSValue`.
  // It has no default implementations of `_ObjectiveCBridgeable`: those would have to be public, and so would this.
  private protocol Structure {
    static var empty: Self { get }
    static func unpacked(_ value: NSValue) -> Self
    var packed: NSValue { get }
  }

  extension Structure {
    /// Nil if the object holds another structure, or a number.
    fileprivate static func checked(_ value: NSValue) -> Self? {
      let isSame = String(cString: value.objCType) == String(cString: Self.empty.packed.objCType)
      return isSame ? unpacked(value) : nil
    }
  }

  extension CGPoint: Structure {
    fileprivate static var empty: CGPoint { .zero }
    fileprivate static func unpacked(_ value: NSValue) -> CGPoint { value.pointValue }
    fileprivate var packed: NSValue { NSValue(point: self) }
  }

  extension CGSize: Structure {
    fileprivate static var empty: CGSize { .zero }
    fileprivate static func unpacked(_ value: NSValue) -> CGSize { value.sizeValue }
    fileprivate var packed: NSValue { NSValue(size: self) }
  }

  extension CGRect: Structure {
    fileprivate static var empty: CGRect { .zero }
    fileprivate static func unpacked(_ value: NSValue) -> CGRect { value.rectValue }
    fileprivate var packed: NSValue { NSValue(rect: self) }
  }

  extension NSRange: Structure {
    fileprivate static var empty: NSRange { NSRange() }
    fileprivate static func unpacked(_ value: NSValue) -> NSRange { value.rangeValue }
    fileprivate var packed: NSValue { NSValue(range: self) }
  }

  extension CGPoint: @retroactive _ObjectiveCBridgeable {
    /// The object that Cocoa has for the value.
    public func _bridgeToObjectiveC() -> NSValue { packed }

    /// What `as?` makes of an object; false if the object holds something else.
    public static func _conditionallyBridgeFromObjectiveC(
      _ source: NSValue, result: inout CGPoint?
    ) -> Bool {
      result = checked(source)
      return result != nil
    }

    /// What `as!` makes of an object.
    public static func _forceBridgeFromObjectiveC(_ source: NSValue, result: inout CGPoint?) {
      result = unpacked(source)
    }

    /// What becomes of an object from a method of Objective-C.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSValue?) -> CGPoint {
      source.map(unpacked) ?? empty
    }
  }

  extension CGSize: @retroactive _ObjectiveCBridgeable {
    /// The object that Cocoa has for the value.
    public func _bridgeToObjectiveC() -> NSValue { packed }

    /// What `as?` makes of an object; false if the object holds something else.
    public static func _conditionallyBridgeFromObjectiveC(
      _ source: NSValue, result: inout CGSize?
    ) -> Bool {
      result = checked(source)
      return result != nil
    }

    /// What `as!` makes of an object.
    public static func _forceBridgeFromObjectiveC(_ source: NSValue, result: inout CGSize?) {
      result = unpacked(source)
    }

    /// What becomes of an object from a method of Objective-C.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSValue?) -> CGSize {
      source.map(unpacked) ?? empty
    }
  }

  extension CGRect: @retroactive _ObjectiveCBridgeable {
    /// The object that Cocoa has for the value.
    public func _bridgeToObjectiveC() -> NSValue { packed }

    /// What `as?` makes of an object; false if the object holds something else.
    public static func _conditionallyBridgeFromObjectiveC(
      _ source: NSValue, result: inout CGRect?
    ) -> Bool {
      result = checked(source)
      return result != nil
    }

    /// What `as!` makes of an object.
    public static func _forceBridgeFromObjectiveC(_ source: NSValue, result: inout CGRect?) {
      result = unpacked(source)
    }

    /// What becomes of an object from a method of Objective-C.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSValue?) -> CGRect {
      source.map(unpacked) ?? empty
    }
  }

  extension NSRange: @retroactive _ObjectiveCBridgeable {
    /// The object that Cocoa has for the value.
    public func _bridgeToObjectiveC() -> NSValue { packed }

    /// What `as?` makes of an object; false if the object holds something else.
    public static func _conditionallyBridgeFromObjectiveC(
      _ source: NSValue, result: inout NSRange?
    ) -> Bool {
      result = checked(source)
      return result != nil
    }

    /// What `as!` makes of an object.
    public static func _forceBridgeFromObjectiveC(_ source: NSValue, result: inout NSRange?) {
      result = unpacked(source)
    }

    /// What becomes of an object from a method of Objective-C.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSValue?) -> NSRange {
      source.map(unpacked) ?? empty
    }
  }
#endif
