// Package transcript runs recorded conversations through the real loop: real
// workbench, real tools, real files, and a model that is served from the record
// over HTTP. A transcript is a txtar archive; "atelier replay FILE" runs one,
// and the golden ones lie in testdata/transcripts.
//
//	rep, err := transcript.Run(ctx, file, transcript.Options{})
//	fmt.Print(rep.Diff) // "" when everything came out as recorded
//
// Everything before the first section is prose: say what the transcript shows.
// Then come sections, in any order.
//
// # What goes in
//
//	-- config --            optional; one JSON object:
//	                        "model"   "pseudo" plays the built-in model instead of
//	                                  the record
//	                        "api"     form of the record, as in the settings; default
//	                                  "chat", in which every record can be written
//	                        "limits"  calls_per_turn, turns, parallel, retries,
//	                                  result_max, tool_timeout_ms
//	                        "window"  tokens the model takes; 0: not known
//	                        "compact_at"  percentage of it, see agent.Config
//	                        "price"   of the model, as in config.json
//	                        "budget"  tokens, cost, workbench_tokens, workbench_cost
//	                        "ceiling" the same, which nobody who is asked can raise
//	                        "usage"   true keeps the WorkshopUsage events
//	                        "tools"   how tools are described, see agent.Config
//	                        "approvals", "granted"  rules about what is asked,
//	                                  and what is allowed at the beginning, see
//	                                  package approvals
//	                        "allow_tools"  patterns of tools of other programs that
//	                                  need no answer
//	                        "catalogue"  whose tools the model gets; default
//	                                  "workshop"
//	                        "folder"  name of the user's folder, which some
//	                                  catalogues show
//	                        "types"   types of files that are no documents, by
//	                                  name: {"a.plan":"plan"}
//	                        "settings"  what is known of the model, see
//	                                  models.Settings
//	                        "wait"    true offers the tool "wait", which ends only
//	                                  when it is canceled or times out
//	-- files/NAME --        a text file of the user's folder
//	-- base64/NAME --       a file of the user's folder, in base64
//	-- lines/NAME --        a large one: how many lines, and a line in which ${n}
//	                        is its number
//	-- copy --              lines "NAME SOURCE": SOURCE, relative to
//	                        Options.Documents, is copied to NAME
//	-- conversation --      records of conversation.jsonl that are there already
//	-- tool-log --          entries of the tool log that are there already: id,
//	                        tool, call_id, args, result, success
//	-- tool-servers --      other programs with tools, one JSON object a line:
//	  {"has": true, "tools": [TOOL, …], "problems": […]}  what there is from here on
//	  {"server": NAME, "about": TEXT, "ask": true}  how it is asked about
//	  {"call": TOOL, "args": {…}, "answer": {"text": TEXT}}  the answer to a call;
//	                        or "error", "hint" and "code"; or "hangs": true
//	-- rpi/NAME --          state of a run in phases that was broken off
//	-- model --             what the model sends, see package llm/replay; several
//	-- model-1 -- …         answers are numbered in the order of the requests
//	-- client --            what the user does, one JSON object a line:
//	  {"send": TEXT}        stores a message of the user
//	  {"run": true}         runs the agent on the last message; with
//	                        "cancel_after": METHOD the run is canceled at that
//	                        event, with "crash_after": METHOD the process dies
//	                        there and is started again; "count": N waits for the
//	                        N-th such event, and the METHOD "request" is
//	                        the N-th request to the model; "answers": [{NAME: VALUE}, …] are
//	                        the answers to the questions of the run, without
//	                        which nobody is there to be asked; "workflow" is
//	                        agent, rpi or auto, see agent.Config; "message"
//	                        is the id of a message of the conversation section
//	                        that is answered instead of the last one; "steer":
//	                        [{"at": METHOD, "count": N, "text": TEXT, "when":
//	                        WHEN}, …] is what the user says during the run, at
//	                        the N-th such event, as for "cancel_after"; WHEN is
//	                        now, after or hold
//	  {"mode": "plan"}      goes to plan or build mode; with "plan_file"
//	  {"publish": true}     publishes the draft
//	  {"discard": true}     discards the draft
//	  {"compact": true}     has the conversation summed up; "keep" is what must
//	                        not be lost, "keep_turns" the turns that stay
//	  {"reopen": true}      closes the workbench and opens it again
//
// Without -- client -- the agent runs on the message "Go on.".
//
// Record makes a transcript of a live run.
//
// # What must come out
//
// Only the sections that are there are compared.
//
//	-- want-events --       the events of the runs, one JSON object a line, deltas
//	                        of one message joined, and after each run what it
//	                        returned: {"returned": …} or {"failed": …}
//	-- want-conversation -- conversation.jsonl without created_at; without any
//	                        "sources" these are not compared
//	-- want-files/NAME --   each file that is not as it was put in, as the draft
//	                        shows it: text as it is, other kinds as read_file
//	                        reads them, "(deleted)" when it is gone
//	-- want-requests --     what the model was sent: names of the tools, messages,
//	                        the system message without its fixed beginning
//	-- want-plan --         plan.md of a run in phases
//
// Report.Updated is the transcript with the want sections as they came out
// (want-requests and want-plan only when they are there already); in this
// repository
//
//	go test ./workshop/agent/transcript -update
//
// writes that into testdata/transcripts.
//
// # Stability
//
// The clock stands still, retries do not wait, and ids are written as their
// prefix and a number in the order of the conversation: u-1, a-1, tr-1, wb-1.
// Nothing else is smoothed over.
package transcript
