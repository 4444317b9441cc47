import MachineView
import TerminalSupport

/// Shows a view on a screen, or below the lines printed before.
final class Presenter {
  private let output: OutputFile
  private let screen: Terminal?
  private let isAmongOtherLines: Bool
  private var isFirst = true

  /// Without a screen, the presenter prints lines.
  ///
  /// `isAmongOtherLines` is whether other lines come before and after the view.
  init(output: OutputFile, screen: Terminal?, isAmongOtherLines: Bool) {
    self.output = output
    self.screen = screen
    self.isAmongOtherLines = isAmongOtherLines
  }

  func show(_ view: MachineView) {
    if let screen {
      let size = screen.size
      screen.show(
        view.lines(
          in: .init(columns: size.columns, rows: size.rows), isInteractive: true,
          hasColor: screen.hasColor))
    } else {
      let lines = view.lines(in: .init(columns: TerminalSize.of(output)?.columns))
      let before = isAmongOtherLines || !isFirst ? [""] : []
      let after = isAmongOtherLines ? [""] : []
      isFirst = false
      output.writeLines(before + lines + after)
    }
  }
}
