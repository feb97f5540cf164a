package models

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// What a request can be changed in for endpoints that refuse it as it is, and
// how their answers are read.
const (
	RepairRoles     = "roles"      // messages take turns: user, assistant, user …
	RepairOneSystem = "one_system" // one system message, at the beginning
	RepairNoSystem  = "no_system"  // the system message goes into the user's first
	RepairTextTools = "text_tools" // tools, calls and results are written into the text
	RepairOneCall   = "one_call"   // an answer with several calls is sent as several with one each
	RepairSchemas   = "schemas"    // schemas of tools keep to the few keywords that all endpoints know
	RepairEmpty     = "empty"      // no message is empty
	RepairNull      = "null"       // an answer that only calls tools has a text too, if an empty one
	RepairToolName  = "tool_name"  // results of tools name their tool
	RepairWhole     = "whole"      // answers are asked for in one piece, not as a stream
	RepairEcho      = "echo"       // the model's reasoning goes back to it with its tool calls
	RepairNoEcho    = "no_echo"    // it does not
	RepairReasoning = "thinks"     // answers begin with reasoning whose opening tag is missing
	RepairSigned    = "signed"     // calls that another model made get the signature that says so
	RepairSignature = "signature"  // the same in the function of the call, with signed
	RepairDetails   = "details"    // the same in the form of OpenRouter
	RepairOneImage  = "one_image"  // only the newest image is sent, words for the others
	RepairNoImages  = "no_images"  // words are sent for images
	// RepairImagesApart is for the Responses API: images of results go into a message of
	// the user behind them, as they always do in chat completions.
	RepairImagesApart = "images_apart"
)

var repairs = []string{RepairRoles, RepairOneSystem, RepairNoSystem, RepairTextTools, RepairOneCall, RepairSchemas, RepairEmpty, RepairNull,
	RepairToolName, RepairWhole, RepairEcho, RepairNoEcho, RepairSigned, RepairSignature, RepairDetails, RepairReasoning,
	RepairOneImage, RepairNoImages, RepairImagesApart}

// Repairs are some of the above, with blanks between them. In JSON they are a
// list.
type Repairs string

// List gives them one by one.
func (r Repairs) List() []string { return strings.Fields(string(r)) }

// With returns r with name.
func (r Repairs) With(name string) Repairs {
	if slices.Contains(r.List(), name) {
		return r
	}
	return Repairs(strings.TrimSpace(string(r) + " " + name))
}

// MarshalJSON writes a list.
func (r Repairs) MarshalJSON() ([]byte, error) { return json.Marshal(r.List()) }

// UnmarshalJSON reads a list of known names.
func (r *Repairs) UnmarshalJSON(b []byte) error {
	var list []string
	err := json.Unmarshal(b, &list)
	for _, s := range list {
		if !IsRepair(s) {
			err = fmt.Errorf("%q is none of them", s)
		}
	}
	if err != nil {
		return fmt.Errorf("repairs: want a list of %s: %w", strings.Join(repairs, ", "), err)
	}
	*r = Repairs(strings.Join(list, " "))
	return nil
}

// IsRepair reports whether name is one of the repairs.
func IsRepair(name string) bool { return slices.Contains(repairs, name) }
