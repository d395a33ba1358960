package lower

import "testing"

// BenchmarkBuild is what a program pays for a format at its start.
func BenchmarkBuild(b *testing.B) {
	b.Run("csv", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := BuildDelimited(csv()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("combined", func(b *testing.B) {
		for b.Loop() {
			build(b, &Record{Parts: combinedLog(), Rest: "extra"})
		}
	})
	b.Run("positional", func(b *testing.B) {
		for b.Loop() {
			build(b, &Record{Parts: combinedLog(), Positional: true})
		}
	})
}
