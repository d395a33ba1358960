// Command kernelfacts writes what package gpu knows of the kernels' sources, as
// Go: constants, sizes and structures, and how each kernel is launched. It asks a
// C++ compiler, as the host build does.
//
//	go run ./internal/kernelfacts        in the root of the module; make generate does so
//
// What is in kernels/layout.cuh stands in kernels/layout.go, which a test compares.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// source is where one fact or more come from: a file of kernels, and names in it.
type source struct {
	file      string
	constants []constant
	enums     []enum
	structs   []structure
}

// constant is an expression of C++, and what it is called in Go.
type constant struct{ expression, name string }

// enum is a type whose enumerators get a prefix in place of their own; what is cut
// off is k, and what is said here.
type enum struct{ name, cut, prefix string }

// structure is a struct that the host fills or reads.
type structure struct{ c, name string }

// sources are all there is to know.
var sources = []source{
	{file: "context/strips.cuh", constants: []constant{
		{"kContextThreads", "contextThreads"}, {"kContextBlocks", "contextBlocks"}, {"kStrip", "contextStrip"}, {"kScanThreads", "scanThreads"},
		{"kScanStrips", "scanStrips"}, {"kScanTile", "scanTile"}, {"kFinishThreads", "finishThreads"}, {"kFinishChunks", "finishChunks"},
	}},
	{file: "context/walk.cuh", constants: []constant{
		{"kWalkThreads", "walkThreads"}, {"kWalkTile", "walkTile"}, {"kWalkLanes", "walkLanes"}, {"kWalkUnit", "walkUnit"}, {"kWalkLeast", "walkLeast"}, {"kWalkReach", "walkReach"},
		{"kWalkHeader", "walkHeader"}, {"kMendRounds", "mendRounds"}, {"kMendThreads", "mendThreads"}, {"kNoSymbol", "noSymbol"},
	}},
	{file: "context/segments.cuh", constants: []constant{{"kGroupSegments", "groupSegments"}, {"kSegmentThreads", "segmentThreads"}}},
	{file: "context/tracker.cuh", constants: []constant{{"MonoidCodes::kElements", "monoidElements"}}},
	{file: "context/tables.cuh", enums: []enum{{"ContextWord", "", "word"}}},
	{file: "index/classes.cuh", constants: []constant{{"ClassPlane::kThreads", "indexThreads"}, {"TransitionPlane::kThreads", "indexLargeThreads"}, {"kFieldSlots", "indexFieldSlots"}, {"kOtherSlots", "indexOtherSlots"}}},
	{file: "index.cu", constants: []constant{{"kRecountThreads", "recountThreads"}, {"kRecountBlocks", "recountBlocks"}, {"kRecountChunks", "recountChunks"}}},
	{file: "index/tile.cuh", constants: []constant{{"sizeof(IndexShared<ClassPlane>)", "indexStatic"}, {"sizeof(IndexShared<TransitionPlane>)", "indexLargeStatic"}}},
	{file: "strings/offsets.cuh", constants: []constant{
		{"kOffsetsThreads", "offsetsThreads"}, {"kOffsetsTile", "offsetsTile"}, {"kOffsetsHeader", "offsetsHeader"},
	}},
	{file: "strings/group.cuh", constants: []constant{{"kCopyThreads", "gatherThreads"}, {"kPartCells", "partCells"}}},
	{file: "strings/records.cuh", constants: []constant{{"kWindowBefore", "windowBefore"}, {"kWindowBehind", "windowBehind"}, {"sizeof(RecordsBlock)", "recordsBlockSize"}}},
	{file: "copy.cu", constants: []constant{{"kEndsPiece", "endsPiece"}, {"kEndsPieces", "endsPieces"}}},
	{file: "css/index.cuh", constants: []constant{{"kIndexThreads", "cssThreads"}, {"kIndexTile", "cssTile"}}},
	{file: "pairs/marks.cuh", constants: []constant{{"kPairLevels", "pairLevels"}, {"kMarkBlock", "markBlock"}, {"kMarkWords", "markWords"}, {"kNestedMarkWords", "nestedMarkWords"}, {"kFlatSigns", "flatSigns"}, {"kNestedSigns", "nestedSigns"}, {"kHasQuote", "hasQuoteSign"}, {"kHasLead", "hasLeadSign"}, {"kBarred", "barredSign"}},
		structs: []structure{{"PairLevel", "pairLevelImage"}, {"PairTexts", "pairTextsImage"}, {"Pairs", "pairsImage"}}},
	{file: "pairs/signs.cuh", constants: []constant{{"kMarkThreads", "markThreads"}}},
	{file: "pairs/pack.cuh", constants: []constant{{"kPackThreads", "packThreads"}}},
	{file: "pairs/walk.cuh", constants: []constant{{"kPairThreads", "pairThreads"}}},
	{file: "pairs/keys.cuh", constants: []constant{{"kKeysThreads", "keysThreads"}}},
	{file: "split/parts.cuh", constants: []constant{{"kLongestSplit", "longestSplit"}}},
	{file: "convert.cu", constants: []constant{{"kConvertRows", "convertRows"}, {"kWritten", "convertWritten"}}},
	{file: "addresses.cu", constants: []constant{{"kAddressThreads", "addressThreads"}, {"kAddressTile", "addressTile"}, {"kAddressBuffer", "addressBuffer"}}},
	{file: "patch.cu", constants: []constant{{"kPatchThreads", "patchThreads"}, {"sizeof(Inserted)", "insertedSize"}, {"sizeof(Brought)", "broughtSize"}}, structs: []structure{{"Brought", "broughtImage"}}},
	{file: "view.cuh", constants: []constant{{"kViewed", "viewed"}, {"kSymbolsBuffer", "symbolsBuffer"}, {"kHeapBuffer", "heapBuffer"}}},
	{file: "partly.cuh", constants: []constant{{"kPartly", "convertPartly"}, {"kUnit", "unitRows"}, {"kUnitBytes", "unitBytes"}}},
	{file: "dictionary.cu", constants: []constant{{"kDictionaryThreads", "dictionaryThreads"}, {"kTokenCount", "tokenCount"}, {"kTokenWords", "tokenWords"}, {"kNoDictionary", "noDictionary"}},
		structs: []structure{{"Dictionary", "dictionaryImage"}}},
	{file: "convert/clock.cuh", enums: []enum{{"ClockForm", "", "clock"}}, constants: []constant{{"kMostPlaced", "mostPlaced"}, {"kNoPlace", "noPlace"}, {"kDigit", "placedDigit"}, {"kLiteral", "placedLiteral"}},
		structs: []structure{{"PlacedLayout", "placedLayout"}}},
	{file: "convert/duration.cuh", enums: []enum{{"DurationForm", "", "duration"}}},
	{file: "convert/moment.cuh", enums: []enum{{"Directive", "", "directive"}}, constants: []constant{
		{"kFollowed", "opFollowed"}, {"kFull", "opFull"}, {"kFollowShift", "opFollowShift"},
	}, structs: []structure{{"Name", "nameImage"}}},
	{file: "convert/calendar.cuh", constants: []constant{
		{"kBucketBits", "zoneBucketBits"}, {"kMinSeconds", "firstSecond"}, {"kEndSeconds", "endSecond"},
	}, structs: []structure{{"ZoneTable", "zoneHead"}}},
	{file: "convert/rounding.cuh", constants: []constant{
		{"kExactPowers", "exactPowers"}, {"kSmallestFive", "smallestFive"}, {"kLargestFive", "largestFive"}, {"sizeof(FloatTables)", "floatTablesSize"},
	}},
	{file: "convert/decimal.cuh", constants: []constant{{"kMostDigits", "mostDigits"}}},
	{file: "convert/tokens.cuh", structs: []structure{{"TokenTable", "tokenHead"}}},
	{file: "noted.cuh", enums: []enum{{"Noted", "", "noted"}}},
	{file: "fused/tile.cuh", constants: []constant{
		{"kFusedThreads", "fusedThreads"}, {"kFusedBlocks", "fusedBlocks"}, {"kTile", "fusedTile"}, {"kReplicas", "fusedReplicas"},
		{"sizeof(FusedTile)", "fusedShared"}, {"kFormShift", "formShift"}, {"kNoOutput", "noOutput"},
		{"kStepField << 4", "stepField"}, {"kStepRecord << 4", "stepRecord"}, {"kStepSkip << 4", "stepSkip"}, {"kStepOther << 4", "stepOther"},
	}, enums: []enum{{"Form", "Form", "form"}, {"TileMark", "Has", "tileHas"}}, structs: []structure{{"Fused", "fusedImage"}}},
	{file: "fused/lines.cuh", constants: []constant{
		{"kLineTransitions", "lineTransitions"}, {"kLineNextColumn", "lineNextColumn"}, {"kLineOpens", "lineOpens"}, {"kLineMostLag", "lineMostLag"}, {"kLineMostClass", "lineMostClass"},
		{"kFusedWarps", "lineWarps"}, {"sizeof(LineBlock)", "lineBlockSize"}, {"sizeof(LineText)", "lineTextSize"}, {"kLineFixed", "lineFixed"}, {"kLineOutputs", "lineOutputs"}, {"kLineScattered", "lineScattered"}, {"kLineSplits", "lineSplits"},
	}, enums: []enum{{"LineBits", "Line", "line"}}, structs: []structure{{"LineSplit", "lineSplit"}}},
	{file: "fused/hops.cuh", constants: []constant{
		{"kHopSymbols", "hopSymbols"}, {"kHopBias", "hopBias"}, {"kHopEndShift", "hopEndShift"}, {"kHopStartShift", "hopStartShift"}, {"kHopColumnShift", "hopColumnShift"}, {"kLineHops", "lineHopsMost"}, {"kHopLowEnd", "hopLowEnd"},
	}, enums: []enum{{"HopBits", "Hop", "hop"}, {"HopRun", "Hop", "hop"}}, structs: []structure{{"LineHop", "hopImage"}}},
	{file: "fused/begins.cuh", constants: []constant{{"kBeginYes", "beginYes"}, {"kBeginNo", "beginNo"}, {"kBeginTransitions", "beginTransitions"}}},
	{file: "tiles/marks.cuh", constants: []constant{
		{"kFusedThreads", "tileThreads"}, {"kFusedBlocks", "tileBlocks"}, {"kTile", "tileSymbols"}, {"sizeof(FusedTile)", "tileShared"}, {"sizeof(TileCount)", "tileCountSize"}, {"sizeof(TileStart)", "tileStartSize"},
	}},
	{file: "tiles.cu", constants: []constant{{"kCountBlocks", "tileCountBlocks"}, {"kTileScanThreads", "tileScanThreads"}, {"kTileScanThreads * kTileScanEach", "tileScanTiles"}}},
	{file: "quoted/tile.cuh", constants: []constant{{"sizeof(QuotedTile)", "quotedShared"}}},
	{file: "quoted.cu", constants: []constant{{"kQuotedCountBlocks", "quotedCountBlocks"}}},
	{file: "lines.cu", constants: []constant{{"kLineCountThreads", "lineCountThreads"}, {"kLineScanThreads", "lineScanThreads"}, {"kLineTile", "lineTile"}, {"kLineCountBlocks", "lineCountBlocks"}, {"kFewLineThreads", "fewLineThreads"}}},
	{file: "group/query.cuh", constants: []constant{
		{"kMostKeyWords", "groupMostKeyWords"}, {"kMostKeys", "groupMostKeys"}, {"kTakenShift", "groupTakenShift"}, {"kMostGroups", "groupMostGroups"}, {"kTallySums", "groupSums"}, {"kTallyBounds", "groupBounds"},
	}, enums: []enum{{"GroupForm", "Form", "groupForm"}, {"GroupRounding", "Round", "groupRound"}, {"GroupTallyKind", "Tally", "tallyOf"}, {"GroupTestKind", "Test", "testOf"}},
		structs: []structure{{"GroupColumn", "groupColumn"}, {"GroupTally", "groupTally"}, {"GroupTest", "groupTest"}, {"Group", "groupImage"}, {"GroupCounts", "groupCounts"}}},
	{file: "group/state.cuh", constants: []constant{{"kFloatWords", "groupFloatWords"}, {"kCellFloatWords", "groupCellFloatWords"}}},
	{file: "sort/local.cuh", constants: []constant{
		{"kSortThreads", "sortThreads"}, {"kSortDigits", "sortDigits"}, {"kSortMost", "sortMost"}, {"kSortSmall", "sortSmall"}, {"kSortMedium", "sortMedium"}, {"kSortLarge", "sortLarge"},
		{"kSortSmallThreads", "sortSmallThreads"}, {"kSortMediumThreads", "sortMediumThreads"}, {"kSortLargeThreads", "sortLargeThreads"}, {"kSortPasses", "sortPasses"}, {"kSortCounts", "sortCounts"},
		{"sizeof(SortBucket)", "sortBucketSize"}, {"sizeof(SortLocal)", "sortLocalSize"}, {"kSortCuts", "sortCuts"}, {"sizeof(SortCut)", "sortCutSize"},
		{"sizeof(ScatterShared<uint32_t, NoValue, AnyOf<uint32_t, NoValue>>)", "sortScatterU32"}, {"AnyOf<uint32_t, NoValue>::kThreads", "sortThreadsU32"}, {"AnyOf<uint32_t, NoValue>::kTile", "sortTileU32"}, {"sizeof(ScatterShared<uint32_t, NoValue, OrderedOf<uint32_t, NoValue>>)", "sortLowU32"}, {"OrderedOf<uint32_t, NoValue>::kThreads", "sortLowThreadsU32"}, {"sizeof(LocalShared<uint32_t, NoValue, kSortSmallThreads, kSortSmall>)", "sortSmallU32"}, {"sizeof(LocalShared<uint32_t, NoValue, kSortMediumThreads, kSortMedium>)", "sortMediumU32"}, {"sizeof(LocalShared<uint32_t, NoValue, kSortLargeThreads, kSortLarge>)", "sortLargeU32"},
		{"sizeof(ScatterShared<uint64_t, NoValue, AnyOf<uint64_t, NoValue>>)", "sortScatterU64"}, {"AnyOf<uint64_t, NoValue>::kThreads", "sortThreadsU64"}, {"AnyOf<uint64_t, NoValue>::kTile", "sortTileU64"}, {"sizeof(ScatterShared<uint64_t, NoValue, OrderedOf<uint64_t, NoValue>>)", "sortLowU64"}, {"OrderedOf<uint64_t, NoValue>::kThreads", "sortLowThreadsU64"}, {"sizeof(LocalShared<uint64_t, NoValue, kSortSmallThreads, kSortSmall>)", "sortSmallU64"}, {"sizeof(LocalShared<uint64_t, NoValue, kSortMediumThreads, kSortMedium>)", "sortMediumU64"}, {"sizeof(LocalShared<uint64_t, NoValue, kSortLargeThreads, kSortLarge>)", "sortLargeU64"},
		{"sizeof(ScatterShared<uint64_t, uint32_t, AnyOf<uint64_t, uint32_t>>)", "sortScatterU64U32"}, {"AnyOf<uint64_t, uint32_t>::kThreads", "sortThreadsU64U32"}, {"AnyOf<uint64_t, uint32_t>::kTile", "sortTileU64U32"}, {"sizeof(LocalShared<uint64_t, uint32_t, kSortSmallThreads, kSortSmall>)", "sortSmallU64U32"}, {"sizeof(LocalShared<uint64_t, uint32_t, kSortMediumThreads, kSortMedium>)", "sortMediumU64U32"}, {"sizeof(LocalShared<uint64_t, uint32_t, kSortLargeThreads, kSortLarge>)", "sortLargeU64U32"},
		{"sizeof(ScatterShared<uint64_t, uint64_t, AnyOf<uint64_t, uint64_t>>)", "sortScatterU64U64"}, {"AnyOf<uint64_t, uint64_t>::kThreads", "sortThreadsU64U64"}, {"AnyOf<uint64_t, uint64_t>::kTile", "sortTileU64U64"}, {"sizeof(LocalShared<uint64_t, uint64_t, kSortSmallThreads, kSortSmall>)", "sortSmallU64U64"}, {"sizeof(LocalShared<uint64_t, uint64_t, kSortMediumThreads, kSortMedium>)", "sortMediumU64U64"}, {"sizeof(LocalShared<uint64_t, uint64_t, kSortLargeThreads, kSortLarge>)", "sortLargeU64U64"},
	}},
	{file: "sort/job.cuh", structs: []structure{{"Sort", "sortImage"}}},
	{file: "sort/few.cuh", constants: []constant{
		{"kSortTallyTile", "sortTallyTile"}, {"kSortTallyThreads", "sortTallyThreads"}, {"kSortFillThreads", "sortFillThreads"}, {"sizeof(TallyShared)", "sortTallyShared"},
		{"sizeof(SortTally)", "sortTallySize"}, {"sizeof(SortBegin)", "sortBeginSize"},
		{"sizeof(SortFew)", "sortFewSize"}, {"sizeof(SortNarrow)", "sortNarrowSize"}, {"kSortSampled", "sortSampled"}, {"kSortBeginThreads", "sortBeginThreads"}, {"sizeof(FewShared<uint32_t>)", "sortFewU32"}, {"sizeof(FewShared<uint64_t>)", "sortFewU64"}, {"kSortFewMost", "sortFewMost"},
	}},
	{file: "transpose.cu", constants: []constant{{"kTransposeThreads", "transposeThreads"}, {"kTransposeMore", "transposeMore"}},
		enums: []enum{{"CellForm", "Cell", "transpose"}, {"CellFlag", "Cell", "transpose"}}, structs: []structure{{"CellMove", "cellMove"}, {"TransposeCell", "transposeCell"}, {"Transpose", "transposeImage"}}},
	{file: "narrow.cu", constants: []constant{
		{"kNarrowThreads", "narrowThreads"}, {"kNarrowRows", "narrowRows"}, {"kTooLong", "narrowTooLong"}, {"kBias", "narrowBias"},
		{"kNarrowUnits", "narrowMostUnits"},
	}, structs: []structure{{"NarrowColumn", "narrowColumn"}, {"NarrowRange", "narrowRange"}}},
}

// Where it is written to, from the root of the module on.
const (
	factsFile    = "runtime/gpu/facts.go"
	launchesFile = "runtime/gpu/launches.go"
	entriesFile  = "kernels/entries.go"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kernelfacts:", err)
		os.Exit(1)
	}
}

func run() error {
	cxx, err := compiler()
	if err != nil {
		return err
	}
	files, err := generate(cxx, "kernels")
	if err != nil {
		return err
	}
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.FromSlash(name), text, 0o666))
	}
	return err
}

// compiler is that of the host build.
func compiler() (string, error) {
	for _, name := range []string{os.Getenv("CXX"), "g++", "c++"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path, nil
		}
	}
	return "", errors.New("no C++ compiler: set CXX, or install g++")
}

// generate is what the files have to say, by their names.
func generate(cxx, kernels string) (map[string][]byte, error) {
	facts, err := writeFacts(cxx, kernels)
	if err != nil {
		return nil, err
	}
	launches, entries, err := writeLaunches(cxx, kernels)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{factsFile: facts, launchesFile: launches, entriesFile: entries}, nil
}
