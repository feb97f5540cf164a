// Package retrieval finds the passages of a workbench's documents that speak
// of something: the index behind rag_search_docs and rag_search_code.
//
//	ix, err := retrieval.Open(filepath.Join(wb.Dir(), "index.db"), cache, retrieval.Options{Names: wb})
//	defer ix.Close()                        // before the workbench is closed
//	res, err := ix.Query(ctx, view, "who signs the lease", retrieval.Filters{Kind: retrieval.Docs})
//	for _, c := range res.Chunks { … c.DocPath, c.ChunkPath, c.Content … }
//
// The index is a full-text index (SQLite FTS5, BM25) over the extracted text of
// every document, in a file of its own that can be deleted at any time: it is
// made again. A query first brings it up to date, by path, size, time and then
// content; what takes longer than Options.Wait goes on in the background, and
// Result.Note says that the answer is not complete yet.
//
// Another engine can take its place through Provider.
//
// # Promises
//
//   - A chunk is a passage to find things by, never a base for an edit: it
//     carries no hash (F-32).
//   - Lines are 1-based, inclusive and inside the extracted text (F-31).
//   - No query is an error, whatever it contains.
package retrieval
