package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
	"gopkg.in/yaml.v3"
)

// made is the folder of what was released: make snapshot says where it is.
func made(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("DFAPARSE_RELEASE")
	if dir == "" {
		t.Skip("DFAPARSE_RELEASE does not say where a release is: make snapshot")
	}
	return dir
}

// after is, by heading of docs/install.md, what has to hold in the root in which its commands have run.
var after = map[string]string{
	"Debian and Ubuntu": `
		dpkg -s dfaparse | grep -q 'Status: install ok installed'
		` + installed + `
		! dpkg -V dfaparse | grep .
		dpkg -r dfaparse; ! command -v dfaparse`,
	"Fedora, Red Hat, SUSE":    `rpm -q dfaparse; rpm -V dfaparse; ` + installed,
	"Alpine":                   installed,
	"Any Linux, and macOS":     `cd /examples; [ "$(~/.local/bin/dfaparse count orders.csv)" = 5 ]`,
	"Container":                `true`,
	"Go":                       `[ "$($(go env GOPATH)/bin/dfaparse count /examples/orders.csv)" = 5 ]`,
	"GPUs":                     `cd /examples; [ "$(~/.local/bin/dfaparse-cuda count orders.csv)" = 5 ]`,
	"Is it what was released?": `true`,
	"Shell and manual":         `man -w dfaparse-parse; bash -c 'source ~/.local/share/bash-completion/completions/dfaparse; complete -p dfaparse'`,
}

// installed is what holds where a package is installed.
const installed = `
	dfaparse --version | grep -q "(commit $COMMIT)"
	[ "$(dfaparse count /examples/orders.csv)" = 5 ]
	man -w dfaparse-parse
	gunzip -c /usr/share/man/man1/dfaparse-parse.1.gz | mandoc -T lint -W error
	bash -c 'source /usr/share/bash-completion/completions/dfaparse; complete -p dfaparse'
	ls /usr/share/zsh/*/_dfaparse /usr/share/fish/vendor_completions.d/dfaparse.fish`

// standIns are commands that the page uses, as they are in the root: an address of a release leads to
// the folder /release, a module comes from there, and what is not on this system does its work by others.
var standIns = map[string]string{
	"sudo": `exec "$@"`,
	"curl": `
		url="${@: -1}"
		case $url in https://github.com/dfaparse/dfaparse/releases/download/v0.1.0/*) ;; *) echo "no such address: $url" >&2; exit 22;; esac
		name=$(basename "$url")
		file=(/release/${name/0.1.0/0.1.0*})
		[ ${#file[@]} = 1 ] && [ -f "$file" ] || { echo "not released: $name" >&2; exit 22; }
		case $1 in -LO) cp "$file" "$(basename "$file")"; [ "$name" = "$(basename "$file")" ] || cp "$file" "$name";; -L) cat "$file";; esac`,
	"rpm": `exec /usr/bin/rpm --force-debian "$@"`,
	"apk": `
		[ "$1 $2" = "add --allow-untrusted" ]
		tar -xzf "$3" -C / --exclude '.*' --warning=no-unknown-keyword`,
	"docker": `
		while [ "$1" != ghcr.io/dfaparse/dfaparse:0.1.0 ]; do
		  case $1 in -v) volume=$2; shift;; --user) user=$2; shift;; run|--rm) ;; *) exit 125;; esac
		  shift
		done
		shift
		mount --bind "${volume%:*}" "/image${volume#*:}"
		exec unshare --root=/image --wd=/data --setuid="${user%:*}" --setgid="${user#*:}" /usr/bin/dfaparse "$@" < /dev/null`,
}

// command is a block of commands of the page.
type command struct{ heading, text string }

func commands(t *testing.T) (found []command) {
	page, err := os.ReadFile("../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		for _, m := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
			found = append(found, command{heading, m[1]})
		}
	}
	return found
}

