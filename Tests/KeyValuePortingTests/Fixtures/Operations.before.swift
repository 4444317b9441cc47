import Foundation

open class Job: Foundation.Operation {
  @objc class func keyPathsForValuesAffectingIsReady() -> Set<NSObject> { ["state" as NSObject] }
  override open var isReady: Bool { super.isReady }
}

final class Group: Job, Sendable {}

class Runner: Foundation.OperationQueue, DelegateProtocol {
  weak var delegate: RunnerObserver?
}

protocol RunnerObserver: AnyObject {}
