package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// A value keeps its meaning if the text of the field and the value of the inferred type
// are the same, but for what docs/inference.md declares: blanks around, null tokens,
// zeros that say nothing, how a number or a moment is written. What a text means is
// found out here by Go's own parsers, not by those that converted it.

const generatedFiles = 110

// valuesMost is how much of a real file is read.
const valuesMost = 256 << 10

// TestValuesOfGeneratedFiles: no type that is inferred changes a value, in files made for
// types to go wrong.
func TestValuesOfGeneratedFiles(t *testing.T) {
	typed := 0
	for k := range generatedFiles {
		name, text := generatedFile(k)
		typed += keepsValues(t, fmt.Sprintf("%d, %s", k, name), text)
	}
	if typed < generatedFiles {
		t.Errorf("%d columns have types in %d files", typed, generatedFiles)
	}
	t.Logf("%d columns of %d files have types other than str", typed, generatedFiles)
}

// TestValuesOfCorpora: the same of real files.
func TestValuesOfCorpora(t *testing.T) {
	root := corporaFolder(t)
	files, typed := 0, 0
	for _, folder := range sniffedFolders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains(path, "LICENSE") {
				return err
			}
			if files++; testing.Short() && files%8 > 0 {
				return nil
			}
			text, err := decoded(path)
			if err != nil {
				t.Logf("%s: %v", path, err)
				return nil
			}
			rel, _ := filepath.Rel(root, path)
			typed += keepsValues(t, rel, text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d columns of %d files have types other than str", typed, files)
}

// sniffedFolders hold the files on which inference is measured.
var sniffedFolders = []string{"duckdb/data_csv", "csv-spectrum/csvs", "rust-csv-bench", "elastic"}

// decoded is the beginning of a file, decompressed and as UTF-8.
func decoded(path string) ([]byte, error) {
	in, err := input.Open(context.Background(), path, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head, whole, err := in.Sample(valuesMost, time.Second)
	if err != nil {
		return nil, err
	}
	if name := charset.GuessOf(head, whole).Name; name != "" {
		if err := in.Decode(name); err != nil {
			return nil, err
		}
		if head, whole, err = in.Sample(valuesMost, time.Second); err != nil {
			return nil, err
		}
	}
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 && !whole {
		head = head[:i+1]
	}
	return head, nil
}

// keepsValues infers the types of an input and holds each value against its text. It
// gives how many columns have a type other than str.
func keepsValues(t *testing.T, name string, text []byte) (typed int) {
	t.Helper()
	ctx := context.Background()
	read := func(p *dfa.Program, use func(*runtime.Reader) error, opts ...runtime.Option) error {
		r, err := runtime.NewReader(bytes.NewReader(text), p, append(opts, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1))...)
		if err != nil {
			return err
		}
		defer r.Release()
		return use(r)
	}
	table, err := infer.Infer(ctx, "t", &infer.Input{Sample: text[:min(len(text), infer.SampleBytes)], Whole: len(text) <= infer.SampleBytes,
		Read: func(p *dfa.Program, columns []string, use func(infer.Records) error, opts ...runtime.Option) error {
			if columns != nil {
				opts = append(opts, runtime.WithColumns(columns...))
			}
			return read(p, func(r *runtime.Reader) error { return use(r) }, opts...)
		}}, nil)
	if err != nil {
		return 0 // there is no table, or it cannot be read at all
	}
	columns := func(inferred bool) (schema *arrow.Schema, out [][]string) {
		spec, err := table.Build(ctx, "t", inferred)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err = read(spec.Program, func(r *runtime.Reader) error {
			schema = r.Schema()
			out = make([][]string, schema.NumFields())
			for r.Next() {
				for c, col := range r.Record().Columns() {
					for i := range col.Len() {
						out[c] = append(out[c], valueText(col, i))
					}
				}
			}
			return r.Err()
		}, runtime.WithErrorMode(dfa.Reject))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return schema, out
	}
	_, texts := columns(false)
	schema, values := columns(true)
	if len(texts) != len(values) {
		t.Errorf("%s: %d columns as text, %d with types", name, len(texts), len(values))
		return 0
	}
	for c, column := range table.Columns {
		if column.Type != "str" {
			typed++
		}
		if len(texts[c]) != len(values[c]) {
			t.Errorf("%s: column %q has %d texts and %d values", name, column.Name, len(texts[c]), len(values[c]))
			continue
		}
		for i, text := range texts[c] {
			if want := meant(schema.Field(c).Type, column, text); want != values[c][i] {
				t.Errorf("%s: column %q, %s, row %d: the text %q is %q, not %q", name, column.Name, column.Type, i+1, text, values[c][i], want)
				break
			}
		}
	}
	return typed
}

// absent is the text of a null.
const absent = "\x00null"

// valueText is a value in words that are the same for all texts that mean it.
func valueText(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return absent
	}
	switch a := a.(type) {
	case *array.String:
		return a.Value(i)
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10)
	case *array.Uint64:
		return strconv.FormatUint(a.Value(i), 10)
	case *array.Float64:
		return number(strconv.FormatFloat(a.Value(i), 'g', -1, 64))
	case *array.Decimal128:
		typ := a.DataType().(*arrow.Decimal128Type)
		return number(a.Value(i).ToString(typ.Scale))
	case *array.Date32:
		return a.Value(i).ToTime().Format("2006-01-02")
	case *array.Timestamp:
		typ := a.DataType().(*arrow.TimestampType)
		return a.Value(i).ToTime(typ.Unit).UTC().Format(time.RFC3339Nano)
	case *array.Time64:
		typ := a.DataType().(*arrow.Time64Type)
		return a.Value(i).ToTime(typ.Unit).Format("15:04:05.999999999")
	}
	return fmt.Sprintf("a value of type %v", a.DataType())
}

