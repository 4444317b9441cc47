import Testing

@Suite("Diagnostics of a class's other conformances and members")
struct ShapeDiagnosticsTests {
  @Test("L3 Codable", arguments: codingCases)
  func coding(_ example: DiagnosticCase) { example.check() }

  @Test("L3 Codable that a superclass or an extension states")
  func codingElsewhere() {
    let both = ["Encodable", "Decodable"]
    let subclass = { (members: String) in
      """
      @KeyValueObservable
      final class Taxed: Item {
      \(members)
      }
      """
    }
    #expect(
      reports(on: subclass("  var tax = 1"), inheriting: true, coding: both) == #"""
        2: warning: 'Codable' of 'Taxed' comes from a superclass or an extension, so \#
        '@KeyValueObservable' does not code the properties that 'Taxed' adds; write 'init(from:)' and \#
        'encode(to:)' in the class, or declare 'CodingKeys' to say that this is meant
        """#)
    // The superclass lacks the macro.
    #expect(
      reports(on: subclass("  let tax: Int"), coding: ["Encodable"]) == #"""
        2: warning: 'Encodable' of 'Taxed' comes from a superclass or an extension, so \#
        '@KeyValueObservable' does not code the properties that 'Taxed' adds; write 'encode(to:)' in \#
        the class, or declare 'CodingKeys' to say that this is meant
        """#)
    let encode = "  override func encode(to encoder: any Encoder) throws {}"
    #expect(
      reports(on: subclass("  var tax = 1\n" + encode), inheriting: true, coding: both) == #"""
        2: warning: 'Decodable' of 'Taxed' comes from a superclass or an extension, so \#
        '@KeyValueObservable' does not code the properties that 'Taxed' adds; write 'init(from:)' in \#
        the class, or declare 'CodingKeys' to say that this is meant
        """#)
    let decode = "  required init(from decoder: any Decoder) throws {}"
    let silent = [
      encode + "\n" + decode + "\n  var tax = 1", "  var tax: Int { 1 }", "  let tax = 1",
      "  var tax = 1\n  enum CodingKeys: CodingKey {}",
    ]
    for members in silent {
      #expect(reports(on: subclass(members), inheriting: true, coding: both) == "", "\(members)")
    }
    #expect(reports(on: subclass("  var tax = 1"), inheriting: true) == "")
    // Here Swift's own synthesis in an extension reports an error.
    #expect(
      reports(on: "@KeyValueObservable final class A: Hashable { var a = 1 }", coding: both) == "")
  }

  @Test("L3 @Observable beside @KeyValueObservable", arguments: observationCases)
  func observation(_ example: DiagnosticCase) { example.check() }

  @Test("N1 property observers that run in an initialiser", arguments: initializerCases)
  func initializers(_ example: DiagnosticCase) { example.check() }

  @Test("L3 changes announced by Foundation's own methods", arguments: foundationCases)
  func foundation(_ example: DiagnosticCase) { example.check() }
}

private let codingCases = [
  DiagnosticCase(
    "A case without a property, a property without a case",
    #"""
    @KeyValueObservable
    final class Person: Codable {
      var name = ""
      var age: Int
      var nick: String?
      enum CodingKeys: String, CodingKey { case name, agee }
    }
    """#,
    #"""
    6: error: 'CodingKeys' of 'Person' has the case 'agee', but 'Person' stores no property 'agee'
    4: error: 'age' has neither a case in 'CodingKeys' nor a value to begin with, so 'init(from:)' \#
    cannot be written; add the case, give the property a value, or write 'init(from:)'
    """#),
  DiagnosticCase(
    "A constant with a value is not decoded",
    #"""
    @KeyValueObservable
    final class Person: Codable {
      let kind = 1
      let name: String
    }
    """#,
    #"""
    3: warning: 'kind' is encoded but not decoded, because a 'let' with a value cannot be set \#
    again; make it a 'var', or declare 'CodingKeys' to say that this is meant
    """#),
  DiagnosticCase(
    "What only is encoded may be constant",
    #"""
    @KeyValueObservable
    final class Person: Encodable {
      let kind = 1
    }
    """#, ""),
  DiagnosticCase(
    "A wrapper may have a value to begin with",
    #"""
    @KeyValueObservable
    final class Person: Codable {
      var name = ""
      @KeyValueIgnored @Count var age: Int
      init() {}
      enum CodingKeys: CodingKey { case name }
    }
    """#, ""),
  DiagnosticCase(
    "A subclass that inherits its initialisers would lose them",
    #"""
    @KeyValueObservable
    class Person: Party, Codable {
      var name = ""
      enum CodingKeys: CodingKey { case name }
    }
    """#,
    #"""
    2: warning: 'Person' declares 'CodingKeys' and no initialiser; 'init(from:)' is written for \#
    it, and Swift gives a class with an initialiser no other, nor lets it inherit one; declare \#
    those that are used
    """#),
]

private let observationCases = [
  DiagnosticCase(
    "One diagnostic, however many properties",
    #"""
    @Observable
    @KeyValueObservable
    final class Person {
      var name = ""
      var age = 1
      @ObservationIgnored var nick = ""
      var title: String { name + "\(age)" }
    }
    """#,
    #"""
    1: error: '@Observable' and '@KeyValueObservable' cannot both rewrite the properties' \#
    accessors; write '@KeyValueObservable(tracking: true)' alone, which tells Observation too
      write '@KeyValueObservable(tracking: true)' alone
      - @KeyValueObservable
      - @Observable
      + @KeyValueObservable(tracking: true)
    """#)
]

private let initializerCases = [
  DiagnosticCase(
    "A change in place whose result is used, after self was used",
    #"""
    @KeyValueObservable
    final class Queue {
      var items = [1, 2] { didSet {} }
      var first: Int
      init() {
        first = items.removeFirst()
        start()
        first = items.removeLast()
        items.removeAll()
      }
      func start() {}
    }
    """#,
    #"""
    8: warning: the observers of 'items' run for this change, which they don't in an initialiser \#
    of a plain class; make the change a statement of its own
    """#),
  DiagnosticCase(
    "The same in an initialiser under #if",
    #"""
    @KeyValueObservable
    final class Queue {
      var items = [1, 2] { didSet {} }
      var first = 0
      #if DEBUG
      init() {
        start()
        first = items.removeLast()
      }
      #endif
      func start() {}
    }
    """#,
    #"""
    8: warning: the observers of 'items' run for this change, which they don't in an initialiser \#
    of a plain class; make the change a statement of its own
    """#),
  DiagnosticCase(
    "A capture list keeps an initialiser from being rewritten",
    #"""
    @KeyValueObservable
    final class Player {
      var song: String { didSet {} }
      var count = 0 { didSet {} }
      @KeyValueIgnored var action: () -> Void = {}
      init(song: String) {
        self.song = song
        action = { [weak self] in self?.count += 1 }
        count = 1
        count = 2
      }
      init() {
        song = ""
        func prepare() { action = { [weak self] in self?.count += 1 } }
        prepare()
        count = 1
      }
    }
    """#,
    #"""
    9: warning: the observers of 'count' run for this change, which they don't in an initialiser of \#
    a plain class: Swift compiles no initialiser that a macro has written around a closure with a \#
    capture list; move the closure into a method
    """#),
  DiagnosticCase(
    "A deinit that isn't isolated uses accessors of an isolated class",
    #"""
    @MainActor
    @KeyValueObservable
    final class Player {
      var task: Task<Void, Never>?
      var count = 0
      var songs: [Int] = []
      var title = ""
      @KeyValueIgnored var timer: Int?
      deinit {
        task?.cancel()
        self.count = 1
        let title = "x"
        later { songs.removeAll() }
        print(timer, title, other.songs)
      }
    }
    """#,
    #"""
    9: warning: this 'deinit' is not isolated, and the accessors of 'task', 'count' are isolated to \#
    '@MainActor'; write 'isolated deinit', or mark what need not be observed @KeyValueIgnored
      add 'isolated'
      -   deinit {
      +   isolated deinit {
    """#),
  DiagnosticCase(
    "A deinit that is isolated, or whose class isn't",
    #"""
    @MainActor
    @KeyValueObservable
    final class Player {
      var task: Task<Void, Never>?
      isolated deinit { task?.cancel() }
    }
    @MainActor
    @KeyValueObservable
    final class Recorder {
      var task: Task<Void, Never>?
      @MainActor deinit { task?.cancel() }
    }
    @KeyValueObservable
    final class Library {
      var task: Task<Void, Never>?
      deinit { task?.cancel() }
    }
    """#, ""),
]

private let foundationCases = [
  DiagnosticCase(
    "The class's own key",
    #"""
    @KeyValueObservable
    class Download: Foundation.Operation {
      @NotifiesManually var received = 0
      func receive() {
        willChangeValue(forKey: "received")
        received += 1
        self.didChangeValue(forKey: "received")
      }
    }
    """#,
    #"""
    5: error: 'willChangeValue(forKey:)' is Foundation's here, because 'Operation' has it too, and \#
    tells no observer of 'received'; write 'withChange(of:)' around the change, or call it as \#
    '(self as any KeyValueObservable).willChangeValue(forKey:)'
      call it through the protocol
      -     willChangeValue(forKey: "received")
      +     (self as any KeyValueObservable).willChangeValue(forKey: "received")
    7: error: 'didChangeValue(forKey:)' is Foundation's here, because 'Operation' has it too, and \#
    tells no observer of 'received'; write 'withChange(of:)' around the change, or call it as \#
    '(self as any KeyValueObservable).didChangeValue(forKey:)'
      call it through the protocol
      -     self.didChangeValue(forKey: "received")
      +     (self as any KeyValueObservable).didChangeValue(forKey: "received")
    """#),
  DiagnosticCase(
    "A key that only the run time knows",
    #"""
    @KeyValueObservable
    class Download: BlockOperation {
      func announce(_ key: String) {
        willChangeValue(forKey: key)
      }
    }
    """#,
    #"""
    4: warning: 'willChangeValue(forKey:)' is Foundation's here, because 'BlockOperation' has it \#
    too, and tells no observer of the key; write 'withChange(of:)' around the change, or call it \#
    as '(self as any KeyValueObservable).willChangeValue(forKey:)'
      call it through the protocol
      -     willChangeValue(forKey: key)
      +     (self as any KeyValueObservable).willChangeValue(forKey: key)
    """#),
  DiagnosticCase(
    "The operation's own keys, typed pairs and other superclasses",
    #"""
    @KeyValueObservable
    class Download: Operation {
      @NotifiesManually var received = 0
      private var done = false
      override var isFinished: Bool { done }
      func finish() {
        willChangeValue(forKey: "isFinished")
        done = true
        didChangeValue(forKey: "isFinished")
        willChangeValue(for: \.received)
        didChangeValue(for: \.received)
      }
    }
    @KeyValueObservable
    class Model: Base {
      @NotifiesManually var received = 0
      func receive() {
        willChangeValue(forKey: "received")
        received += 1
        didChangeValue(forKey: "received")
      }
    }
    """#, ""),
]
