//go:build cuda

package gpu

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/internal/device"
)

// sortKeys are keys of kinds that take the ways of a sort: many digits, some that all share, few
// values, skewed ones, and hostile ones, whose buckets stay large to the last digit.
var sortKeys = map[string]func(i int) uint64{
	"uniform": func(int) uint64 { return rand.Uint64() },
	"and":     func(int) uint64 { return rand.Uint64() & rand.Uint64() & rand.Uint64() },
	"skewed": func(int) uint64 {
		k := ^uint64(0)
		for range 6 {
			k &= rand.Uint64()
		}
		return k
	},
	"32 bits":  func(int) uint64 { return uint64(rand.Uint32()) },
	"13 bits":  func(int) uint64 { return uint64(rand.Uint32() & 0x1fff) },
	"apart":    func(int) uint64 { return rand.Uint64() & 0x8040201008040201 },
	"prefix":   func(int) uint64 { return 0xabcdef0123450000 | uint64(rand.Uint32()&0xffff) },
	"constant": func(int) uint64 { return 0x123456789 },
	"two":      func(int) uint64 { return []uint64{0, math.MaxUint64}[rand.IntN(2)] },
	"one other": func(i int) uint64 {
		if i == 77 {
			return 5 << 40
		}
		return 7 << 40
	},
	"ordered":  func(i int) uint64 { return uint64(i) << 20 },
	"reversed": func(i int) uint64 { return uint64(1<<30-i) << 9 },
	"zipf":     func(int) uint64 { return uint64(math.Pow(rand.Float64(), 8) * (1 << 40)) },
	"8 bits":   func(int) uint64 { return uint64(rand.Uint32()&0xff) << 29 },
	"8 apart":  func(int) uint64 { return rand.Uint64() & 0x8200010000804011 },
	// Of these a sample most often shows the low bits alone.
	"rare":       func(int) uint64 { return rarely(rand.Uint64(), uint64(rand.Uint32()&0xff)) },
	"rare apart": func(int) uint64 { return rarely(rand.Uint64()&0x8040201008048fc1, uint64(rand.Uint32()&1)) },
	"rare short": func(int) uint64 { return rarely(rand.Uint64()>>44, 77) },
	// Of each digit one key in three goes on with the others to the next.
	"hostile": func(int) uint64 {
		k := uint64(0)
		for d := 56; d >= 0; d -= 8 {
			if rand.IntN(3) == 0 {
				return k | uint64(1+rand.IntN(255))<<d
			}
		}
		return k
	},
}

// rarely is the first number for one row in 4,000.
func rarely(other, usual uint64) uint64 {
	if rand.IntN(4000) == 0 {
		return other
	}
	return usual
}

// sortBench sorts on the device what it is given.
type sortBench struct {
	*bench
	stage  *sortStage
	room   *sortRoom
	memory [4]device.Memory
}

func newSortBench(b *bench, kind sortKind, most int) *sortBench {
	x := &sortBench{bench: b, room: newSortRoom(kind, most)}
	var err error
	x.stage, err = newSortStage(b.d, kind)
	b.ok(err)
	b.ok(x.room.alloc(b.d))
	for i, size := range []int{kind.key, kind.key, kind.value, kind.value} {
		x.memory[i], err = b.d.Alloc(max(16, size*most))
		b.ok(err)
	}
	b.t.Cleanup(func() {
		for _, m := range append(x.memory[:], x.room.memory) {
			b.ok(b.d.FreeMemory(m))
		}
	})
	return x
}

func (x *sortBench) run(keys, values []byte, n int, numbered bool) {
	x.t.Helper()
	x.ok(x.s.Fill(x.room.memory.Address, rubbish, x.room.memory.Size))
	for _, m := range x.memory {
		x.ok(x.s.Fill(m.Address, rubbish, m.Size))
	}
	x.ok(x.s.Upload(x.memory[0].Address, keys))
	if !numbered {
		x.ok(x.s.Upload(x.memory[2].Address, values))
	}
	x.ok(x.stage.launch(x.s, x.room, sorted{x.memory[0].Address, x.memory[1].Address, x.memory[2].Address, x.memory[3].Address, numbered}, n))
	x.ok(x.s.Download(keys, x.memory[0].Address))
	x.ok(x.s.Download(values, x.memory[2].Address))
	x.ok(x.s.Synchronize())
}

