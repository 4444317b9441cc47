#if KVO_TOOLCHAIN_SYNTAX
  import KeyValueExpansion
  @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
  import SwiftSyntaxMacros

  /// The plug-in's program.
  ///
  /// The toolchain's swift-syntax has no `CompilerPlugin`, which wraps these parts.
  @main
  struct KeyValuePlugin: PluginProvider {
    static func main() throws {
      let listener = try CompilerPluginMessageListener(
        connection: StandardIOMessageConnection(), provider: KeyValuePlugin())
      try listener.main()
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
      for macro in providedMacros where String(describing: macro) == typeName { return macro }
      throw UnknownMacro(name: "\(moduleName).\(typeName)")
    }
  }

  private struct UnknownMacro: Error, CustomStringConvertible {
    let name: String
    var description: String { "the plug-in of KeyValueObserving has no macro \(name)" }
  }
#else
  import SwiftCompilerPlugin
  import SwiftSyntaxMacros

  /// The plug-in's program.
  @main
  struct KeyValuePlugin: CompilerPlugin {
    let providingMacros = providedMacros
  }
#endif
