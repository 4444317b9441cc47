/// The values of all stored keys of a graph, as data.
///
/// ```swift
/// var snapshot = KeyValueSnapshot(
///   root: id, objects: [id: .init(class: "Counter", values: ["count": 0])])
/// try snapshot.apply(KeyValueTransactionRecord([.set(id, key: "count", old: 0, new: 1)]))
/// print(snapshot.objects[id]!.values)             // ["count": 1]
/// ```
///
/// In JSON it's
/// `{"objects":{"7f3c…4e12":{"class":"Counter","values":{"count":1}}},"root":"7f3c…4e12","schema":0}`.
/// How values are written is described at `KeyValueLogValue`.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public struct KeyValueSnapshot: Hashable, Sendable {
  /// The object that leads to all others.
  public var root: KeyValueObjectID
  /// All objects.
  public var objects: [KeyValueObjectID: Object]
  /// The version of the model that the program gives, for programs that read older snapshots.
  public var schema: Int

  /// An object's class and values.
  public struct Object: Hashable, Sendable {
    /// The name of the class.
    public var `class`: String
    /// The values of the stored keys.
    public var values: [String: KeyValueLogValue]

    /// Creates an object.
    ///
    /// - Parameters:
    ///   - class: The name of the class.
    ///   - values: The values of the stored keys.
    public init(class: String, values: [String: KeyValueLogValue]) {
      self.class = `class`
      self.values = values
    }
  }

  /// Creates a snapshot.
  ///
  /// - Parameters:
  ///   - root: The object that leads to all others.
  ///   - objects: All objects.
  ///   - schema: The version of the model.
  public init(
    root: KeyValueObjectID, objects: [KeyValueObjectID: Object] = [:], schema: Int = 0
  ) {
    self.root = root
    self.objects = objects
    self.schema = schema
  }
}
