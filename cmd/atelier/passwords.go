package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"atelier/formats/password"
)

// maxPasswordFile bounds a file of passwords: it is not a document.
const maxPasswordFile = password.Most*(password.MaxLength+2) + 3

// passwords returns the passwords of encrypted documents that the person gave.
func (s *settings) passwords() ([]string, error) {
	var list []string
	if s.passwordFile != "" {
		f, err := os.Open(s.passwordFile)
		if err != nil {
			return nil, fmt.Errorf("--password-file: %w", err)
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, maxPasswordFile+1))
		if err != nil {
			return nil, fmt.Errorf("--password-file: %w", err)
		}
		if len(b) > maxPasswordFile {
			return nil, usageError{fmt.Errorf("--password-file: %s has more than %d passwords of %d bytes", s.passwordFile, password.Most, password.MaxLength)}
		}
		for line := range strings.Lines(string(bytes.TrimPrefix(b, []byte("\uFEFF")))) {
			// Spaces may belong to a password.
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				list = append(list, line)
			}
		}
		if len(list) == 0 {
			return nil, usageError{fmt.Errorf("--password-file: %s has no password; put one on each line", s.passwordFile)}
		}
	}
	if s.askPassword {
		if !term.IsTerminal(int(os.Stdin.Fd())) {
			return nil, usageError{errors.New("--ask-password needs a terminal; use --password-file elsewhere")}
		}
		fmt.Fprint(os.Stderr, "Password of the encrypted documents: ")
		b, err := readSecret(context.Background(), os.Stdin)
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return nil, err
		}
		if len(b) > 0 {
			list = append(list, string(b))
		}
	}
	return list, nil
}
