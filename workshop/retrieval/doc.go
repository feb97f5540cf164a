// Package retrieval finds the passages of a workbench's documents that are about
// something. It is the index of the tools rag_search_docs and rag_search_code.
//
//	ix, err := retrieval.Open(filepath.Join(wb.Dir(), "index.db"), cache, retrieval.Options{Names: wb})
//	defer ix.Close()                        // before the workbench is closed
//	res, err := ix.Query(ctx, view, "who signs the lease", retrieval.Filters{Kind: retrieval.Docs})
//	for _, c := range res.Chunks { … c.DocPath, c.ChunkPath, c.Content … }
//
// The index is a full-text index (SQLite FTS5, BM25) over the extracted text of
// every document. It has its own file, which can be deleted at any time and is
// then rebuilt. A query first updates the index, by path, size, time and then
// content. An update that takes longer than Options.Wait continues in the
// background, and Result.Note says that the answer is not complete yet.
//
// Another engine can replace the index through Provider.
//
// # Promises
//
//   - A chunk is a passage for finding things, never a base for an edit: it has
//     no hash (F-32).
//   - Lines are 1-based, inclusive and inside the extracted text (F-31).
//   - No query is an error, whatever it contains.
package retrieval
