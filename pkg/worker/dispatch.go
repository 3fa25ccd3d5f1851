//go:build linux

package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// dispatch brings what a process says to its flight. It allocates for results and errors only.
func (p *Pool) dispatch(w *process, m frame) error {
	f, err := p.note(w, m)
	if err == nil && m.kind == kindEvent && f.onEvent != nil {
		f.onEvent(m.body)
	}
	return err
}

func (p *Pool) note(w *process, m frame) (*flight, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := w.flights[m.id]
	if f == nil {
		return nil, fmt.Errorf("frame of kind %d for task %d, which it does not have", m.kind, m.id)
	}
	switch m.kind {
	case kindOperation:
		name, at, err := parseOperation(m.body)
		if err != nil {
			return nil, err
		}
		f.announce(name, at)
	case kindEvent:
	case kindResult:
		p.land(f, bytes.Clone(m.body), nil)
	case kindError:
		p.land(f, nil, errors.New(string(m.body)))
	default:
		return nil, fmt.Errorf("frame of kind %d does not come from a worker", m.kind)
	}
	return f, nil
}

// land ends a flight with the worker's answer.
func (p *Pool) land(f *flight, result json.RawMessage, err error) {
	delete(p.flights, f.target)
	delete(f.process.flights, f.id)
	f.settle(result, err)
}
