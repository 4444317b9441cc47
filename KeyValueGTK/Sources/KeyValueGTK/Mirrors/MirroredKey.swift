import CGtk4
import KeyValueObserving

/// A key of a class as a property of the class's mirrors.
@MainActor
final class MirroredKey {
  /// What a key's value is to GObject.
  enum Content {
    case value(ErasedCoding)
    /// The mirror of an object.
    case object(any KeyValueObservable.Type)
    /// A list model, which is made of the object that has the key.
    case list(any KeyValueObservable.Type)
  }

  let key: String
  /// The property's name.
  let name: String
  let content: Content
  let isSettable: Bool
  /// Whether objects of the class have the key's own optional type, so that NULL may be set.
  let isOptional: Bool

  /// - Throws: ``Omission`` if GObject has no such property.
  init(_ description: KeyValuePropertyDescription) throws(Omission) {
    guard let name = MirrorNames.property(description.name) else {
      throw Omission(key: description.name, reason: "GObject has no such name")
    }
    self.key = description.name
    self.name = name
    isOptional = description.isOptional
    switch description.kind {
    case .value:
      guard let coding = ErasedCoding(of: description.valueType),
        MirroredKey.hasParameter(coding.gType)
      else {
        throw Omission(key: key, reason: "GObject has no values of type \(description.valueType)")
      }
      content = .value(coding)
      isSettable = description.isSettable
    case .toOne:
      guard let related = description.relatedClass else {
        throw Omission(key: key, reason: "the object's class isn't observable")
      }
      content = .object(related)
      isSettable = description.isSettable
    case .orderedToMany:
      guard let related = description.relatedClass,
        MirroredKey.isArray(description.valueType, of: related)
      else { throw Omission(key: key, reason: "it isn't an array of observable objects") }
      content = .list(related)
      isSettable = false
    case .unorderedToMany:
      throw Omission(key: key, reason: "a list has an order, and a set has none")
    }
  }

  /// Why a key is no property.
  struct Omission: Error {
    let key: String
    let reason: String
  }

  private static func isArray(_ type: Any.Type, of element: any KeyValueObservable.Type) -> Bool {
    func isArray<Element: KeyValueObservable>(_: Element.Type) -> Bool {
      type == [Element].self || type == [Element]?.self
    }
    return isArray(element)
  }

  private static func hasParameter(_ type: GType) -> Bool {
    [
      kvo_type_string, kvo_type_boolean, kvo_type_int, kvo_type_uint, kvo_type_int64,
      kvo_type_uint64, kvo_type_float, kvo_type_double,
    ].contains(type)
  }

  /// A new description of the property, for a class's initialiser.
  func parameter() -> UnsafeMutablePointer<GParamSpec> {
    var bits = G_PARAM_READABLE.rawValue | G_PARAM_EXPLICIT_NOTIFY.rawValue
    if isSettable { bits |= G_PARAM_WRITABLE.rawValue }
    let flags = GParamFlags(rawValue: bits)
    switch content {
    case .object(let type):
      return g_param_spec_object(name, nil, nil, MirrorClass.of(type).type, flags)
    case .list:
      return g_param_spec_object(name, nil, nil, g_list_model_get_type(), flags)
    case .value(let coding):
      switch coding.gType {
      case kvo_type_boolean: return g_param_spec_boolean(name, nil, nil, 0, flags)
      case kvo_type_int: return g_param_spec_int(name, nil, nil, .min, .max, 0, flags)
      case kvo_type_uint: return g_param_spec_uint(name, nil, nil, 0, .max, 0, flags)
      case kvo_type_int64: return g_param_spec_int64(name, nil, nil, .min, .max, 0, flags)
      case kvo_type_uint64: return g_param_spec_uint64(name, nil, nil, 0, .max, 0, flags)
      case kvo_type_float:
        return g_param_spec_float(name, nil, nil, -.infinity, .infinity, 0, flags)
      case kvo_type_double:
        return g_param_spec_double(name, nil, nil, -.infinity, .infinity, 0, flags)
      default: return g_param_spec_string(name, nil, nil, "", flags)
      }
    }
  }

  /// Writes the key's value, which isn't a list.
  func get(_ object: any KeyValueObservable, _ held: UnsafeMutablePointer<GValue>) {
    // The class has the key, so reading it doesn't throw; a class's own `value(forKey:)` may, which is nil.
    let value = try? object.value(forKey: key)
    switch content {
    case .value(let coding):
      // A number that the property's type doesn't have can't be: each type has its own.
      try? coding.write(value, held)
    case .object:
      if let value = value as? any KeyValueObservable {
        g_value_take_object(held, Mirror.retained(of: value, isRow: true))
      }
    case .list: break
    }
  }

  /// Sets the key, after its validator.
  ///
  /// - Throws: The validator's error, or that of a value that the key can't have.
  func set(_ object: any KeyValueObservable, _ held: UnsafePointer<GValue>) throws {
    var value: Any?
    switch content {
    case .value(let coding): value = try coding.read(held)
    case .object: value = g_value_get_object(held).flatMap { Mirror.content(of: $0)?.object }
    case .list: return
    }
    try object.validateValue(&value, forKey: key)
    try object.setValue(value, forKey: key)
  }
}
