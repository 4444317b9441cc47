import CGtk4
import KeyValueObserving

extension KeyValueBoundPath {
  /// A list model that follows an array of observable objects, whose items are the objects' mirrors.
  ///
  /// ```swift
  /// let people = company.kvo.people.listModel(rearrangedBy: \.name, \.age)
  /// let sorted = gtk_sort_list_model_new(people, sorter)
  /// ```
  ///
  /// Elements that are inserted, removed or replaced are one `items-changed` at their place, or one for each
  /// place if there are several. A newly assigned array is one `items-changed`, from the first element that
  /// differs to the last one, and so is a change at more than 32 places.
  ///
  /// GtkSortListModel and GtkFilterListModel don't watch the items' properties. So name the keys by which they
  /// sort and filter: when one of these changes, the model emits `items-changed` for the row, and they place it
  /// anew. The row's mirror stays the same, and so does the selection.
  ///
  /// The list model retains the elements, not the object that has the array. If that dies, the list stays as
  /// it was.
  ///
  /// Threading: a change on another thread than the main one stops the program.
  ///
  /// - Parameter keys: The keys of an element, or paths from it, by which GTK's models sort and filter.
  /// - Returns: A `GListModel`, with a reference that the caller owns; GTK's functions that make a model of
  ///   another take it over.
  ///
  /// - Complexity: O(*n*) for a change: a comparison of two words for each element, and a move of the elements
  ///   behind each place. O(1) for a row's key, unless the row has moved since.
  @MainActor
  public func listModel<Element: KeyValueObservable, each Key>(
    rearrangedBy keys: repeat ElementPath<Element, each Key>
  ) -> OpaquePointer where Value == [Element] {
    var rowKeys: [RowKey<Element>] = []
    repeat rowKeys.append(RowKey(KeyValuePath<Element, each Key>(each keys)))
    return listModel(rowKeys) { value, _ in value }
  }

  /// A list model that follows an array which may be nil, or is behind an optional object.
  ///
  /// ```swift
  /// let friends = register.kvo.selected.friends.listModel()
  /// ```
  ///
  /// While there's no array, the list is empty. Otherwise like `listModel` of an array.
  @MainActor
  public func listModel<Element: KeyValueObservable, each Key>(
    rearrangedBy keys: repeat ElementPath<Element, each Key>
  ) -> OpaquePointer where Value == [Element]? {
    var rowKeys: [RowKey<Element>] = []
    repeat rowKeys.append(RowKey(KeyValuePath<Element, each Key>(each keys)))
    return listModel(rowKeys) { value, _ in value ?? [] }
  }
}

// MARK: Other collections of objects

extension KeyValueBoundPath {
  /// A list model that follows an ordered collection of observable objects, such as an `OrderedSet`.
  ///
  /// Otherwise like `listModel` of an array.
  @MainActor @_disfavoredOverload
  public func listModel<Element: KeyValueObservable, each Key>(
    rearrangedBy keys: repeat ElementPath<Element, each Key>
  ) -> OpaquePointer where Value: RandomAccessCollection, Value.Element == Element {
    var rowKeys: [RowKey<Element>] = []
    repeat rowKeys.append(RowKey(KeyValuePath<Element, each Key>(each keys)))
    return listModel(rowKeys) { value, _ in Array(value) }
  }

  /// A list model that follows an ordered collection which may be nil, or is behind an optional object.
  ///
  /// While there's no collection, the list is empty. Otherwise like `listModel` of an array.
  @MainActor @_disfavoredOverload
  public func listModel<Elements: RandomAccessCollection, Element: KeyValueObservable, each Key>(
    rearrangedBy keys: repeat ElementPath<Element, each Key>
  ) -> OpaquePointer where Value == Elements?, Elements.Element == Element {
    var rowKeys: [RowKey<Element>] = []
    repeat rowKeys.append(RowKey(KeyValuePath<Element, each Key>(each keys)))
    return listModel(rowKeys) { value, _ in value.map { Array($0) } ?? [] }
  }

