import Foundation
import FoundationKVO
import Testing

private typealias Progress = FoundationKVO.Progress
private typealias NSObject = FoundationKVO.NSObject

/// An object that equals all others of its class, and whose comparison runs code.
private final class Meddler: Hashable {
  var meddle: () -> Void = {}

  static func == (left: Meddler, right: Meddler) -> Bool {
    left.meddle()
    return true
  }

  func hash(into hasher: inout Hasher) {}
}

@Suite("Progress")
struct ProgressTests {
  @Test("Changing a count notifies observers of the properties that change, and of no others")
  func counts() {
    let progress = Progress(totalUnitCount: 0)
    let observer = HistoryObserver()
    let keys = [
      "totalUnitCount", "completedUnitCount", "fractionCompleted", "isIndeterminate", "isFinished",
      "localizedDescription", "localizedAdditionalDescription",
    ]
    for key in keys {
      progress.addObserver(observer, forKeyPath: key, options: [.old, .new], context: nil)
    }
    progress.totalUnitCount = 4
    #expect(
      observer.history.take() == [
        "totalUnitCount old 0 new 4", "localizedAdditionalDescription old new 0 of 4",
        "isIndeterminate old 1 new 0", "localizedDescription old new 0% completed",
      ])
    progress.completedUnitCount = 1
    #expect(
      observer.history.take() == [
        "completedUnitCount old 0 new 1", "localizedAdditionalDescription old 0 of 4 new 1 of 4",
        "fractionCompleted old 0 new 0.25",
        "localizedDescription old 0% completed new 25% completed",
      ])
    progress.completedUnitCount = 1
    #expect(observer.history.take() == [])
    progress.completedUnitCount = 4
    #expect(
      observer.history.take() == [
        "completedUnitCount old 1 new 4", "localizedAdditionalDescription old 1 of 4 new 4 of 4",
        "fractionCompleted old 0.25 new 1",
        "localizedDescription old 25% completed new 100% completed", "isFinished old 0 new 1",
      ])
    progress.setValue(2, forKey: "completedUnitCount")
    #expect(progress.fractionCompleted == 0.5 && !progress.isFinished)
    for key in keys { progress.removeObserver(observer, forKeyPath: key) }
  }

  @Test("Children change their parents")
  func children() {
    let history = History()
    let root = Progress(totalUnitCount: 10)
    let middle = Progress(totalUnitCount: 2, parent: root, pendingUnitCount: 5)
    let leaf = Progress(totalUnitCount: 3)
    middle.addChild(leaf, withPendingUnitCount: 1)
    var tokens: [NSKeyValueObservation] = []
    for (name, progress) in [("root", root), ("middle", middle), ("leaf", leaf)] {
      tokens += [
        progress.observe(\.fractionCompleted, options: [.old, .new]) {
          history.add("\(name) \($1.oldValue!) \($1.newValue!)")
        },
        progress.observe(\.completedUnitCount, options: [.new]) {
          history.add("\(name) completed \($1.newValue!)")
        },
        progress.observe(\.isFinished, options: [.new]) {
          history.add("\(name) finished \($1.newValue!)")
        },
      ]
    }
    leaf.completedUnitCount = 1
    #expect(leaf.fractionCompleted == 1.0 / 3)
    let third = "\(1.0 / 3)"
    let (sixth, twelfth) = ("\(1.0 / 6)", "\(1.0 / 12)")
    #expect(
      history.take() == [
        "leaf completed 1", "leaf 0.0 \(third)", "middle 0.0 \(sixth)", "root 0.0 \(twelfth)",
      ])
    leaf.completedUnitCount = 3
    #expect(
      history.take() == [
        "leaf completed 3", "leaf \(third) 1.0", "leaf finished true", "middle completed 1",
        "middle \(sixth) 0.5", "root \(twelfth) 0.25",
      ])
    middle.completedUnitCount = 2
    #expect(
      history.take() == [
        "middle completed 2", "middle 0.5 1.0", "middle finished true", "root completed 5",
        "root 0.25 0.5",
      ])
    leaf.completedUnitCount = 0
    #expect(history.take() == ["leaf completed 0", "leaf 1.0 0.0", "leaf finished false"])
    #expect(root.fractionCompleted == 0.5)
    withExtendedLifetime(tokens) {}
  }

  @Test("Random trees have the same fractions as in Foundation")
  func sameAsFoundation() {
    struct Node {
      let ours: Progress
      let theirs: Foundation.Progress
      let parent: Int?
      let total: Int64
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let total = Int64.random(in: 0...6, using: &random)
      var nodes = [
        Node(
          ours: .discreteProgress(totalUnitCount: total),
          theirs: .discreteProgress(totalUnitCount: total), parent: nil, total: total)
      ]
      /// The units assigned to unfinished children.
      func pending(_ index: Int) -> Int64 {
        Int64(nodes.count { $0.parent == index && !$0.ours.isFinished })
      }
      var program = ["root of \(total)"]
      for _ in 0..<12 {
        let index = Int.random(in: 0..<nodes.count, using: &random)
        let node = nodes[index]
        // Foundation counts a finished child again when its children change.
        let way = sequence(first: index) { nodes[$0].parent }
        if way.contains(where: { nodes[$0].ours.isFinished }) { continue }
        let left = node.total - node.ours.completedUnitCount - pending(index)
        if Bool.random(using: &random) {
          // Foundation finishes early if more units are assigned than are left.
          if left < 1 { continue }
          let child = Node(
            ours: .discreteProgress(totalUnitCount: 6),
            theirs: .discreteProgress(totalUnitCount: 6), parent: index, total: 6)
          node.ours.addChild(child.ours, withPendingUnitCount: 1)
          node.theirs.addChild(child.theirs, withPendingUnitCount: 1)
          nodes.append(child)
          program.append("child of \(index)")
        } else {
          let count =
            node.ours.completedUnitCount + Int64.random(in: 0...max(0, left), using: &random)
          node.ours.completedUnitCount = count
          node.theirs.completedUnitCount = count
          program.append("\(index) completes \(count)")
        }
        for node in nodes {
          #expect(node.ours.completedUnitCount == node.theirs.completedUnitCount, "\(program)")
          #expect(node.ours.isFinished == node.theirs.isFinished, "\(program)")
          #expect(node.ours.isIndeterminate == node.theirs.isIndeterminate, "\(program)")
          #expect(
            abs(node.ours.fractionCompleted - node.theirs.fractionCompleted) < 1e-9, "\(program)")
        }
      }
    }
  }

  @Test("Cancelling and pausing reach the children and notify observers")
  func cancelling() {
    let history = History()
    let (root, child) = (Progress(totalUnitCount: 2), Progress(totalUnitCount: 1))
    root.addChild(child, withPendingUnitCount: 1)
    let (first, second) = (
      HistoryObserver(history, name: "root "), HistoryObserver(history, name: "child ")
    )
    for key in ["isCancelled", "isPaused"] {
      root.addObserver(first, forKeyPath: key, options: [.new], context: nil)
      child.addObserver(second, forKeyPath: key, options: [.new], context: nil)
    }
    let called = DispatchSemaphore(value: 0)
    child.pausingHandler = { called.signal() }
    child.resumingHandler = { called.signal() }
    child.cancellationHandler = { called.signal() }
    root.pause()
    called.wait()
    root.resume()
    called.wait()
    root.cancel()
    called.wait()
    root.cancel()
    called.wait()
    #expect(
      history.take() == [
        "root isPaused new 1", "child isPaused new 1", "root isPaused new 0",
        "child isPaused new 0", "root isCancelled new 1", "child isCancelled new 1",
      ])
    let late = Progress(totalUnitCount: 1, parent: root, pendingUnitCount: 1)
    #expect(late.isCancelled && late.isCancellable && !late.isPausable)
    late.cancellationHandler = { called.signal() }
    called.wait()
    for key in ["isCancelled", "isPaused"] {
      root.removeObserver(first, forKeyPath: key)
      child.removeObserver(second, forKeyPath: key)
    }
  }

  @Test("The current progress adopts one child; its units complete when it resigns without one")
  func current() {
    let progress = Progress(totalUnitCount: 10)
    #expect(Progress.current() == nil)
    progress.becomeCurrent(withPendingUnitCount: 4)
    #expect(Progress.current() === progress)
    let child = Progress(totalUnitCount: 2)
    let other = Progress(totalUnitCount: 2)
    progress.resignCurrent()
    #expect(Progress.current() == nil && progress.completedUnitCount == 0)
    other.completedUnitCount = 2
    #expect(progress.completedUnitCount == 0)
    child.completedUnitCount = 2
    #expect(progress.completedUnitCount == 4)
    let result = progress.performAsCurrent(withPendingUnitCount: 6) { "result" }
    #expect(result == "result" && progress.isFinished)
  }

  @Test("A progress without arguments has no units, and isn't a part of the current one")
  func plain() {
    let progress = Progress(totalUnitCount: 1)
    progress.performAsCurrent(withPendingUnitCount: 1) {
      let plain = Progress()
      #expect(plain.isIndeterminate && plain.totalUnitCount == 0)
      #expect(plain.completedUnitCount == 0)
    }
    #expect(progress.isFinished)
  }

  @Test("Descriptions and values can be set")
  func descriptions() {
    let progress = Progress(totalUnitCount: 4)
    let observer = HistoryObserver()
    for key in ["localizedDescription", "fileTotalCount", "kind"] {
      progress.addObserver(observer, forKeyPath: key, options: [.new], context: nil)
    }
    progress.localizedDescription = "Copying"
    progress.fileTotalCount = 3
    progress.setUserInfoObject(NSNumber(value: 5), forKey: .fileTotalCountKey)
    progress.completedUnitCount = 1
    #expect(
      observer.history.take() == [
        "localizedDescription new Copying", "fileTotalCount new 3", "fileTotalCount new 5",
        "localizedDescription new Copying",
      ])
    #expect(progress.localizedAdditionalDescription == "1 of 4" && progress.fileTotalCount == 5)
    for key in ["localizedDescription", "fileTotalCount", "kind"] {
      progress.removeObserver(observer, forKeyPath: key)
    }
  }

  @Test("Setting a flag, a text or a value notifies only if it differs")
  func equalValues() {
    let progress = Progress(totalUnitCount: 4)
    let observer = HistoryObserver()
    let keys = [
      "isCancellable", "isPausable", "kind", "userInfo", "localizedDescription",
      "localizedAdditionalDescription",
    ]
    for key in keys {
      progress.addObserver(observer, forKeyPath: key, options: [], context: nil)
    }
    for _ in 0..<2 {
      progress.isCancellable = false
      progress.isPausable = true
      progress.kind = .file
      progress.setUserInfoObject(NSNumber(value: 3), forKey: .fileTotalCountKey)
      progress.fileURL = URL(fileURLWithPath: "/a")
      progress.throughput = nil
      progress.localizedDescription = "Copying"
      // The text that's shown anyway.
      progress.localizedAdditionalDescription = "0 of 4"
    }
    #expect(
      observer.history.take() == [
        "isCancellable", "isPausable", "kind", "userInfo", "userInfo", "localizedDescription",
      ])
    progress.completedUnitCount = 1
    #expect(
      observer.history.take() == ["localizedAdditionalDescription", "localizedDescription"])
    #expect(progress.localizedAdditionalDescription == "0 of 4")
    for _ in 0..<2 {
      progress.localizedAdditionalDescription = nil
      progress.localizedDescription = nil
      progress.fileTotalCount = nil
      progress.kind = nil
    }
    #expect(
      observer.history.take() == [
        "localizedAdditionalDescription", "localizedDescription", "userInfo", "kind",
      ])
    #expect(progress.localizedAdditionalDescription == "1 of 4" && progress.fileTotalCount == nil)
    for key in keys { progress.removeObserver(observer, forKeyPath: key) }
  }

  @Test("A value that another change replaces during the comparison is announced")
  func valuesReplacedMeanwhile() {
    let progress = Progress(totalUnitCount: 1)
    let observer = HistoryObserver()
    let key = ProgressUserInfoKey(rawValue: "key")
    progress.addObserver(observer, forKeyPath: "userInfo", options: [], context: nil)
    let (old, new) = (Meddler(), Meddler())
    progress.setUserInfoObject(old, forKey: key)
    #expect(observer.history.take() == ["userInfo"])
    var isDone = false
    for meddler in [old, new] {
      meddler.meddle = {
        if isDone { return }
        isDone = true
        progress.setUserInfoObject("other", forKey: key)
        #expect(observer.history.take() == ["userInfo"])
      }
    }
    progress.setUserInfoObject(new, forKey: key)
    #expect(observer.history.take() == ["userInfo"] && isDone)
    progress.setUserInfoObject(old, forKey: key)
    #expect(observer.history.take() == [] && progress.userInfo[key] as? Meddler === old)
    for meddler in [old, new] { meddler.meddle = {} }
    progress.removeObserver(observer, forKeyPath: "userInfo")
  }

  @Test("A child of Foundation's class counts when the fraction is read")
  func foreign() {
    let progress = Progress(totalUnitCount: 2)
    let child = Foundation.Progress(totalUnitCount: 4)
    progress.addChild(child, withPendingUnitCount: 1)
    child.completedUnitCount = 2
    #expect(progress.fractionCompleted == 0.25)
    progress.cancel()
    #expect(child.isCancelled)
  }

  @Test("It also counts in the fraction of the progresses above its parent")
  func foreignBelow() {
    for isAddedLast in [false, true] {
      let root = Progress(totalUnitCount: 2)
      let upper = Progress(totalUnitCount: 1, parent: root, pendingUnitCount: 1)
      let (lower, child) = (Progress(totalUnitCount: 1), Foundation.Progress(totalUnitCount: 4))
      if isAddedLast { upper.addChild(lower, withPendingUnitCount: 1) }
      lower.addChild(child, withPendingUnitCount: 1)
      if !isAddedLast { upper.addChild(lower, withPendingUnitCount: 1) }
      child.completedUnitCount = 2
      #expect(root.fractionCompleted == 0.25)
    }
  }

  @Test("A change completes the units of finished children of Foundation's, and releases them")
  func finishedForeign() {
    let history = History()
    let root = Progress(totalUnitCount: 10)
    let lower = Progress(totalUnitCount: 1, parent: root, pendingUnitCount: 6)
    let observers = [
      (root, HistoryObserver(history, name: "root ")),
      (lower, HistoryObserver(history, name: "lower ")),
    ]
    let keys = ["completedUnitCount", "fractionCompleted", "isFinished"]
    for parent in [root, root, root, lower] {
      let child = Foundation.Progress(totalUnitCount: 1)
      let capture = Capture { [unowned root] _ in history.add("ended \(root.fractionCompleted)") }
      child.cancellationHandler = { withExtendedLifetime(capture) {} }
      parent.addChild(child, withPendingUnitCount: 1)
      child.completedUnitCount = 1
    }
    #expect(history.take() == ["ended 0.1", "ended 0.2", "ended 0.3"])
    for (progress, observer) in observers {
      for key in keys {
        progress.addObserver(observer, forKeyPath: key, options: [.old, .new], context: nil)
      }
    }
    root.completedUnitCount += 0
    #expect(
      history.take() == [
        "lower completedUnitCount old 1 new 1", "lower isFinished old 1 new 1",
        "root completedUnitCount old 9 new 9", "ended 0.9",
      ])
    for (progress, observer) in observers {
      for key in keys { progress.removeObserver(observer, forKeyPath: key) }
    }
  }

  @Test("Setting or adding to the completed units counts a finished child of Foundation's once")
  func countsAfterFinishedForeign() {
    func progress() -> Progress {
      let progress = Progress(totalUnitCount: 10)
      let child = Foundation.Progress(totalUnitCount: 1)
      progress.addChild(child, withPendingUnitCount: 3)
      child.completedUnitCount = 1
      return progress
    }
    let (replaced, increased) = (progress(), progress())
    replaced.completedUnitCount = 10
    #expect(replaced.completedUnitCount == 10)
    increased.completedUnitCount += 1
    #expect(increased.completedUnitCount == 4)
  }

  @Test("A finished child of Foundation's counts in what is read above it and then changed")
  func finishedForeignBelow() {
    let root = Progress(totalUnitCount: 6)
    let lower = Progress(totalUnitCount: 1, parent: root, pendingUnitCount: 6)
    let child = Foundation.Progress(totalUnitCount: 1)
    lower.addChild(child, withPendingUnitCount: 1)
    let observer = HistoryObserver()
    let keys = ["completedUnitCount", "isFinished"]
    for key in keys {
      root.addObserver(observer, forKeyPath: key, options: [.old, .new], context: nil)
    }
    #expect(root.localizedAdditionalDescription == "0 of 6" && !root.isFinished)
    child.completedUnitCount = 1
    #expect(root.localizedAdditionalDescription == "6 of 6" && root.isFinished)
    #expect(observer.history.take() == [])
    root.completedUnitCount = 0
    #expect(
      observer.history.take() == [
        "completedUnitCount old 6 new 6", "isFinished old 1 new 1",
        "completedUnitCount old 6 new 0", "isFinished old 1 new 0",
      ])
    #expect(lower.isFinished && root.fractionCompleted == 0)
    for key in keys { root.removeObserver(observer, forKeyPath: key) }
  }

  @Test("Threads complete units of one tree at the same time")
  func threads() {
    let root = Progress(totalUnitCount: 400)
    let observer = HistoryObserver()
    root.addObserver(observer, forKeyPath: "isFinished", options: [.old, .new], context: nil)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let child = Progress(totalUnitCount: 50, parent: root, pendingUnitCount: 100)
      for _ in 0..<50 {
        child.completedUnitCount += 1
        _ = root.fractionCompleted
      }
    }
    #expect(root.completedUnitCount == 400 && root.fractionCompleted == 1 && root.isFinished)
    #expect(observer.history.take().last?.hasSuffix("new 1") == true)
    root.removeObserver(observer, forKeyPath: "isFinished")
  }

  @Test("Counts and percentages beyond their types' bounds stay at the bounds")
  func bounds() {
    let progress = Progress(totalUnitCount: 1)
    progress.completedUnitCount = .max
    #expect(progress.localizedDescription == "\(Int.max)% completed")
    let (finished, unfinished) = (Progress(totalUnitCount: 1), Progress(totalUnitCount: 1))
    finished.completedUnitCount = 1
    progress.addChild(finished, withPendingUnitCount: 1)
    #expect(progress.completedUnitCount == .max)
    progress.addChild(unfinished, withPendingUnitCount: .max)
    unfinished.completedUnitCount = 1
    #expect(progress.completedUnitCount == .max)
    progress.performAsCurrent(withPendingUnitCount: 1) {}
    #expect(progress.completedUnitCount == .max)
    progress.completedUnitCount = .min
    progress.performAsCurrent(withPendingUnitCount: -1) {}
    #expect(progress.completedUnitCount == .min)
    let shrinking = Progress(totalUnitCount: 1)
    shrinking.completedUnitCount = 1
    let part = Progress(totalUnitCount: 2, parent: shrinking, pendingUnitCount: .min)
    part.completedUnitCount = 1
    #expect(shrinking.localizedDescription == "\(Int.min)% completed")
  }

  @Test("A progress is no part of itself", arguments: 0...2)
  func cycles(depth: Int) async {
    await #expect(processExitsWith: .success) { [depth = depth as Int] in
      KeyValueViolation.handler = { violation in
        exit(
          violation.description.hasPrefix("NSInvalidArgumentException: <Progress 0x")
            && violation.description.hasSuffix(
              ", which is the same progress or a part of it. Add it to a progress outside of it.")
            ? 0 : 1)
      }
      let root = FoundationKVO.Progress(totalUnitCount: 1)
      var leaf = root
      for _ in 0..<depth {
        leaf = FoundationKVO.Progress(totalUnitCount: 1, parent: leaf, pendingUnitCount: 1)
      }
      leaf.addChild(root, withPendingUnitCount: 1)
      exit(2)
    }
  }

  @Test("Misuse that raises in Cocoa ends the program")
  func raises() async {
    await #expect(processExitsWith: .failure) {
      let child = FoundationKVO.Progress(totalUnitCount: 1)
      for _ in 0..<2 {
        FoundationKVO.Progress(totalUnitCount: 1).addChild(child, withPendingUnitCount: 1)
      }
    }
    await #expect(processExitsWith: .failure) {
      FoundationKVO.Progress(totalUnitCount: 1).resignCurrent()
    }
  }
}