// TestSortStage compares with slices.SortStableFunc: sizes around those of a warp, a block's memory, and a tile,
// and many of these.
func TestSortStage(t *testing.T) {
	b := newBench(t)
	sizes := []int{1, 2, 31, 32, 33, sortSmall - 1, sortSmall, sortSmall + 1, sortMedium, sortMedium + 1, sortTileU64, sortTileU64 + 1, sortLarge, sortLarge + 1, sortTileU32 - 1, sortTileU32 + 1, 2*sortTileU64 + 1, 5*sortTileU64 - 1, 60_000}
	if testing.Short() {
		sizes = []int{1, 33, sortSmall + 1, sortMedium + 1, sortLarge, sortLarge + 1, 40_000}
	}
	if sanitized {
		sizes[len(sizes)-1] = 2*sortTileU32 + 1
	}
	most := slices.Max(sizes)
	narrow, alone := newSortBench(b, sortU32, most), newSortBench(b, sortU64, most)
	pairs, wide := newSortBench(b, sortU64U32, most), newSortBench(b, sortU64U64, most)
	for name, key := range sortKeys {
		for i, n := range sizes {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				keys := make([]uint64, n)
				for i := range keys {
					keys[i] = key(i)
				}
				order := make([]uint32, n)
				for i := range order {
					order[i] = uint32(i)
				}
				slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
				want := make([]uint64, n)
				for i, k := range order {
					want[i] = keys[k]
				}
				got, values := slices.Clone(keys), make([]uint32, n)
				pairs.run(bytesOf(got), bytesOf(values), n, true)
				if !slices.Equal(got, want) || !slices.Equal(values, order) {
					t.Error("keys with numbers")
				}
				if i%2 == 0 || n > sortLarge {
					got := slices.Clone(keys)
					if alone.run(bytesOf(got), nil, n, false); !slices.Equal(got, want) {
						t.Error("keys")
					}
				}
				if i%2 == 1 || n > sortLarge {
					got, values, wantValues := slices.Clone(keys), make([]uint64, n), make([]uint64, n)
					for i := range values {
						values[i] = rand.Uint64()
					}
					for i, k := range order {
						wantValues[i] = values[k]
					}
					wide.run(bytesOf(got), bytesOf(values), n, false)
					if !slices.Equal(got, want) || !slices.Equal(values, wantValues) {
						t.Error("keys with values")
					}
				}
				short := make([]uint32, n)
				for i, k := range keys {
					short[i] = uint32(k>>32 ^ k)
				}
				wantShort := slices.Sorted(slices.Values(short))
				if narrow.run(bytesOf(short), nil, n, false); !slices.Equal(short, wantShort) {
					t.Error("keys of 32 bits")
				}
			})
		}
	}
}

// BenchmarkSortNumbers sorts 2^18 numbers, or 2^(what DFAPARSE_SORT says), with memory for all of them, half of them and an
// eighth of them: from pinned memory to pinned memory, where there is room for all, and to the order of all, with the host's merge,
// where there is not. Rates are of the 8 bytes of each number.
func BenchmarkSortNumbers(b *testing.B) {
	newBench(b)
	n := 1 << 18
	if bits := os.Getenv("DFAPARSE_SORT"); bits != "" {
		k, err := strconv.Atoi(bits)
		if err != nil {
			b.Fatal(err)
		}
		n = 1 << k
	}
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = rand.Uint64()
	}
	e := New()
	for _, parts := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("runs=%d", parts), func(b *testing.B) {
			d, err := e.devices.get(0)
			if err != nil {
				b.Fatal(err)
			}
			most := numberBytes(n, 1)
			if parts > 1 {
				most = numberBytes((n+parts-1)/parts, sortSets)
			}
			x := &numberSort{d: d, n: n}
			if err := x.open(int64(most)); err != nil {
				b.Fatal(err)
			}
			defer x.close()
			merged := make([]uint32, n)
			var crossing, merging time.Duration
			for range b.N + 1 { // the first one is not counted
				copy(x.keys, keys)
				began := time.Now()
				if err := x.run(); err != nil {
					b.Fatal(err)
				}
				crossing = time.Since(began)
				if parts > 1 {
					mergeRuns(x.keys, x.order, x.chunk, merged, runtime.GOMAXPROCS(0))
				}
				merging = time.Since(began) - crossing
			}
			rate := func(t time.Duration) float64 { return float64(8*n) / 1e9 / t.Seconds() }
			b.ReportMetric(rate(crossing), "GB/s-sorted")
			if parts > 1 {
				b.ReportMetric(rate(merging), "GB/s-merged")
			}
			b.ReportMetric(rate(crossing+merging), "GB/s")
		})
	}
}

