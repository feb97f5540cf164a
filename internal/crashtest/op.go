package crashtest

import (
	"fmt"
	"strings"
)

// The operations of a child.
const (
	opPut        = "put"        // Path gets Text
	opTool       = "tool"       // the office file Path gets Text, through a tool
	opRemove     = "remove"     // Path
	opMove       = "move"       // Path to To
	opCopyAll    = "copy all"   // the folder Path to To
	opMoveAll    = "move all"   // the folder Path to To
	opRemoveAll  = "remove all" // the folder Path with everything in it
	opPublish    = "publish"    // Paths, or everything
	opDiscard    = "discard"    // Paths, or everything
	opCheckpoint = "checkpoint" // of everything published
	opRestore    = "restore"    // checkpoint ID
	opSay        = "say"        // a message ID is appended to the conversation
	opUndo       = "undo"       // to message ID
	opGC         = "gc"
	opForget     = "forget"      // gc that also forgets as much history as allowed
	opAdd        = "add"         // the host's file Path is copied into the root
	opDrop       = "drop"        // the published file Path is removed
	opLivePut    = "live put"    // like put, remove and move, but published at once
	opLiveRemove = "live remove" // by a live view
	opLiveMove   = "live move"
	opOpen       = "open" // not sent: opening the workbench, which repairs it
)

// op is one line sent to a child.
type op struct {
	Kind      string   `json:"kind"`
	Path      string   `json:"path,omitempty"`
	To        string   `json:"to,omitempty"`
	Text      string   `json:"text,omitempty"`
	Paths     []string `json:"paths,omitempty"`
	ID        string   `json:"id,omitempty"`
	Failpoint string   `json:"failpoint,omitempty"` // the child kills itself there,
	Nth       int      `json:"nth,omitempty"`       // the Nth time; for an opening, -1: no failpoints at all
}

// String omits the text.
func (o op) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s%s%s%v%s", o.Kind, o.Path, ifSet(" to ", o.To), o.ID, o.Paths, ifSet(" killed at ", o.Failpoint)))
}

// reply is one line from a child. The first, without an operation, reports
// that the workbench is open.
type reply struct {
	Error    string   `json:"error,omitempty"`
	Code     string   `json:"code,omitempty"` // of a workshop.Fault
	ID       string   `json:"id,omitempty"`   // of the checkpoint that was created
	Hash     string   `json:"hash,omitempty"` // of the content that an opTool wrote
	Kept     []string `json:"kept,omitempty"` // the checkpoints that an opForget left
	Repaired []string `json:"repaired,omitempty"`
}
