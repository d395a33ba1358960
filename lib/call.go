//go:build cgo && (linux || darwin)

package main

// #include <stdlib.h>
// #include "block.h"
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/union"
)

// things are what numbers of C stand for. No number is used twice.
var things = struct {
	sync.Mutex
	last uint64
	of   map[uint64]any
}{of: map[uint64]any{}}

func keep(thing any) C.uint64_t {
	things.Lock()
	defer things.Unlock()
	things.last++
	things.of[things.last] = thing
	return C.uint64_t(things.last)
}

func kept[T any](n C.uint64_t) (thing T, err error) {
	things.Lock()
	defer things.Unlock()
	thing, ok := things.of[uint64(n)].(T)
	if !ok {
		return thing, fmt.Errorf("there is no %d here, or it was released", uint64(n))
	}
	return thing, nil
}

func forget(n C.uint64_t) {
	things.Lock()
	defer things.Unlock()
	delete(things.of, uint64(n))
}

// cText is a text of C, which is UTF-8: names in it need not be.
func cText(s string) *C.char { return C.CString(strings.ToValidUTF8(s, "\uFFFD")) }

// told makes of an error what a function gives, and fills out, which may be nil.
func told(err error, out *C.dfaparse_error) C.int {
	if err == nil {
		return C.DFAPARSE_OK
	}
	var e C.dfaparse_error
	var faults compile.Faults
	var fault *dfaparse.ParseError
	var option *dfaparse.OptionError
	var memory *dfaparse.MemoryError
	var spec specError
	var path *os.PathError
	var file *input.FileError
	var name *input.NameError
	var columns *union.MismatchError
	var taken *discover.TakenError
	var number syscall.Errno
	text := func(s string) *C.char {
		if s == "" {
			return nil
		}
		return cText(s)
	}
	fileText := func(s string) *C.char { // as it is
		if s == "" {
			return nil
		}
		return C.CString(s)
	}
	message := err.Error()
	switch {
	case errors.Is(err, errCancelled):
		e.kind = C.DFAPARSE_CANCELLED
	case errors.As(err, &fault):
		e.kind = C.DFAPARSE_PARSE
		e.file, e.field, e.detail, e.expected = fileText(fault.File), text(fault.Field), text(fault.Detail), text(fault.Expected)
		e.offset, e.line, e.column, e.record = C.int64_t(fault.Offset), C.int64_t(fault.Line), C.int64_t(fault.Column), C.int64_t(fault.Record)
	case errors.As(err, &option):
		e.kind = C.DFAPARSE_OPTION
		e.field = text(option.Option)
	case errors.As(err, &taken):
		e.kind = C.DFAPARSE_OPTION
	case errors.As(err, &memory), errors.Is(err, errNoMemory):
		e.kind = C.DFAPARSE_MEMORY
	case errors.As(err, &faults):
		e.kind = C.DFAPARSE_SPEC
		pos := faults[0].Pos
		e.file, e.detail = fileText(pos.Filename), text(faults[0].Message)
		e.offset, e.line, e.column = C.int64_t(pos.Offset), C.int64_t(pos.Line), C.int64_t(pos.Column)
	case errors.As(err, &name):
		e.kind, e.errnum, e.file, e.detail = C.DFAPARSE_SYSTEM, C.int32_t(syscall.ENOENT), fileText(name.Name), text(name.Why)
	case errors.As(err, &spec), errors.As(err, &columns):
		e.kind = C.DFAPARSE_SPEC
	case errors.As(err, &number):
		e.kind = C.DFAPARSE_SYSTEM
		e.errnum = C.int32_t(number)
		if errors.As(err, &file) {
			e.file = fileText(file.Name)
		} else if errors.As(err, &path) {
			e.file = fileText(path.Path)
		}
	default:
		e.kind = C.DFAPARSE_OTHER
	}
	code := C.int(e.kind)
	if out == nil {
		for _, s := range []*C.char{e.file, e.field, e.detail, e.expected} {
			C.free(unsafe.Pointer(s))
		}
		return code
	}
	e.message = text(message)
	*out = e
	return code
}

// guarded calls f, and makes an error of its panic: the process is another's.
func guarded(out *C.dfaparse_error, f func() error) (code C.int) {
	defer func() {
		if p := recover(); p != nil {
			code = told(panicError(p), out)
		}
	}()
	return told(f(), out)
}

// decoded reads options, of which each has to be one that there is.
func decoded(options *C.char, to any) error { return understood("options", C.GoString(options), to) }

// understood reads JSON of what its name says; each member has to be one that there is.
func understood(what, text string, to any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil {
		if _, behind := d.Token(); behind != io.EOF { // which More does not say of a bracket that closes
			err = errors.New("something follows them")
		}
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		want := map[reflect.Kind]string{reflect.Bool: "true or false", reflect.String: "a text", reflect.Slice: "a list"}[kind.Type.Kind()]
		if want == "" {
			want = "a whole number"
		}
		return &dfaparse.OptionError{Option: kind.Field, Reason: fmt.Sprintf("%s is a %s, want %s", kind.Field, kind.Value, want)}
	}
	if err != nil {
		return &dfaparse.OptionError{Option: what, Reason: fmt.Sprintf("the %s are not understood: %v", what, err)}
	}
	return nil
}

// bytesOf copies data; nil if there is none.
func bytesOf(data unsafe.Pointer, nbytes C.size_t) []byte {
	if data == nil {
		return nil
	}
	b := make([]byte, int(nbytes))
	copy(b, unsafe.Slice((*byte)(data), int(nbytes)))
	return b
}

