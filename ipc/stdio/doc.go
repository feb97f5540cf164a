// Package stdio serves the engine as JSON-RPC 2.0, one object a line, over
// standard input and output (I-01…I-08), for desktop apps.
//
//	err := stdio.Serve(ctx, eng, os.Stdin, os.Stdout, stdio.Options{})
//
// # Promises
//
//   - Each line written is one JSON object. Notifications of a run are in order,
//     have a seq for each workbench that counts from 1 without gaps, and come
//     before the run's response.
//   - A slow reader gets token deltas joined together; nothing else is joined,
//     and nothing is lost.
//   - A line over MaxLine bytes, invalid JSON or a batch is answered with an
//     error, and the connection continues.
//   - A cancel ($/cancelRequest, or WorkshopCancelRun) never waits for a running
//     call.
//   - At the end of input the pending calls are answered, then Serve returns.
package stdio
