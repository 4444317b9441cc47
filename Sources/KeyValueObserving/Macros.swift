import KeyValueCore

@attached(
  member, conformances: KeyValueObservable,
  names: named(_$kvoRegistrar), named(_$kvoWithRegistrar), named(_$KVOKey), named(_$kvoID),
  named(_$kvoStoredCount), named(_$kvoDefineKeys), named(keyPathsForValuesAffectingValue),
  named(automaticallyNotifiesObservers), named(value), named(setValue), named(setNilValue))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable)
public macro KeyValueObservable() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueObservableMacro")

@attached(peer)
public macro DependsOn(_ keyPaths: String...) =
  #externalMacro(module: "KeyValueMacros", type: "DependsOnMacro")

@attached(peer)
public macro DependsOn<Root>(_ keyPaths: PartialKeyPath<Root>...) =
  #externalMacro(module: "KeyValueMacros", type: "DependsOnMacro")

@attached(peer)
public macro NotifiesManually() =
  #externalMacro(module: "KeyValueMacros", type: "NotifiesManuallyMacro")

@attached(peer)
public macro KeyValueIgnored() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueIgnoredMacro")

@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_$))
public macro _KeyValueStored() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueStoredMacro")

@attached(body)
public macro _KeyValueHook() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueHookMacro")
