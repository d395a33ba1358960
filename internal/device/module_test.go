//go:build cuda

package device

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/kernels"
)

// fakeCubins has something like machine code for all modules; damage spoils a file.
func fakeCubins(t *testing.T, damage string, archs ...int) *kernels.Cubins {
	t.Helper()
	files := map[string][]byte{}
	for _, arch := range archs {
		for _, m := range kernels.Modules(arch) {
			name := kernels.CubinName(m.Stem, arch)
			files[name] = must1[[]byte](t)(kernels.Pack([]byte("\x7fELF" + strings.Repeat(name, 10))))
			if strings.HasPrefix(name, damage) && damage != "" {
				files[name][len(files[name])/2] ^= 0xff
			}
			files[kernels.ListName] = fmt.Appendf(files[kernels.ListName], "%s %s %s\n", m.PTXHash(), m.PTXName(), name)
		}
	}
	return kernels.NewCubins(func(name string) ([]byte, error) {
		if b, ok := files[name]; ok {
			return b, nil
		}
		return nil, fs.ErrNotExist
	})
}

// TestModules: a module is loaded when a kernel of it is needed, from machine code
// for the device, and from PTX where there is none, or it is damaged, or the driver
// refuses it.
func TestModules(t *testing.T) {
	if open(t).Info().Capability != 0 {
		t.Skip("a device that has a capability of its own")
	}
	embedded := cubins
	defer func() { cubins = embedded }()
	for _, c := range []struct {
		what             string
		capability       int
		archs            []int
		damage, refuse   string
		machineCode, ptx int
		refused, err     string
	}{
		{what: "the same", capability: 80, archs: []int{75, 80, 90}, machineCode: 2},
		{what: "an older one", capability: 89, archs: []int{75, 80, 86, 90}, machineCode: 2},
		{what: "a newer one only", capability: 80, archs: []int{86, 90}, ptx: 2},
		{what: "a device of tomorrow", capability: 140, archs: []int{90, 120}, ptx: 2},
		{what: "none", capability: 90, ptx: 2},
		{what: "one is damaged", capability: 90, archs: []int{90}, damage: "leftover", machineCode: 1, ptx: 1, refused: "leftover.sm_90.cubin.gz: "},
		{what: "an old driver", capability: 90, archs: []int{90}, refuse: "cubin", ptx: 2, refused: "cannot load module "},
		{what: "no code will do", capability: 90, archs: []int{90}, refuse: "cubin,ptx", refused: "cannot load module ", err: "cannot load module leftover.compute_75.ptx of "},
	} {
		t.Run(c.what, func(t *testing.T) {
			x := fakeCubins(t, c.damage, c.archs...)
			cubins = func() *kernels.Cubins { return x }
			t.Setenv("DFAPARSE_HOST_CAPABILITY", fmt.Sprint(c.capability))
			t.Setenv("DFAPARSE_HOST_REFUSE", c.refuse)
			d := open(t)
			if d.Info().Capability != c.capability {
				t.Fatalf("%+v", d.Info())
			}
			var errs []string
			for _, name := range []string{"dfa_leftover", "dfa_copy", "dfa_join"} {
				if _, err := must1[*Kernel](t)(d.Kernel(name)).Resources(); err != nil {
					errs = append(errs, err.Error())
				}
			}
			s := d.Start()
			if s.MachineCode != c.machineCode || s.PTX != c.ptx || s.Loading <= 0 {
				t.Errorf("%+v, want %d modules of machine code and %d of PTX", s, c.machineCode, c.ptx)
			}
			if c.refused == "" && s.Refused != nil || c.refused != "" && (s.Refused == nil || !strings.HasPrefix(s.Refused.Error(), c.refused)) {
				t.Errorf("refused: %v, want %q", s.Refused, c.refused)
			}
			if c.err == "" && len(errs) > 0 || c.err != "" && (len(errs) != 3 || !strings.HasPrefix(errs[0], c.err)) {
				t.Errorf("errors %q, want %q", errs, c.err)
			}
		})
	}
}
