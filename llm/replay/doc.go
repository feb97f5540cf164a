// Package replay serves recorded conversations as a model endpoint over real
// HTTP, so that the client code of llm/openai is what runs, and records live
// ones (L-12, D-20, D-21).
//
//	f, err := replay.Parse(data)
//	srv, err := replay.NewServer(f, replay.Options{})
//	defer srv.Close()
//	client := openai.New(openai.Options{BaseURL: srv.URL})   // local: needs no key
//
// In a test: client, srv := replay.Client(t, fixture). Recording:
//
//	rec := replay.NewRecorder(nil)
//	client := openai.New(openai.Options{HTTPClient: &http.Client{Transport: rec}})
//	…
//	os.WriteFile("run.txtar", rec.Fixture("what the user said"), 0o600)
//
// # The fixture language
//
// A fixture is a txtar archive. Sections named model, or model-1, model-2 and so
// on, are the endpoint's answers: the first request gets the first, and so on.
// model-* answers every request after the numbered ones; in it ${n} is the number
// of the request, from 1. Without it a request too many gets status 500 and an
// error of type replay_exhausted. Other sections belong to whoever else reads the
// file and are ignored here.
//
// A section has one JSON object a line. Blank lines and lines that start with #
// are skipped. The short forms:
//
//	{"text":"…"}             a delta of text
//	{"reasoning":"…"}        a delta of reasoning
//	{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"a.txt"}}}
//	                         a tool call, as two chunks: name, then arguments.
//	                         arguments may be a string, sent as it is: malformed
//	                         calls are written that way. index is the number of
//	                         the call unless given
//	{"finish":"stop"}        the finish reason. An answer in short forms without one
//	                         gets tool_calls or stop
//	{"usage":{"prompt_tokens":10,"completion_tokens":3}}
//
// An object with "choices", "error" or "type", or anything else that is no form of
// this page, is sent as the data of one event, byte for byte. What steers the server:
//
//	{"status":429,"headers":{"Retry-After":"1"},"body":{…}}
//	                         the HTTP status and headers; first line only. With a
//	                         body (an object, or a string sent as it is) that is
//	                         the whole answer; without, events may follow
//	{"delay_ms":50}          wait
//	{"raw":"…"}              these bytes, no framing; {"base64":"…"} when they are
//	                         not UTF-8
//	{"cut":true}             break the connection; last line
//	{"close":true}           end without [DONE]; last line
//	{"refuse":true}          break the connection without any answer; the only line
//	{"hang":true}            send nothing more until the client leaves; last line
//
// Otherwise [DONE] follows the last line. A request without "stream":true gets
// the same answer as one completion object.
//
// # Other APIs
//
// Requests to …/messages are those of Anthropic's Messages API, requests to
// …/responses those of OpenAI's Responses, requests to …:streamGenerateContent those of
// Google's Gemini API. They get the same script in that form: short forms and chunks with
// "choices" become its events, an "error" becomes the event of a failure, an object with a
// "type" is sent as it is, as an event of that type, and message_stop, response.completed
// or the end of the stream counts as [DONE]. Request has the messages and tools of each
// form as chat completions would have them; the tool b of a namespace a of Responses is
// a__b, and calls of it are sent with the namespace. The Recorder keeps the bytes of any
// API; what it kept plays to a client of the same API only.
package replay
