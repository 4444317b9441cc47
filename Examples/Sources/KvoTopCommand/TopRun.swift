import Inspecting
import MachineModel
import MachineSampling
import MachineVerification
import MachineView
import ProcFiles
import TerminalSupport

/// One run of `kvo-top`: connects the parts, then samples and waits in turn.
final class TopRun {
  private let files: ProcFileSystem
  private let interval: Duration
  /// Nil if the run has no end.
  private let iterations: Int?

  private let output = OutputFile()
  /// Nil if there are no keys to wait for.
  private let terminal: Terminal?
  private let waiter: EventWaiter
  private let machine = Machine()
  private let sampler: MachineSampler
  private let view: MachineView
  /// Registered before the view, so that its lines come first.
  private let log: ChangeLog?
  private let verifier: MachineVerifier?
  private let inspector: ProgramInspector?

  init(options: TopCommand) throws {
    files = ProcFileSystem(root: options.proc)
    interval = .seconds(options.interval)
    // It starts before anything is observed, so the page shows everything.
    inspector = options.inspect ? try ProgramInspector(for: "kvo-top") : nil
    if let inspector { OutputFile(file: 2).writeLines(["Inspector: \(inspector.url)"]) }

    // A single sample isn't worth a screen that disappears at the end.
    let terminal = options.once ? nil : Terminal(output: output, usesScreen: !options.log)
    self.terminal = terminal
    let hasWatcher = terminal != nil || inspector != nil
    iterations = options.once ? 1 : options.iterations ?? (hasWatcher ? nil : 3)
    waiter = try EventWaiter(output: output, terminal: terminal)
    sampler = MachineSampler(of: machine)
    log = try options.log ? ChangeLog(of: machine) { [output] in output.writeLines([$0]) } : nil
    verifier = options.verify ? MachineVerifier(of: machine) : nil

    let presenter = Presenter(
      output: output, screen: options.log ? nil : terminal,
      isAmongOtherLines: options.log)
    view = MachineView(
      of: machine, order: options.sort, limit: options.limit,
      countsObservation: terminal != nil && !options.log, present: presenter.show)
    view.note = inspector.map { "inspector: \($0.url)" }
  }

  func run() throws {
    terminal?.enter()
    defer { terminal?.leave() }

    let end = try sampleUntilEnd()
    terminal?.leave()
    switch end {
    case .quit: break
    case .finished where terminal != nil && log == nil:
      // The screen is gone, and with it the last sample's text.
      output.writeLines(view.lines(in: .init(columns: TerminalSize.of(output)?.columns)))
    case .finished: break
    case .terminated(let signal): endProcess(by: signal)
    }
    if let verifier {
      let count = verifier.comparisonCount
      let gap = log == nil ? [""] : []
      output.writeLines(gap + ["verified: \(count) comparisons with a recomputation, all equal"])
    }
    if let failure = output.failure, !failure.meansReaderLeft { throw failure }
  }

  private enum End {
    case quit, finished
    case terminated(signal: CInt)
  }

  private func sampleUntilEnd() throws -> End {
    var due = ContinuousClock.now
    var count = 0
    while true {
      sampler.apply(try files.sample())
      try verifier?.verify()
      count += 1
      if output.failure != nil { return .quit }
      if count == iterations { return .finished }
      // Counted from the sample's due time, so that its duration doesn't add up. After a pause (a
      // sleeping machine) there are no samples to make up for.
      due = max(due + interval, .now)
      if let end = wait(until: due) { return end }
    }
  }

  /// Reacts to events until the next sample is due; nil then.
  private func wait(until due: ContinuousClock.Instant) -> End? {
    while true {
      switch waiter.next(until: due) {
      case .deadline: return nil
      case .outputClosed: return .quit
      case .terminated(let signal):
        return signal == interruptSignal ? .quit : .terminated(signal: signal)
      case .resized: redraw()
      case .suspended: suspend()
      case .resumed:
        terminal?.enter()
        redraw()
      case .keys(let keys):
        for key in keys where react(to: key) { return .quit }
      }
    }
  }

  /// Returns true if the key means to quit.
  private func react(to key: Character) -> Bool {
    switch key {
    case "q", "Q", Keys.controlC: return true
    case Keys.controlZ: suspend()
    default:
      guard let order = ProcessOrder.allCases.first(where: { $0.key == key }) else { break }
      view.order = order
      redraw()
    }
    return false
  }

  private func suspend() {
    terminal?.leave()
    stopProcess()
    terminal?.enter()
    redraw()
  }

  /// Redraws only a screen; printed lines stay.
  private func redraw() {
    if log == nil { view.draw() }
  }
}
