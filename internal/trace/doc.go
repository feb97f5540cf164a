// Package trace says what a process does and how long it takes, as spans of traces that
// other processes continue (W3C Trace Context).
//
//	ctx, span := trace.Start(ctx, "commit to the log", trace.Int("bytes", n))
//	defer span.End()
//	span.Fail("UNREACHABLE")
//
// A span is a child of the one in the context. Without one it begins a trace, if
// Tracer.Into has put a tracer into the context; otherwise there is no span: Start returns
// nil, whose methods do nothing. So code that is deep in the program needs no settings, and
// costs one look at the context where nobody reads traces.
//
// Parent gives a span to another process, as the value of the header traceparent; Continue
// takes it there.
//
// # What spans say
//
// Names of spans and of attributes are constants. Values are ids that this program made,
// numbers, codes, patterns of routes, names of models and of known tools. Never a text of a
// document or a prompt, a name of a file, a key or an error's message: who runs the
// collector need not be allowed to read the documents.
//
// Package otlp sends spans to a collector.
package trace
