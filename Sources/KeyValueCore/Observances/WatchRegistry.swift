/// What an object's registrar holds, as far as an observance needs it.
// Checked by hand: the schema is a constant; a subclass guards what it adds.
class WatchRegistry: RegistrarContents, @unchecked Sendable {
  let schema: KeyValueSchema

  init(_ schema: KeyValueSchema) {
    self.schema = schema
  }

  /// Takes out an observance's interest in one property.
  func remove(_ observance: Observance, _ hop: WatchedHop?, id: Int) {}

  /// Takes out the registration of an observer object.
  func removeRegistration(_ observance: Observance) {}

  /// The object that the registry belongs to, unless it is dying.
  func retained(_ unretained: UnretainedObject) -> (any KeyValueObservable)? { nil }
}
