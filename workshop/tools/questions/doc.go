// Package questions has the tools that turn to the user: ask_user, and
// exit_plan_mode, which needs the user's word; with the Broker that brings
// answers to whoever waits for them, and Modes, which keeps the mode of a
// session.
//
//	b := &questions.Broker{}
//	env.Asker = …                       // opens the questions: b.Open, and tells clients
//	err := b.Answer(workbench, id, answers)   // when a client answers
package questions
