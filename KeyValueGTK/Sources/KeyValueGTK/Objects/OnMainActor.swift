/// Runs what GTK calls on the main actor.
///
/// GTK calls on its own thread only, which is the main one. On another thread this stops the program.
@inline(__always)
func onMainActor<Argument, Result>(
  _ argument: Argument, _ body: @MainActor (Argument) -> Result
) -> Result {
  let argument = OnThisThread(value: argument)
  return MainActor.assumeIsolated { OnThisThread(value: body(argument.value)) }.value
}

// The closure above runs at once on the same thread, so its argument and its result don't travel.
private struct OnThisThread<Value>: @unchecked Sendable {
  let value: Value
}
