import KeyValueObserving

/// One step of a random program, which both the library and the reference carry out.
///
/// Objects, tokens and observers are numbered. A step for one that doesn't exist, or no longer exists, does
/// nothing. So any part of a program is a program, and the shrinker may remove any step.
package indirect enum Operation: Sendable, Equatable {
  /// Creates an object and holds it.
  case create(Int)
  /// Stops holding an object, which lives on if something else holds it.
  case drop(Int)
  case register(Registration)
  /// Ends a token by `invalidate()`, or by releasing it.
  case end(token: Int, byDropping: Bool)
  /// Removes an observer object's registration, with any context if none is given.
  case remove(observer: Int, object: Int, path: String, context: Int?)
  /// Registers an observer object on the elements of an array, or removes it from them.
  case registerAll(Registration, objects: [Int])
  case removeAll(observer: Int, objects: [Int], path: String, context: Int)
  /// Stops holding an observer object.
  case dropObserver(Int)
  /// Stops holding an owner that observes through a controller.
  case dropOwner(Int)
  /// Stops holding the controller of an owner that doesn't hold it itself.
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
  /// Records the changes of a key, for undoing.
  case record(recorder: Int, object: Int, key: String)
  case undo(recorder: Int)
  case redo(recorder: Int)
}

/// What a controller stops observing.
package enum Scope: Sendable, Equatable {
  case all
  case object(Int)
  case path(Int, String)
}

/// A registration, and the steps that its observer carries out when it's called.
package struct Registration: Sendable, Equatable {
  package enum Form: Sendable, Equatable {
    /// By a typed key path, which `TypedPaths` has under the path's string.
    case typed
    case string
    /// By an observer object and a context.
    case observer(Int, context: Int)
    /// Through the controller of an owner.
    case owner(Int, isTyped: Bool)
  }

  /// The token's number, by which steps end the registration; unused for an observer object.
  package var token: Int
  package var form: Form
  package var object: Int
  package var path: String
  package var options: KeyValueObservingOptions
  /// The call after which the handler ends its observation; only for registrations with a token.
  package var lastCall: Int?
  /// The steps of the callback, by the number of the call, counted from 1.
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

/// Steps of one transaction.
package struct Batch: Sendable, Equatable {
  /// A single receiver calls `performChanges`; several, or none, are passed to `KeyValueTransaction`.
  package var receivers: [Int]
  package var isRollingBack: Bool
  /// Whether the closure throws after all steps.
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
  /// An assignment of a changed copy.
  case copied(String, Edit)
  case proxy(String, Edit)
  /// An assignment of a manual key, between the two calls that announce it.
  case announce(String, FuzzValue)
  /// Two assignments, between the calls that announce both.
  case paired(Pairing)
  /// A change of a manual key, between the two calls that announce it.
  case announced(String, Edit)
  /// Sets or removes the object under a name, or under a number, in the dictionary that has such keys.
  case file(String, FuzzValue)
  /// `setValues(forKeys:)`.
  case codeAll([String: FuzzValue])
  /// An assignment of a manual relationship that isn't announced.
  case sneak(String, FuzzValue)
}

extension Mutation {
  /// Whether a key belongs to a set or a dictionary, which releases its elements in no order.
  ///
  /// Its elements aren't dropped.
  static func keepsInNoOrder(_ key: String) -> Bool {
    ["group", "purse", "folder", "a", "b", "index", "1", "2"].contains(key)
  }

  /// Whether an object is a short-lived one that only lists refer to.
  static func isGuest(_ serial: Int) -> Bool { serial < 0 }
}

/// Two manual pairs around two assignments, of one key or of two.
package struct Pairing: Sendable, Equatable {
  struct Part: Sendable, Equatable {
    var key: String
    var value: Int
    /// Whether a key path announces the key, rather than its name.
    var isTyped: Bool
  }

  var first: Part
  var second: Part
  /// Whether the pair that begins first ends first.
  var isCrossed: Bool
}

/// A change in place; positions are taken modulo the number of valid ones.
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
  /// A removal and an insertion at the same positions, by which some keys replace elements.
  case exchange([FuzzValue], at: [Int])
  /// Adds to what an element holds besides what its equality compares.
  case retouch(Int, Int)
  /// A change that only plain Swift makes, of a copy or in place.
  case plain(PlainEdit)
}

/// A change of a list that no proxy makes.
package enum PlainEdit: Sendable, Equatable {
  case append([FuzzValue])
  /// Appends the elements at these positions once more.
  case repeated(at: [Int])
  case removeFirst(Int)
  case removeLast(Int)
  case removeAll
  /// Removes the elements whose numbers have this remainder.
  case removeWhere(modulus: Int, remainder: Int)
  case reverse
  case sort
  case shuffle(UInt64)
  /// Appends elements and takes them out again, in one access.
  case appendAndRemove([FuzzValue])
}

/// A random program, and the seed that it's generated from.
package struct Program: Sendable {
  package let seed: UInt64
  package var operations: [Operation]

  package init(seed: UInt64, operations: [Operation]) {
    self.seed = seed
    self.operations = operations
  }

  /// Whether relationships change without being announced.
  ///
  /// The rules don't specify notifications for such a program, and it has no callbacks; only the final
  /// state is compared.
  package var isSneaky: Bool { operations.contains(where: \.isSneaky) }

  /// The number of steps, including those of scripts and transactions.
  package var size: Int { operations.reduce(0) { $0 + $1.size } }
}

extension Program {
  /// The program without what answers to changes, and without what announces a change that isn't one.
  var withoutReactions: Program {
    Program(seed: seed, operations: operations.compactMap(\.withoutReactions))
  }
}

extension Program {
  /// The program without callbacks of priors that change something, and without pairs of manual keys.
  ///
  /// An object that enters a logged graph in a prior of its own change enters with the value from before, and a
  /// change of a manual key is recorded when its pair ends.
  var withoutReactionsToPriors: Program {
    Program(
      seed: seed,
      operations: operations.map { operation in
        operation.mapRegistrations { registration in
          // An observer object has one script for all that it observes.
          let isObserver = if case .observer = registration.form { true } else { false }
          if isObserver || !registration.script.isEmpty { registration.options.remove(.prior) }
        }
      })
  }
}

extension Operation {
  fileprivate var withoutReactions: Operation? {
    switch self {
    case .bind, .will, .did: nil
    case .transaction(var batch):
      {
        batch.operations = batch.operations.compactMap(\.withoutReactions)
        return .transaction(batch)
      }()
    default: mapRegistrations { $0.script = [:] }
    }
  }

  /// The operation with changed registrations, also those in transactions and in scripts, and with pairs of
  /// automatic keys.
  fileprivate func mapRegistrations(_ change: (inout Registration) -> Void) -> Operation {
    func map(_ registration: Registration) -> Registration {
      var registration = registration
      change(&registration)
      registration.script = registration.script.mapValues { $0.mapRegistrations(change) }
      return registration
    }
    switch self {
    case .register(let registration): return .register(map(registration))
    case .registerAll(let registration, let objects):
      return .registerAll(map(registration), objects: objects)
    case .will(let object, "manual"), .will(let object, "pulse"), .will(let object, "phase"):
      return .will(object, "text")
    case .did(let object, "manual"), .did(let object, "pulse"), .did(let object, "phase"):
      return .did(object, "text")
    case .transaction(var batch):
      batch.operations = batch.operations.map { $0.mapRegistrations(change) }
      return .transaction(batch)
    default: return self
    }
  }

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
