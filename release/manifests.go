package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// formula is for a tap of Homebrew, on macOS and on Linux.
var formula = template.Must(template.New("").Parse(`class Dfaparse < Formula
  desc "{{.Description}}"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "{{.Licence}}"
{{range $os, $archs := .Systems}}
  on_{{$os}} do
{{- range $arch, $a := $archs}}
    on_{{$arch}} do
      url "{{$a.URL}}"
      sha256 "{{$a.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "dfaparse"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/dfaparse.bash" => "dfaparse"
    zsh_completion.install "completions/_dfaparse"
    fish_completion.install "completions/dfaparse.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/dfaparse --version")
  end
end
`))

// download is an archive and where it will be.
type download struct{ URL, Sum, Folder string }

// manifests writes the formula of Homebrew and the manifest of Scoop, as far as there are archives for them.
func (r *release) manifests(archives map[target]string) error {
	systems := map[string]map[string]download{} // as Homebrew calls them, by processor
	scoop := map[string]any{}
	for t, name := range archives {
		if t.cuda {
			continue
		}
		sum, err := digest(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		d := download{homepage + "/releases/download/v" + r.version + "/" + name, sum, strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz")}
		if t.os == "windows" {
			scoop[map[string]string{"amd64": "64bit", "arm64": "arm64"}[t.arch]] = map[string]string{"url": d.URL, "hash": d.Sum, "extract_dir": d.Folder}
			continue
		}
		system := map[string]string{"darwin": "macos", "linux": "linux"}[t.os]
		if systems[system] == nil {
			systems[system] = map[string]download{}
		}
		systems[system][map[string]string{"amd64": "intel", "arm64": "arm"}[t.arch]] = d
	}
	if len(systems) > 0 {
		var text strings.Builder
		if err := formula.Execute(&text, map[string]any{
			"Description": description, "Homepage": homepage, "Version": r.version, "Licence": licence, "Systems": systems,
		}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, "dfaparse.rb"), []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	if len(scoop) == 0 {
		return nil
	}
	b, err := json.MarshalIndent(map[string]any{
		"version": r.version, "description": description, "homepage": homepage, "license": licence,
		"architecture": scoop, "bin": "dfaparse.exe",
	}, "", "    ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "dfaparse.json"), append(b, '\n'), 0o644)
}
