//go:build cuda

package gpu

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestConstants holds the numbers that launches depend on to those that the
// kernels are compiled with.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		file, name string
		want       int
	}{
		{"context/strips.cuh", "kContextThreads", contextThreads},
		{"context/strips.cuh", "kScanThreads", scanThreads},
		{"context/strips.cuh", "kScanStrips", scanStrips},
		{"context/strips.cuh", "kFinishThreads", finishThreads},
		{"context/strips.cuh", "kFinishChunks", finishChunks},
		{"context/segments.cuh", "kGroupSegments", groupSegments},
		{"context/segments.cuh", "kSegmentThreads", segmentThreads},
		{"context/tracker.cuh", "kElements", monoidElements},
		{"strings/offsets.cuh", "kOffsetsThreads", offsetsThreads},
		{"strings/offsets.cuh", "kOffsetsTile", offsetsTile},
		{"strings/group.cuh", "kUnit", unitRows},
		{"strings/group.cuh", "kCopyThreads", gatherThreads},
		{"strings/group.cuh", "kPartPieces", partPieces},
		{"css/index.cuh", "kIndexThreads", cssThreads},
		{"split.cu", "kLongestSplit", longestSplit},
		{"convert.cu", "kConvertRows", convertRows},
		{"fused/tile.cuh", "kFusedThreads", fusedThreads},
		{"fused/tile.cuh", "kFusedBlocks", fusedBlocks},
		{"fused/tile.cuh", "kMaxEnds", fusedEnds},
		{"fused/tile.cuh", "kFormShift", formShift},
		{"narrow.cu", "kNarrowThreads", narrowThreads},
		{"narrow.cu", "kNarrowRows", narrowRows},
	} {
		source, err := os.ReadFile(filepath.Join("../../kernels", c.file))
		if err != nil {
			t.Skipf("no sources of kernels here: %v", err)
		}
		m := regexp.MustCompile(`constexpr uint32_t ` + c.name + ` = (\d+);`).FindSubmatch(source)
		if m == nil {
			t.Errorf("%s: no %s", c.file, c.name)
			continue
		}
		if got, err := strconv.Atoi(string(m[1])); err != nil || got != c.want {
			t.Errorf("%s: %s is %s, here it is %d", c.file, c.name, m[1], c.want)
		}
	}
}
