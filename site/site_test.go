package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/studio"
)

func TestRelink(t *testing.T) {
	const root = ".."
	for _, c := range []struct{ file, page, text, want string }{
		{"README.md", "index.md", "[a](docs/spec.md#types)", "[a](./spec.md#types)"},
		{"README.md", "index.md", "![p\nq](docs/studio-bytes.webp)", "![p\nq](./studio-bytes.webp)"},
		{"docs/spec.md", "spec.md", "[a](../README.md), [b](#here), [c](https://x.org/a#b)", "[a](./index.md), [b](#here), [c](https://x.org/a#b)"},
		{"docs/lab/gpu.md", "lab/gpu.md", "[`a`](../gpu.md)", "[`a`](../gpu.md)"},
		{"docs/spec.md", "spec.md", "[a](../go.mod) [b](../formats/spec)", "[a](" + repository + "/blob/main/go.mod) [b](" + repository + "/tree/main/formats/spec)"},
		{"docs/formats.md", "gallery/x.md", "[a](spec.md)", "[a](../spec.md)"},
		{"docs/spec.md", "spec.md", "`[a](no.md)`\n```\n[a](no.md)\n```\n", "`[a](no.md)`\n```\n[a](no.md)\n```\n"},
	} {
		got, err := relink(root, c.file, c.page, []byte(c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q became %q, %v; want %q", c.file, c.text, got, err, c.want)
		}
	}
	if _, err := relink(root, "docs/spec.md", "spec.md", []byte("[a](no.md)")); err == nil {
		t.Error("a link that leads nowhere is no fault")
	}
}

// TestCheckLinks lets the check find each kind of fault.
func TestCheckLinks(t *testing.T) {
	const good = `<a href="/b/two.html#there">x</a> <a href="./two.html">x</a> <a href="https://example.org/x">x</a> <img src="data:,">` +
		` <a href="` + repository + `/blob/main/go.mod#L1">x</a> <a href="#h">x</a><h1 id="h">x</h1>`
	for text, fault := range map[string]string{
		good:                                                  "",
		`<a href="/b/three.html">x</a>`:                       "leads nowhere",
		`<a href="/two.html">x</a>`:                           "leaves the site",
		`<a href="two.html#no">x</a>`:                         "has no such heading",
		`<a href="#no">x</a>`:                                 "has no such heading",
		`<img src="https://x.org/a.png">`:                     "is loaded from another host",
		`<link href="//x.org/a.css">`:                         "is loaded from another host",
		`<a href="` + repository + `/blob/main/no.txt">x</a>`: "is no file of the repository",
		`<a href="../../etc/passwd">x</a>`:                    "leads nowhere",
	} {
		dist := t.TempDir()
		for name, text := range map[string]string{"one.html": text, "two.html": `<h1 id="there">x</h1>`} {
			if err := os.WriteFile(dist+"/"+name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var said strings.Builder
		err := checkLinks(&said, "..", dist, "/b/")
		if (err != nil) != (fault != "") || !strings.Contains(said.String(), fault) {
			t.Errorf("%s: %v, %q; want %q", text, err, said.String(), fault)
		}
	}
	if err := checkLinks(&strings.Builder{}, "..", t.TempDir(), "/"); err == nil {
		t.Error("a site without pages is none")
	}
}

func TestFormat(t *testing.T) {
	f, err := newFormat(context.Background(), "sudo", "system")
	if err != nil {
		t.Fatal(err)
	}
	lines, table, picture := f.lines(), f.table(), string(arcs(f.Graph()))
	for in, want := range map[string][]string{
		lines:   {`<span class="reject">`, `<span class="sep"> sudo</span><span class="ctl">[</span><span class="f" style="--h:120">12</span>`, "/usr/bin/tail /var/log/messages</span></span>"},
		table:   {"<th>row 2</th>", `<code>ts(&#34;%b %e %T&#34;)</code>`, `<td class="null">null</td>`, "command not allowed"},
		picture: {`stroke="#2fa35a"`, "<circle"},
	} {
		for _, w := range want {
			if !strings.Contains(in, w) {
				t.Errorf("%q is not in\n%s", w, in)
			}
		}
	}
	if n := strings.Count(picture, "<circle"); n < 2 || n > f.States {
		t.Errorf("%d states are drawn, of %d", n, f.States)
	}
}

func TestSpeed(t *testing.T) {
	const measured = "Machine: a B, 2 cores.\n\n## One core\n\n| format | states | GB/s |\n|---|---|---|\n| `a` | 3 | **1.20** |\n| `ab` | 3 | **1.30** |\n\n" +
		"- `a`, 1.20: slow.\n- `a` waits.\n\n## Without\n\n| `a` | 3 | **9.00** |\n"
	s := speedOf([]byte(measured), "a")
	if s.machine != "a B, 2 cores" || len(s.rows) != 1 || s.rows[0][1] != "1.20" || len(s.said) != 2 {
		t.Errorf("%+v", s)
	}
}

// TestClasses: every kind of byte that the studio tells has a look.
func TestClasses(t *testing.T) {
	for what := studio.Separator; what >= studio.Unread; what-- {
		if classes[what] == "" {
			t.Errorf("bytes that are %d have no class", what)
		}
	}
}
