import SwiftSyntaxMacros

/// The macros that the plug-in offers to the compiler.
package var providedMacros: [any Macro.Type] {
  [
    KeyValueObservableMacro.self, KeyValueStoredMacro.self, KeyValueHookMacro.self,
    KeyValueInitializerMacro.self, DependsOnMacro.self, NotifiesManuallyMacro.self,
    KeyValueIgnoredMacro.self,
  ]
}
