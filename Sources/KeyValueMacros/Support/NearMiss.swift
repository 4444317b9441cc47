/// The role that a member's name suggests.
enum NearMissPart: String {
  case customisation = "a customisation point"
  case validator = "a validator"
  case accessor = "a collection accessor"
}

/// Why a member doesn't have that role.
enum NearMissReason {
  case unknownKey(String, type: String)
  case isInstance
  case isType
  case isProperty(String)
  case takesParameters
  /// Carries the parameter's type.
  case takes(String)
  case notInout
  case returns
  case resultNotInt
  case effectful
  case suspends
  case generic
  /// Carries the actor.
  case isolated(String)
  case label(expected: String)
  /// The name, the labels or the types are wrong; carries the right ones.
  case spelling(String)

  /// The reason, and how to fix it.
  var text: String {
    switch self {
    case .unknownKey(let key, let type): "because '\(type)' has no key '\(key)'"
    case .isInstance: "because it is an instance method; declare it 'class' or 'static'"
    case .isType: "because it is a type method; declare it as an instance method"
    case .isProperty(let name): "because it is a property; write it as 'class func \(name)()'"
    case .takesParameters: "because it takes a parameter"
    case .takes(let type): "because no accessor takes '\(type)'"
    case .notInout: "because its parameter is not 'inout'"
    case .returns: "because it returns a value; throw an error for an invalid one"
    case .resultNotInt: "because it does not return 'Int'"
    case .effectful: "because it can throw or suspend"
    case .suspends: "because it can suspend"
    case .generic: "because it is generic or has a 'where' clause"
    case .isolated(let actor):
      "because it is isolated to '@\(actor)' and its class is not marked so; mark both, or neither if the "
        + "class's module or superclass isolates it"
    case .label(let expected): "because its parameter has a label; write '\(expected)'"
    case .spelling(let expected): "which is spelt '\(expected)'"
    }
  }
}
