/// Each source, and its diagnostics: line, severity and message, with fix-its indented below.
let nearMissesCases = [
  DiagnosticCase(
    "A customisation point needs its key",
    #"""
    @KeyValueObservable
    class A {
      class func keyPathsForValuesAffectingValue(forKey _: String) -> Set<String> { [] }
      class func automaticallyNotifiesObservers(forKey _: String) -> Bool { true }
    }
    """#,
    #"""
    3: error: 'keyPathsForValuesAffectingValue(forKey:)' needs a name for its key, because the \#
    macro adds to the method what it knows of that key; call it 'key'
      call it 'key'
      -   class func keyPathsForValuesAffectingValue(forKey _: String) -> Set<String> { [] }
      +   class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
    4: error: 'automaticallyNotifiesObservers(forKey:)' needs a name for its key, because the \#
    macro adds to the method what it knows of that key; call it 'key'
      call it 'key'
      -   class func automaticallyNotifiesObservers(forKey _: String) -> Bool { true }
      +   class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }
    """#),
  DiagnosticCase(
    "Class functions that return keys as objects",
    #"""
    @KeyValueObservable
    class A {
      var name = ""
      class func keyPathsForValuesAffectingName() -> NSSet { NSSet(array: ["first"]) }
      class func automaticallyNotifiesObserversOfName() -> Bool { false }
      func others() -> NSSet { [] }
    }
    """#,
    #"""
    4: error: 'keyPathsForValuesAffectingName' has to return 'Set<String>', in which the \#
    library finds what the key depends on
      return 'Set<String>'
      -   class func keyPathsForValuesAffectingName() -> NSSet { NSSet(array: ["first"]) }
      +   class func keyPathsForValuesAffectingName() -> Set<String> { NSSet(array: ["first"]) }
    """#),
  DiagnosticCase(
    "Class functions of a key that is none",
    #"""
    @KeyValueObservable
    final class A {
      var fullName = ""
      class func keyPathsForValuesAffectingFulName() -> Set<String> { [] }
      class func automaticallyNotifiesObserversOfFullNames() -> Bool { false }
      class func automaticallyNotifiesObserversOfZebra() -> Bool { false }
    }
    """#,
    #"""
    4: warning: 'keyPathsForValuesAffectingFulName()' is not taken for a customisation \#
    point, because 'A' has no key 'fulName'; did you mean \#
    'keyPathsForValuesAffectingFullName()'?
      replace 'keyPathsForValuesAffectingFulName' by 'keyPathsForValuesAffectingFullName'
      -   class func keyPathsForValuesAffectingFulName() -> Set<String> { [] }
      +   class func keyPathsForValuesAffectingFullName() -> Set<String> { [] }
    5: warning: 'automaticallyNotifiesObserversOfFullNames()' is not taken for a \#
    customisation point, because 'A' has no key 'fullNames'; did you mean \#
    'automaticallyNotifiesObserversOfFullName()'?
      replace 'automaticallyNotifiesObserversOfFullNames' by \#
    'automaticallyNotifiesObserversOfFullName'
      -   class func automaticallyNotifiesObserversOfFullNames() -> Bool { false }
      +   class func automaticallyNotifiesObserversOfFullName() -> Bool { false }
    6: warning: 'automaticallyNotifiesObserversOfZebra()' is not taken for a customisation \#
    point, because 'A' has no key 'zebra'
    """#),
  DiagnosticCase(
    "Class functions in a shape that is not looked for",
    #"""
    @KeyValueObservable
    final class A {
      var name = ""
      func keyPathsForValuesAffectingName() -> Set<String> { [] }
      class func keyPathsForValuesAffectingName(_ more: Bool) -> Set<String> { [] }
      class var automaticallyNotifiesObserversOfName: Bool { false }
      class func keyPathsForValuesAffectingname() -> Set<String> { [] }
      class func keyPathsForValueAffectingName() -> Set<String> { [] }
      class func keyPathsForValuesAffectingValue(for key: String) -> Set<String> { [] }
      class func automaticallyNotifiesObserver(forKey key: String) -> Bool { false }
    }
    """#,
    #"""
    4: warning: 'keyPathsForValuesAffectingName()' is not taken for a customisation point, \#
    because it is an instance method; declare it 'class' or 'static'
      add 'static'
      -   func keyPathsForValuesAffectingName() -> Set<String> { [] }
      +   static func keyPathsForValuesAffectingName() -> Set<String> { [] }
    5: warning: 'keyPathsForValuesAffectingName(_:)' is not taken for a customisation \#
    point, because it takes a parameter
    7: warning: 'keyPathsForValuesAffectingname()' is not taken for a customisation point, \#
    which is spelt 'keyPathsForValuesAffectingName()'
    8: warning: 'keyPathsForValueAffectingName()' is not taken for a customisation point, \#
    which is spelt 'keyPathsForValuesAffecting<Key>()'
    9: warning: 'keyPathsForValuesAffectingValue(for:)' is not taken for a customisation \#
    point, which is spelt 'keyPathsForValuesAffectingValue(forKey:)'
    10: warning: 'automaticallyNotifiesObserver(forKey:)' is not taken for a customisation \#
    point, which is spelt 'automaticallyNotifiesObservers(forKey:)'
    6: warning: 'automaticallyNotifiesObserversOfName' is not taken for a customisation \#
    point, because it is a property; write it as 'class func \#
    automaticallyNotifiesObserversOfName()'
    """#),
  DiagnosticCase(
    "Validators that are none",
    #"""
    @KeyValueObservable
    class A {
      var age = 1
      func validateAgee(_ value: inout Int) throws {}
      func validateAge(_ value: Int) throws {}
      func validateAge(value: inout Int) throws {}
      func validateAge(_ value: inout Int) -> Bool { true }
      static func validateAge(_ value: inout Int) throws {}
    }
    """#,
    #"""
    4: warning: 'validateAgee(_:)' is not taken for a validator, because 'A' has no key \#
    'agee'; did you mean 'validateAge(_:)'?
      replace 'validateAgee' by 'validateAge'
      -   func validateAgee(_ value: inout Int) throws {}
      +   func validateAge(_ value: inout Int) throws {}
    5: warning: 'validateAge(_:)' is not taken for a validator, because its parameter is \#
    not 'inout'
      add 'inout'
      -   func validateAge(_ value: Int) throws {}
      +   func validateAge(_ value: inout Int) throws {}
    6: warning: 'validateAge(value:)' is not taken for a validator, because its parameter \#
    has a label; write '_'
    7: warning: 'validateAge(_:)' is not taken for a validator, because it returns a \#
    value; throw an error for an invalid one
    8: warning: 'validateAge(_:)' is not taken for a validator, because it is a type \#
    method; declare it as an instance method
    """#),
  DiagnosticCase(
    "A validator in lower case",
    #"""
    @KeyValueObservable
    class A {
      var age = 1
      var isOn = true
      func validateage(_ value: inout Int) throws {}
      func validateison(_ value: inout Bool) throws {}
      func validateagee(_ value: inout Int) throws {}
      func validateage(_ value: Int) throws {}
    }
    """#,
    #"""
    5: warning: 'validateage(_:)' is not taken for a validator, which is spelt 'validateAge(_:)'
      replace 'validateage' by 'validateAge'
      -   func validateage(_ value: inout Int) throws {}
      +   func validateAge(_ value: inout Int) throws {}
    6: warning: 'validateison(_:)' is not taken for a validator, which is spelt 'validateIsOn(_:)'
      replace 'validateison' by 'validateIsOn'
      -   func validateison(_ value: inout Bool) throws {}
      +   func validateIsOn(_ value: inout Bool) throws {}
    7: warning: 'validateagee(_:)' is not taken for a validator, which is spelt 'validateAge(_:)'
      replace 'validateagee' by 'validateAge'
      -   func validateagee(_ value: inout Int) throws {}
      +   func validateAge(_ value: inout Int) throws {}
    8: warning: 'validateage(_:)' is not taken for a validator, which is spelt 'validateAge(_:)'
      replace 'validateage' by 'validateAge'
      -   func validateage(_ value: Int) throws {}
      +   func validateAge(_ value: Int) throws {}
    """#),
  DiagnosticCase(
    "Validators of another type",
    #"""
    @KeyValueObservable
    class A {
      var age = 1
      var weight: Double? = nil
      var name = "x"
      var born = Date()
      var isOn: Swift.Bool = true
      func validateAge(_ value: inout String) throws {}
      func validateWeight(_ value: inout Int?) throws {}
      func validateName(_ value: inout Date) throws {}
      func validateBorn(_ value: inout String) throws {}
      func validateIsOn(_ value: inout Int) throws {}
    }
    """#,
    #"""
    8: warning: 'validateAge(_:)' takes 'String', but 'age' is 'Int', so validation refuses each \#
    value that is no 'String' without calling it; write 'inout Int'
      write 'inout Int'
      -   func validateAge(_ value: inout String) throws {}
      +   func validateAge(_ value: inout Int) throws {}
    9: warning: 'validateWeight(_:)' takes 'Int?', but 'weight' is 'Double?', so validation refuses \#
    each value that is no 'Int?' without calling it; write 'inout Double?'
      write 'inout Double?'
      -   func validateWeight(_ value: inout Int?) throws {}
      +   func validateWeight(_ value: inout Double?) throws {}
    10: warning: 'validateName(_:)' takes 'Date', but 'name' is 'String', so validation refuses \#
    each value that is no 'Date' without calling it; write 'inout String'
      write 'inout String'
      -   func validateName(_ value: inout Date) throws {}
      +   func validateName(_ value: inout String) throws {}
    11: warning: 'validateBorn(_:)' takes 'String', but 'born' is 'Date', so validation refuses \#
    each value that is no 'String' without calling it; write 'inout Date'
      write 'inout Date'
      -   func validateBorn(_ value: inout String) throws {}
      +   func validateBorn(_ value: inout Date) throws {}
    12: warning: 'validateIsOn(_:)' takes 'Int', but 'isOn' is 'Swift.Bool', so validation refuses \#
    each value that is no 'Int' without calling it; write 'inout Swift.Bool'
      write 'inout Swift.Bool'
      -   func validateIsOn(_ value: inout Int) throws {}
      +   func validateIsOn(_ value: inout Swift.Bool) throws {}
    """#),
  DiagnosticCase(
    "Validators whose types may fit are fine",
    #"""
    @KeyValueObservable
    class A<Item> {
      var age = 1
      var size: Int? = nil
      var mass: Weight = 1
      var item: Item
      var mode = Mode.plain
      var sum: TimeInterval = 0
      var tags: Set<String> = []
      var d = 1
      func validateAge(_ value: inout Any?) throws {}
      func validateSize(_ value: inout Int) throws {}
      func validateMass(_ value: inout Double) throws {}
      func validateItem(_ value: inout Item) throws {}
      func validateMode(_ value: inout String) throws {}
      func validateSum(_ value: inout Double) throws {}
      func validateTags(_ value: inout [String]) throws {}
      func validated(_ value: inout Int) throws {}
      func validates(_ value: inout Int) throws {}
      static func validateage(_ value: Int) {}
      @KeyValueIgnored func validateage(_ value: inout Int) throws {}
    }
    """#,
    ""),
  DiagnosticCase(
    "Collection accessors that are none",
    #"""
    @KeyValueObservable
    class A {
      var items: [Int] = []
      func countOfItems() -> UInt { 0 }
      func objectInItems(index: Int) -> Int { 0 }
      func insertObject(_ item: Int, intoItemsAt index: Int) {}
      func removeObject(inItemsAt index: Int) {}
      func replaceObject(inItemsAt index: UInt, with item: Int) {}
      func insertObject(_ item: Int, inItmesAt index: Int) {}
    }
    """#,
    #"""
    4: warning: 'countOfItems()' is not taken for a collection accessor, because it does \#
    not return 'Int'
    5: warning: 'objectInItems(index:)' is not taken for a collection accessor, which is \#
    spelt 'objectInItems(at: Int)'
    6: warning: 'insertObject(_:intoItemsAt:)' is not taken for a collection accessor, \#
    which is spelt 'insertObject(_:inItemsAt: Int)'
    7: warning: 'removeObject(inItemsAt:)' is not taken for a collection accessor, which \#
    is spelt 'removeObject(fromItemsAt: Int)'
    8: warning: 'replaceObject(inItemsAt:with:)' is not taken for a collection accessor, \#
    which is spelt 'replaceObject(inItemsAt: Int, with:)'
    9: warning: 'insertObject(_:inItmesAt:)' is not taken for a collection accessor, \#
    because 'A' has no key 'itmes'; did you mean 'insertObject(_:inItemsAt:)'?
    """#),
  DiagnosticCase(
    "A collection accessor has an index, and names a to-many key or one that may be to-many",
    #"""
    @KeyValueObservable
    class A {
      var items: [Int] = []
      var rows = Rows()
      func removeObject(fromItms index: Int) {}
      func objectInItems(at index: Items.Index) -> Int { 0 }
      func objectInItems(at place: Place) -> Int { 0 }
      func replaceObject(inItemsAt indexes: NSIndexSet, with item: Int) {}
      func insertObject(_ row: Int, intoRowsAt index: Int) {}
    }
    """#,
    #"""
    5: warning: 'removeObject(fromItms:)' is not taken for a collection accessor, which is \#
    spelt 'removeObject(fromItemsAt: Int)'
    6: warning: 'objectInItems(at:)' is not taken for a collection accessor, which is spelt \#
    'objectInItems(at: Int)'
    7: warning: 'objectInItems(at:)' is not taken for a collection accessor, which is spelt \#
    'objectInItems(at: Int)'
    8: warning: 'replaceObject(inItemsAt:with:)' is not taken for a collection accessor, \#
    which is spelt 'replaceObject(inItemsAt: Int, with:)'
    9: warning: 'insertObject(_:intoRowsAt:)' is not taken for a collection accessor, which \#
    is spelt 'insertObject(_:inRowsAt: Int)'
    """#),
  DiagnosticCase(
    "Methods that only begin like accessors and validators are fine",
    #"""
    @KeyValueObservable
    class A {
      var items: [Int] = []
      var editingContext: Context?
      var cache: [String: Int] = [:]
      func removeObject(fromEditingContext context: Context) {}
      func removeObject(fromCacheAt path: String) {}
      func removeObject(fromSlot index: Int) {}
      func removeObject(fromDiskAt index: Int) {}
      func removeObject(from items: [Int]) {}
      func removeObject(inItems item: Int?) {}
      func insertObject(_ item: Int, intoContext context: Context) {}
      func insertObject(_ item: Int, inItems section: String) {}
      func insertObject(_ item: Int, inContext context: Context) {}
      func replaceObject(inContext context: Context, with item: Int) {}
      func objectInItems(matching name: String) -> Int? { nil }
      func objectInContext(_ context: Context) -> Int? { nil }
      func objectInRow(_ row: Int) -> Int? { nil }
      func validateForm(_ problems: inout [String]) {}
    }
    """#,
    ""),
  DiagnosticCase(
    "A method that Cocoa finds by name doesn't suspend, and only a validator throws",
    #"""
    @KeyValueObservable
    class A {
      var items: [Int] = []
      func countOfRows() -> Int { 0 }
      func objectInRows(at index: Int) async -> Int { 0 }
      func insertObject(_ item: Int, inItemsAt index: Int) throws {}
      func removeObject(fromCacheAt index: Int) throws {}
      func validateItems(_ items: inout [Int]) async throws {}
      func validateForm(_ errors: inout [Int]) async {}
      class func keyPathsForValuesAffectingItems() throws -> Set<String> { [] }
    }
    """#,
    #"""
    5: warning: 'objectInRows(at:)' is not taken for a collection accessor, because it can throw \#
    or suspend
    6: warning: 'insertObject(_:inItemsAt:)' is not taken for a collection accessor, because it \#
    can throw or suspend
    8: warning: 'validateItems(_:)' is not taken for a validator, because it can suspend
    10: warning: 'keyPathsForValuesAffectingItems()' is not taken for a customisation point, \#
    because it can throw or suspend
    """#),
  DiagnosticCase(
    "A collection accessor takes only what a closure in its place can take",
    #"""
    @KeyValueObservable
    class A {
      var items: [Int] = []
      func insertObject(_ item: sending Int, inItemsAt index: Int) {}
      func removeObject(fromItemsAt index: Int...) {}
      func replaceObject(inItemsAt index: Int, with item: inout Int) {}
      func addItemsObject(_ item: sending Int) {}
    }
    """#,
    #"""
    4: warning: 'insertObject(_:inItemsAt:)' is not taken for a collection accessor, because no \#
    accessor takes 'sending Int'
    5: warning: 'removeObject(fromItemsAt:)' is not taken for a collection accessor, because no \#
    accessor takes 'Int...'
    6: warning: 'replaceObject(inItemsAt:with:)' is not taken for a collection accessor, because no \#
    accessor takes 'inout Int'
    """#),
  DiagnosticCase(
    "A method that Cocoa finds by name isn't generic",
    #"""
    @KeyValueObservable
    class A<Item> {
      var items: [Item] = []
      func countOfItems() -> Int where Item: Hashable { 0 }
      func objectInItems<T>(at index: Int) -> T { fatalError() }
      func countOfOthers<T>(_ type: T.Type) -> Int { 0 }
      func insertObject<T>(_ object: T, inStoreAt index: Int) {}
      func validateItems(_ items: inout [Item]) throws where Item: Hashable {}
      func validateEach<T>(_ value: inout T) throws {}
      class func keyPathsForValuesAffectingItems() -> Set<String> where Item: Hashable { [] }
    }
    """#,
    #"""
    4: warning: 'countOfItems()' is not taken for a collection accessor, because it is generic or \#
    has a 'where' clause
    5: warning: 'objectInItems(at:)' is not taken for a collection accessor, because it is generic \#
    or has a 'where' clause
    8: warning: 'validateItems(_:)' is not taken for a validator, because it is generic or has a \#
    'where' clause
    10: warning: 'keyPathsForValuesAffectingItems()' is not taken for a customisation point, \#
    because it is generic or has a 'where' clause
    """#),
  DiagnosticCase(
    "A method that Cocoa finds by name is isolated as its class",
    #"""
    @KeyValueObservable
    class A {
      var age = 1
      var items: [Int] = []
      @MainActor func validateAge(_ value: inout Int) throws {}
      @MainActor func validateForm(_ problems: inout [String]) {}
      @MainActor func countOfRows() -> Int { 0 }
      @MainActor func insertObject(_ item: Int, inItemsAt index: Int) {}
      @MainActor func insertObject(_ item: Int, inStoreAt index: Int) {}
      @MainActor func describe() -> String { "" }
    }
    @MainActor @KeyValueObservable
    class B {
      var age = 1
      @MainActor func validateAge(_ value: inout Int) throws {}
      @StoreActor func validateAge(_ value: inout Int?) throws {}
    }
    """#,
    #"""
    5: warning: 'validateAge(_:)' is not taken for a validator, because it is isolated to \#
    '@MainActor' and its class is not marked so; mark both, or neither if the class's module or \#
    superclass isolates it
      remove '@MainActor'
      -   @MainActor func validateAge(_ value: inout Int) throws {}
      +   func validateAge(_ value: inout Int) throws {}
    7: warning: 'countOfRows()' is not taken for a collection accessor, because it is isolated to \#
    '@MainActor' and its class is not marked so; mark both, or neither if the class's module or \#
    superclass isolates it
      remove '@MainActor'
      -   @MainActor func countOfRows() -> Int { 0 }
      +   func countOfRows() -> Int { 0 }
    8: warning: 'insertObject(_:inItemsAt:)' is not taken for a collection accessor, because it is \#
    isolated to '@MainActor' and its class is not marked so; mark both, or neither if the class's \#
    module or superclass isolates it
      remove '@MainActor'
      -   @MainActor func insertObject(_ item: Int, inItemsAt index: Int) {}
      +   func insertObject(_ item: Int, inItemsAt index: Int) {}
    16: warning: 'validateAge(_:)' is not taken for a validator, because it is isolated to \#
    '@StoreActor' and its class is not marked so; mark both, or neither if the class's module or \#
    superclass isolates it
      remove '@StoreActor'
      -   @StoreActor func validateAge(_ value: inout Int?) throws {}
      +   func validateAge(_ value: inout Int?) throws {}
    """#),
  DiagnosticCase(
    "A method that is ignored is taken for nothing",
    #"""
    @KeyValueObservable
    class A {
      var items: [Int] = []
      @KeyValueIgnored func objectInItems(index: Int) -> Int { 0 }
      @KeyValueIgnored func countOfItems() -> UInt { 0 }
      @KeyValueIgnored func validateItem(_ item: inout Int) throws {}
      @KeyValueIgnored class func keyPathsForValuesAffectingItem() -> Set<String> { [] }
    }
    """#,
    ""),
  DiagnosticCase(
    "What is right, ordinary, inherited or a key of its own is fine",
    #"""
    @KeyValueObservable
    class A {
      var value = 1
      var email = ""
      var items: [Int] = []
      class func keyPathsForValuesAffectingValue() -> Set<String> { [] }
      class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
      class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }
      static func automaticallyNotifiesObserversOfItems() -> Bool { true }
      func validateEmail(_ value: inout String) throws {}
      func validateEmail(_ value: String) -> Bool { true }
      func validateForm() throws {}
      func validateEmails<Text: StringProtocol>(_ value: inout Text) throws {}
      func validateEmail<Text: StringProtocol>(text value: inout Text) throws {}
      func validateAll(_ values: [Int]) throws {}
      func countOfWords() -> Int { 1 }
      func objectInWords(at index: Int) -> String { "" }
      func insertObject(_ word: String, inWordsAt index: Int) {}
      func objectInItemsAtIndex(_ index: Int) -> Int { 0 }
      func removeItems(at offsets: IndexSet) {}
      func insertItems(_ items: [Int], at index: Int) {}
      func addItem(_ item: Int) {}
      func setItem(_ item: Int) {}
      func countOfItems(in range: Range<Int>) -> Int { 1 }
      func insertObject(_ item: Int, at index: Int) {}
    }
    """#,
    ""),
]

/// The same for manual change notification.
let announcementsCases = [
  DiagnosticCase(
    "A change that is announced and never completed",
    #"""
    @KeyValueObservable
    class A {
      @NotifiesManually var a = 1
      @NotifiesManually var b = 1
      func f() {
        willChangeValue(forKey: "a")
        a = 2
        self.willChangeValue(for: \.b)
        b = 2
        didChangeValue(for: \.b)
      }
    }
    """#,
    #"""
    6: warning: nothing in the class calls 'didChangeValue(forKey: "a")', so observers of \#
    'a' are not told of this change; call it after the change, or use 'withChange(of:)'
    """#),
  DiagnosticCase(
    "A manual key that changes and is announced nowhere",
    #"""
    @KeyValueObservable
    class A {
      @NotifiesManually var total = 0
      @NotifiesManually var marks: [Int] = []
      init() { total = 1 }
      func add(_ n: Int) { total += n }
      func mark() { self.marks.append(1) }
    }
    """#,
    #"""
    6: warning: 'total' is @NotifiesManually, and nothing in the class announces its \#
    changes, so observers are not told of this one; make it in 'withChange(of: "total") { … \#
    }', or mark 'total' @DependsOn() if callers announce it
      add '@DependsOn()'
      -   @NotifiesManually var total = 0
      +   @DependsOn() @NotifiesManually var total = 0
    7: warning: 'marks' is @NotifiesManually, and nothing in the class announces its \#
    changes, so observers are not told of this one; make it in 'withChange(of: "marks") { … \#
    }', or mark 'marks' @DependsOn() if callers announce it
      add '@DependsOn()'
      -   @NotifiesManually var marks: [Int] = []
      +   @DependsOn() @NotifiesManually var marks: [Int] = []
    """#),
  DiagnosticCase(
    "What is announced, left to callers, local, or named by no literal is fine",
    #"""
    @KeyValueObservable
    class A {
      @NotifiesManually var a = 1
      @NotifiesManually @DependsOn() var b = 1
      @NotifiesManually var c = 1
      @NotifiesManually var d = 1
      func f() {
        withChange(of: "a") { a = 2 }
        b = 2
        var c = 3
        c = 4
        other.willChangeValue(forKey: "d")
      }
    }
    """#,
    ""),
  DiagnosticCase(
    "A key that is no literal may be any",
    #"""
    @KeyValueObservable
    class A {
      @NotifiesManually var a = 1
      func f(_ key: String) {
        willChangeValue(forKey: "a")
        a = 2
        didChangeValue(forKey: key)
      }
    }
    """#,
    ""),
  DiagnosticCase(
    "L3 A manual key that changes through its wrapper and is announced nowhere",
    #"""
    @KeyValueObservable
    class A {
      @NotifiesManually @Clamped var level = 1
      @NotifiesManually @Clamped var volume = 1
      @NotifiesManually @Clamped var bass = 1
      @NotifiesManually @Clamped var treble = 1
      @NotifiesManually @Clamped var balance = 1
      @NotifiesManually @Clamped var fader = 1
      @NotifiesManually var plain = 1
      func f() {
        $level.wrappedValue = 2
        _volume.limits[0].upper += 2
        self.$bass = 3
        try? $treble.reset()
        print($balance.limits, _balance)
        let limits = $balance.limits()
        withChange(of: \.fader) { $fader.wrappedValue = 2 }
        $plain.reset()
      }
    }
    """#,
    #"""
    11: warning: 'level' is @NotifiesManually, and nothing in the class announces its \#
    changes, so observers are not told of this one; make it in 'withChange(of: "level") { … \#
    }', or mark 'level' @DependsOn() if callers announce it
      add '@DependsOn()'
      -   @NotifiesManually @Clamped var level = 1
      +   @DependsOn() @NotifiesManually @Clamped var level = 1
    12: warning: 'volume' is @NotifiesManually, and nothing in the class announces its \#
    changes, so observers are not told of this one; make it in 'withChange(of: "volume") { … \#
    }', or mark 'volume' @DependsOn() if callers announce it
      add '@DependsOn()'
      -   @NotifiesManually @Clamped var volume = 1
      +   @DependsOn() @NotifiesManually @Clamped var volume = 1
    13: warning: 'bass' is @NotifiesManually, and nothing in the class announces its \#
    changes, so observers are not told of this one; make it in 'withChange(of: "bass") { … \#
    }', or mark 'bass' @DependsOn() if callers announce it
      add '@DependsOn()'
      -   @NotifiesManually @Clamped var bass = 1
      +   @DependsOn() @NotifiesManually @Clamped var bass = 1
    14: warning: 'treble' is @NotifiesManually, and nothing in the class announces its \#
    changes, so observers are not told of this one; make it in 'withChange(of: "treble") { … \#
    }', or mark 'treble' @DependsOn() if callers announce it
      add '@DependsOn()'
      -   @NotifiesManually @Clamped var treble = 1
      +   @DependsOn() @NotifiesManually @Clamped var treble = 1
    """#),
]
