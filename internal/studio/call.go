package studio

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/render"
)

// Studio answers calls about inputs. It is safe for concurrent use.
type Studio struct {
	// File is where the spec is, "" if it has no file yet; Spec is what it holds.
	File, Spec string
	// Save writes the spec to its file; nil: there are no files, and the page hands it out.
	Save func(file, spec string) error
	// WindowSize in bytes; 0: DefaultWindow.
	WindowSize int

	mu     sync.Mutex
	inputs []*Input
	last   *Analysis
	key    [sha256.Size]byte
	run    *run
}

// Add makes an input one of those that the page offers, and gives its number.
func (s *Studio) Add(in *Input) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inputs = append(s.inputs, in)
	return len(s.inputs) - 1
}

// AddBytes adds an input that somebody has dropped on the page.
func (s *Studio) AddBytes(name string, data []byte) int {
	return s.Add(&Input{Name: name, Size: int64(len(data)), ReaderAt: bytes.NewReader(data)})
}

// query is what calls have in common, and what one or another has besides.
type query struct {
	Spec   string `json:"spec"`
	Input  int    `json:"input"`
	Window int64  `json:"window"` // the offset that it is asked for at
	From   int    `json:"from"`
	To     int    `json:"to"`
	Offset int64  `json:"offset"`
	Row    int    `json:"row"`
	Name   string `json:"name"`
	Mark   Marked `json:"mark"`
}

// limit bounds what one call may take: a spec of a hostile size is given up.
const limit = 10 * time.Second

// most is how many lines or rows one call gives.
const most = 2000

// Call answers one call: body is a query in JSON, and so is the answer.
func (s *Studio) Call(ctx context.Context, name string, body []byte) ([]byte, error) {
	var q query
	if len(body) > 0 {
		if err := json.Unmarshal(body, &q); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if name == "run" || name == "propose" {
		ctx = context.WithoutCancel(outer) // the first goes on when it has been answered, the second may take its time
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := s.answer(ctx, name, &q)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func (s *Studio) answer(ctx context.Context, name string, q *query) (any, error) {
	file := s.file()
	src := []byte(q.Spec)
	switch name {
	case "state":
		return s.state(), nil
	case "format":
		text, err := compile.Reformat(file, src)
		return map[string]string{"spec": string(text)}, err
	case "builtin":
		return builtIn(q.Name)
	case "sample": // an input that the page has in itself
		s.inputs = append(s.inputs, &Input{Name: q.Name, Size: int64(len(q.Spec)), ReaderAt: strings.NewReader(q.Spec)})
		return len(s.inputs) - 1, nil
	case "save":
		return s.save(cmp.Or(q.Name, s.File), q.Spec)
	case "progress":
		if s.run == nil {
			return nil, errors.New("nothing is being read")
		}
		return s.run.progress(), nil
	case "stop":
		if s.run != nil {
			s.run.cancel()
		}
		return true, nil
	}
	if q.Input < 0 || q.Input >= len(s.inputs) {
		return nil, errors.New("there is no such input")
	}
	in := s.inputs[q.Input]
	if name == "propose" {
		return Propose(ctx, in)
	}
	in, err := in.decoded(encodingOf(ctx, file, src))
	if err != nil {
		return nil, err
	}
	if name == "run" {
		if s.run != nil {
			s.run.cancel()
		}
		if s.run, err = newRun(ctx, in, file, src); err != nil {
			return nil, err
		}
		return s.run.progress(), nil
	}
	a, err := s.analysis(ctx, in, file, src, q)
	if err != nil {
		return nil, err
	}
	from := max(q.From, 0)
	to := max(from, min(q.To, from+most)) // also where from+most is too large
	switch name {
	case "analyse":
		return &a.Summary, nil
	case "lines":
		return a.Lines(from, to), nil
	case "rows":
		return a.Rows(from, to), nil
	case "counts":
		return a.Counts(ctx)
	case "graph":
		return a.Graph(), nil
	case "explain":
		return a.Explain(q.Offset)
	case "line":
		if q.Row > 0 { // counted from 1 here
			return a.LineOfRow(q.Row - 1), nil
		}
		return a.LineOf(q.Offset), nil
	case "mark":
		return a.Mark(ctx, s.nameFor(in), src, q.Mark)
	}
	return nil, fmt.Errorf("there is no call %q", name)
}

// builtIn is the spec of a built-in format, with the first of its tests that has rows.
func builtIn(name string) (any, error) {
	text, err := formats.Source(name)
	if err != nil {
		return nil, err
	}
	spec, err := formats.Spec(name)
	if err != nil {
		return nil, err
	}
	sample := ""
	for _, x := range spec.Examples {
		if len(x.Rows) > 0 {
			sample = x.Input
			break
		}
	}
	return map[string]string{"spec": string(text), "sample": sample}, nil
}

// save writes the spec to a file, which is the studio's then.
func (s *Studio) save(to, spec string) (any, error) {
	switch {
	case s.Save == nil:
		return nil, errors.New("there are no files here")
	case to == "":
		return nil, errors.New("say under which name")
	case !strings.HasSuffix(to, ".dfp"):
		return nil, fmt.Errorf("%s: the name of a spec ends in .dfp", to)
	}
	if err := s.Save(to, spec); err != nil {
		return nil, err
	}
	s.File, s.Spec = to, spec
	return map[string]string{"file": to}, nil
}

// file is what faults call the spec.
func (s *Studio) file() string {
	if s.File == "" {
		return "spec.dfp"
	}
	return s.File
}

// nameFor is what a format for an input is called after.
func (s *Studio) nameFor(in *Input) string {
	if s.File != "" {
		return s.File
	}
	return in.Name
}

// analysis is the one of the query, which may be that of the call before.
func (s *Studio) analysis(ctx context.Context, in *Input, file string, src []byte, q *query) (*Analysis, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%d %d %s\n%s", q.Input, q.Window, file, src))
	if s.last != nil && s.key == key {
		return s.last, nil
	}
	size := s.WindowSize
	if size == 0 {
		size = DefaultWindow
	}
	w, err := in.Begin(ctx, file, src, q.Window, size)
	if err != nil {
		return nil, err
	}
	if s.last != nil {
		s.last.Close()
	}
	s.last, s.key = Analyse(ctx, file, src, w), key
	return s.last, nil
}

// State is what the page begins with.
type State struct {
	File     string          `json:"file"`
	Spec     string          `json:"spec"`
	Inputs   []InputState    `json:"inputs"`
	Formats  []formats.Group `json:"formats"`
	Types    []Word          `json:"types"`
	Saves    bool            `json:"saves"`
	Window   int             `json:"window"`
	Examples int             `json:"examples"`
}

// InputState is an input by name and size.
type InputState struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// Word is a word of the language, and how it is used.
type Word struct {
	Name     string   `json:"name"`
	Examples []string `json:"examples"`
}

func (s *Studio) state() *State {
	x := &State{File: s.File, Spec: s.Spec, Inputs: []InputState{}, Formats: formats.Groups(), Saves: s.Save != nil, Window: s.WindowSize}
	for _, in := range s.inputs {
		x.Inputs = append(x.Inputs, InputState{render.Printable(in.Name), in.Size})
	}
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		w := dfa.WordsOf(k)
		word := Word{Name: w.Name}
		for _, e := range w.Examples {
			if text := e.Type; text != "" && !slices.Contains(word.Examples, text) {
				word.Examples = append(word.Examples, text)
			}
		}
		x.Types = append(x.Types, word)
	}
	return x
}
