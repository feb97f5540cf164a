package workshop

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"atelier/internal/budget"
)

// keptConversationMax is the size of the conversations that are kept as records, in
// bytes of their file; larger ones are read each time.
const keptConversationMax = 16 << 20

// racyConversation is how old the last change of a file must be for its time to tell the
// next change apart: file systems count in steps of up to 10 ms.
const racyConversation = 100 * time.Millisecond

// keptRecords are the records of a conversation as they were read last: all, with what
// was taken back.
type keptRecords struct {
	stat    os.FileInfo // of the file they were read from; nil: nothing is kept
	records []Record
	bad     []int // the damaged lines
}

// of reports whether what is kept is what the file holds.
func (k *keptRecords) of(st os.FileInfo) bool {
	return k.stat != nil && os.SameFile(k.stat, st) && k.stat.Size() == st.Size() && k.stat.ModTime().Equal(st.ModTime())
}

// readAll returns every whole record, from memory unless the file has changed.
func (c *Conversation) readAll() (*keptRecords, error) {
	c.keptMu.Lock()
	defer c.keptMu.Unlock()
	st, err := os.Stat(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &keptRecords{}, nil
	}
	if err != nil {
		return nil, err
	}
	if c.kept != nil && c.kept.of(st) {
		c.keptMemory.Touch()
		return c.kept, nil
	}
	k := &keptRecords{}
	c.keep(nil)
	if err := c.scan(func(r Record, _ []byte) { k.records = append(k.records, r) }, func(d damagedLine) { k.bad = append(k.bad, d.line) }); err != nil {
		return nil, err
	}
	after, err := os.Stat(c.path)
	if err != nil {
		return nil, err
	}
	k.stat = st
	if !k.of(after) { // it was written meanwhile
		k.stat = nil
		return k, nil
	}
	own := c.written != nil && k.of(c.written) // nobody else writes while this process holds the workbench
	if st.Size() <= keptConversationMax && (own || time.Since(st.ModTime()) > racyConversation) {
		c.keep(k)
	}
	return k, nil
}

// recordMemory is about how many bytes of memory a byte of a conversation's file takes as
// records.
const recordMemory = 2

// keep keeps records, nil for none, in the place of those that are kept, if there is
// memory for them; keptMu is held.
func (c *Conversation) keep(k *keptRecords) {
	c.kept = nil
	c.keptMemory.Forget()
	c.keptMemory = nil
	if k == nil {
		return
	}
	if c.keptMemory = budget.Process.Keep(recordMemory*k.stat.Size(), func() { c.forget(k) }); c.keptMemory != nil {
		c.kept = k
	}
}

// close lets go of what is kept.
func (c *Conversation) close() {
	c.keptMu.Lock()
	defer c.keptMu.Unlock()
	c.keep(nil)
}

// forget drops records whose memory is needed.
func (c *Conversation) forget(k *keptRecords) {
	c.keptMu.Lock()
	defer c.keptMu.Unlock()
	if c.kept == k {
		c.kept = nil
	}
}

// grew adds lines to what is kept, after they were written to a file that was as before
// and is as after.
func (c *Conversation) grew(before, after os.FileInfo, lines []byte) {
	c.keptMu.Lock()
	defer c.keptMu.Unlock()
	c.written = after
	if c.kept == nil || !c.kept.of(before) || after.Size() != before.Size()+int64(len(lines)) || after.Size() > keptConversationMax {
		c.keep(nil)
		return
	}
	damaged := false
	k := &keptRecords{stat: after, records: c.kept.records, bad: c.kept.bad}
	for line := range bytes.Lines(lines) {
		scanLine(bytes.TrimSuffix(line, []byte("\n")), func(r Record, _ []byte) { k.records = append(k.records, r) }, func([]byte) { damaged = true })
	}
	if damaged {
		k = nil
	}
	c.keep(k)
}

// AllRecords returns every whole record, also what was taken back. Lines that are
// damaged are left out, and told once. What the records refer to is shared: it is not to
// be changed.
func (c *Conversation) AllRecords() ([]Record, error) {
	k, err := c.readAll()
	if err != nil {
		return nil, err
	}
	c.tellDamage(k)
	return slices.Clone(k.records), nil
}

func (c *Conversation) tellDamage(k *keptRecords) {
	if len(k.bad) > 0 && c.tell != nil && c.toldDamage.CompareAndSwap(false, true) {
		c.tell(damagedLines(k.bad))
	}
}
