import CGtk4
import KeyValueObserving

/// Objects of Swift as GObjects.
///
/// A mirror is a GObject that stands for an observable object. It has a property for each key, and emits
/// `notify` when the key changes. So all that GTK does with properties works on Swift models: expressions,
/// `<lookup>` and `<binding>` in GtkBuilder's files, sorters, filters, `g_object_bind_property`.
///
/// | key | property |
/// | --- | --- |
/// | `String`, `Bool`, an integer, `Float`, `Double` | of that type |
/// | an enumeration with a raw value | of the raw value's type |
/// | an optional of these | text, which is empty for nil |
/// | an observable object | its mirror, or NULL |
/// | an array of observable objects | a `GListModel` of their mirrors, which can't be set |
///
/// A property has the key's name, in which `_` is `-`. Other keys aren't properties: ``Description/omitted``
/// says which. A subclass's mirrors are of a subclass of GObject, too.
///
/// Setting a property sets the key, after its `validate<Key>(_:)`. If that throws, or the key can't have the
/// value, the key keeps its own, and the mirror emits the signal `refused`, with the property's name and the
/// error's description, and the property's name as the detail: `refused::age`.
///
/// A mirror that ``of(_:)`` has returned lives as long as its object: handlers stay connected, data stays
/// set. While code holds a reference to it, it holds the object. The mirrors that are items of a list model,
/// or values of another mirror's property, come and go as GTK needs them: they live while they are held, or
/// while a handler is connected. If the last handler is disconnected after the last reference is gone, the
/// mirror ends when the main loop is next idle. If the loop has been idle in between, the mirror ends when it's
/// next held and released, when a key that it observes changes, or when its object dies. These mirrors observe
/// only the keys that were read while a handler was connected, so connect first, then read, as GTK's
/// expressions do.
@MainActor
public enum GObjectMirror {
  /// What GObject knows of a class.
  public struct Description: Sendable {
    /// The GObject class.
    public let type: GType
    /// Its name, for `type="…"` in GtkBuilder's files.
    public let name: String
    /// The names of the properties, by key.
    public let properties: [String: String]
    /// The keys that aren't properties, with the reasons.
    public let omitted: [String: String]
  }

  /// Makes a class known to GObject under a name, with a property for each key.
  ///
  /// ```swift
  /// GObjectMirror.register(Person.self, name: "Person")
  /// ```
  ///
  /// Call it before a GtkBuilder file or an expression names the class. A class that isn't registered is known
  /// to GObject from its first mirror or list model on, under its own name, `Person`, or, if another class has
  /// that, with its module, `Staff-Person`; what GObject allows in no name is a hyphen.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - name: At least three letters, digits, `-`, `_` or `+`, which no other GObject class has. By default,
  ///     the class's own name, as above. The program stops at a name that's taken or isn't allowed, or if the
  ///     class is known under another.
  /// - Returns: What GObject knows of it now.
  @discardableResult
  public static func register<Object: KeyValueObservable>(
    _ type: Object.Type, name: String? = nil
  ) -> Description {
    MainThread.require("\(type) was registered")
    let known = name.map { MirrorClass.register(type, name: $0) } ?? .of(type)
    return Description(
      type: known.type, name: known.name,
      properties: Dictionary(uniqueKeysWithValues: known.keys.map { ($0.key, $0.name) }),
      omitted: Dictionary(uniqueKeysWithValues: known.omissions.map { ($0.key, $0.reason) }))
  }

  /// An object's mirror: always the same one while the object lives.
  ///
  /// ```swift
  /// let mirror = GObjectMirror.of(person)
  /// g_object_bind_property(mirror, "name", label, "label", G_BINDING_SYNC_CREATE)
  /// g_object_unref(mirror)
  /// ```
  ///
  /// It observes all keys of the object.
  ///
  /// - Returns: The mirror, with a reference that the caller owns. The mirror lives on without it.
  public static func of(_ object: some KeyValueObservable) -> UnsafeMutablePointer<GObject> {
    MainThread.require("The mirror of \(type(of: object)) was asked for")
    return Mirror.retained(of: object, isRow: false)
  }

  /// The object that a GObject mirrors.
  ///
  /// ```swift
  /// let row = gtk_single_selection_get_selected_item(selection)
  /// register.selected = row.flatMap { GObjectMirror.object(of: $0, as: Person.self) }
  /// ```
  ///
  /// - Returns: The object; nil if the pointer isn't a mirror, or the object is of another class or dead.
  public static func object<Object: KeyValueObservable>(
    of mirror: some GObjectPointer, as type: Object.Type = Object.self
  ) -> Object? {
    Mirror.content(of: UnsafeMutableRawPointer(mirror.gObject))?.object as? Object
  }
}
