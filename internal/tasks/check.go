package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/textclip"
)

// Checks are the checks of a task, by name, with how they are written. A line that
// begins with ! is a check that must fail. Words with spaces are quoted as in
// Go; PATTERN is a regular expression (RE2), which ignores runs of space if it
// holds none itself that matter: texts are compared with single spaces.
var Checks = map[string]string{
	"answer":    "answer PATTERN: the model's last words",
	"review":    "review PATTERN: what the user sees before publishing",
	"exists":    "exists FILE …",
	"changed":   "changed FILE …: these files, and no others, were added, changed or deleted; * in a name stands for anything",
	"same":      "same FILE [SOURCE]: byte for byte as SOURCE (default: FILE) was before",
	"text":      "text FILE PATTERN: the text of a document",
	"count":     "count FILE N PATTERN: how often it is in the text",
	"order":     "order FILE TEXT …: the texts follow one another",
	"style":     "style FILE STYLE PATTERN: a paragraph of a docx with that style",
	"slide":     "slide FILE N PATTERN: text of the Nth slide shown, from 1",
	"slides":    "slides FILE N",
	"part":      "part FILE PART PATTERN: a part of an office file, as it stands; * in its name stands for anything",
	"kept":      "kept FILE PART …: these parts are as they were, byte for byte; * stands for anything",
	"cells":     "cells FILE SHEET!RANGE VALUE …: row by row, as LibreOffice calculates them; \"\" is empty, * anything; numbers to 9 digits",
	"formula":   "formula FILE SHEET!CELL PATTERN",
	"untouched": "untouched FILE SHEET!RANGE …: formulas and values as they were",
	"sheets":    "sheets FILE NAME …: all sheets, in order",
	"opens":     "opens FILE [PAGES]: LibreOffice makes a PDF, with so many pages",
	"look":      "look FILE PAGE PATTERN: text of a page of that PDF, as laid out",
}

// check is one line of a section check.
type check struct {
	line string
	not  bool
	name string
	args []string
}

// errNeeds says that what a check needs is not there.
var errNeeds = errors.New("not checked")

// state is what there is to check.
type state struct {
	before, after   map[string][]byte
	folder, scratch string
	review, answer  string
	office          Office
	books           map[string]*book
	pdfs            map[string]string
}

var doing = map[string]func(ctx context.Context, s *state, args []string) error{}

// least is how many arguments a check needs.
var least = map[string]int{"answer": 1, "review": 1, "exists": 1, "changed": 0, "same": 1, "text": 2, "count": 3, "order": 3, "style": 3, "slide": 3,
	"slides": 2, "part": 3, "kept": 2, "cells": 3, "formula": 3, "untouched": 2, "sheets": 2, "opens": 1, "look": 3}

func init() {
	doing["answer"] = func(_ context.Context, s *state, a []string) error { return matches("the answer", s.answer, a[0]) }
	doing["review"] = func(_ context.Context, s *state, a []string) error { return matches("the review", s.review, a[0]) }
	doing["exists"] = func(_ context.Context, s *state, a []string) error {
		for _, name := range a {
			if _, err := s.file(name); err != nil {
				return err
			}
		}
		return nil
	}
	doing["changed"] = changed
	doing["same"] = func(_ context.Context, s *state, a []string) error {
		got, err := s.file(a[0])
		if err != nil {
			return err
		}
		want, ok := s.before[a[len(a)-1]]
		if !ok || !bytes.Equal(got, want) {
			return errors.New("its bytes differ")
		}
		return nil
	}
	doing["text"] = func(_ context.Context, s *state, a []string) error {
		text, err := s.text(a[0])
		if err != nil {
			return err
		}
		return matches(a[0], text, a[1])
	}
	doing["count"] = count
	doing["order"] = order
	doing["style"], doing["slide"], doing["slides"] = style, slide, slides
	doing["part"], doing["kept"] = part, kept
	doing["cells"], doing["formula"], doing["untouched"], doing["sheets"] = cells, formula, untouched, sheets
	doing["opens"], doing["look"] = opens, look
}

func parseChecks(text string) (list []check, err error) {
	for _, l := range lines(text) {
		c := check{line: l}
		words, err := split(l)
		if err != nil {
			return nil, err
		}
		if words[0] == "!" {
			c.not, words = true, words[1:]
		}
		if len(words) == 0 || Checks[words[0]] == "" {
			return nil, fmt.Errorf("%q: no such check", l)
		}
		if c.name, c.args = words[0], words[1:]; len(c.args) < least[c.name] {
			return nil, fmt.Errorf("%q: want %s", l, Checks[c.name])
		}
		list = append(list, c)
	}
	return list, nil
}

// split are the words of a line.
func split(l string) (words []string, err error) {
	for l = strings.TrimSpace(l); l != ""; l = strings.TrimSpace(l) {
		if l[0] != '"' && l[0] != '`' {
			var w string
			w, l, _ = strings.Cut(l, " ")
			words = append(words, w)
			continue
		}
		q, err := strconv.QuotedPrefix(l)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", l, err)
		}
		w, err := strconv.Unquote(q)
		if err != nil {
			return nil, err
		}
		words, l = append(words, w), l[len(q):]
	}
	return words, nil
}

func (c check) run(ctx context.Context, s *state) error {
	err := doing[c.name](ctx, s, c.args)
	switch {
	case errors.Is(err, errNeeds) || !c.not:
		return err
	case err == nil:
		return errors.New("but it is so")
	}
	return nil
}

func (s *state) file(name string) ([]byte, error) {
	b, ok := s.after[name]
	if !ok {
		return nil, fmt.Errorf("%s is not there", name)
	}
	return b, nil
}

func matches(what, text, pattern string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	if !re.MatchString(text) {
		return fmt.Errorf("%s does not match: %s", what, textclip.Bytes(text, 600))
	}
	return nil
}

func like(pattern, name string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	return ok && err == nil
}

func changed(_ context.Context, s *state, want []string) error {
	var got []string
	for name, b := range s.after {
		if old, ok := s.before[name]; !ok || !bytes.Equal(old, b) {
			got = append(got, name)
		}
	}
	for name := range s.before {
		if _, ok := s.after[name]; !ok {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	for _, name := range got {
		if !slices.ContainsFunc(want, func(w string) bool { return like(w, name) }) {
			return fmt.Errorf("%s changed too", name)
		}
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(name string) bool { return like(w, name) }) {
			return fmt.Errorf("%s did not change", w)
		}
	}
	return nil
}

func count(_ context.Context, s *state, a []string) error {
	text, err := s.text(a[0])
	if err != nil {
		return err
	}
	re, err := regexp.Compile(a[2])
	if err != nil {
		return err
	}
	if n := len(re.FindAllString(text, -1)); strconv.Itoa(n) != a[1] {
		return fmt.Errorf("it is there %d times", n)
	}
	return nil
}

func order(_ context.Context, s *state, a []string) error {
	text, err := s.text(a[0])
	if err != nil {
		return err
	}
	for _, w := range a[1:] {
		at := strings.Index(text, w)
		if at < 0 {
			return fmt.Errorf("%q is not there, or not after the text before it", w)
		}
		text = text[at+len(w):]
	}
	return nil
}
