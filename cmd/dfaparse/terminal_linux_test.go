package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func init() { commands["terminal"] = terminal }

// terminal runs a command whose output is a terminal, and writes what that shows to the file
// screen: terminal 1 dfaparse x.csv. It ends when all of that has been read, as nothing else says
// that no more will come.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	front, back, err := openTerminal()
	ts.Check(err)
	shown := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(front) // ends with an error, once the other side is closed and nothing is left
		front.Close()
		shown <- all
	}()
	if len(args) < 2 {
		ts.Fatalf("usage: terminal CODE COMMAND [ARGUMENT...]")
	}
	exits(ts, neg, append([]string{args[0], "sh", "-c", `exec "$@" >` + back.Name(), "sh"}, args[1:]...))
	back.Close()
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "screen"), <-shown, 0o666))
}

// openTerminal gives both sides of a terminal: what is written to back is read from front.
func openTerminal() (front, back *os.File, err error) {
	f, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	front = os.NewFile(uintptr(f), "/dev/ptmx")
	n, err := unix.IoctlGetInt(f, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(f, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		back, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		front.Close()
	}
	return front, back, err
}
