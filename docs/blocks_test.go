package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/golden"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestSpecsCompile compiles every spec of every document and runs its tests.
// Those of spec.md are a matter of package compile.
func TestSpecsCompile(t *testing.T) {
	for _, b := range blocks(t, "dfp", "docs/spec.md") {
		name := fmt.Sprintf("%s:%d", b.file, b.line)
		file, err := compile.Parse(name, []byte(b.text))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, format := range file.FormatNames() {
			_, err := compile.Compile(name, []byte(b.text), compile.WithFormat(format),
				compile.WithResolver(formats.Resolve), compile.WithVerifier(runtime.Verifier(cpu.Engine)))
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestExamplesAreLaidOut: what people copy is as dfaparse fmt has it.
func TestExamplesAreLaidOut(t *testing.T) {
	specs, err := filepath.Glob(filepath.Join(root, "examples", "*.dfp"))
	if err != nil || len(specs) == 0 {
		t.Fatalf("%d specs: %v", len(specs), err)
	}
	for _, file := range specs {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if laid, err := compile.Reformat(file, src); err != nil || string(laid) != string(src) {
			t.Errorf("%s: dfaparse fmt -w lays it out: %v", file, err)
		}
	}
}

// TestGoIsOfExamples finds every block of Go, line by line, in a program of
// examples, which the tests there run, or in those of the root and of arrow18. In architecture.md Go is a list of what
// there is, in spec.md it is that of a test of package compile.
func TestGoIsOfExamples(t *testing.T) {
	programs, err := filepath.Glob(filepath.Join(root, "examples", "*", "*.go"))
	if err != nil || len(programs) == 0 {
		t.Fatalf("%d programs: %v", len(programs), err)
	}
	var all strings.Builder
	for _, file := range append(programs, filepath.Join(root, "example_test.go"), filepath.Join(root, "arrow18", "example_test.go")) {
		rel, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(flush(read(t, filepath.ToSlash(rel))))
	}
	for _, b := range blocks(t, "go", "docs/architecture.md", "docs/spec.md") {
		if !strings.Contains(all.String(), flush(b.text)) {
			t.Errorf("%s:%d: no program in examples has these lines", b.file, b.line)
		}
	}
}

// flush is text without the indentation of its lines.
func flush(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// TestConsole runs the commands of every console block, in a copy of examples,
// and compares what they print; "…" in a document stands for any text of a line.
func TestConsole(t *testing.T) {
	c := newConsole(t)
	if err := os.CopyFS(filepath.Join(c.dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	for _, b := range append(blocks(t, "console", "docs/tutorial.md"), firstCommand(t)) {
		c.run(b)
	}
}

// TestAutomaton holds the picture of an automaton in the README to what
// `dfaparse graph` draws.
func TestAutomaton(t *testing.T) {
	c := newConsole(t)
	now, err := exec.Command(filepath.Join(c.bin, "dfaparse"), "graph", "--svg", filepath.Join(root, "examples", "pairs.dfp")).Output()
	if err != nil {
		t.Fatal(err)
	}
	const file = "docs/plots/automaton.svg"
	switch {
	case *golden.Update:
		if err := os.WriteFile(filepath.Join(root, file), now, 0o644); err != nil {
			t.Fatal(err)
		}
	case read(t, file) != string(now):
		t.Errorf("%s is not what dfaparse graph draws; go test ./docs -update writes it", file)
	}
}

// TestTutorial does what the tutorial tells its reader: it saves the log and,
// one after the other, the specs, and types the commands.
func TestTutorial(t *testing.T) {
	c := newConsole(t)
	for _, b := range blocksOf(t, "docs/tutorial.md") {
		switch b.lang {
		case "console":
			c.run(b)
		case "log", "dfp":
			if err := os.WriteFile(filepath.Join(c.dir, "ferry."+b.lang), []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s:%d: what is a reader to do with a block of %q", b.file, b.line, b.lang)
		}
	}
}

// console runs commands in a folder, where dfaparse is found.
type console struct {
	*testing.T
	dir, bin, shell string
}

func newConsole(t *testing.T) console {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	bin, err := command()
	if err != nil {
		t.Fatal(err)
	}
	return console{t, t.TempDir(), bin, shell}
}

// command builds dfaparse, once, and gives the folder that it is in.
var command = sync.OnceValues(func() (string, error) {
	bin, err := os.MkdirTemp("", "dfaparse-docs-")
	if err != nil {
		return "", err
	}
	built = bin
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/dfaparse")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, nil
})

var built string // what is removed at the end

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// run runs the commands of a block and compares what they print, on their
// standard output and error together.
func (c console) run(b block) {
	for _, step := range strings.Split("\n"+b.text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(step, "\n")
		cmd := exec.Command(c.shell, "-c", command)
		cmd.Dir = c.dir
		cmd.Env = append(os.Environ(), "PATH="+c.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1", "DFAPARSE_PATH=")
		out, err := cmd.CombinedOutput()
		if _, failed := err.(*exec.ExitError); err != nil && !failed {
			c.Fatalf("%s:%d: %s: %v", b.file, b.line, command, err)
		}
		if !matches(strings.TrimSpace(want), strings.TrimSpace(string(out))) {
			c.Errorf("%s:%d: %s prints\n%s\nnot\n%s", b.file, b.line, command, out, want)
		}
	}
}

func matches(want, got string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*")
	return regexp.MustCompile("^"+pattern+"$").MatchString(got) || want == got
}

// firstCommand is the first command of the README, which stands in the form
// that .ci/run looks for, with its output in the block after it.
func firstCommand(t *testing.T) block {
	t.Helper()
	m := regexp.MustCompile("(?ms)^    \\$ go run \\./cmd/(.*?)\n\n```\n(.*?)^```$").FindStringSubmatch(read(t, "README.md"))
	if m == nil {
		t.Fatal("README.md does not begin with a command and its output")
	}
	return block{file: "README.md", line: 1, text: "$ " + m[1] + "\n" + m[2]}
}
