// Package tasks gives a model tasks on documents and checks the results, so that
// models can be compared, and so that a scripted model shows that each task can be done
// with the tools there are.
//
//	list, err := tasks.Load("testdata/tasks")
//	r := tasks.Runner{Program: "bin/atelier", Testdata: "testdata", Corpus: "../shared/corpus"}
//	o := r.Run(ctx, list[0], tasks.Model{Args: []string{"--model", "gpt-5"}})
//	fmt.Println(o.Passed(), o.Failures, o.Calls, o.InputTokens)
//
// A task is a txtar archive. The text before its first section says what is
// difficult in it; then come sections:
//
//	-- task --        lines "kind: …", and "waits: …" if the task cannot be done
//	                  yet: what is missing
//	-- prompt --      what the user says
//	-- files/NAME --  a text file of the user's folder
//	-- copy --        lines "NAME SOURCE": SOURCE is copied to NAME; it begins with
//	                  documents/, texts/ (of testdata) or corpus/
//	-- many/PATTERN -- several text files: PATTERN, with * for the number, is the
//	                  name; the first line is how many, the others are their
//	                  text, in which ${n} is the number
//	-- setup --       calls that make further files, published before the task
//	-- script --      what the scripted model does, one thing a line: a call
//	                  "NAME {ARGUMENTS}", or "say TEXT". Lines that begin with &
//	                  belong to the same answer as the line before
//	-- wrong/WHAT --  another script, with a mistake that the checks must notice
//	-- check --       checks of the result, one a line; see [Checks]
//	-- results --     what the calls of the script returned
//
// Lines that begin with # are comments in task, copy, setup, script and check.
package tasks