// tallied are keys alone of which values are counted: of so many bits that counters have 16 each, of few values, of which
// one is there more often than such a counter holds; and several buckets of these, with values that differ in other bits.
var tallied = map[string]func(i int) uint64{
	"16 bits":       func(int) uint64 { return 0xab<<24 | uint64(rand.Uint32()&0xffff)<<5 },
	"16 bits, one":  func(int) uint64 { return rarely(uint64(rand.Uint32()&0xffff), 77) },
	"16 bits, half": func(i int) uint64 { return uint64(rand.Uint32()&0xffff) * uint64(i&1) },
	"15 bits":       func(int) uint64 { return uint64(rand.Uint32() & 0x7fff) },
	"buckets":       func(int) uint64 { return uint64(rand.IntN(3))<<20 | uint64(rand.Uint32()&0xfff) },
	"others":        func(i int) uint64 { return uint64(i%5)<<20 | uint64(rand.Uint32()&(1<<(i%5*4)-1)) },
	"ends":          func(int) uint64 { return []uint64{0, 0xffff}[rand.IntN(2)] },
	// A block sees hardly a value twice among the first keys, and then one more often than a counter holds.
	"later": func(i int) uint64 {
		if i%sortTallyTile < sortTallyTile/4 {
			return uint64(rand.Uint32() & 0xffff)
		}
		return 7
	},
	// Every part has more keys than values, so that scattering leaves 16 bits of each; of the second one it has too few.
	"brief":        func(i int) uint64 { return uint64(i&7)<<17 | uint64(rand.Uint32()&0x3ff)<<3 | 5<<13 },
	"not one":      func(i int) uint64 { return uint64(min(i>>14, 2))<<17 | uint64(rand.Uint32()&0x7ff)<<3 },
	"brief skewed": func(i int) uint64 { return uint64(max(i&15, 12))<<18 | uint64(rand.Uint32()&0x3ff) },
}

// TestSortTallies compares with slices.Sort.
func TestSortTallies(t *testing.T) {
	b := newBench(t)
	sizes := []int{2*sortTallyTile + 1, 8*sortTallyTile - 1, 8 * sortTallyTile, 10*sortTallyTile + 5}
	if testing.Short() {
		sizes = sizes[3:]
	}
	most := slices.Max(sizes)
	narrow, alone := newSortBench(b, sortU32, most), newSortBench(b, sortU64, most)
	for name, key := range tallied {
		for _, n := range sizes {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				keys, short := make([]uint64, n), make([]uint32, n)
				for i := range keys {
					keys[i] = key(i)
					short[i] = uint32(keys[i])
				}
				want, wantShort := slices.Sorted(slices.Values(keys)), slices.Sorted(slices.Values(short))
				if alone.run(bytesOf(keys), nil, n, false); !slices.Equal(keys, want) {
					t.Error("keys")
				}
				if narrow.run(bytesOf(short), nil, n, false); !slices.Equal(short, wantShort) {
					t.Error("keys of 32 bits")
				}
			})
		}
	}
}

