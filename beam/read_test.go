package beam_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	dfabeam "github.com/dfaparse/dfaparse/beam"
)

// Row is a record of the test's file.
type Row struct {
	ID   int64  `dfa:"id"`
	Text string `dfa:"text"`
}

// got are the rows that came, of the workers in this process.
var got struct {
	sync.Mutex
	ids   []int64
	wrong int
}

const inner = "1,looks\n2,like\n3,rows\n"

func collect(_ context.Context, r Row) {
	got.Lock()
	defer got.Unlock()
	got.ids = append(got.ids, r.ID)
	if r.Text != inner {
		got.wrong++
	}
}

func init() {
	dfabeam.Register[Row]()
	register.Function2x0(collect)
}

func TestMain(m *testing.M) { ptest.MainWithDefault(m, "prism") }

const spec = "format t extends csv { fields { id u32!  text str } }"

// TestRead: each record comes once, on the Prism runner.
func TestRead(t *testing.T) {
	var paths []string
	var want []int64
	for k := range 2 {
		var b bytes.Buffer
		b.WriteString("id,text\n")
		for i := range 650 {
			id := int64(k*1000 + i)
			if i == 17 {
				fmt.Fprintf(&b, "wrong,\"%s\"\n", inner)
				continue
			}
			want = append(want, id)
			fmt.Fprintf(&b, "%d,\"%s\"\n", id, inner)
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.csv", k))
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for range 2 { // it gives the same again
		got.ids, got.wrong = nil, 0
		p, s := beam.NewPipelineWithRoot()
		rows := dfabeam.Read[Row](s, dfabeam.Options{Spec: spec, OnError: "reject", Splits: 7}, paths...)
		beam.ParDo0(s, collect, rows)
		if err := ptest.Run(p); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got.ids)
		if !slices.Equal(got.ids, want) || got.wrong != 0 {
			t.Fatalf("%d rows, want %d; %d have another text", len(got.ids), len(want), got.wrong)
		}
	}
}

// TestReadFails: what cannot be read fails the pipeline, and says where.
func TestReadFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("id,text\n1,a\nx,b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, o := range []dfabeam.Options{{Spec: spec}, {Spec: spec, OnError: "perhaps"}} {
		p, s := beam.NewPipelineWithRoot()
		beam.ParDo0(s, collect, dfabeam.Read[Row](s, o, path))
		err := ptest.Run(p)
		if err == nil || o.OnError == "" && !strings.Contains(err.Error(), "f.csv:3:1") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
