import KeyValueObserving

// Customisation points and accessors found by name; see `ClassShapes.swift`.

extension Shapes {
  // MARK: Hooks

  @KeyValueObservable
  class Hooked {
    var name = "a"
    var age = 1
    var both: String { "\(name) \(age)" }
    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
      switch key {
      case "both": return ["other"]
      default: return []
      }
    }
    class func automaticallyNotifiesObservers(forKey theKey: String) -> Bool { theKey != "age" }
    class func keyPathsForValuesAffectingBoth() -> Set<String> { ["name"] }
    static func automaticallyNotifiesObserversOfName() -> Bool { true }
    func value(forUndefinedKey key: String) throws -> Any? {
      throw KeyValueCodingError.undefinedKey(key, of: self)
    }
    func setValue(_ value: Any?, forUndefinedKey key: String) throws {}
    func setNilValue(forKey key: String) throws { age = 0 }
    var other = 1
  }

  @KeyValueObservable
  class HookedBelow: Hooked {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
      super.keyPathsForValuesAffectingValue(forKey: key).union(key == "both" ? ["more"] : [])
    }
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
      key == "more" ? false : super.automaticallyNotifiesObservers(forKey: key)
    }
    var more = 1
  }

  @KeyValueObservable
  class Accessors {
    @KeyValueIgnored var items: [String] = []
    @KeyValueIgnored var members: Set<String> = []
    var age = 1
    func validateAge(_ value: inout Int) throws {}
    func validateItems(_ value: inout Any?) throws {}
    func countOfItems() -> Int { items.count }
    func objectInItems(at index: Int) -> String { items[index] }
    func insertObject(_ item: String, inItemsAt index: Int) { items.insert(item, at: index) }
    func removeObject(fromItemsAt index: Int) { items.remove(at: index) }
    func replaceObject(inItemsAt index: Int, with item: String) { items[index] = item }
    func insertItems(_ new: [String], at indexes: RangeSet<Int>) {}
    func removeItems(at indexes: RangeSet<Int>) {}
    func replaceItems(at indexes: RangeSet<Int>, with new: [String]) {}
    func addMembersObject(_ member: String) { members.insert(member) }
    func removeMembersObject(_ member: String) { members.remove(member) }
    func addMembers(_ new: Set<String>) { members.formUnion(new) }
    func removeMembers(_ old: Set<String>) { members.subtract(old) }
    func intersectMembers(_ kept: Set<String>) { members.formIntersection(kept) }
    func setMembers(_ new: Set<String>) { members = new }
    func getMembers() -> Set<String> { members }
    func wealth() -> Double { 1 }
    func isRich() -> Bool { wealth() > 0 }
    func getCode() -> Int { 3 }
    private func secret() -> Int { 1 }
    func generic<T>() -> T? { nil }
    func throwing() throws -> Int { 1 }
    func asynchronous() async -> Int { 1 }
    func nothing() {}
    func opaque() -> some Equatable { 1 }
    func me() -> Self { self }
    func setName(_ name: String) {}
    func removeItem(at index: Int) {}
    func insertItem(_ item: String, at index: Int) {}
    func addTarget(_ target: AnyObject) {}
    @discardableResult func insertObject(_ item: Int, inNumbersAt index: Int) -> Bool { true }
  }
}