// number is a decimal number without what says nothing: one text for each number.
func number(text string) string {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "nan":
		return "NaN"
	case "inf", "infinity":
		if text[0] == '-' {
			return "-Inf"
		}
		return "Inf"
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	e := 0
	if exponent != "" {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil {
			return "no number: " + text
		}
	}
	sign := strings.HasPrefix(mantissa, "-")
	whole, part, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits, ok := new(big.Int).SetString(whole+part, 10)
	if !ok || strings.ContainsAny(whole+part, "+-_") {
		return "no number: " + text
	}
	s := digits.String()
	e -= len(part)
	trimmed := strings.TrimRight(s, "0")
	e += len(s) - len(trimmed)
	if trimmed == "" {
		return "0"
	}
	if sign {
		trimmed = "-" + trimmed
	}
	return fmt.Sprintf("%se%d", trimmed, e)
}

// meant is what a text means as a value of a type.
func meant(typ arrow.DataType, c *infer.Column, text string) string {
	if typ.ID() == arrow.STRING {
		return text
	}
	text = strings.Trim(text, " \t")
	if text == "" || text == absent || slices.Contains(c.Nulls, text) {
		return absent
	}
	layout := ""
	if i := strings.IndexByte(c.Type, '%'); i >= 0 {
		layout = c.Type[i-1 : strings.LastIndexByte(c.Type, '"')+1]
		layout, _ = strconv.Unquote(layout)
	}
	switch typ.ID() {
	case arrow.BOOL:
		return strings.ToLower(text)
	case arrow.INT64, arrow.UINT64:
		return text
	case arrow.FLOAT64, arrow.DECIMAL128:
		for sign, written := range map[string]string{",": "','", ".": "'.'", " ": "' '", "'": `'\''`} {
			if strings.Contains(c.Type, "thousands "+written) {
				if whole, _, _ := strings.Cut(text, pointOf(c)); !inThrees(whole, sign) {
					return "no number in groups of three: " + text
				}
				text = strings.ReplaceAll(text, sign, "")
			}
		}
		if strings.Contains(c.Type, "point ','") {
			text = strings.Replace(text, ",", ".", 1)
		}
		return number(text)
	case arrow.DATE32:
		return moment(text, "2006-01-02", layouts(layout, "%Y-%m-%d"))
	case arrow.TIMESTAMP:
		return moment(text, time.RFC3339Nano, layouts(layout, "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S%z",
			"%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M%z", "%Y-%m-%d %H:%M%z"))
	case arrow.TIME64:
		return moment(text, "15:04:05.999999999", layouts(layout, "%H:%M:%S", "%H:%M"))
	}
	return "a text of type " + typ.String()
}

