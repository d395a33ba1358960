//go:build js && wasm

// Command wasm is the studio's engine in a browser: it answers the calls that the page makes
// to the server otherwise. The page gives dfaparseReady a function that is called once
// dfaparseCall(name, json) and dfaparseAdd(name, bytes) are there.
package main

import (
	"context"
	"encoding/json"
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
		data := make([]byte, args[1].Get("length").Int())
		js.CopyBytesToGo(data, args[1])
		return s.AddBytes(args[0].String(), data)
	}))
	js.Global().Call("dfaparseReady")
	select {}
}
