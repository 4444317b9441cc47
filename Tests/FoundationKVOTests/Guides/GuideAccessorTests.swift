import FoundationKVO
import Testing

// Every collection accessor listed in the guide to key-value coding, in its selector's spelling.

@KeyValueObservable
private class Account: NSObject {
  private var list = ["a", "b", "c"]
  private(set) var calls: [String] = []

  func countOfTransactions() -> Int { list.count }

  func objectInTransactionsAtIndex(_ index: Int) -> String { list[index] }

  func transactionsAtIndexes(_ indexes: IndexSet) -> [String] { indexes.map { list[$0] } }

  dynamic func insertObject(_ transaction: String, inTransactionsAtIndex index: Int) {
    calls.append("insert one")
    list.insert(transaction, at: index)
  }

  dynamic func insertTransactions(_ transactions: [String], atIndexes indexes: IndexSet) {
    calls.append("insert several")
    for (transaction, index) in zip(transactions, indexes) { list.insert(transaction, at: index) }
  }

  dynamic func removeObjectFromTransactionsAtIndex(_ index: Int) {
    calls.append("remove one")
    list.remove(at: index)
  }

  dynamic func removeTransactionsAtIndexes(_ indexes: IndexSet) {
    calls.append("remove several")
    for index in indexes.reversed() { list.remove(at: index) }
  }

  dynamic func replaceObjectInTransactionsAtIndex(_ index: Int, withObject object: String) {
    calls.append("replace one")
    list[index] = object
  }

  dynamic func replaceTransactionsAtIndexes(
    _ indexes: IndexSet, withTransactions transactions: [String]
  ) {
    calls.append("replace several")
    for (index, transaction) in zip(indexes, transactions) { list[index] = transaction }
  }
}

@KeyValueObservable
private class Department: NSObject {
  private var members: Set<String> = ["Ada"]
  private(set) var calls: [String] = []

  func countOfEmployees() -> Int { members.count }

  func enumeratorOfEmployees() -> NSEnumerator {
    NSArray(array: members.sorted()).objectEnumerator()
  }

  func memberOfEmployees(_ object: String) -> String? {
    members.contains(object) ? object : nil
  }

  dynamic func addEmployeesObject(_ object: String) {
    calls.append("add one")
    members.insert(object)
  }

  dynamic func addEmployees(_ objects: Set<String>) {
    calls.append("add several")
    members.formUnion(objects)
  }

  dynamic func removeEmployeesObject(_ object: String) {
    calls.append("remove one")
    members.remove(object)
  }

  dynamic func removeEmployees(_ objects: Set<String>) {
    calls.append("remove several")
    members.subtract(objects)
  }

  dynamic func intersectEmployees(_ objects: Set<String>) {
    calls.append("intersect")
    members.formIntersection(objects)
  }
}

@Suite("The guide to coding: collection accessors")
struct GuideAccessorTests {
  private let witness = Witness()

  @Test("an indexed relationship implemented by methods changes through a proxy and directly")
  func indexed() {
    let account = Account()
    account.watch(["transactions"], witness)
    #expect(account.value(forKey: "transactions") as? [String] == ["a", "b", "c"])
    let proxy = account.mutableArrayValue(forKey: "transactions")
    proxy.add("d")
    proxy.insert(["e", "f"], at: [0, 1])
    proxy.removeObject(at: 0)
    proxy.removeObjects(at: [0, 1])
    proxy.replaceObject(at: 0, with: "B")
    proxy.replaceObjects(at: [1, 2], with: ["C", "D"])
    account.insertObject("z", inTransactionsAtIndex: 3)
    account.replaceTransactionsAtIndexes([0, 3], withTransactions: ["1", "2"])
    #expect(account.value(forKey: "transactions") as? [String] == ["1", "C", "D", "2"])
    #expect(
      account.calls == [
        "insert one", "insert several", "remove one", "remove several", "replace one",
        "replace several", "insert one", "replace several",
      ])
    #expect(
      witness.take() == [
        "transactions: insertion, at 3, new (d)", "transactions: insertion, at 0,1, new (e f)",
        "transactions: removal, at 0, old (e)", "transactions: removal, at 0,1, old (f a)",
        "transactions: replacement, at 0, old (b), new (B)",
        "transactions: replacement, at 1,2, old (c d), new (C D)",
        "transactions: insertion, at 3, new (z)",
        "transactions: replacement, at 0,3, old (B z), new (1 2)",
      ])
  }

  @Test("an unordered relationship implemented by methods changes through a proxy")
  func unordered() {
    let department = Department()
    department.watch(["employees"], witness)
    let proxy = department.mutableSetValue(forKey: "employees")
    #expect(proxy.contains("Ada"))
    proxy.add("Alan")
    proxy.union(["Grace", "Kay"])
    proxy.remove("Ada")
    proxy.minus(["Kay"])
    proxy.intersect(["Grace"])
    #expect(proxy.allObjects as? [String] == ["Grace"])
    #expect(
      department.calls == ["add one", "add several", "remove one", "remove several", "intersect"])
    #expect(
      witness.take() == [
        "employees: insertion, new {Alan}", "employees: insertion, new {Grace Kay}",
        "employees: removal, old {Ada}", "employees: removal, old {Kay}",
        "employees: removal, old {Alan}",
      ])
  }
}
