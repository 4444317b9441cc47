// Describes a program as the Swift code that it stands for.
extension Operation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .create(let object): "let n\(object) = \(FuzzBadge.className(of: object))()"
    case .drop(let object): "n\(object) = nil"
    case .register(let registration): "\(registration)"
    case .end(let token, let byDropping):
      byDropping ? "t\(token) = nil" : "t\(token).invalidate()"
    case .remove(let observer, let object, let path, let context):
      "n\(object).removeObserver(w\(observer), \"\(path)\""
        + (context.map { ", context: \($0))" } ?? ")")
    case .registerAll(let registration, let objects): "\(objects) \(registration)"
    case .removeAll(let observer, let objects, let path, let context):
      "\(objects).removeObserver(w\(observer), \"\(path)\", context: \(context))"
    case .dropObserver(let observer): "w\(observer) = nil"
    case .dropOwner(let owner): "o\(owner) = nil"
    case .dropController(let owner): "c\(owner) = nil"
    case .unobserve(let owner, .all): "c\(owner).unobserveAll()"
    case .unobserve(let owner, .object(let object)): "c\(owner).unobserve(n\(object))"
    case .unobserve(let owner, .path(let object, let path)):
      "c\(owner).unobserve(n\(object).kvo(\"\(path)\"))"
    case .mutate(let object, let mutation): "n\(object)\(mutation)"
    case .will(let object, let key): "n\(object).willChangeValue(\"\(key)\")"
    case .did(let object, let key): "n\(object).didChangeValue(\"\(key)\")"
    case .read(let object, let path): "n\(object).value(\"\(path)\")"
    case .transaction(let batch): "\(batch)"
    case .bind(let binding): "\(binding)"
    case .record(let recorder, let object, let key): "r\(recorder).record(n\(object), \"\(key)\")"
    case .undo(let recorder): "r\(recorder).undo()"
    case .redo(let recorder): "r\(recorder).redo()"
    }
  }
}

extension Batch: CustomStringConvertible {
  package var description: String {
    let names = receivers.map { "n\($0)" }.joined(separator: ", ")
    let call = receivers.count == 1 ? "\(names).performChanges" : "[\(names)].perform"
    let steps = operations.map(\.description) + (isFailing ? ["throw"] : [])
    return call + (isRollingBack ? "(rollingBack)" : "")
      + " { \(steps.joined(separator: "; ")) }"
  }
}

extension Registration: CustomStringConvertible {
  package var description: String {
    let call =
      switch form {
      case .typed: "t\(token) = n\(object).observe(\\.\(path)"
      case .string: "t\(token) = n\(object).observe(\"\(path)\""
      case .observer(let observer, let context):
        "n\(object).addObserver(w\(observer), \"\(path)\", context: \(context)"
      case .owner(let owner, true): "c\(owner).observe(n\(object).kvo.\(path)"
      case .owner(let owner, false): "c\(owner).observe(n\(object).kvo(\"\(path)\")"
      }
    let steps = script.sorted { $0.key < $1.key }.map { " \($0.key): \($0.value)" }
    let until = lastCall.map { ", until: \($0)" } ?? ""
    return "\(call), \(options)\(until))"
      + (steps.isEmpty ? "" : " {\(steps.joined(separator: ";")) }")
  }
}

extension Mutation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .assign(let key, let value): ".\(key) = \(value)"
    case .code(let path, let value): ".setValue(\(value), \"\(path)\")"
    case .file(let name, let value):
      Int(name) == nil ? ".folder[\"\(name)\"] = \(value)" : ".index[\(name)] = \(value)"
    case .codeAll(let values): ".setValues(\(FuzzValue.map(values)))"
    case .inPlace(let key, let edit): ".\(key).\(edit)"
    case .copied(let key, let edit): ".\(key) = copy.\(edit)"
    case .proxy(let key, let edit): ".mutable(\"\(key)\").\(edit)"
    case .announce(let key, let value): ".announcing.\(key) = \(value)"
    case .paired(let pairing): ".\(pairing)"
    case .sneak(let key, let value): ".sneaking.\(key) = \(value)"
    case .announced(let key, let edit): ".announced(\"\(key)\").\(edit)"
    }
  }
}

extension Pairing: CustomStringConvertible {
  package var description: String {
    let parts = [first, second].map { part in
      "\(part.isTyped ? "\\." + part.key : "\"\(part.key)\"") = \(part.value)"
    }
    return "\(isCrossed ? "crossed" : "nested")(\(parts.joined(separator: ", ")))"
  }
}

extension Edit: CustomStringConvertible {
  package var description: String {
    switch self {
    case .add(let amount): "add(\(amount))"
    case .insert(let elements, let at): "insert(\(elements), at: \(at))"
    case .remove(let at): "remove(at: \(at))"
    case .replace(let elements, let at): "replace(\(elements), at: \(at))"
    case .replaceSubrange(let low, let high, let elements):
      "replaceSubrange(\(low)..<\(high), \(elements))"
    case .swap(let first, let second): "swapAt(\(first), \(second))"
    case .move(let from, let to): "move(from: \(from), to: \(to))"
    case .exchange(let elements, let at): "exchange(\(elements), at: \(at))"
    case .algebra(let kind, let elements): "\(kind)(\(elements))"
    case .retouch(let position, let amount): "retouch(\(position), \(amount))"
    case .plain(let edit): "\(edit)"
    }
  }
}

extension PlainEdit: CustomStringConvertible {
  package var description: String {
    switch self {
    case .append(let elements): "append(\(elements))"
    case .repeated(let at): "append(elementsAt: \(at))"
    case .removeFirst(let count): "removeFirst(\(count))"
    case .removeLast(let count): "removeLast(\(count))"
    case .removeAll: "removeAll()"
    case .removeWhere(let modulus, let remainder):
      "removeAll(where: { $0 % \(modulus) == \(remainder) })"
    case .reverse: "reverse()"
    case .sort: "sort()"
    case .shuffle(let seed): "shuffle(\(seed))"
    case .appendAndRemove(let elements): "appendAndRemove(\(elements))"
    }
  }
}