//export goVersion
func goVersion() *C.char {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return C.CString(version)
}

//export goFormats
func goFormats() *C.char { return C.CString(strings.Join(formats.Names(), "\n")) }

//export goInputs
func goInputs(names *C.char, out **C.char, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		var of fileNames
		if err := understood("names", C.GoString(names), &of); err != nil {
			return err
		}
		paths, err := input.Expand(of)
		if err != nil {
			return err
		}
		text, err := fileNames(paths).MarshalJSON()
		if err != nil {
			return err
		}
		*out = C.CString(string(text))
		return nil
	})
}

//export goFormatNew
func goFormatNew(options *C.char, data unsafe.Pointer, nbytes C.size_t, out *C.dfaparse_format, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		var o formatOptions
		if err := decoded(options, &o); err != nil {
			return err
		}
		*out = keep(begun(&o, bytesOf(data, nbytes)))
		return nil
	})
}

//export goFormatRelease
func goFormatRelease(n C.dfaparse_format) {
	if f, err := kept[*format](n); err == nil {
		forget(n)
		if ok, _ := f.ready(0); !ok {
			f.cancel()
		}
	}
}

//export goReady
func goReady(n C.uint64_t, milliseconds C.int64_t, err *C.dfaparse_error) C.int {
	waiting := false
	code := guarded(err, func() error {
		w, err := kept[waiter](n)
		if err != nil {
			return err
		}
		ok, err := w.ready(time.Duration(milliseconds) * time.Millisecond)
		waiting = !ok
		return err
	})
	if waiting && code == C.DFAPARSE_OK {
		return C.DFAPARSE_WAIT
	}
	return code
}

//export goFormatSpec
func goFormatSpec(n C.dfaparse_format) *C.char {
	f, err := kept[*format](n)
	if err != nil || f.made() != nil || f.spec == "" {
		return nil
	}
	return cText(f.spec)
}

//export goFormatSaid
func goFormatSaid(n C.dfaparse_format) *C.char {
	f, err := kept[*format](n)
	if err != nil || f.made() != nil || f.said == "" {
		return nil
	}
	return cText(f.said)
}

//export goFormatOptions
func goFormatOptions(n C.dfaparse_format) *C.char {
	f, err := kept[*format](n)
	if err != nil || f.made() != nil {
		return nil
	}
	text, _ := json.Marshal(f.again)
	return C.CString(string(text))
}

//export goSplitNew
func goSplitNew(n C.dfaparse_format, options *C.char, out *C.dfaparse_splits, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		f, err := kept[*format](n)
		if err != nil {
			return err
		}
		var o splitOptions
		if err := decoded(options, &o); err != nil {
			return err
		}
		*out = keep(splitting(f, &o))
		return nil
	})
}

//export goSplits
func goSplits(n C.dfaparse_splits) *C.char {
	s, err := kept[*splits](n)
	if err != nil || s.made() != nil {
		return nil
	}
	return C.CString(string(s.text))
}

//export goSplitsRelease
func goSplitsRelease(n C.dfaparse_splits) {
	if s, err := kept[*splits](n); err == nil {
		forget(n)
		s.cancel()
	}
}

//export goOpen
func goOpen(n C.dfaparse_format, options *C.char, data unsafe.Pointer, nbytes C.size_t, out *C.dfaparse_reader, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		f, err := kept[*format](n)
		if err != nil {
			return err
		}
		var o openOptions
		if err := decoded(options, &o); err != nil {
			return err
		}
		*out = keep(open(f, &o, bytesOf(data, nbytes)))
		return nil
	})
}

//export goSchema
func goSchema(n C.dfaparse_reader, out *C.struct_ArrowSchema, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		r, err := kept[*reader](n)
		if err != nil {
			return err
		}
		if err := r.made(); err != nil {
			return err
		}
		return exportSchema(r.schema, out)
	})
}

//export goNext
func goNext(n C.dfaparse_reader, out *C.struct_ArrowArray, milliseconds C.int64_t, err *C.dfaparse_error) C.int {
	waiting := false
	code := guarded(err, func() error {
		r, err := kept[*reader](n)
		if err != nil {
			return err
		}
		b, late, err := r.take(time.Duration(milliseconds) * time.Millisecond)
		if waiting = late; b != nil {
			b.moveTo(out)
		} else {
			out.release = nil
		}
		return err
	})
	if waiting {
		return C.DFAPARSE_WAIT
	}
	return code
}

//export goStats
func goStats(n C.dfaparse_reader) *C.char {
	r, err := kept[*reader](n)
	if err != nil {
		return nil
	}
	return C.CString(r.statsJSON())
}

//export goRejects
func goRejects(n C.dfaparse_reader, schema *C.struct_ArrowSchema, out *C.struct_ArrowArray, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		r, err := kept[*reader](n)
		if err != nil {
			return err
		}
		rec := r.rejectRecord()
		defer rec.Release()
		b, err := exportRecord(rec)
		if err != nil {
			return err
		}
		if err := exportSchema(rec.Schema(), schema); err != nil {
			b.release()
			return err
		}
		b.moveTo(out)
		return nil
	})
}

//export goCancel
func goCancel(n C.dfaparse_reader) {
	if r, err := kept[*reader](n); err == nil {
		r.cancel()
	}
}

//export goRetain
func goRetain(n C.dfaparse_reader, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		r, err := kept[*reader](n)
		if err == nil {
			r.refs.Add(1)
		}
		return err
	})
}

//export goRelease
func goRelease(n C.dfaparse_reader) {
	r, err := kept[*reader](n)
	if err != nil {
		return
	}
	if r.release() {
		forget(n)
	}
}
