package crashtest

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// state is a workbench as modelled or as observed. Contents are hashes.
type state struct {
	disk     map[string]string  // the published files
	rows     map[string]*string // of the draft; nil: removed
	said     []string           // the conversation
	restores map[string]tree    // checkpoints: the published files they restore
	at       map[string]*state  // messages: the files at the time of the message
	lost     bool               // history was forgotten: an undo may be refused
}

type tree = map[string]string

func newState(disk tree) *state {
	return &state{disk: disk, rows: map[string]*string{}, restores: map[string]tree{}, at: map[string]*state{}}
}

func (s *state) clone() *state {
	c := *s
	c.disk, c.rows, c.said = maps.Clone(s.disk), maps.Clone(s.rows), slices.Clone(s.said)
	c.restores, c.at = maps.Clone(s.restores), maps.Clone(s.at)
	return &c
}

// draft returns the files as the draft shows them.
func (s *state) draft() tree {
	t := maps.Clone(s.disk)
	for p, h := range s.rows {
		if h == nil {
			delete(t, p)
		} else {
			t[p] = *h
		}
	}
	return t
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// absent removes a path from the draft's view.
func (s *state) absent(p string) {
	if _, there := s.disk[p]; there {
		s.rows[p] = nil
	} else {
		delete(s.rows, p)
	}
}

// after returns the state after an operation that was not refused. made is
// the hash of the content that an opTool wrote.
func (s *state) after(o op, made string) *state {
	n := s.clone()
	switch o.Kind {
	case opPut:
		h := hashOf(o.Text)
		n.rows[o.Path] = &h
	case opTool:
		n.rows[o.Path] = &made
	case opRemove:
		n.absent(o.Path)
	case opMove:
		h := s.draft()[o.Path]
		n.absent(o.Path)
		n.rows[o.To] = &h
	case opCopyAll, opMoveAll, opRemoveAll:
		for p, h := range s.draft() {
			below, inside := strings.CutPrefix(p, o.Path+"/")
			if !inside {
				continue
			}
			if o.Kind != opCopyAll {
				n.absent(p)
			}
			if o.Kind != opRemoveAll {
				n.rows[o.To+"/"+below] = &h
			}
		}
	case opPublish:
		for p, h := range s.rows {
			if !selected(o.Paths, p) {
				continue
			}
			if h == nil {
				delete(n.disk, p)
			} else {
				n.disk[p] = *h
			}
			delete(n.rows, p)
		}
	case opDiscard:
		for p := range s.rows {
			if selected(o.Paths, p) {
				delete(n.rows, p)
			}
		}
	case opRestore:
		n.disk = maps.Clone(s.restores[o.ID])
	case opSay:
		n.said = append(n.said, o.ID)
		n.at[o.ID] = &state{disk: maps.Clone(s.disk), rows: maps.Clone(s.rows)}
	case opUndo:
		then := s.at[o.ID]
		n.disk, n.rows = maps.Clone(then.disk), maps.Clone(then.rows)
		n.said = n.said[:slices.Index(n.said, o.ID)+1]
	case opForget:
		n.lost = true
	case opAdd:
		n.disk[o.To] = hashOf(o.Text)
	case opDrop, opLiveRemove:
		delete(n.disk, o.Path)
	case opLivePut:
		n.disk[o.Path] = hashOf(o.Text)
	case opLiveMove:
		n.disk[o.To] = n.disk[o.Path]
		delete(n.disk, o.Path)
	}
	return n
}

// forget drops all checkpoints except kept.
func (s *state) forget(kept []string) {
	maps.DeleteFunc(s.restores, func(id string, _ tree) bool { return !slices.Contains(kept, id) })
}

// wholeRenames adds the other ends of renames: a deleted and an added file
// with the same content are published and discarded together. Of several equal
// files, copies among them, all are added.
func (s *state) wholeRenames(paths []string) []string {
	for n := -1; n < len(paths); {
		n = len(paths)
		paths = s.otherEnds(paths)
	}
	return paths
}

// otherEnds adds the other ends of renames to paths once.
func (s *state) otherEnds(paths []string) []string {
	for gone, h := range s.rows {
		if h != nil {
			continue
		}
		for come, h := range s.rows {
			if h == nil || *h != s.disk[gone] || s.disk[come] != "" {
				continue
			}
			a, b := slices.Contains(paths, gone), slices.Contains(paths, come)
			switch {
			case a && !b:
				paths = append(paths, come)
			case b && !a:
				paths = append(paths, gone)
			}
		}
	}
	return paths
}

func selected(paths []string, p string) bool { return len(paths) == 0 || slices.Contains(paths, p) }

// keeps reports whether an operation creates a checkpoint if it changes
// anything.
func (o op) keeps() bool {
	return slices.Contains([]string{opPublish, opCheckpoint, opRestore, opUndo, opAdd, opDrop}, o.Kind)
}
