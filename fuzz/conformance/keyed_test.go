package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// Records of keys and values as a table: the columns are the keys in the order of their first
// appearance, and each value means what its text means. What the objects of JSON Lines hold is found
// out by encoding/json, and what the pairs of logfmt do is known of those that are generated.

// pair is a key and its value: a text of JSON, or of logfmt the value itself, nil for none.
type pair struct {
	key   string
	value *string
}

// TestJSONLinesOfCorpora: real files of an object a line.
func TestJSONLinesOfCorpora(t *testing.T) {
	root := corporaFolder(t)
	files, typed := 0, 0
	for _, folder := range []string{"lnav", "crowdsec", "elastic"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains(path, "LICENSE") {
				return err
			}
			text, err := decoded(path)
			if err != nil {
				return nil
			}
			var records [][]pair
			for line := range bytes.Lines(text) {
				if len(bytes.TrimSpace(line)) == 0 {
					continue
				}
				r, ok := object(line)
				if !ok {
					return nil // not all of it is JSON
				}
				records = append(records, r)
			}
			if len(records) > 0 {
				rel, _ := filepath.Rel(root, path)
				files++
				typed += keepsPairs(t, rel, "jsonl", text, records)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 10 || typed < files {
		t.Errorf("%d files, %d columns of types other than str", files, typed)
	}
	t.Logf("%d columns of %d files have types other than str", typed, files)
}

// object are the members of an object of JSON, of those that come again the last value.
func object(line []byte) (record []pair, ok bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		text := string(value)
		p := pair{key.(string), &text}
		if i := slices.IndexFunc(record, func(old pair) bool { return old.key == p.key }); i >= 0 {
			record[i] = p
		} else {
			record = append(record, p)
		}
	}
	_, err := d.Token()
	return record, err == nil && len(bytes.TrimSpace(line[d.InputOffset():])) == 0
}

// keepsPairs infers the table of records and holds it against them. It gives how many columns have a
// type other than str.
func keepsPairs(t *testing.T, name, format string, text []byte, records [][]pair) (typed int) {
	t.Helper()
	ctx := context.Background()
	sample := text[:min(len(text), infer.SampleBytes)]
	table, err := infer.NewKeyed(ctx, format, sample, len(text) == len(sample), &infer.Given{}, runtime.WithEngine(cpu.Engine))
	if err != nil || table == nil {
		t.Errorf("%s: no table: %v", name, err)
		return 0
	}
	read := func(p *dfa.Program, columns []string, use func(infer.Records) error, opts ...runtime.Option) error {
		if columns != nil {
			opts = append(opts, runtime.WithColumns(columns...))
		}
		r, err := runtime.NewReader(bytes.NewReader(text), p, append(opts, runtime.WithEngine(cpu.Engine), runtime.WithPartitionSize(16<<10))...)
		if err != nil {
			return err
		}
		defer r.Release()
		return use(r)
	}
	if err := table.InferTypes(ctx, "t", &infer.Input{Sample: sample, Whole: len(text) == len(sample), Read: read}); err != nil {
		t.Errorf("%s: %v", name, err)
		return 0
	}
	spec, err := table.Build(ctx, "t", true)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return 0
	}
	var schema *arrow.Schema
	var values [][]string
	if err := read(spec.Program, nil, func(r infer.Records) error {
		schema = r.Schema()
		values = make([][]string, schema.NumFields())
		for r.Next() {
			for c, col := range r.Record().Columns() {
				for i := range col.Len() {
					values[c] = append(values[c], valueText(col, i))
				}
			}
		}
		return r.Err()
	}, runtime.WithErrorMode(dfa.Fail)); err != nil {
		t.Errorf("%s: %v", name, err)
		return 0
	}
	var keys []string
	for _, r := range records {
		for _, p := range r {
			if p.key != "" && !slices.Contains(keys, p.key) {
				keys = append(keys, p.key)
			}
		}
	}
	var names []string
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	if table.Keyed.Rest {
		names = names[:len(names)-1]
	}
	if !slices.Equal(names, keys) {
		t.Errorf("%s: columns %q, keys %q", name, names, keys)
		return 0
	}
	for c, column := range table.Columns {
		if column.Type != "str" {
			typed++
		}
		if len(values[c]) != len(records) {
			t.Errorf("%s: column %q has %d values, of %d records", name, column.Name, len(values[c]), len(records))
			continue
		}
		for i, r := range records {
			if want := meantPair(schema.Field(c).Type, column, format, r); want != values[c][i] {
				t.Errorf("%s: column %q, %s, record %d: %q, not %q", name, column.Name, column.Type, i+1, values[c][i], want)
				break
			}
		}
	}
	return typed
}

// meantPair is what a record means as a value of a column.
func meantPair(typ arrow.DataType, c *infer.Column, format string, record []pair) string {
	i := slices.IndexFunc(record, func(p pair) bool { return p.key == c.Name })
	switch {
	case i < 0:
		return absent
	case record[i].value == nil && typ.ID() == arrow.BOOL:
		return "true"
	case record[i].value == nil:
		return absent
	}
	text := *record[i].value
	if !strings.HasPrefix(format, "json") {
		return meant(typ, c, text)
	}
	if text == "null" {
		return absent
	}
	quoted := text[0] == '"'
	if quoted {
		if err := json.Unmarshal([]byte(text), &text); err != nil {
			return err.Error()
		}
	}
	switch typ.ID() {
	case arrow.STRING:
	case arrow.DATE32, arrow.TIMESTAMP, arrow.TIME64:
		if !quoted {
			return "no string: " + text
		}
	default:
		if quoted {
			return "a string: " + text
		}
	}
	return meant(typ, c, text)
}

