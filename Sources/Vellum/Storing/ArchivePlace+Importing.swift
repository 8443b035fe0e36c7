internal import Foundation
internal import Sediment

/// The name under which an import stores archives.
struct ImportName {
  var text: String
  /// Whether the import makes the name, so that nobody knows yet which type the archives are of.
  var isUnclaimed = false
}

// The original names folders by a rule of its own, and an import does not know the type. So it stores archives where the
// type looks if that has a place already; else under the folder's name, until the type comes for them.
extension ArchivePlace {
  func has(_ name: String) -> Bool { store.collectionNames.contains(ArchiveShelf.collectionName(name)) }

  // MARK: Imports

  /// The name for the files of a folder of the original.
  func importName(ofFolder folder: String) throws -> ImportName {
    let name = withoutPrefix(folder)
    for known in [folder, name] where has(known) { return ImportName(text: known) }
    // The rules differ in where words are divided, and in what is no letter or digit.
    let similar = store.collectionNames.filter { $0.hasPrefix(ArchiveShelf.collectionName("")) }
      .map { String($0.dropFirst(ArchiveShelf.collectionName("").count)) }
      .filter { letters(of: $0) == letters(of: name) }
    guard similar.count <= 1 else { throw VellumError.severalNames(folder, similar) }
    return similar.first.map { ImportName(text: $0) } ?? ImportName(text: name, isUnclaimed: true)
  }

  /// Notes that no type has come yet for the archives of a name that an import makes.
  func unclaim(_ name: String) throws {
    do { try notes.setOwner("", of: name) } catch { throw VellumError.store(name, error) }
  }

  // MARK: Types

  /// The name under which an import has left the archives of a type, if the type has none under its own; they are the
  /// type's from then on.
  func claimedImport(for type: (some Archivable).Type, where isFree: (String) -> Bool) throws -> String? {
    let archiveName = type.archiveName
    guard !has(archiveName) else { return nil }
    let name =
      archiveName == snakeCase(String(describing: type)) ? originalName(of: type) : withoutPrefix(archiveName)
    guard name != archiveName, has(name), isFree(name), let owner = notes.owner(of: name),
      owner.isEmpty || owner == archiveName
    else { return nil }
    do { try notes.setOwner(archiveName, of: name) } catch let error as SedimentError
      where error.code == .readOnly
    {
    } catch {
      throw VellumError.store(name, error)
    }
    return name
  }

  /// Whether a name's archives are those of the type that has this name; they are from then on if an import has left them.
  func claim(_ name: String) throws -> Bool {
    guard let owner = notes.owner(of: name) else { return true }
    guard owner.isEmpty else { return false }
    do { try notes.setOwner(nil, of: name) } catch let error as SedimentError where error.code == .readOnly {
    } catch {
      throw VellumError.store(name, error)
    }
    return true
  }

  private func letters(of name: String) -> String {
    String(name.filter { $0.isLetter || $0.isNumber }).lowercased()
  }

  private func withoutPrefix(_ name: String) -> String {
    String(name.dropFirst(name.hasPrefix("vellum_") ? 7 : 0))
  }
}

/// The name that the original gives a type, without its prefix: `v_2_user` for `V2User`, `page_int` for `Page<Int>`.
///
/// Words begin at a capital letter after a small one or a digit, at the last of several capital letters before a small
/// one, and at a digit after a capital letter. Only ASCII counts for that.
func originalName(of type: Any.Type) -> String {
  let letters = Array(String(describing: type).filter { $0.isLetter || $0.isNumber })
  func isCapital(_ place: Int) -> Bool { "A"..."Z" ~= letters[place] }
  func isSmall(_ place: Int) -> Bool { "a"..."z" ~= letters[place] }
  func isDigit(_ place: Int) -> Bool { "0"..."9" ~= letters[place] }
  var name = ""
  for place in letters.indices {
    if place > 0 {
      let leadsSmall = place + 1 < letters.count && isSmall(place + 1)
      let beginsWord =
        (isCapital(place) && (isSmall(place - 1) || isDigit(place - 1)))
        || (isCapital(place) && isCapital(place - 1) && leadsSmall)
        || (isDigit(place) && isCapital(place - 1))
      if beginsWord { name.append("_") }
    }
    name.append(letters[place])
  }
  return name.lowercased()
}
