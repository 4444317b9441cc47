import KeyValueObserving

/// One step of a random program, which the library and the reference carry out alike.
///
/// Objects, tokens and observers are named by numbers. A step that names what does not exist, or not
/// any more, does nothing; so any part of a program is a program, and the shrinker may cut freely.
package indirect enum Operation: Sendable, Equatable {
  /// Makes an object and holds it.
  case create(Int)
  /// Stops holding an object; it lives on where something else holds it.
  case drop(Int)
  case register(Registration)
  /// Ends a token by `invalidate()`, or by dropping it.
  case end(token: Int, byDropping: Bool)
  /// Removes an observer object's registration; with no context given, whatever its context.
  case remove(observer: Int, object: Int, path: String, context: Int?)
  /// Registers an observer object on the elements of an array, or removes it from them.
  case registerAll(Registration, objects: [Int])
  case removeAll(observer: Int, objects: [Int], path: String, context: Int)
  /// Stops holding an observer object.
  case dropObserver(Int)
  /// Stops holding an owner that observes through a controller.
  case dropOwner(Int)
  /// Stops holding the controller of an owner that does not hold it itself.
  case dropController(ofOwner: Int)
  case unobserve(owner: Int, Scope)
  case mutate(Int, Mutation)
  /// One half of a manual pair.
  case will(Int, String)
  case did(Int, String)
  /// Reads a key path by name.
  case read(Int, String)
  case transaction(Batch)
  case bind(Binding)
}

/// What a controller stops observing.
package enum Scope: Sendable, Equatable {
  case all
  case object(Int)
  case path(Int, String)
}

/// A registration: who is told, of what, and what whoever is told does then.
package struct Registration: Sendable, Equatable {
  package enum Form: Sendable, Equatable {
    /// By a typed key path, which the table of typed paths has under the path's name.
    case typed
    case string
    /// By an observer object and a context.
    case observer(Int, context: Int)
    /// Through the controller of an owner.
    case owner(Int, isTyped: Bool)
  }

  /// The token's number, by which others end the registration; an observer object has no use for it.
  package var token: Int
  package var form: Form
  package var object: Int
  package var path: String
  package var options: KeyValueObservingOptions
  /// The call in which the handler says that it has seen enough; only for those with a token.
  package var lastCall: Int?
  /// What the callback does in its n-th call, counted from 1.
  package var script: [Int: Operation] = [:]

  package init(
    token: Int, form: Form, object: Int, path: String, options: KeyValueObservingOptions
  ) {
    self.token = token
    self.form = form
    self.object = object
    self.path = path
    self.options = options
  }

  /// The same registration on another object.
  func of(_ object: Int) -> Registration {
    var other = self
    other.object = object
    return other
  }

  var isTyped: Bool {
    switch form {
    case .typed, .owner(_, isTyped: true): true
    default: false
    }
  }

  var hasToken: Bool { form == .typed || form == .string }
}

/// Steps that are carried out in one transaction.
package struct Batch: Sendable, Equatable {
  /// One is asked to `performChanges`; several, or none, are named to `KeyValueTransaction`.
  package var receivers: [Int]
  package var isRollingBack: Bool
  /// Whether the closure throws when all steps are done.
  package var isFailing: Bool
  package var operations: [Operation]

  package init(
    receivers: [Int], isRollingBack: Bool, isFailing: Bool, operations: [Operation]
  ) {
    self.receivers = receivers
    self.isRollingBack = isRollingBack
    self.isFailing = isFailing
    self.operations = operations
  }
}

/// A change of one object.
package enum Mutation: Sendable, Equatable {
  case assign(String, FuzzValue)
  /// `setValue(_:forKeyPath:)`.
  case code(String, FuzzValue)
  case inPlace(String, Edit)
  case proxy(String, Edit)
  /// An assignment of a manual key, between the two calls that announce it.
  case announce(String, FuzzValue)
  /// A change of a manual key, between the two calls that announce it.
  case announced(String, Edit)
  /// Puts an object under a name of the dictionary, or takes out what is there.
  case file(String, FuzzValue)
  /// `setValues(forKeys:)`.
  case codeAll([String: FuzzValue])
  /// An assignment of a manual relationship that nobody announces.
  case sneak(String, FuzzValue)
}

extension Mutation {
  /// Whether a key, or one of the dictionary's, belongs to what lets go of its elements in no order; what
  /// was there is not dropped.
  static func keepsInNoOrder(_ key: String) -> Bool { ["group", "folder", "a", "b"].contains(key) }
}

/// What happens to a value in place; positions are taken modulo what the collection allows.
package enum Edit: Sendable, Equatable {
  /// Adds to a number, or appends to a text.
  case add(Int)
  case insert([FuzzValue], at: [Int])
  case remove(at: [Int])
  case replace([FuzzValue], at: [Int])
  case replaceSubrange(Int, Int, with: [FuzzValue])
  case swap(Int, Int)
  case move(Int, Int)
  case algebra(KeyValueSetMutationKind, [FuzzValue])
  /// A removal and an insertion at the same positions; what replacing amounts to for some keys.
  case exchange([FuzzValue], at: [Int])
}

/// A random program, and the number that it can be made from again.
package struct Program: Sendable {
  package let seed: UInt64
  package var operations: [Operation]

  package init(seed: UInt64, operations: [Operation]) {
    self.seed = seed
    self.operations = operations
  }

  /// Whether relationships change behind the observers' backs.
  ///
  /// Nothing is promised then of what they are told, and nothing that they do is a part of such a program;
  /// what counts is how things are at the end.
  package var isSneaky: Bool { operations.contains(where: \.isSneaky) }

  /// All steps, those of scripts and transactions included.
  package var size: Int { operations.reduce(0) { $0 + $1.size } }
}

extension Operation {
  fileprivate var isSneaky: Bool { if case .mutate(_, .sneak) = self { true } else { false } }

  var size: Int {
    switch self {
    case .register(let registration), .registerAll(let registration, _):
      registration.script.values.reduce(1) { $0 + $1.size }
    case .transaction(let batch): batch.operations.reduce(1) { $0 + $1.size }
    default: 1
    }
  }
}

extension Program: CustomStringConvertible {
  package var description: String {
    operations.enumerated().map { "#\($0.offset) \($0.element)" }.joined(separator: "\n")
  }
}
