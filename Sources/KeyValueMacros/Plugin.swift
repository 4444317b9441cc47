#if KVO_TOOLCHAIN_SYNTAX
  @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
#else
  import SwiftCompilerPlugin
#endif
import SwiftSyntaxMacros

/// The macros that the plug-in offers to the compiler.
private var macros: [any Macro.Type] {
  [
    KeyValueObservableMacro.self, KeyValueStoredMacro.self, KeyValueHookMacro.self,
    KeyValueInitializerMacro.self,
    DependsOnMacro.self, NotifiesManuallyMacro.self, KeyValueIgnoredMacro.self,
  ]
}

#if KVO_TOOLCHAIN_SYNTAX
  /// The plug-in's program. The toolchain's swift-syntax has no `CompilerPlugin`, which is a
  /// convenience over these parts.
  @main
  struct KeyValuePlugin: PluginProvider {
    static func main() throws {
      let listener = try CompilerPluginMessageListener(
        connection: StandardIOMessageConnection(), provider: KeyValuePlugin())
      try listener.main()
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
      for macro in macros where String(reflecting: macro) == "\(moduleName).\(typeName)" {
        return macro
      }
      throw UnknownMacro(name: "\(moduleName).\(typeName)")
    }
  }

  private struct UnknownMacro: Error, CustomStringConvertible {
    let name: String
    var description: String { "the plug-in of KeyValueObserving has no macro \(name)" }
  }
#else
  @main
  struct KeyValuePlugin: CompilerPlugin {
    let providingMacros = macros
  }
#endif