// TestSortTalliesWhole compares with slices.Sort: buckets of which one block counts all keys, as there are few blocks. Counters have
// 16 bits or 32, keys are whole or what a pass leaves of them, and values are there more often than a counter holds.
func TestSortTalliesWhole(t *testing.T) {
	b := newBench(t)
	const n, many = 17*sortTallyTile + 3, 65*sortTallyTile + 11
	two := func(i int) uint64 { return uint64(i&1) << 23 } // the first digit is bits 16 to 23
	for name, x := range map[string]struct {
		n   int
		key func(i int) uint64
	}{
		"16 bits":       {n, func(i int) uint64 { return two(i) | uint64(rand.Uint32()&0xffff) }},
		"16 bits, one":  {n, func(i int) uint64 { return two(i) | rarely(uint64(rand.Uint32()&0xffff), 77) }},
		"16 bits, four": {n, func(i int) uint64 { return two(i) | rarely(uint64(rand.Uint32()&0xffff), uint64(i>>1&3)*0x5555) }},
		"later": {n, func(i int) uint64 {
			if i%(n/2) < n/8 {
				return two(i/(n/2)) | uint64(rand.Uint32()&0xffff)
			}
			return two(i/(n/2)) | 0xffff
		}},
		"some":    {n, func(i int) uint64 { return uint64(max(i%16, 8))<<20&(15<<20) | uint64(rand.Uint32()&0xfff) }},
		"seven":   {n, func(i int) uint64 { return uint64(i%9)<<20 | uint64(rand.Uint32()&0x7f) }},
		"brief":   {many, func(i int) uint64 { return two(i) | uint64(rand.Uint32()&0xffff) }},
		"unequal": {n, func(i int) uint64 { return uint64(max(0, i%8-5))<<22 | uint64(rand.Uint32()&0x3fff) }},
	} {
		t.Run(name, func(t *testing.T) {
			narrow, alone := newSortBench(b, sortU32, x.n), newSortBench(b, sortU64, x.n)
			keys, short := make([]uint64, x.n), make([]uint32, x.n)
			for i := range keys {
				keys[i] = x.key(i)
				short[i] = uint32(keys[i])
			}
			want, wantShort := slices.Sorted(slices.Values(keys)), slices.Sorted(slices.Values(short))
			for _, blocks := range []int{1, 2, 3} {
				if sanitized && blocks == 2 {
					continue
				}
				narrow.stage.counting, alone.stage.counting, alone.stage.narrow.counting = blocks, blocks, blocks
				got, gotShort := slices.Clone(keys), slices.Clone(short)
				if alone.run(bytesOf(got), nil, x.n, false); !slices.Equal(got, want) {
					t.Error("keys")
				}
				if narrow.run(bytesOf(gotShort), nil, x.n, false); !slices.Equal(gotShort, wantShort) {
					t.Error("keys of 32 bits")
				}
			}
		})
	}
}

// sampled says whether the kernels look at the ith of n keys before they sort them.
func sampled(i, n int) bool {
	part := n / 4096
	k := i / part
	return i%part == int(uint32(k)*0x9e3779b9>>8)%part
}

// TestSortFew compares with slices.Sort: keys of few values, of which a sample shows all, or some, and of too many for a table,
// which it does not show.
func TestSortFew(t *testing.T) {
	b := newBench(t)
	const n = 1<<20 + 77
	narrow, alone := newSortBench(b, sortU32, n), newSortBench(b, sortU64, n)
	for name, x := range map[string]struct {
		key   func(i int) uint64
		table bool
	}{
		"2":    {func(int) uint64 { return rand.Uint64N(2) }, true},
		"50":   {func(int) uint64 { return rand.Uint64N(50) }, true},
		"1000": {func(int) uint64 { return rand.Uint64N(1000) }, true},
		"1500": {func(int) uint64 { return rand.Uint64N(1500) }, true},
		"4000": {func(int) uint64 { return rand.Uint64N(4000) }, false},
		"others": {func(i int) uint64 {
			if sampled(i, n) {
				return rand.Uint64N(2)
			}
			return rand.Uint64N(1500)
		}, true},
		"too many": {func(i int) uint64 {
			if sampled(i, n) {
				return rand.Uint64N(2)
			}
			return rand.Uint64N(100_000)
		}, false},
		"no more": {func(i int) uint64 {
			if sampled(i, n) {
				return rand.Uint64N(20)
			}
			return uint64(min(i, 2100))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			keys, short := make([]uint64, n), make([]uint32, n)
			for i := range keys {
				keys[i] = x.key(i) * 0x9e3779b97f4a7c15 // they differ in all bits, of 32 and of 64
				short[i] = uint32(keys[i])
			}
			want, wantShort := slices.Sorted(slices.Values(keys)), slices.Sorted(slices.Values(short))
			run := func(b *sortBench, keys []byte) {
				b.run(keys, nil, n, false)
				var buckets [4]byte
				b.ok(b.s.Download(buckets[:], b.room.image.Counts))
				b.ok(b.s.Synchronize())
				if table := buckets == [4]byte{}; table != x.table {
					t.Errorf("by a table of values: %t", table)
				}
			}
			if !sanitized || x.table || name == "no more" { // of the rest TestSortNarrow has what the sample shows, and "no more" what it does not
				if run(alone, bytesOf(keys)); !slices.Equal(keys, want) {
					t.Error("keys")
				}
			}
			if run(narrow, bytesOf(short)); !slices.Equal(short, wantShort) {
				t.Error("keys of 32 bits")
			}
		})
	}
}