  /// A list model that follows a set of observable objects.
  ///
  /// ```swift
  /// let members = gtk_sort_list_model_new(club.kvo.members.listModel(rearrangedBy: \.name), sorter)
  /// ```
  ///
  /// A set has no order: what stays in it keeps its place in the list, and what enters comes last. Have a
  /// GtkSortListModel sort it. Each change is one `items-changed`, from the first row that differs to the last.
  /// Otherwise like `listModel` of an array.
  @MainActor
  public func listModel<Element: KeyValueObservable & Hashable, each Key>(
    rearrangedBy keys: repeat ElementPath<Element, each Key>
  ) -> OpaquePointer where Value == Set<Element> {
    var rowKeys: [RowKey<Element>] = []
    repeat rowKeys.append(RowKey(KeyValuePath<Element, each Key>(each keys)))
    return listModel(rowKeys) { $0.inOrder(of: $1) }
  }

  /// A list model that follows a set which may be nil, or is behind an optional object.
  ///
  /// While there's no set, the list is empty. Otherwise like `listModel` of a set.
  @MainActor
  public func listModel<Element: KeyValueObservable & Hashable, each Key>(
    rearrangedBy keys: repeat ElementPath<Element, each Key>
  ) -> OpaquePointer where Value == Set<Element>? {
    var rowKeys: [RowKey<Element>] = []
    repeat rowKeys.append(RowKey(KeyValuePath<Element, each Key>(each keys)))
    return listModel(rowKeys) { $0?.inOrder(of: $1) ?? [] }
  }

  /// `elements` gets the value, and the list as it was.
  @MainActor
  private func listModel<Element: KeyValueObservable>(
    _ keys: [RowKey<Element>], _ elements: @escaping (Value, [Element]) -> [Element]
  ) -> OpaquePointer {
    let name = debugDescription
    MainThread.require("The list model of \(name) was made")
    let content = ArrayContent<Element>(keys)
    let path = KeyValuePath(self)
    content.follow(elements(self.value, []))
    content.begin(
      observe { [unowned content] root, change in
        MainThread.require("\(name) changed, which a list in a window has,")
        let value = root.kvo[path].value
        onMainActor((content, value, change.indexes)) { content, value, indexes in
          content.follow(
            elements(value, content.latest), indexes.map { (change.kind, $0) })
        }
      })
    return OpaquePointer(content.instance)
  }
}

extension Set {
  /// The elements in the order that a list of earlier ones has, then those that it doesn't have.
  fileprivate func inOrder(of known: [Element]) -> [Element] {
    var others = self
    return known.compactMap { others.remove($0) } + others
  }
}

// MARK: Values

extension KeyValueBoundPath {
  /// A list model that follows an array of values, whose items are GtkStringObjects.
  ///
  /// ```swift
  /// let dropDown = gtk_drop_down_new(project.kvo.tags.listModel(), nil)
  /// ```
  ///
  /// An item has the text that a property of text gets for its value. If values of the type can't be text, the
  /// program stops. Each change is one `items-changed`, from the first text that differs to the last, and the items
  /// between are new ones. Otherwise like `listModel` of an array of objects.
  ///
  /// - Complexity: O(*n*) for a change: a comparison of each value's text.
  @MainActor @_disfavoredOverload
  public func listModel<Element: GValueConvertible>() -> OpaquePointer
  where Value == [Element] {
    textModel { $0 }
  }

  /// A list model that follows an array of values which may be nil, or is behind an optional object.
  ///
  /// While there's no array, the list is empty. Otherwise like `listModel` of an array of values.
  @MainActor @_disfavoredOverload
  public func listModel<Element: GValueConvertible>() -> OpaquePointer
  where Value == [Element]? {
    textModel { $0 ?? [] }
  }

  @MainActor
  private func textModel<Element: GValueConvertible>(
    _ elements: @escaping (Value) -> [Element]
  ) -> OpaquePointer {
    let name = debugDescription
    MainThread.require("The list model of \(name) was made")
    guard Element.fits(kvo_type_string) else {
      Misuse.stop(
        "\(name) has a list model of texts, but \(Words.indefinite(Element.self)) can't be text.")
    }
    let content = TextContent()
    let path = KeyValuePath(self)
    content.follow(elements(self.value).map { $0.shownText })
    content.begin(
      observe { [unowned content] root, _ in
        MainThread.require("\(name) changed, which a list in a window has,")
        let texts = elements(root.kvo[path].value).map { $0.shownText }
        onMainActor((content, texts)) { $0.follow($1) }
      })
    return content.list
  }
}

extension GValueConvertible {
  /// What a property of text gets; empty for a value that it doesn't take.
  fileprivate var shownText: String {
    withGValue(kvo_type_string) { value in
      try? write(to: value)
      return g_value_get_string(value).map { String(cString: $0) } ?? ""
    }
  }
}
