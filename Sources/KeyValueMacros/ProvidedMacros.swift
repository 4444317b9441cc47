import SwiftSyntaxMacros

/// The macros that the plug-in provides.
package var providedMacros: [any Macro.Type] {
  [
    KeyValueObservableMacro.self, CocoaObservableMacro.self,
    KeyValueStoredMacro.self, KeyValueHookMacro.self,
    KeyValueInitializerMacro.self, DependsOnMacro.self, NotifiesManuallyMacro.self,
    KeyValueIgnoredMacro.self, KeyValueRedactedMacro.self,
  ]
}
