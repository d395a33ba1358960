//go:build js && wasm

// Command wasm is the studio's engine in a browser: it answers the calls that the page makes
// to the server otherwise. The page gives dfaparseReady a function that is called once
// dfaparseCall(name, json) and dfaparseAdd(name, size, read) are there, of which read(from, to)
// gives bytes of a file, or a text that says why it cannot.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"syscall/js"
	_ "time/tzdata" // browsers have no zones for Go

	"github.com/dfaparse/dfaparse/internal/studio"
)

// windowBytes is smaller than that of the command: there is one thread, without vectors.
const windowBytes = 256 << 10

func main() {
	s := &studio.Studio{WindowSize: windowBytes}
	js.Global().Set("dfaparseCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, body := args[0].String(), []byte(args[1].String())
		return js.Global().Get("Promise").New(js.FuncOf(func(_ js.Value, then []js.Value) any {
			go func() {
				out, err := s.Call(context.Background(), name, body)
				if err != nil {
					out, _ = json.Marshal(map[string]string{"error": err.Error()})
					then[1].Invoke(string(out))
					return
				}
				then[0].Invoke(string(out))
			}()
			return nil
		}))
	}))
	js.Global().Set("dfaparseAdd", js.FuncOf(func(_ js.Value, args []js.Value) any {
		size := int64(args[1].Float())
		return s.Add(&studio.Input{Name: args[0].String(), Size: size, ReaderAt: file{size, args[2]}})
	}))
	js.Global().Call("dfaparseReady")
	select {}
}

// file is one that the browser has: of any size, for parts of it are read where they are wanted.
type file struct {
	size int64
	read js.Value
}

// ReadAt reads a part.
func (f file) ReadAt(b []byte, offset int64) (int, error) {
	n := int(max(0, min(int64(len(b)), f.size-offset)))
	if n > 0 {
		part := f.read.Invoke(float64(offset), float64(offset+int64(n)))
		if part.Type() == js.TypeString {
			return 0, errors.New(part.String())
		}
		n = js.CopyBytesToGo(b, part)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
