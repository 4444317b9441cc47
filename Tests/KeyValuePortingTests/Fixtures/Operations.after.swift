import FoundationKVO

@KeyValueObservable
open class Job: FoundationKVO.Operation, @unchecked Sendable {
  class func keyPathsForValuesAffectingIsReady() -> Set<NSObject> { ["state" as Foundation.NSObject] }
  override open var isReady: Bool { super.isReady }
}

@KeyValueObservable
final class Group: Job, Sendable {}

@KeyValueObservable
class Runner: FoundationKVO.OperationQueue, DelegateProtocol, @unchecked Sendable {
  weak var delegate: RunnerObserver?
}

protocol RunnerObserver: AnyObject {}
