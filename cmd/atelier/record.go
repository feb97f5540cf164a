package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"atelier/engine"
	"atelier/formats"
	"atelier/llm/replay"
	"atelier/workshop"
	"atelier/workshop/agent/transcript"
	"atelier/workshop/tools"
)

// maxRecorded bounds the files a recording carries, in bytes.
const maxRecorded = 64 << 20

// recording gathers what `atelier replay` needs to play a run again: the files
// as they were, what the user said, and the model's answers (D-21).
type recording struct {
	path  string
	files []txtar.File
	text  string
	model string
	rec   *replay.Recorder

	catalogue string
	workflow  string
	plan      bool // it began in plan mode
	answers   []tools.Answers
}

// snapshot keeps the files as the run will find them.
func (r *recording) snapshot(ctx context.Context, view workshop.View) error {
	entries, err := view.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return err
	}
	total := int64(0)
	for _, e := range entries {
		if e.IsDir || e.Refused != "" {
			continue
		}
		if total += e.Size; total > maxRecorded {
			return fmt.Errorf("--record keeps the files of the folder, and they have more than %d MiB; record on a smaller folder", maxRecorded>>20)
		}
		src, err := view.Open(ctx, e.Path)
		if err != nil {
			return err
		}
		b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
		src.Close()
		if err != nil {
			return err
		}
		r.files = append(r.files, fileSection(e, b))
	}
	return nil
}

// fileSection writes text as it is when txtar gives back the same bytes.
func fileSection(e workshop.Entry, b []byte) txtar.File {
	text := txtar.File{Name: "files/" + string(e.Path), Data: b}
	if e.Kind == formats.KindText && utf8.Valid(b) {
		if a := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{text}})); len(a.Files) == 1 && string(a.Files[0].Data) == string(b) {
			return text
		}
	}
	return txtar.File{Name: "base64/" + string(e.Path), Data: append([]byte(base64.StdEncoding.EncodeToString(b)), '\n')}
}

// write plays the recording once and writes it with what came out as wanted.
func (r *recording) write(ctx context.Context) error {
	a := &txtar.Archive{Comment: []byte("Recorded by atelier run --record.\n\n")}
	config := map[string]string{}
	if r.model == engine.PseudoModel {
		config["model"] = r.model
	}
	if r.catalogue != "" {
		config["catalogue"] = r.catalogue
	}
	if len(config) > 0 {
		line, err := json.Marshal(config)
		if err != nil {
			return err
		}
		a.Files = append(a.Files, txtar.File{Name: "config", Data: append(line, '\n')})
	}
	a.Files = append(a.Files, r.files...)
	var client bytes.Buffer
	enc := json.NewEncoder(&client)
	run := map[string]any{"run": true}
	if len(r.answers) > 0 {
		run["answers"] = r.answers
	}
	if r.workflow != "" {
		run["workflow"] = r.workflow
	}
	if r.plan {
		_ = enc.Encode(map[string]string{"mode": tools.ModePlan})
	}
	for _, line := range []any{map[string]string{"send": r.text}, run} {
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	a.Files = append(a.Files, txtar.File{Name: "client", Data: client.Bytes()})
	if r.model != engine.PseudoModel {
		a.Files = append(a.Files, txtar.Parse(r.rec.Fixture("")).Files...)
	}
	rep, err := transcript.Run(ctx, txtar.Format(a), transcript.Options{})
	if err != nil {
		return fmt.Errorf("the recording cannot be played again: %w", err)
	}
	return os.WriteFile(r.path, rep.Updated, 0o600)
}
