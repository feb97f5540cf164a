// Package memory is a translation memory: what was translated once, by a
// person, another tool or a machine, is not translated again (TR-05).
//
//	m, err := memory.Open(ctx, "memory.db")
//	defer m.Close()
//	found, err := m.Exact(ctx, memory.Pair{From: "en", To: "es"}, recipe, sources)
//	…
//	err = m.Put(ctx, []memory.Entry{{Pair: p, Source: s, Target: t, Origin: memory.Machine, Recipe: recipe}})
//
// It is one SQLite file that several processes may use at once; a Put is there
// wholly or not at all, and when it returned it is there after a power cut.
//
// Texts have the inline tags of package inline. Tags are compared by the order
// they come in, not by number: "<3>Sign</3> here" is found for "<1>Sign</1>
// here", and its target comes with the numbers that were asked with.
//
// What a person wrote counts more than what was imported, and that more than a
// machine's, whose entries fill only texts of the same recipe (engine,
// instructions, glossary), so that a pseudo-translation never becomes a real
// one. TMX 1.4b goes in and out as a stream (ImportTMX, ExportTMX).
package memory
