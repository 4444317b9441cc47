import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct KeyValuePlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    KeyValueObservableMacro.self,
    KeyValueStoredMacro.self,
    KeyValueHookMacro.self,
    DependsOnMacro.self,
    NotifiesManuallyMacro.self,
    KeyValueIgnoredMacro.self,
  ]
}
