package zstdfast

import "testing"

func BenchmarkAppend(b *testing.B) {
	for name, text := range texts() {
		b.Run(name, func(b *testing.B) {
			var e Encoder
			var out []byte
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				out = e.Append(out[:0], text)
			}
			b.ReportMetric(float64(len(out))/float64(len(text)), "ratio")
		})
	}
}
