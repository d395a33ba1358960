package infer

import (
	"context"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestClockedLog: the templates of logs that begin with a time, and what is none.
func TestClockedLog(t *testing.T) {
	for in, want := range map[string]string{
		"[10:00:00] INFO a\n[10:00:01] no\n[10:00:02] WARN b\n":                        "{[}{time}{]}{ }[{level}{ }]{message...}",
		"01.02.2024 10:00:00 [a] (b) <info> x\n01.02.2024 10:00:00 [a] (b) <warn> x\n": "{time}{ }{[}{source_1}{]}{ }({source_2}){ }<{level}>{ }{message...}",
		"1700000000 - Error: - x\n\tat y\n1700000001.5 - Info: - x\n":                  "{time}{ }[-{ }{level}:{ }-{ }]{message...}",
		"[10:00:00] a\n[10:00:01] b\n":                                                 "{[}{time}{]}{ }{message...}",
		"[10:00:00] {a} [INFO] b\n[10:00:01] [a} [INFO] c\n":                           "{[}{time}{]}{ }{message...}",
		"10:00:00 INFO\n":                       "",
		"a\n10:00:00 INFO a\n10:00:00 INFO b\n": "",
		"10:00:00,1\n10:00:01,2\n":              "",
	} {
		l := ClockedLog([]byte(in), true)
		switch {
		case want == "" && l != nil:
			t.Errorf("%q: %s", in, l.template)
		case want == "":
		case l == nil || l.template != want:
			t.Errorf("%q: %+v, want %s", in, l, want)
		default:
			spec := l.Build(context.Background(), "t")
			if spec == nil {
				t.Errorf("%q: no format", in)
			} else if source := l.Source("t", []byte(in), spec.Program, "", runtime.WithEngine(cpu.Engine)); !strings.Contains(source, `test "the first rows"`) {
				t.Errorf("%q: %s", in, source)
			}
		}
	}
}