// pointOf is what stands before fractions.
func pointOf(c *infer.Column) string {
	if strings.Contains(c.Type, "point ','") {
		return ","
	}
	return "."
}

// inThrees reports whether the digits of a whole number are in groups of three, if sign
// stands in it.
func inThrees(whole, sign string) bool {
	groups := strings.Split(strings.TrimPrefix(whole, "-"), sign)
	for i, g := range groups {
		if i > 0 && len(g) != 3 || i == 0 && len(groups) > 1 && (len(g) == 0 || len(g) > 3) {
			return false
		}
	}
	return true
}

// layouts are those of Go for one of a spec, or for the usual ones. Before %f stands a point
// or a comma, and Go takes both, and the digits behind them, as they come.
func layouts(layout string, usual ...string) (all []string) {
	if layout != "" {
		usual = []string{layout}
	}
	for _, l := range usual {
		l = strings.NewReplacer(".%f", "", ",%f", "").Replace(l)
		l = strings.NewReplacer("%Y", "2006", "%y", "06", "%m", "1", "%d", "2", "%b", "Jan", "%B", "January", "%H", "15", "%I", "3", "%M", "4", "%S", "5", "%p", "PM").Replace(l)
		switch {
		case strings.Contains(l, "%z"), strings.Contains(l, "%Z"):
			for _, zone := range []string{"Z07:00", "Z0700", "Z07", "MST"} {
				all = append(all, strings.NewReplacer("%z", zone, "%Z", zone).Replace(l))
			}
		default:
			all = append(all, l)
		}
	}
	return all
}

// moment is a date or a time in a form of its own.
func moment(text, form string, layouts []string) string {
	for _, l := range layouts {
		v, err := time.Parse(l, text)
		if err != nil {
			v, err = time.Parse(l, capitals(text))
		}
		if err == nil {
			return v.UTC().Format(form)
		}
	}
	return "no moment: " + text
}

var lettersOf = regexp.MustCompile(`[A-Za-z]+`)

// capitals writes names of months, AM and PM as Go reads them.
func capitals(text string) string {
	return lettersOf.ReplaceAllStringFunc(text, func(w string) string {
		if len(w) < 3 {
			return strings.ToUpper(w)
		}
		return strings.ToUpper(w[:1]) + strings.ToLower(w[1:])
	})
}

