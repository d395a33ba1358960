package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is whom an image runs as: a user without a name, who owns nothing.
const nobody = "65532:65532"

// image writes an archive of the OCI image layout, with an image for each command. It has the command,
// licences, certificates of authorities for inputs over HTTPS, a folder for temporary files, and nothing
// else: no system, no shell.
func (r *release) image(commands []built) error {
	folder := filepath.Join(r.work, "image")
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range commands {
		img, err := r.imageOf(b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: b.arch},
		}})
	}
	// One entry with the version's name, whatever reads the layout.
	named := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: index, Descriptor: v1.Descriptor{Annotations: map[string]string{"org.opencontainers.image.ref.name": r.version}},
	})
	if _, err := layout.Write(folder, named); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(r.out, "dfaparse_"+r.version+"_image.tar"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := r.tarFolder(f, folder); err != nil {
		return err
	}
	return f.Close()
}

func (r *release) imageOf(b built) (v1.Image, error) {
	var files []packed
	for name, from := range map[string]string{"usr/bin/dfaparse": b.file, "LICENSE": filepath.Join(r.root, "LICENSE"), "LICENSES-OF-OTHERS": b.licences} {
		data, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		mode := int64(0o644)
		if from == b.file {
			mode = 0o755
		}
		files = append(files, packed{name, data, mode})
	}
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	files = append(files, packed{"etc/ssl/certs/ca-certificates.crt", roots.Bytes(), 0o644},
		packed{"tmp/", nil, 0o1777}, packed{"data/", nil, 0o1777})
	var buf bytes.Buffer
	if err := r.tarLayer(&buf, files); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
	if img, err = mutate.AppendLayers(img, layer); err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, r.configOf(b, img))
}

// configOf is what an image says of how it is run.
func (r *release) configOf(b built, img v1.Image) *v1.ConfigFile {
	c, err := img.ConfigFile()
	if err != nil {
		panic(err) // of an image in memory
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created = "linux", b.arch, v1.Time{Time: r.date}
	c.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/dfaparse"}, WorkingDir: "/data", User: nobody, Env: []string{"PATH=/usr/bin"},
		Labels: map[string]string{
			"org.opencontainers.image.source": homepage, "org.opencontainers.image.version": r.version,
			"org.opencontainers.image.revision": r.commit, "org.opencontainers.image.licenses": licence,
			"org.opencontainers.image.description": description,
		},
	}
	return c
}

func (r *release) tarLayer(w io.Writer, files []packed) error {
	t := tar.NewWriter(w)
	sortPacked(files)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: r.date, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

// tarFolder writes the files of a folder.
func (r *release) tarFolder(w io.Writer, folder string) error {
	var files []packed
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		files = append(files, packed{filepath.ToSlash(name), data, 0o644})
		return err
	})
	if err != nil {
		return err
	}
	return r.tarLayer(w, files)
}
