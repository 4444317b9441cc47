/// A binding's work: reads one side, transforms, writes the other.
///
/// Its observations' handlers retain it; it retains neither side.
final class BindingLink<Source: AnyObject, SourceValue, Target: AnyObject, TargetValue> {
  private weak let source: Source?
  private weak let target: Target?
  private let read: (Source) -> SourceValue
  /// How to write the source; nil if the binding is one-way.
  private let sourceEnd: BindingEnd<Source, SourceValue>?
  private let targetEnd: BindingEnd<Target, TargetValue>
  private let conversion: BindingConversion<SourceValue, TargetValue>
  private let onError: (any Error) -> Void
  private let onBackwardError: (any Error) -> Void
  let gate = BindingGate()

  init(
    _ source: Source, read: @escaping (Source) -> SourceValue,
    end: BindingEnd<Source, SourceValue>?, _ target: Target,
    _ targetEnd: BindingEnd<Target, TargetValue>,
    _ conversion: BindingConversion<SourceValue, TargetValue>,
    onError: @escaping (any Error) -> Void, onBackwardError: @escaping (any Error) -> Void
  ) {
    self.source = source
    self.target = target
    self.read = read
    sourceEnd = end
    self.targetEnd = targetEnd
    self.conversion = conversion
    self.onError = onError
    self.onBackwardError = onBackwardError
  }

  /// Passes the source's current value on.
  ///
  /// This may differ from the change's value: an earlier observer may have set another.
  func sourceChanged(_ source: Source) {
    gate.pass(.forward, to: target) { direction, wave, target in
      pass(direction, wave, source, target)
    }
  }

  /// Passes the source's current value on, because the target's key belongs to another object than before.
  ///
  /// That's no echo, even if a passage caused it: what the binding wrote is in the object before.
  func ownerChanged(_ target: Target) {
    gate.pass(.forward, mayBeEcho: false, to: source) { direction, wave, source in
      pass(direction, wave, source, target)
    }
  }

  /// Passes the target's current value back.
  ///
  /// The change may be one that this binding made: at the end of a transaction, in it or since, and where it can't be
  /// told whether the key has changed or what leads to it. Then the sides agree, and there is nothing to pass back.
  func targetChanged(_ target: Target, mayBeOwn: Bool) {
    var mayBeOwn = mayBeOwn
    gate.pass(.backward, to: source) { direction, wave, source in
      pass(direction, wave, source, target, mayBeOwn: mayBeOwn)
      mayBeOwn = false  // the next change came later
    }
  }

  private func pass(
    _ direction: BindingGate.Direction, _ wave: BindingWave, _ source: Source, _ target: Target,
    mayBeOwn: Bool = false
  ) {
    guard isOpen(direction, source, target) else { return }
    if mayBeOwn, agree(.forward, source, target) { return }
    if !gate.isFirst(of: wave), agree(direction, source, target) { return }
    do {
      let wasReplaced = try write(direction, source, target)
      guard wasReplaced, !gate.isEnded, isOpen(direction.opposite, source, target) else { return }
      try gate.withoutListening { _ = try write(direction.opposite, source, target) }
    } catch {
      // What the handler sets is an answer to the error.
      gate.listeningToBothSides {
        direction == .forward ? onError(error) : onBackwardError(error)
      }
    }
  }

  /// Whether no object is nil on the way to the target, nor, if the source is to be set, on the way to that.
  private func isOpen(
    _ direction: BindingGate.Direction, _ source: Source, _ target: Target
  ) -> Bool {
    guard targetEnd.hasPlace(in: target) else { return false }
    return direction == .forward || sourceEnd?.hasPlace(in: source) == true
  }

  /// Whether passing the value on in a direction would set the side to the value that it has; false
  /// if that's unknown.
  private func agree(
    _ direction: BindingGate.Direction, _ source: Source, _ target: Target
  ) -> Bool {
    switch direction {
    case .forward:
      guard let value = try? conversion.forward(read(source)) else { return false }
      return isSameForBindings(value, targetEnd.read(target)) ?? false
    case .backward:
      guard let value = try? conversion.backward(targetEnd.read(target)) else { return false }
      return isSameForBindings(value, read(source)) ?? false
    }
  }

  /// Sets one side to the other side's transformed value.
  ///
  /// - Returns: Whether a validator replaced the value.
  private func write(
    _ direction: BindingGate.Direction, _ source: Source, _ target: Target
  ) throws -> Bool {
    switch direction {
    case .forward:
      return try targetEnd.write(conversion.forward(read(source)), to: target)
    case .backward:
      guard let sourceEnd else { return false }
      return try sourceEnd.write(conversion.backward(targetEnd.read(target)), to: source)
    }
  }
}