// generatedKinds are files made for types to go wrong: what the values of a column are,
// and what comes late among them, after a sample and after the rows that choose a type.
var generatedKinds = []struct {
	name  string
	most  func(r *rand.Rand) string
	later []string
}{
	{"integers, then others", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1e6)) }, []string{"x", "1.5", "007", "+3", "9223372036854775808", "-1", "NA", "1,000", "٣", "0x10", "1e3", "1_000"}},
	{"leading zeros", func(r *rand.Rand) string { return fmt.Sprintf("%05d", 10000+r.IntN(90000)) }, []string{"01234", "00000", "-0", "-01", "0"}},
	{"big integers", func(r *rand.Rand) string { return strconv.FormatInt(r.Int64(), 10) }, []string{"18446744073709551615", "18446744073709551616", "-9223372036854775809", strings.Repeat("9", 38), strings.Repeat("9", 39), "9007199254740993.5"}},
	{"fractions", func(r *rand.Rand) string { return strconv.FormatFloat(r.Float64(), 'f', 1+r.IntN(9), 64) }, []string{"0.1234567890123456789", "1e400", "1e-400", "4.9e-324", "1.23456789e-320", "-0.0", ".5", "5.", "nan", "inf", "1e5", "1E+2", "00.5", "123456789012345678", "9007199254740993"}},
	{"decimal commas", func(r *rand.Rand) string { return fmt.Sprintf("%d,%02d", r.IntN(1e4), r.IntN(100)) }, []string{"1,234", "1.234,5", "1,2,3", "-0,5", ",5", "5,", "1,5e-400", "0,12345678901234567", "01,5"}},
	{"ISO dates", func(r *rand.Rand) string {
		return fmt.Sprintf("20%02d-%02d-%02d", r.IntN(40), 1+r.IntN(12), 1+r.IntN(28))
	}, []string{"2024-02-30", "2024-1-2", "02/01/2024", "2024-01-02 03:04:05", "0000-00-00", "9999-12-31", "10000-01-01", "2024-01-02Z"}},
	{"mixed dates", func(r *rand.Rand) string { return fmt.Sprintf("%02d/%02d/2024", 1+r.IntN(12), 1+r.IntN(12)) }, []string{"13/01/2024", "01/13/2024", "31/02/2024", "1/2/24", "2024/01/02"}},
	{"short dates", func(r *rand.Rand) string { return fmt.Sprintf("%d.%d.%02d", 13+r.IntN(15), 1+r.IntN(12), r.IntN(100)) }, []string{"31.12.68", "31.12.69", "01.02.2024", "32.01.24"}},
	{"moments", func(r *rand.Rand) string {
		return fmt.Sprintf("2024-01-02 %02d:%02d:%02d.%03d", r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000))
	}, []string{"2024-01-02 24:00:00", "2024-01-02 23:59:60", "2024-01-02 23:59:60.5", "2024-01-02 03:04:05.123456789", "2024-01-02 03:04", "2024-01-02", "2024-01-02 03:04:05Z", "2024-01-02 03:04:05+01:00"}},
	{"times and truths", func(r *rand.Rand) string { return fmt.Sprintf("%02d:%02d:%02d", r.IntN(24), r.IntN(60), r.IntN(60)) }, []string{"24:00:00", "1:02:03", "10:15", "10:15:00.1234567", "-10:15:00", "true", "23:59:60"}},
	{"truths", func(r *rand.Rand) string { return []string{"true", "false", "TRUE", "False"}[r.IntN(4)] }, []string{"yes", "1", "T", "nul", "null", "0"}},
	{"French numbers", func(r *rand.Rand) string {
		return fmt.Sprintf("%d %03d,%02d", r.IntN(100)+1, r.IntN(1000), r.IntN(100))
	}, []string{"1 23", "1234,5", "1  234,5", "12 34,5", "0 123,5", "1 234", "7,5", "1.234,5", "1 234 567,891", "-1 234,5"}},
	{"Swiss numbers", func(r *rand.Rand) string {
		return fmt.Sprintf("%d'%03d.%02d", r.IntN(100)+1, r.IntN(1000), r.IntN(100))
	}, []string{"1'23", "1'234,5", "12''345.5", "5'10", "0'123.5", "1'234", "7.5", "12'345'678.9", "'234.5", "-1'234.5"}},
	{"errors of spreadsheets", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1e4)) }, []string{"#DIV/0!", "#N/A", "#REF!", "<NA>", "#VALUE", "n.a.", "k.A.", "#NAME?"}},
	{"clocks and durations", func(r *rand.Rand) string { return fmt.Sprintf("%02d:%02d", r.IntN(24), r.IntN(60)) }, []string{"9:05", "1:02", "24:00", "10:15:30", "00:00", "9:05 AM"}},
	{"moments of a zone", func(r *rand.Rand) string {
		return fmt.Sprintf("2024-03-31T%02d:30:00%s", r.IntN(24), []string{"Z", "+01:00", "-05:30"}[r.IntN(3)])
	}, []string{"2024-03-31T02:30:00", "2024-03-31T02:30:00+0100", "2024-03-31T02:30:00+25:00", "2024-03-31T02:30:00.5Z"}},
	{"moments of Go", func(r *rand.Rand) string {
		return time.Unix(1714000000+r.Int64N(1e7), r.Int64N(1e9)).UTC().Format(time.RFC3339Nano)
	}, []string{"2024-03-31T02:30:00Z", "2024-03-31T02:30:00.1+02:00", "2024-03-31T02:30:00.0000000001Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024-03-31T02:30:00,5Z", "2262-04-11T23:47:16.854775807Z", "2262-04-11T23:47:16.854775808Z", "1677-09-21T00:12:43.145224193Z", "1677-09-21T00:12:43.145224191Z"}},
	{"moments with commas", func(r *rand.Rand) string {
		return fmt.Sprintf("2024-01-02 %02d:%02d:%02d,%03d", r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000))
	}, []string{"2024-01-02 23:59:60,000", "2024-01-02 03:04:05,123456789", "2024-01-02 03:04:05", "2024-01-02 03:04:05.5", "2024-01-02 03:04:05,1234567891"}},
	{"versions", func(r *rand.Rand) string {
		return fmt.Sprintf("%d.%d.%d", 10+r.IntN(12), 1+r.IntN(9), 1+r.IntN(12))
	}, []string{"11.5.0", "31.5.24", "1.5.24", "20.04.1", "11.05.02", "2024.1.4"}},
	{"sections", func(r *rand.Rand) string { return fmt.Sprintf("%d.%d", 1+r.IntN(9), 1+r.IntN(9)) }, []string{"3.10", "3.11", "3", "3.10.1", "31.5", "3.00"}},
	{"names as numbers", func(r *rand.Rand) string { return strconv.Itoa(10 + r.IntN(1e6)) }, []string{"12E4", "1e5", "1e-5", "12.5", "0E0", "1_0"}},
	{"short dates with bars", func(r *rand.Rand) string { return fmt.Sprintf("%d-%d-%02d", 1+r.IntN(28), 1+r.IntN(12), 24) }, []string{"31-12-99", "31-12-2024", "10-11-12", "99-12-31"}},
}