// TestSortNarrow compares with slices.Sort: keys of 64 bits alone that differ in 32 neighbouring bits at most, of which a sample
// shows all, or too few, and those that are sorted from the first digit on, from the last, counted, and few.
func TestSortNarrow(t *testing.T) {
	b := newBench(t)
	const n = sortSampled + 77
	const share = 0xabc0_0000_0000_0123
	x := newSortBench(b, sortU64, n)
	unseen := func(i int, usual, other uint64) uint64 {
		if i%1000 == 7 && !sampled(i, n) {
			return other
		}
		return usual
	}
	cases := map[string]struct {
		key    func(i int) uint64
		narrow bool
	}{
		"32 bits":  {func(int) uint64 { return uint64(rand.Uint32()) }, true},
		"shared":   {func(int) uint64 { return share | uint64(rand.Uint32())<<20 }, true},
		"highest":  {func(int) uint64 { return uint64(rand.Uint32())<<32 | 77 }, true},
		"24 bits":  {func(int) uint64 { return share | uint64(rand.Uint32()>>8)<<20 }, true},
		"20 bits":  {func(int) uint64 { return share | uint64(rand.Uint32()>>12)<<20 }, true},
		"and of 3": {func(int) uint64 { return uint64(rand.Uint32() & rand.Uint32() & rand.Uint32()) }, true},
		"and of 5": {func(int) uint64 {
			return uint64(rand.Uint32()&rand.Uint32()&rand.Uint32()&rand.Uint32()&rand.Uint32()) << 9
		}, true},
		"apart":   {func(int) uint64 { return rand.Uint64() & 0x80402010_00000000 }, false}, // few
		"ordered": {func(i int) uint64 { return uint64(i) << 8 }, true},
		"zipf":    {func(int) uint64 { return uint64(math.Pow(rand.Float64(), 8) * (1 << 30)) }, true},
		"most the same": {func(i int) uint64 {
			return unseen(i, uint64(i&1)<<20|uint64(rand.Uint32()&0xfffff), uint64(rand.Uint32()>>3))
		}, true},
		"33 bits":   {func(i int) uint64 { return rand.Uint64() >> 31 }, false},
		"16 bits":   {func(i int) uint64 { return rand.Uint64() >> 48 }, false},
		"one other": {func(i int) uint64 { return unseen(i, uint64(rand.Uint32()), uint64(i)<<32) }, false},
	}
	if sanitized {
		for _, name := range []string{"24 bits", "and of 3", "and of 5", "ordered", "zipf", "16 bits"} {
			delete(cases, name)
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = c.key(i)
			}
			want := slices.Sorted(slices.Values(keys))
			x.run(bytesOf(keys), nil, n, false)
			var state [sortNarrowSize / 4]uint32
			b.ok(b.s.Download(bytesOf(state[:]), x.room.image.Narrow))
			b.ok(b.s.Synchronize())
			if wanted, failed := state[3] == 1, state[4] == 1; (wanted && !failed) != c.narrow {
				t.Errorf("wanted as narrow ones: %t, found not to be: %t", wanted, failed)
			}
			if !slices.Equal(keys, want) {
				t.Error("keys")
			}
		})
	}
}
