// Package otlp sends spans to a collector of OpenTelemetry, as OTLP over HTTP in protobuf,
// with the usual environment variables.
//
//	set, problems, err := otlp.FromEnv(os.Getenv) // set is nil without the variables
//	e := otlp.Start(set, otlp.Options{Log: log})
//	defer e.Close(2 * time.Second)
//	ctx = e.Tracer().Into(ctx)
//
// Nothing waits for the collector. Spans wait in a queue of OTEL_BSP_MAX_QUEUE_SIZE; what
// does not fit, and what the collector does not take, is dropped, counted and told in the log.
//
// Spans go to the address that the operator names and to no other: redirects are refused.
// They pass no gate of engine/egress, since they carry nothing of a document (package trace).
package otlp
