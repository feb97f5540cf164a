package agent

import (
	"cmp"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/llm"
	"atelier/workshop/agent/phases"
	"atelier/workshop/tools"
)

// Most requests to the model in the phases (V-01).
const (
	researchTurns  = 30
	planTurns      = 10
	implementTurns = 30
)

const researchRules = `This request is worked on in phases: research, plan, implement, summary. You are in the phase research: find out what the request needs. You can only read now.
- Answer at the end with notes for those who plan and carry out the work without having read the files: which files and places are concerned, what is there now, what has to become of it, names, numbers and wordings that must be kept. At most about 1,500 words.
- When nothing has to be changed for the request, as it is a question or a remark, answer it now instead, in full and for the user, and begin your answer with a line that holds only the word ANSWER.`

const planRules = `This request is worked on in phases: research, plan, implement, summary. You are in the phase plan: make a plan of what research found. Nothing is changed now.
- Answer with one line for each item, exactly in this form, in the order in which they are to be done:
- [ ] 1. Label — Description
- An item is a piece of work that can be done and checked on its own, such as one document or one part of a long one. Its description says which file, what to do and how it should come out. Later items see the files that earlier ones made.
- As few items as the work needs. Do not plan looking, checking or summing up.
- When it turns out that nothing has to be changed, answer the user in full instead, and begin your answer with a line that holds only the word ANSWER.`

const implementRules = `This request is worked on in phases: research, plan, implement, summary. You are in the phase implement: carry out the one item of the plan that is named, and nothing else. What earlier items did is in the files already.
- Answer at the end with one to three sentences: what you changed in which file, and what later items have to know.
- When the item cannot be done, begin your answer with FAILED: and the reason in one line.
- The user may have sent messages after the request. Follow them where they concern this item; add items for the rest of them.
- When the request needs something that the plan does not have, add it as lines in the form "- [ ] Label — Description".`

const summaryRules = `This request was worked on in phases: research, plan, implement, summary. You are in the phase summary: answer the user. They have seen nothing of the phases so far. Say briefly and exactly what was changed in which file, and what failed and why; answer what they asked. Do not name the phases. Nothing is changed now.`

var (
	researchPhase  = phase{name: phases.Research, rules: researchRules, turns: researchTurns, private: true}
	planPhase      = phase{name: phases.Planning, rules: planRules, turns: planTurns, private: true}
	implementPhase = phase{name: phases.Implement, rules: implementRules, turns: implementTurns, private: true}
	summaryPhase   = phase{name: phases.Summary, rules: summaryRules, turns: planTurns, final: true}
)

// stage completes a phase: what it may use depends on the catalogue.
func (r *run) stage(p phase) phase {
	p.stage, p.prompt = true, agentPrompt
	switch p.name {
	case phases.Research:
		p.offers, p.servers = r.reads, readsOnly
	case phases.Planning, phases.Summary:
		p.offers, p.servers = r.looksUp, noServer
	}
	return p
}

// reads holds for tools that change nothing, and for those that ask the user.
func (r *run) reads(t llm.Tool) bool {
	effect, _ := r.cfg.Catalogue.Effect(t.Function.Name)
	return effect == tools.Read || effect == tools.Interact && t.Function.Name == "ask_user"
}

// looksUp holds for what reads a file or an earlier result; catalogues name the
// first differently.
func (r *run) looksUp(t llm.Tool) bool {
	switch t.Function.Name {
	case "read_file", "read", "workspace_read_file", "recall_tool_result":
		return r.reads(t)
	}
	return false
}

var (
	answerLine = lazyregexp.New(`^[\s#*]*ANSWER(?:[ *]*:[ *]*|[ *]*(?:\n|$))`)
	failedLine = lazyregexp.New(`^[\s*]*FAILED[*]*:\s*([^\n]*)`)
)

// outright returns an answer to the user instead of notes or a plan.
func outright(said string) (answer string, ok bool) {
	at := answerLine.FindStringIndex(said)
	if at == nil {
		return "", false
	}
	answer = strings.TrimSpace(said[at[1]:])
	return answer, answer != ""
}

// failure returns the reason an answer of the phase implement gives for not having
// done its item, "" when it was done.
func failure(said string) string {
	m := failedLine.FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	return cmp.Or(strings.Trim(m[1], " *\r"), "no reason was given")
}

// asksSomething holds for a message that ends a sentence with a question mark:
// when no plan comes of it, it is answered rather than refused.
func asksSomething(message string) bool { return questionMark.MatchString(message) }

var questionMark = lazyregexp.New(`[?？؟](?:["'”’)»\s]|$)`)
