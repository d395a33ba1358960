package compile

import (
	"testing"

	"pgregory.net/rapid"
)

// Formats made by the builder print as text that parses to the same tree,
// whatever their names and texts are.
func TestBuilderPrints(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching("[`\"'\\\\\n\t{}a\x00-]{0,6}"))
	name := rapid.OneOf(rapid.StringMatching(`[a-z_][a-z0-9_-]{0,5}`), rapid.SampledFrom([]string{"null", "default", "trim", "in", "eof", "none", "a b", "*-x", ""}))
	types := rapid.SampledFrom([]string{"str", "u8(thousands ',')", `bool(true "Y", false "N")`, "map(map(str), open '[', close ']')", "enum(A 1 \"x y\")", "ts(epoch(ms), unit ns)", "list(u8, sep ' '+)", "ts(\"%F\" | epoch(s))"})
	rapid.Check(t, func(t *rapid.T) {
		b := New(name.Draw(t, "format"))
		for range rapid.IntRange(0, 8).Draw(t, "items") {
			switch rapid.IntRange(0, 13).Draw(t, "item") {
			case 0:
				b.Doc(text.Draw(t, "doc"))
			case 1:
				b.Delimited(Separator(text.Draw(t, "sep"), text.Draw(t, "or")), Quoted(rapid.Byte().Draw(t, "quote"), true), Escaped(rapid.Byte().Draw(t, "lead")), PassBlanks())
			case 2:
				b.Record(text.Draw(t, "template")).AppendRecord(text.Draw(t, "more"))
			case 3:
				if rapid.Bool().Draw(t, "binary") {
					b.Binary(rapid.IntRange(0, 9).Draw(t, "header"), text.Draw(t, "magic"), Number(name.Draw(t, "number"), "u16be"), Padded(name.Draw(t, "padded"), rapid.IntRange(0, 9).Draw(t, "bytes"), text.Draw(t, "pad")))
				}
				b.FixedColumn(name.Draw(t, "column"), rapid.IntRange(0, 99).Draw(t, "width"))
			case 4:
				b.HeaderNames(rapid.IntRange(0, 9).Draw(t, "rows"))
			case 12:
				b.SkipLines(rapid.IntRange(0, 9).Draw(t, "lines")).SkipPrefix(text.Draw(t, "prefix"), text.Draw(t, "or")).SkipUntil(text.Draw(t, "until"))
			case 13:
				b.Keyed(name.Draw(t, "map"), name.Draw(t, "key"), types.Draw(t, "type"), NullTokens("-"))
				b.KeyedJSON(name.Draw(t, "map"), name.Draw(t, "key"), types.Draw(t, "type"), Trim())
			case 5, 6:
				mods := []*Modifier{}
				for range rapid.IntRange(0, 3).Draw(t, "modifiers") {
					mods = append(mods, rapid.SampledFrom([]*Modifier{Required(), Optional(), Trim(), NullTokens("-", "`"), Default("x\n"), In("1..9", "..2.5"), In("a`.."), In("7")}).Draw(t, "modifier"))
				}
				b.Field(name.Draw(t, "column"), types.Draw(t, "type"), mods...)
			case 7:
				b.Null(text.Draw(t, "null"))
			case 8:
				b.Split(name.Draw(t, "column"), text.Draw(t, "template"), rapid.Bool().Draw(t, "strict"))
			case 9:
				b.MultilineContinue(text.Draw(t, "prefix")).Rest(name.Draw(t, "rest"))
			case 10:
				b.Test(text.Draw(t, "name"), text.Draw(t, "input"), Expect(name.Draw(t, "column"), text.Draw(t, "value"), name.Draw(t, "column"), nil), ExpectReject(text.Draw(t, "error")))
			case 11:
				b.Directive(text.Draw(t, "prefix"), "skip").OnError("null").Ragged("pad", "truncate").MaxRecord(5)
			}
		}
		f, err := b.File()
		if err != nil {
			t.Fatalf("%v\n%s", err, b.Source())
		}
		if again := Print(f); again != b.Source() {
			t.Fatalf("printed again:\n%s\nfirst:\n%s", again, b.Source())
		}
	})
}
