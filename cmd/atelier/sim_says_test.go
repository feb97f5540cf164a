//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// simNames are the files that models write.
var simNames = []string{"a.txt", "b.md", "c.csv", "sub/d.txt", "e.docx", "f.xlsx", "sub/g.docx"}

var simPhase = regexp.MustCompile(`\[Phase: (\w+)\]`)

// say generates an answer. The caller holds e.mu.
func (m *simModel) say(b simBody, tokens int) simAnswer {
	chance := func(percent int) bool { return m.rng.IntN(100) < percent }
	m.steps++
	if strings.HasSuffix(b.Model, "-tiny") && tokens > simWindow {
		return simAnswer{fault: "long"}
	}
	if strings.HasSuffix(b.Model, "-turns") {
		for i := range b.Messages {
			if i > 0 && b.Messages[i].Role == "user" && (b.Messages[i-1].Role == "user" || b.Messages[i-1].Role == "tool") {
				return simAnswer{fault: "turns"}
			}
		}
	}
	fault := ""
	if limit := 2; !m.calm && m.faulty < limit && chance(12) {
		fault = []string{"429", "429", "429", "429", "500", "cut", "cut", "silence", "slow", "slow", "slow"}[m.rng.IntN(11)]
	}
	m.faulty++
	if fault == "" || fault == "slow" {
		m.faulty = 0
	}
	a := simAnswer{fault: fault, cut: m.rng.IntN(12)}
	if len(b.Tools) == 0 {
		a.text = fmt.Sprintf("So far the person asked for files and got some of them. (%d)", m.number())
		return a
	}
	tools := map[string]bool{}
	for _, t := range b.Tools {
		tools[t.Function.Name] = true
	}
	stage := ""
	if at := simPhase.FindAllStringSubmatch(b.Messages[len(b.Messages)-1].text(), -1); at != nil {
		stage = at[len(at)-1][1]
	}
	// After enough steps the run ends.
	done := m.steps > 6 || chance(30)
	switch {
	case stage == "plan" && chance(90):
		a.text = "- [ ] 1. One — Write a.txt\n- [ ] 2. Two — Write b.md"
	case stage == "research" && chance(60):
		a.text = fmt.Sprintf("There is little to know. (%d)", m.number())
	case tools["work_in_phases"] && chance(40):
		a.calls = []simCall{{m.id(), "work_in_phases", "{}"}}
	case done && chance(4):
		a.text = "" // an empty answer
	case done:
		a.text = fmt.Sprintf("Done with it, this was number %d. Ünd mehr.", m.number())
	default:
		if chance(40) {
			a.text = fmt.Sprintf("I go on (%d). ", m.number())
		}
		for range 1 + m.rng.IntN(3) {
			a.calls = append(a.calls, m.call(tools))
		}
	}
	if fault == "" || fault == "slow" {
		m.last = a.calls
		m.calls = append(m.calls, a.calls...)
	}
	return a
}

func (m *simModel) number() int {
	m.serial++
	return m.serial
}

func (m *simModel) id() string {
	if m.rng.IntN(8) == 0 {
		return "call_0" // like the numbering of some servers
	}
	return fmt.Sprintf("call_%d", m.number())
}

// call generates a call, sometimes one that fails.
func (m *simModel) call(tools map[string]bool) simCall {
	pick := func(list ...string) string { return list[m.rng.IntN(len(list))] }
	name := simNames[m.rng.IntN(len(simNames))]
	c := simCall{ID: m.id()}
	args := obj{}
	if tools["rm"] { // buildscale
		switch c.Name = pick("write", "write", "rm", "mv", "ls", "read", "touchy"); c.Name {
		case "write":
			name = simNames[m.rng.IntN(4)]
			args = obj{"path": "/" + name, "content": fmt.Sprintf("Text M%d.\n", m.number()), "overwrite": true}
		case "mv":
			args = obj{"source": "/" + simNames[m.rng.IntN(4)], "destination": "/" + simNames[m.rng.IntN(4)]}
		default:
			args = obj{"path": "/" + name}
		}
		if c.Name == "ls" {
			args = obj{}
		}
	} else {
		switch c.Name = pick("write", "write", "write", "read_file", "list_files", "get_file_info", "ask_user", "repeat", "unknown", "garbage", "array", "query", "recall_tool_result"); c.Name {
		case "write":
			c.Name, args = m.write(name)
		case "ask_user":
			args = obj{"questions": []obj{{"name": "go", "question": "Shall I?", "schema": `{"type":"string","enum":["Yes","No"]}`}}}
		case "repeat":
			if len(m.last) == 0 {
				c.Name = "list_files"
				break
			}
			again := m.last[m.rng.IntN(len(m.last))]
			return simCall{c.ID, again.Name, again.Args}
		case "unknown":
			c.Name = "make_coffee"
		case "garbage":
			return simCall{c.ID, "write_text_file", pick(`{"path":"a.txt","content":"`, `nonsense`, `{"path":7}`, ``, `{"content":"no path"}`, `{"path":"../out.txt","content":"x"}`, `{"path":".atelier/context/company.md","content":"x"}`, `{"path":"a.txt","content":null}`)}
		case "array":
			return simCall{c.ID, "read_file", pick(`["a.txt"]`, `"a.txt"`, `3`, `null`, `true`)}
		case "query":
			c.Name, args = "table_query", obj{"path": "c.csv", "query": pick("SELECT count(*) FROM data", "DROP TABLE data", "SELECT")}
		case "recall_tool_result":
			args = obj{"entry_id": m.rng.IntN(30)}
		default:
			args = obj{"path": name}
		}
	}
	b, _ := json.Marshal(args)
	c.Args = string(b)
	return c
}

// write returns a call that writes name.
func (m *simModel) write(name string) (tool string, args obj) {
	switch {
	case strings.HasSuffix(name, ".docx"):
		return "docx_operations", obj{"path": name, "create_if_missing": true, "operations": []obj{{"op": "append_paragraph", "text": fmt.Sprintf("M%d.", m.number())}}}
	case strings.HasSuffix(name, ".xlsx"):
		return "xlsx_operations", obj{"path": name, "create_if_missing": true, "operations": []obj{{"op": "set_cells", "sheet": "Data", "cells": []obj{{"cell": fmt.Sprintf("A%d", 1+m.rng.IntN(5)), "value": fmt.Sprintf("M%d.", m.number())}}}}}
	}
	text := fmt.Sprintf("Text M%d.\n", m.number())
	switch m.rng.IntN(12) {
	case 0, 1:
		text = strings.Repeat(text, 100)
	case 2:
		text = strings.Repeat(text[:len(text)-1]+" ", 2500) + "\n" // the model gets only the beginning of such results
	}
	return "write_text_file", obj{"path": name, "content": text}
}
