import KeyValueObserving

/// The ways to register by one typed key path.
struct TypedPath {
  typealias Observe<Answer> = (
    FuzzNode, KeyValueObservingOptions, String, @escaping (Occurrence) -> Answer
  ) -> KeyValueObservation

  let observe: Observe<Void>
  let until: Observe<Bool>
  let observeFor:
    (
      KeyValueObserverController<FuzzOwner>, FuzzNode, KeyValueObservingOptions, String,
      @escaping (Occurrence) -> Void
    ) -> Void
}

/// Registrations by typed key paths, under the names that the paths have as strings.
enum TypedPaths {
  private static func observe<Value>(
    _ keyPath:
      @autoclosure @escaping () -> KeyPath<
        KeyValuePath<FuzzNode, FuzzNode>, KeyValuePath<FuzzNode, Value>
      >
  ) -> TypedPath {
    TypedPath(
      observe: { object, options, who, report in
        object.observe(keyPath(), options: options) { object, change in
          report(change.told(who, object))
        }
      },
      until: { object, options, who, report in
        object.observe(
          keyPath(), options: options,
          until: { object, change in report(change.told(who, object)) })
      },
      observeFor: { controller, object, options, who, report in
        controller.observe(object, keyPath(), options: options) { _, object, change in
          report(change.told(who, object))
        }
      })
  }

  nonisolated(unsafe) static let table: [String: TypedPath] = [
    "number": observe(\.number),
    "text": observe(\.text),
    "width": observe(\.width),
    "rack": observe(\.rack),
    "flags": observe(\.flags),
    "next.width": observe(\.next.width),
    "text._": observe(\.text.count),
    "note": observe(\.note),
    "next": observe(\.next),
    "peer": observe(\.peer),
    "items": observe(\.items),
    "group": observe(\.group),
    "values": observe(\.values),
    "marks": observe(\.marks),
    "manual": observe(\.manual),
    "shelf": observe(\.shelf),
    "link": observe(\.link),
    "link.number": observe(\.link.number),
    "staff": observe(\.staff),
    "label": observe(\.label),
    "caption": observe(\.caption),
    "reach": observe(\.reach),
    "nearest": observe(\.nearest),
    "total": observe(\.total),
    "wealth": observe(\.wealth),
    "pong": observe(\.pong),
    "filed": observe(\.filed),
    "lonely": observe(\.lonely),
    "folder": observe(\.folder),
    "next.number": observe(\.next.number),
    "next.next.text": observe(\.next.next.text),
    "next.peer.number": observe(\.next.peer.number),
    "next.items": observe(\.next.items),
    "next.label": observe(\.next.label),
    "peer.number": observe(\.peer.number),
    "peer.caption": observe(\.peer.caption),
    "nearest.number": observe(\.nearest.number),
    "items.@count": observe(\.items.count),
    "values.@count": observe(\.values.count),
    "items.number": observe(\.items[each: \.number]),
    "items.next.number": observe(\.items[each: \.next.number]),
    "items.@sum.number": observe(\.items[sum: \.number]),
    "items.@sum.reach": observe(\.items[sum: \.reach]),
    "items.@avg.number": observe(\.items[average: \.number]),
    "items.@min.number": observe(\.items[minimum: \.number]),
    "items.@max.text": observe(\.items[maximum: \.text]),
    "group.@sum.number": observe(\.group[sum: \.number]),
    "group.@max.number": observe(\.group[maximum: \.number]),
    "staff.@sum.number": observe(\.staff[sum: \.number]),
    "next.items.@sum.number": observe(\.next.items[sum: \.number]),
  ]
}
