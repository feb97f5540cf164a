// Package memory is a translation memory: a text that was translated once, by a
// person, another tool or a machine, is not translated again (TR-05).
//
//	m, err := memory.Open(ctx, "memory.db")
//	defer m.Close()
//	found, err := m.Exact(ctx, memory.Pair{From: "en", To: "es"}, recipe, sources)
//	…
//	err = m.Put(ctx, []memory.Entry{{Pair: p, Source: s, Target: t, Origin: memory.Machine, Recipe: recipe}})
//
// The memory is one SQLite file that several processes may use at once. A Put is
// stored completely or not at all, and survives a power failure once it has
// returned.
//
// Texts have the inline tags of package tags. Tags are compared by their order,
// not by number: "<3>Sign</3> here" is found for "<1>Sign</1> here", and its
// target is returned with the numbers of the request.
//
// Translations by a person have priority over imported ones, and those over
// machine translations. A machine translation is used only for texts of the same
// recipe (translator, instructions, glossary), so that a pseudo-translation is
// never used as a real one. ImportTMX and ExportTMX stream TMX 1.4b.
package memory
