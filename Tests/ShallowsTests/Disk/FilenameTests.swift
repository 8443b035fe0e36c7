import Shallows
import Testing

@Suite struct FilenameTests {
  private let name: Filename = "a?b>c/é"

  @Test func `A name is its string, and a literal makes one`() {
    #expect(name == Filename(rawValue: "a?b>c/é"))
    #expect(name.rawValue == "a?b>c/é")
    #expect(Filename(stringLiteral: "ab").rawValue == "ab")
    #expect(Filename(unicodeScalarLiteral: "a") == "a")
    #expect(Filename(extendedGraphemeClusterLiteral: "é") == Filename(rawValue: "é"))
  }

  @Test func `Equal names hash alike, and find each other`() {
    let numbers: [Filename: Int] = ["one": 1, "two": 2]
    #expect(numbers[Filename(rawValue: "two")] == 2)
  }

  @Test func `Base64 is that of the bytes, and the form for URLs has no slash or plus`() {
    #expect(Filename(rawValue: "kharkiv").base64Encoded() == "a2hhcmtpdg==")
    let awkward = Filename(rawValue: "\u{3}\u{3f}\u{3f}~~~")
    #expect(awkward.base64Encoded() == "Az8/fn5+")
    #expect(awkward.base64URLEncoded() == "Az8_fn5-")
  }

  @Test func `Encoders give what they are named for`() {
    #expect(Filename.Encoder.base64URL.encodedString(representing: name) == name.base64URLEncoded())
    #expect(Filename.Encoder.noEncoding.encodedString(representing: name) == "a?b>c/é")
    // A closure that may not be sent anywhere is taken, too.
    var count = 0
    let counting = Filename.Encoder.custom { filename in
      count += 1
      return "\(filename.rawValue).json"
    }
    #expect(counting.encodedString(representing: "a") == "a.json")
    #expect(count == 1)
  }

  @Test func `The deprecated encoder is Base64`() {
    let encoders: any HavingBase64.Type = Filename.Encoder.self
    #expect(encoders.base64.encodedString(representing: name) == name.base64Encoded())
  }
}

/// What is deprecated may be used by way of a protocol that is not.
private protocol HavingBase64 {
  static var base64: Filename.Encoder { get }
}

extension Filename.Encoder: HavingBase64 {}