// TestGeneratedKeys: files made for keys and types to go wrong. Keys and other kinds of values come
// late, behind the sample and the rows that choose a type.
func TestGeneratedKeys(t *testing.T) {
	typed := 0
	for k := range generatedFiles {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], uint64(k))
		r := rand.New(rand.NewChaCha8(seed))
		format := []string{"jsonl", "logfmt", "ltsv"}[k%3]
		var text bytes.Buffer
		var records [][]pair
		n := []int{3, 200, 4000}[k/3%3]
		for i := range n {
			record := generatedRecord(r, format, float64(i)/float64(n))
			writePairs(&text, r, format, record)
			records = append(records, record)
		}
		typed += keepsPairs(t, fmt.Sprintf("%d, %s of %d", k, format, n), format, text.Bytes(), records)
	}
	if typed < generatedFiles {
		t.Errorf("%d columns have types in %d files", typed, generatedFiles)
	}
	t.Logf("%d columns of %d files have types other than str", typed, generatedFiles)
}

// TestGeneratedLists: the objects of a list are those of lines, however they stand in it.
func TestGeneratedLists(t *testing.T) {
	blanks := []string{"", "", " ", "\n", "\r\n\t", "\n    "}
	for k := range generatedFiles / 2 {
		r := rand.New(rand.NewPCG(uint64(k), 1))
		var text bytes.Buffer
		var records [][]pair
		n := []int{1, 2, 300, 3000}[k%4]
		write := func(sign string) {
			text.WriteString(blanks[r.IntN(len(blanks))] + sign + blanks[r.IntN(len(blanks))])
		}
		write("[")
		for i := range n {
			if i > 0 {
				write(",")
			}
			record := generatedRecord(r, "jsonl", float64(i)/float64(n))
			write("{")
			for j, p := range record {
				if j > 0 {
					write(",")
				}
				key, _ := json.Marshal(p.key)
				text.Write(key)
				write(":")
				text.WriteString(*p.value)
			}
			write("}")
			records = append(records, record)
		}
		write("]")
		keepsPairs(t, fmt.Sprintf("%d, a list of %d", k, n), "json", text.Bytes(), records)
	}
}

// generatedRecord is a record at a place from 0 to 1 in its file.
func generatedRecord(r *rand.Rand, format string, place float64) (record []pair) {
	isJSON := format == "jsonl"
	quote := func(text string) string {
		if !isJSON {
			return text
		}
		b, _ := json.Marshal(text)
		return string(b)
	}
	add := func(key, value string) { record = append(record, pair{key, &value}) }
	late := func(share float64) bool { return place > 0.9 && r.Float64() < share }
	add("id", strconv.Itoa(r.IntN(1e6)))
	if r.IntN(4) > 0 {
		add("at", quote(fmt.Sprintf("2024-05-%02dT%02d:00:00Z", 1+r.IntN(28), r.IntN(24))))
	}
	add("took", strconv.FormatFloat(r.Float64()*1000, 'f', 1+r.IntN(6), 64))
	add("zip", quote(fmt.Sprintf("%05d", r.IntN(1e5))))
	if r.IntN(3) == 0 {
		add("ok", []string{"true", "false"}[r.IntN(2)])
	}
	add("text", quote([]string{"plain", "a=b c", `say "hi"`, `back\slash`, "ünï", "x\ty", "-"}[r.IntN(7)]))
	if format == "ltsv" { // a tab ends its values
		record[len(record)-1].value = new(string)
		*record[len(record)-1].value = "plain: text"
	}
	if late(0.02) {
		add("late", strconv.Itoa(r.IntN(100)))
	}
	if late(0.02) {
		add("later", quote("2024-01-02"))
	}
	if late(0.005) {
		*record[0].value = []string{quote("x"), "1.5", quote("007"), "18446744073709551616"}[r.IntN(4)]
	}
	switch {
	case isJSON:
		if r.IntN(2) == 0 {
			add("größe", strconv.Itoa(r.IntN(100)))
		}
		add("digits", quote(strconv.Itoa(100+r.IntN(900))))
		add([]string{"ключ", "a b", "a.b", `q"k`, "fields", "null", "*"}[r.IntN(7)], []string{"null", "{}", `{"a": [1, "]"]}`, "[]", "1e3", `"\u00e9\n"`}[r.IntN(6)])
	case format == "logfmt" && r.IntN(5) == 0:
		record = append(record, pair{"cached", nil})
	}
	if i := r.IntN(len(record)); i > 0 {
		record[0], record[i] = record[i], record[0]
	}
	return record
}

// writePairs writes a record as a line.
func writePairs(b *bytes.Buffer, r *rand.Rand, format string, record []pair) {
	for i, p := range record {
		switch {
		case format == "jsonl":
			key, _ := json.Marshal(p.key)
			if r.IntN(2) == 0 {
				key = []byte(strconv.QuoteToASCII(p.key)) // as ü or as \u00fc
			}
			fmt.Fprintf(b, `%s%s:%s%s`, []string{"{", ", "}[min(i, 1)], key, []string{"", " "}[r.IntN(2)], *p.value)
			continue
		case i > 0:
			b.WriteString(map[string]string{"logfmt": " ", "ltsv": "\t"}[format])
		}
		switch b.WriteString(p.key); {
		case p.value == nil:
		case format == "ltsv":
			b.WriteString(":" + *p.value)
		case strings.ContainsAny(*p.value, ` "=\`) || strings.Contains(*p.value, "\t") || r.IntN(5) == 0:
			b.WriteString("=" + `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\t", `\t`).Replace(*p.value) + `"`)
		default:
			b.WriteString("=" + *p.value)
		}
	}
	if format == "jsonl" {
		b.WriteString("}")
	}
	b.WriteString("\n")
}
