package tools

// Proposal is a patch of files that the person has open: their editor applies
// it, since nobody else writes to them (P-11). Nothing of it is shortened.
type Proposal struct {
	BatchID    string         `json:"batchId"` // as in the result of the call
	BatchKey   string         `json:"batchKey,omitempty"`
	BatchLabel string         `json:"batchLabel,omitempty"`
	Files      []ProposedFile `json:"files"` // those that are open; the others were changed already
}

// ProposedFile is the patch of one open file.
type ProposedFile struct {
	FilePatchID    string           `json:"filePatchId"`
	FileKey        string           `json:"fileKey,omitempty"`
	FileLabel      string           `json:"fileLabel,omitempty"`
	DocPath        string           `json:"docPath"`
	DisplayPath    string           `json:"displayPath,omitempty"` // as the editor named it
	OriginalSHA256 string           `json:"originalSha256"`        // of the content that the editor sent; apply it to no other
	Changes        []ProposedChange `json:"changes"`               // from top to bottom; line numbers are those before any change
}

// ProposedChange is one change of whole lines.
type ProposedChange struct {
	ChangeID              string   `json:"changeId"`
	ChangeKey             string   `json:"changeKey,omitempty"`
	Operation             string   `json:"operation"` // insert, replace or delete
	Description           string   `json:"description,omitempty"`
	AfterLine             *int     `json:"afterLine,omitempty"` // of an insert; 0 is the top
	StartLine             *int     `json:"startLine,omitempty"` // of the others, 1-based
	EndLine               *int     `json:"endLine,omitempty"`   // inclusive
	ExpectedOriginalLines []string `json:"expectedOriginalLines"`
	NewLines              []string `json:"newLines"`
}
