import Shallows
import Testing

@Suite struct FilenameTests {
  private let name: Filename = "a?b>c/é"

  @Test func `A name is its string, and a literal makes one`() {
    #expect(name == Filename(rawValue: "a?b>c/é"))
    #expect(name.rawValue == "a?b>c/é")
  }

  @Test func `Base64 is that of the bytes, and the form for URLs has no slash or plus`() {
    #expect(Filename(rawValue: "kharkiv").base64Encoded() == "a2hhcmtpdg==")
    let awkward = Filename(rawValue: "\u{3}\u{3f}\u{3f}~~~")
    #expect(awkward.base64Encoded() == "Az8/fn5+")
    #expect(awkward.base64URLEncoded() == "Az8_fn5-")
  }

  @Test func `Each encoder names files in its way`() {
    #expect(Filename.Encoder.base64URL.encodedString(representing: "kharkiv") == "a2hhcmtpdg==")
    #expect(Filename.Encoder.noEncoding.encodedString(representing: name) == name.rawValue)
    #expect(Filename.Encoder.custom { $0.rawValue + ".x" }.encodedString(representing: "y") == "y.x")
  }
}
