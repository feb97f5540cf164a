// Package tree holds an office part as a tree of its elements, by byte offset,
// so that code can look around an element and edits still replace a few bytes
// only.
//
//	t, err := tree.Parse(ctx, part, nil)
//	for n := range t.Root.All() {
//		if n.Is(nsA, "t") {
//			edits = append(edits, t.SetText(n, text))
//		}
//	}
//	out := xmlscan.Apply(part, edits)
//
// A filter keeps the tree of a long part small: elements that it leaves out
// have no node, and their children are those of the element around them.
package tree
