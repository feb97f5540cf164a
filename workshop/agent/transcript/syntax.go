package transcript

import (
	"bytes"
	"errors"
	"fmt"

	"atelier/llm/replay"
)

// SyntaxError says what is wrong with a transcript, and where.
type SyntaxError struct {
	Line    int // of the file, from 1
	Section string
	Err     error
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, section %s: %v", e.Line, e.Section, e.Err)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// lineError is an error in a line of a section, from 1.
type lineError struct {
	no  int
	err error
}

func (e *lineError) Error() string { return e.err.Error() }

func (e *lineError) Unwrap() error { return e.err }

// inFile gives an error of a section its line of the file.
func inFile(file []byte, section string, err error) error {
	at := markerLine(file, section)
	var l *lineError
	if errors.As(err, &l) {
		at += l.no
	}
	return &SyntaxError{at, section, err}
}

// fixtureError gives an error of the model's part its line of the file.
func fixtureError(file []byte, err error) error {
	var s *replay.SyntaxError
	if !errors.As(err, &s) {
		return err
	}
	return &SyntaxError{markerLine(file, s.Section) + s.Line, s.Section, errors.New(s.Why)}
}

// markerLine returns the line of the file on which a section begins, from 1.
func markerLine(file []byte, section string) int {
	no := 0
	for line := range bytes.Lines(file) {
		no++
		if string(bytes.TrimSpace(line)) == "-- "+section+" --" {
			return no
		}
	}
	return 1
}
