import Foundation

/// Makes random edits in several replicas of a document while processes, connections and the server fail.
@main struct ReplicaFuzz {
  @MainActor
  static func main() async throws {
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "participant", arguments.count == 2 {
      try await Participant(ParticipantSettings(argument: arguments[1])).obey()
      return
    }
    do {
      exit(try await run(FuzzSettings(arguments)))
    } catch FuzzError.usage {
      print(FuzzSettings.usage)
      exit(64)
    } catch FuzzError.unavailable(let reason) {
      print(reason)
      exit(69)
    }
  }

  @MainActor
  private static func run(_ settings: FuzzSettings) async throws -> Int32 {
    let place = try await FuzzPlace(settings.store)
    let run = try await FuzzRun(settings, at: place)
    do {
      print(try await run.run() + ", violations: none")
      place.remove()
      return 0
    } catch {
      run.end()
      print(
        """
        \(run.summary), violations: 1
        \(error)
        Journals: \(place.folder)
        """)
      return 1
    }
  }
}
