/// The object itself, which the component `self` names.
final class IdentityProperty: Property, @unchecked Sendable {
  init(of type: any KeyValueObservable.Type, id: Int) {
    super.init(
      key: PathComponent.identityName, origin: .constant, ownership: .strong, valueType: type)
    self.id = id
  }

  override func anyValue(of object: AnyObject) -> Any? { object }
}