// generatedFile is the file of a number: always the same.
func generatedFile(k int) (name string, text []byte) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(k))
	r := rand.New(rand.NewChaCha8(seed))
	kind := generatedKinds[k%len(generatedKinds)]
	rows := []int{8, 300, 1500, 3000}[r.IntN(4)]
	sep := []string{";", "\t", "|"}[r.IntN(3)]
	var out bytes.Buffer
	columns := min(len(kind.later), 8)
	out.WriteString("id")
	for c := range columns {
		fmt.Fprintf(&out, "%sc%d", sep, c)
	}
	out.WriteString("\n")
	first := r.IntN(len(kind.later))
	for i := range rows {
		fmt.Fprintf(&out, "k%d", i)
		for c := range columns {
			v := kind.most(r)
			switch late := kind.later[(first+c)%len(kind.later)]; {
			case i == rows-1 && c > 0: // the first column has no surprise
				v = late
			case r.IntN(40) == 0:
				v = []string{"", "NA", " " + v, v + " "}[r.IntN(4)]
			}
			out.WriteString(sep)
			if r.IntN(20) == 0 {
				v = `"` + v + `"`
			}
			out.WriteString(v)
		}
		out.WriteString("\n")
	}
	return kind.name, out.Bytes()
}

// TestGeneratedFilesAreTheSame: they are of a generator, and no other from run to run.
func TestGeneratedFilesAreTheSame(t *testing.T) {
	for k := range generatedFiles {
		_, a := generatedFile(k)
		_, b := generatedFile(k)
		if !bytes.Equal(a, b) {
			t.Fatalf("file %d is not the same twice", k)
		}
	}
}
