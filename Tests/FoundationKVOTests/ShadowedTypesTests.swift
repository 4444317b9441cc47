import Foundation
import FoundationKVO
import Testing

// What the page tells such a file to write. Private: the other files import FoundationKVO alone.
private typealias NSObject = FoundationKVO.NSObject
private typealias UserDefaults = FoundationKVO.UserDefaults
private typealias Operation = FoundationKVO.Operation
private typealias BlockOperation = FoundationKVO.BlockOperation
private typealias OperationQueue = FoundationKVO.OperationQueue
private typealias Progress = FoundationKVO.Progress
private typealias ProgressReporting = FoundationKVO.ProgressReporting
private typealias NSExpression = FoundationKVO.NSExpression
private typealias NSComparisonPredicate = FoundationKVO.NSComparisonPredicate
private typealias NSCompoundPredicate = FoundationKVO.NSCompoundPredicate

/// Types that Foundation has, too, in a file that imports both modules.
@Suite("FoundationKVO: types that it shadows, where Foundation is imported, too")
struct ShadowedTypesTests {
  private final class Task: Operation, ProgressReporting, @unchecked Sendable {
    let progress = Progress(totalUnitCount: 1)
  }

  @Test("a type alias for each makes them FoundationKVO's")
  func aliases() throws {
    let queue = OperationQueue()
    queue.addOperation(Task())
    queue.addOperations([BlockOperation {}], waitUntilFinished: true)
    let defaults = try #require(UserDefaults(suiteName: "FoundationKVO.ShadowedTypesTests"))
    let token = defaults.observe("key") { _, _ in }
    token.invalidate()
    let format = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "a"),
      rightExpression: NSExpression(forConstantValue: 1),
      modifier: .direct, type: .equalTo)
    #expect(format.evaluate(with: ["a": 1] as NSDictionary))
    let compound = NSCompoundPredicate(type: .not, subpredicates: [format])
    #expect(type(of: compound) == FoundationKVO.NSCompoundPredicate.self)
    #expect((NSObject() as Any) is any KeyValueObservable)
  }

  @Test("the page Porting from Cocoa lists each class that Foundation has, too")
  func listed() throws {
    let pages = URL(filePath: #filePath).appending(path: "../../../Documentation").standardized
    let page = try String(
      contentsOf: pages.appending(path: "PortingFromCocoa.md"), encoding: .utf8)
    let sentence = try #require(page.firstMatch(of: /The shadowed types are ([^.]+)\./))
    let listed = Set(sentence.1.matches(of: /`(\w+)`/).map { String($0.1) })
    let digest = try String(contentsOf: pages.appending(path: "API.txt"), encoding: .utf8)
    let classes = digest.matches(of: /(?m)^FoundationKVO (\w+) \| (?:open|final) class/)
      .map { String($0.1) }
    #expect(classes.contains("NSObject"))
    let shadowing = classes.filter { NSClassFromString("Foundation." + $0) != nil }
    #expect(listed == Set(shadowing + ["ProgressReporting"]))
  }
}
