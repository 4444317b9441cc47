/// The part of an object's registrar that an observance needs.
// Checked by hand: the schema is a constant; a subclass guards the state that it adds.
class WatchRegistry: RegistrarContents, @unchecked Sendable {
  let schema: KeyValueSchema

  init(_ schema: KeyValueSchema) {
    self.schema = schema
  }

  /// Removes an observance's interest in one property.
  func remove(_ observance: Observance, _ hop: WatchedHop?, id: Int) {}

  /// Removes the registration of an observer object.
  func removeRegistration(_ observance: Observance) {}

  /// The object that the registry belongs to, unless it is dying.
  func retained(_ unretained: UnretainedObject) -> (any KeyValueObservable)? { nil }
}
