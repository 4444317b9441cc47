/// Tells a recorder of paths when a recorded change is over.
// Checked by hand: confined to the recorder's place, as `ChangeScope` is.
final class RecordingScope: ChangeScope, @unchecked Sendable {
  /// Nil once the recorder has died, which a change in progress outlives.
  // Unmanaged, because retaining an object that is referred to weakly is slow.
  @exclusivity(unchecked) var recorder: Unmanaged<KeyValueChangeRecorder>?

  /// A level that was forgotten, which the next change takes instead of making one.
  @exclusivity(unchecked) var spareLevel: UndoLevel?
  /// How many recorded changes are in progress.
  @exclusivity(unchecked) var begunCount = 0
  /// How many of them there were when the priors began that are being called, innermost last.
  @exclusivity(unchecked) private var begunBeforePriors: [Int] = []
  /// What handlers of these priors have changed.
  @exclusivity(unchecked) private var madeInPriors: [(depth: Int, made: UndoSlot.MadeInPriors)] = []

  /// Keeps a change that a prior's handler has made.
  func note(_ made: UndoSlot.MadeInPriors) { madeInPriors.append((depthOfPriors, made)) }

  override func enterPriors() {
    super.enterPriors()
    begunBeforePriors.append(begunCount)
  }

  override func leavePriors() {
    let count = begunBeforePriors.removeLast()
    if !madeInPriors.isEmpty { endPriors(begunBefore: count) }
    super.leavePriors()
  }

  @inline(never)
  private func endPriors(begunBefore count: Int) {
    let depth = depthOfPriors
    let made = madeInPriors.filter { $0.depth == depth }.map(\.made)
    // They were made in the priors around these, too.
    madeInPriors.removeAll { $0.depth >= depth }
    if depth > 1 { madeInPriors += made.map { (depth - 1, $0) } }
    recorder?.takeUnretainedValue().priorsEnded(made, begunBefore: count)
  }

  override func left() {
    guard let recorder else { return }
    var forgotten: UndoLevel?
    let isClosed = recorder._withUnsafeGuaranteedRef { $0.closeLevelOfOneChange(&forgotten) }
    guard isClosed else { return recorder.takeUnretainedValue().closeLevel() }
    guard isKnownUniquelyReferenced(&forgotten) else { return }
    // What dies with a change may release the recorder, or make changes.
    forgotten?.removeAll()
    spareLevel = forgotten.take()
  }
}
