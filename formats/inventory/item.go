package inventory

import (
	"sort"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
)

// Item is one object of a document that a review names.
type Item struct {
	Kind string // one of the Fact kinds of package formats
	Key  string // pairs it with its other side; equal keys are numbered in order
	At   string // where it is, for people: "Sales!A1:C1", "slide 2", "paragraph 12"
	// Was is where an item that is gone or moved was, of the side before, where
	// At is its place on the side after; "" is At.
	Was  string
	Text string // its state in words
	// Of is the key of the item of the same kind that this is a setting of. Where
	// that is new or gone, its settings are not told beside it.
	Of string
	// Sum covers the content that Text does not describe; the zero Sum means
	// that Text describes all of it.
	Sum   Sum
	Parts []string // the parts of the package that it consists of, which Sum covers

	// What a person is warned of when the item is new (or changes into this),
	// or goes. "" means no warning; the place is written before it.
	WarnAdded, WarnRemoved string
	Revertible             bool // see formats.Fact
}

// Inventory is one side of a comparison.
type Inventory struct {
	pkg     *opc.Package
	items   []Item
	covered map[string]bool // folded names of parts that items or walks cover in full
}

// New begins the inventory of pkg; nil is a package that holds nothing.
func New(pkg *opc.Package) *Inventory {
	return &Inventory{pkg: pkg, covered: map[string]bool{}}
}

// Package returns the package that the inventory is of.
func (in *Inventory) Package() *opc.Package { return in.pkg }

// Add takes items into the inventory; the parts they consist of count as
// reported.
func (in *Inventory) Add(things ...Item) {
	for _, t := range things {
		in.items = append(in.items, t)
		in.Cover(t.Parts...)
	}
}

// Cover notes that items, or the items of the diff, cover all that parts hold.
func (in *Inventory) Cover(parts ...string) {
	for _, p := range parts {
		in.covered[foldName(p)] = true
	}
}

// Leftover adds what a walk of a part did not make into items, one item for
// each element. The part counts as reported.
func (in *Inventory) Leftover(part, at string, left map[string]Sum) {
	in.Cover(part)
	names := make([]string, 0, len(left))
	for n := range left {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		in.items = append(in.items, Item{Kind: formats.FactPart, Key: part + " " + n, At: at, Text: n, Sum: left[n],
			WarnAdded: "changed in a way that cannot be told here: " + n, WarnRemoved: "changed in a way that cannot be told here: " + n + " is gone"})
	}
}

func foldName(name string) string { return strings.ToLower(strings.TrimPrefix(name, "/")) }