// TestInstallPage runs every command of the page, as root, in a root of its own: this system, over which
// lies a folder that takes what is written.
func TestInstallPage(t *testing.T) {
	dir := made(t)
	for _, tool := range []string{"unshare", "chroot", "dpkg", "rpm", "mandoc", "man", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: the page cannot be tried", err)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("not root: no root of its own can be made")
	}
	if said, err := exec.Command("unshare", "--mount", "bash", "-ec", `
		mount -t tmpfs none /mnt && cd /mnt && mkdir up work root
		mount -t overlay overlay -o lowerdir=/,upperdir=up,workdir=work root`).CombinedOutput(); err != nil {
		t.Skipf("no root of its own can be made: %v: %s", err, said)
	}
	shared := t.TempDir()
	shims := filepath.Join(shared, "shims")
	if err := os.Mkdir(shims, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range standIns {
		if err := os.WriteFile(filepath.Join(shims, name), []byte("#!/bin/bash\nset -e\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	unpackImage(t, dir, filepath.Join(shared, "image"))
	proxy(t, filepath.Join(shared, "proxy"))
	commit, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range commands(t) {
		seen[c.heading] = true
		t.Run(c.heading, func(t *testing.T) {
			if made, _ := filepath.Glob(filepath.Join(dir, "dfaparse-cuda*")); c.heading == "GPUs" && len(made) == 0 {
				t.Skip("this release was made without")
			}
			then, ok := after[c.heading]
			if !ok {
				t.Fatal("nothing says what has to hold after these commands")
			}
			if c.heading == "Shell and manual" { // of a command that came without a package
				c.text = "cp /image/usr/bin/dfaparse /usr/local/bin\n" + c.text
			}
			script := filepath.Join(shared, "script")
			if err := os.WriteFile(script, []byte("set -exo pipefail\n"+c.text+"\n"+then+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			root, err := filepath.Abs("..")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("unshare", "--mount", "bash", "-exc", `
				mount -t tmpfs none "$SHARED/over" && cd "$SHARED/over" && mkdir up work root
				mount -t overlay overlay -o lowerdir=/,upperdir=up,workdir=work root
				mount --rbind /proc root/proc; mount --rbind /dev root/dev; mkdir -p root/release root/examples root/shims root/image root/proxy root/home/someone
				mount --bind "$RELEASE" root/release
				cp -r "$REPOSITORY"/examples/*.csv root/examples
				mount --bind "$SHARED/shims" root/shims; cp -r "$SHARED/image" "$SHARED/script" root/; mount --bind "$SHARED/proxy" root/proxy
				exec chroot root env PATH="/shims:$PATH" HOME=/home/someone bash -c 'cd /examples && . /script'`)
			if err := os.MkdirAll(filepath.Join(shared, "over"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd.Env = append(os.Environ(), "SHARED="+shared, "RELEASE="+dir, "REPOSITORY="+root, "COMMIT="+strings.TrimSpace(string(commit)),
				"GOFLAGS=-modcacherw", "GONOSUMDB=*", "GONOSUMCHECK=1", "GOPROXY=file:///proxy,file://"+goenv(t, "GOMODCACHE")+"/cache/download",
				"GOMODCACHE="+goenv(t, "GOMODCACHE"), "GOCACHE="+goenv(t, "GOCACHE"))
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
	for heading := range after {
		if !seen[heading] {
			t.Errorf("docs/install.md has no commands under %q", heading)
		}
	}
}

func goenv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// unpackImage unpacks the image for this processor, as what runs containers does.
func unpackImage(t *testing.T, dir, to string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "dfaparse_*_image.tar"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d images in %s", len(found), dir)
	}
	f, err := os.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files := map[string][]byte{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	type descriptor struct {
		Digest   string
		Platform struct{ Architecture string }
	}
	blob := func(d descriptor, v any) {
		if err := json.Unmarshal(files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)], v); err != nil {
			t.Fatalf("%s: %v", d.Digest, err)
		}
	}
	var outer, inner struct{ Manifests []descriptor }
	if err := json.Unmarshal(files["index.json"], &outer); err != nil || len(outer.Manifests) != 1 {
		t.Fatalf("index.json: %v: %s", err, files["index.json"])
	}
	blob(outer.Manifests[0], &inner)
	at := slices.IndexFunc(inner.Manifests, func(d descriptor) bool { return d.Platform.Architecture == runtime.GOARCH })
	if at < 0 {
		t.Fatalf("no image for %s", runtime.GOARCH)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	blob(inner.Manifests[at], &manifest)
	var config struct {
		Config struct {
			Entrypoint       []string
			WorkingDir, User string
		}
	}
	blob(manifest.Config, &config)
	if c := config.Config; fmt.Sprint(c.Entrypoint, c.WorkingDir, c.User) != fmt.Sprint([]string{"/usr/bin/dfaparse"}, "/data", nobody) {
		t.Errorf("the image runs %+v", c)
	}
	for _, layer := range manifest.Layers {
		unpack := exec.Command("tar", "-xz", "-C", to)
		unpack.Stdin = strings.NewReader(string(files["blobs/"+strings.Replace(layer.Digest, ":", "/", 1)]))
		if err := os.MkdirAll(to, 0o755); err != nil {
			t.Fatal(err)
		}
		if said, err := unpack.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
}

// proxy writes the module as a proxy of modules has it, at the version v0.1.0, of what git knows of it.
func proxy(t *testing.T, dir string) {
	t.Helper()
	at := filepath.Join(dir, "github.com/dfaparse/dfaparse/@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(at, "v0.1.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := modzip.CreateFromVCS(f, module.Version{Path: "github.com/dfaparse/dfaparse", Version: "v0.1.0"}, "..", "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"v0.1.0.mod": string(mod), "list": "v0.1.0\n", "v0.1.0.info": `{"Version":"v0.1.0","Time":"2026-01-01T00:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestManifests: each archive that a manifest names is there, with its sum, and has what is taken from it.
func TestManifests(t *testing.T) {
	dir := made(t)
	held := map[string]string{}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		got, err := digest(filepath.Join(dir, name))
		if err != nil || got != sum {
			t.Errorf("%s: %v %s, want %s", name, err, got, sum)
		}
		held[name] = sum
	}
	formula, err := os.ReadFile(filepath.Join(dir, "dfaparse.rb"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`url ".*/(.*)"\n\s*sha256 "(.*)"`).FindAllStringSubmatch(string(formula), -1)
	if len(named) == 0 {
		t.Errorf("the formula names no archive:\n%s", formula)
	}
	for _, m := range named {
		if held[m[1]] != m[2] {
			t.Errorf("the formula has %s for %s, which has %q", m[2], m[1], held[m[1]])
		}
		files := tarred(t, filepath.Join(dir, m[1]))
		for _, want := range []string{"dfaparse", "LICENSE", "LICENSES-OF-OTHERS", "man/dfaparse-parse.1", "completions/dfaparse.bash", "completions/_dfaparse", "completions/dfaparse.fish"} {
			if !slices.Contains(files, strings.TrimSuffix(m[1], ".tar.gz")+"/"+want) {
				t.Errorf("%s has no %s", m[1], want)
			}
		}
	}
	scoop, err := os.ReadFile(filepath.Join(dir, "dfaparse.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Log("made without Windows")
		return
	}
	var manifest struct {
		Architecture map[string]struct {
			URL, Hash  string
			ExtractDir string `json:"extract_dir"`
		}
		Bin string
	}
	if err := json.Unmarshal(scoop, &manifest); err != nil {
		t.Fatal(err)
	}
	for arch, a := range manifest.Architecture {
		name := filepath.Base(a.URL)
		if held[name] != a.Hash {
			t.Errorf("Scoop has %s for %s (%s), which has %q", a.Hash, name, arch, held[name])
		}
		z, err := zip.OpenReader(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		if _, err := z.Open(a.ExtractDir + "/" + manifest.Bin); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// tarred are the names of what an archive has.
func tarred(t *testing.T, file string) (names []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

// TestBills: the lists of modules are read by a library, and name what the command needs.
func TestBills(t *testing.T) {
	bills, err := filepath.Glob(filepath.Join(made(t), "*.cdx.json"))
	if err != nil || len(bills) == 0 {
		t.Fatal("there are none")
	}
	for _, name := range bills {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var bom cyclonedx.BOM
		if err := cyclonedx.NewBOMDecoder(f, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.ContainsFunc(*bom.Components, func(c cyclonedx.Component) bool { return c.Name == "github.com/apache/arrow/go/v17" }) {
			t.Errorf("%s has no arrow", name)
		}
	}
}

// TestExtension: the extension has all that its package.json names, and the grammar of this repository.
func TestExtension(t *testing.T) {
	z, err := zip.OpenReader(filepath.Join(made(t), "dfp.vsix"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	file := func(name string) []byte {
		f, err := z.Open("extension/" + strings.TrimPrefix(name, "./"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var p struct {
		Contributes struct {
			Languages []struct{ ID, Configuration string }
			Grammars  []struct{ Language, ScopeName, Path string }
		}
	}
	if err := json.Unmarshal(file("package.json"), &p); err != nil {
		t.Fatal(err)
	}
	var grammar struct{ ScopeName string }
	g, l := p.Contributes.Grammars[0], p.Contributes.Languages[0]
	if err := json.Unmarshal(file(g.Path), &grammar); err != nil || grammar.ScopeName != g.ScopeName || g.Language != l.ID {
		t.Errorf("%v: %+v is of %+v, and the grammar is %+v", err, g, l, grammar)
	}
	if !json.Valid(file(l.Configuration)) {
		t.Errorf("%s is not JSON", l.Configuration)
	}
	if want, err := os.ReadFile("../editors/dfp.tmLanguage.json"); err != nil || string(want) != string(file(g.Path)) {
		t.Errorf("its grammar is another: %v", err)
	}
}

// TestAction runs the last step of the Action in a repository of its own: on specs that are right, on
// one that is not laid out, and on one that fails.
func TestAction(t *testing.T) {
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct{ Steps []struct{ Run string } }
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	step := action.Runs.Steps[len(action.Runs.Steps)-1].Run
	bin, repo := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-o", bin+"/dfaparse", "./cmd/dfaparse")
	build.Dir = ".."
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	run := func(specs string, command ...string) error {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SPECS="+specs, "LAID_OUT=true")
		said, err := cmd.CombinedOutput()
		t.Logf("%s", said)
		return err
	}
	if err := run("", "git", "init", "-q"); err != nil {
		t.Fatal(err)
	}
	if err := run("", "bash", "-e", "-c", step); err == nil {
		t.Error("no spec, and no complaint")
	}
	for _, c := range []struct {
		name, text string
		right      bool
	}{
		{"right.dfp", "format right extends csv {\n  fields {\n    id  u64\n  }\n}\n", true},
		{"crooked.dfp", "format crooked extends csv {\nfields { id   u64 }\n}\n", false},
		{"wrong.dfp", "format wrong extends csv {\n  fields {\n    id  u65\n  }\n}\n", false},
	} {
		if err := os.WriteFile(filepath.Join(repo, c.name), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run("", "git", "add", c.name); err != nil {
			t.Fatal(err)
		}
		if err := run(c.name, "bash", "-e", "-c", step); (err == nil) != c.right {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := run("r*.dfp", "bash", "-e", "-c", step); err != nil {
		t.Error(err)
	}
	if err := run("", "bash", "-e", "-c", step); err == nil {
		t.Error("all specs of the repository, one of them wrong, and no complaint")
	}
}
