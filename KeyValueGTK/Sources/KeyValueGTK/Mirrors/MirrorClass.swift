import CGtk4
import KeyValueObserving

/// The GObject class of a Swift class's mirrors.
///
/// A subclass's is a subclass of its superclass's, so that `<lookup name="name" type="Person">` also reads a
/// mirror of an `Employee`.
@MainActor
final class MirrorClass {
  let swiftClass: any KeyValueObservable.Type
  let name: String
  let superclass: MirrorClass?
  /// The keys that are properties, the superclass's first: a property's number is its place, plus one.
  let keys: [MirroredKey]
  /// The keys that aren't.
  let omissions: [MirroredKey.Omission]
  private(set) var type = GType(0)
  /// The properties, one for each key, from the first instance on.
  private(set) var parameters: [UnsafeMutablePointer<GParamSpec>] = []
  /// The properties' names, as details of the signal `notify`.
  private(set) var details: [GQuark] = []

  private static var classes: [ObjectIdentifier: MirrorClass] = [:]
  /// The GObject classes of mirrors.
  private(set) static var types: Set<GType> = []

  /// The mirrors' class of a Swift class, which is registered if it isn't yet.
  static func of(_ swiftClass: any KeyValueObservable.Type) -> MirrorClass {
    if let known = classes[ObjectIdentifier(swiftClass)] { return known }
    return MirrorClass(swiftClass, MirrorNames.free(for: swiftClass))
  }

  /// Registers a class with a name.
  static func register(_ swiftClass: any KeyValueObservable.Type, name: String) -> MirrorClass {
    if let known = classes[ObjectIdentifier(swiftClass)] {
      if known.name == name { return known }
      Misuse.stop(
        """
        GObject knows \(swiftClass) as \(known.name) already. Register it as \(name) before its first \
        mirror or list model.
        """)
    }
    guard MirrorNames.isValid(name) else {
      Misuse.stop(
        """
        GObject allows no class named “\(name)”: a name has at least three of ASCII's letters and digits, \
        -, _ and +, and begins with a letter or _.
        """)
    }
    guard g_type_from_name(name) == 0 else {
      Misuse.stop(
        "GObject has another class named \(name). Register \(swiftClass) with another name.")
    }
    return MirrorClass(swiftClass, name)
  }

  private init(_ swiftClass: any KeyValueObservable.Type, _ name: String) {
    self.swiftClass = swiftClass
    self.name = name
    superclass = (_getSuperclass(swiftClass) as? any KeyValueObservable.Type).map(MirrorClass.of)
    var keys = superclass?.keys ?? []
    var omissions: [MirroredKey.Omission] = []
    var names = Set(keys.map(\.name))
    let omitted = Set(superclass?.omissions.map(\.key) ?? [])
    let places = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1.key, $0) })
    for description in swiftClass.keyValueProperties where !omitted.contains(description.name) {
      do throws(MirroredKey.Omission) {
        let key = try MirroredKey(description)
        if let place = places[key.key] {
          // An override may have a setter where the superclass's key has none.
          if key.isSettable != keys[place].isSettable { keys[place] = key }
        } else if names.insert(key.name).inserted {
          keys.append(key)
        } else {
          omissions.append(.init(key: key.key, reason: "another key is the property \(key.name)"))
        }
      } catch {
        omissions.append(error)
      }
    }
    self.keys = keys
    self.omissions = (superclass?.omissions ?? []) + omissions
    type = InstanceClass.register(
      name, parent: superclass?.type ?? kvo_type_object,
      // Classes are never unregistered.
      data: UnsafeRawPointer(Unmanaged.passRetained(self).toOpaque())
    ) { table, data in
      onMainActor((table, data)) { table, data in
        guard let table, let data else { return }
        Unmanaged<MirrorClass>.fromOpaque(data).takeUnretainedValue()
          .complete(table.assumingMemoryBound(to: GObjectClass.self))
      }
    }
    // Known before its properties are made, which may be of the same class.
    MirrorClass.classes[ObjectIdentifier(swiftClass)] = self
    MirrorClass.types.insert(type)
  }

  /// Adds the properties; GObject calls it before the first instance, or when GTK asks for a property.
  private func complete(_ table: UnsafeMutablePointer<GObjectClass>) {
    InstanceClass.complete(table)
    let inherited = superclass?.keys ?? []
    parameters = superclass?.parameters ?? []
    for (place, key) in keys.enumerated() {
      let isInherited = place < inherited.count
      if isInherited, key === inherited[place] { continue }
      // A class's own property of a name that its superclass has, too, takes the place of that.
      let parameter = key.parameter()
      g_object_class_install_property(table, guint(place + 1), parameter)
      if isInherited { parameters[place] = parameter } else { parameters.append(parameter) }
    }
    details = keys.map { g_quark_from_string($0.name) }
    if superclass == nil { addRefusedSignal(to: table) }
  }

  /// The number of a root class's signal `refused`.
  private var ownRefused: guint = 0

  var refused: guint { superclass?.refused ?? ownRefused }

  private func addRefusedSignal(to table: UnsafeMutablePointer<GObjectClass>) {
    var types = [kvo_type_string, kvo_type_string]
    ownRefused = g_signal_newv(
      "refused", table.pointee.g_type_class.g_type,
      GSignalFlags(rawValue: G_SIGNAL_RUN_LAST.rawValue | G_SIGNAL_DETAILED.rawValue), nil, nil,
      nil, nil, kvo_type_none, guint(types.count), &types)
  }
}
