//go:build cuda

package gpu

import "github.com/dfaparse/dfaparse/internal/device"

// eventPool hands out events for one partition after the other.
type eventPool struct {
	device *device.Device
	events []*device.Event
	used   int
}

func (e *eventPool) take() (*device.Event, error) {
	if e.used == len(e.events) {
		event, err := e.device.NewEvent(false)
		if err != nil {
			return nil, err
		}
		e.events = append(e.events, event)
	}
	e.used++
	return e.events[e.used-1], nil
}

func (e *eventPool) reset() { e.used = 0 }

func (e *eventPool) close() {
	for _, event := range e.events {
		event.Close()
	}
	e.events = nil
}
