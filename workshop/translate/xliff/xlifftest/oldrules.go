package xlifftest

const (
	oldInlines = `((g|x|bx|ex|bpt|ept|ph|it|mrk);)*`
	oldUnits   = `((group|trans-unit);)*`
)

// oldRules are the rules of the elements of XLIFF 1.2, chapter 2, that
// writers of reviews use. Every other element (bin-unit, skl, phases, counts)
// is a problem too.
var oldRules = map[string]rule{
	"xliff":         {needs: []string{"version"}, children: `((\*;)*file;)+`, other: true},
	"file":          {parents: []string{"xliff"}, needs: []string{"original", "source-language", "datatype"}, may: []string{"target-language", "tool-id", "date", "category", "product-name", "product-version", "build-num"}, children: `(header;)?body;`, other: true},
	"header":        {parents: []string{"file"}, children: `((note|tool);)*(\*;)*`},
	"tool":          {parents: []string{"header"}, needs: []string{"tool-id", "tool-name"}, may: []string{"tool-version", "tool-company"}, text: true, other: true},
	"body":          {parents: []string{"file"}, children: oldUnits},
	"group":         {parents: []string{"body", "group"}, may: []string{"id", "datatype", "restype", "resname", "translate", "size-unit", "maxwidth"}, children: `(context-group;)*(note;)*(\*;)*` + oldUnits, other: true},
	"trans-unit":    {parents: []string{"body", "group"}, needs: []string{"id"}, may: []string{"approved", "translate", "datatype", "restype", "resname", "size-unit", "maxwidth", "minwidth", "maxbytes", "minbytes"}, children: `source;(seg-source;)?(target;)?((context-group|note|alt-trans);)*(\*;)*`, other: true},
	"source":        {parents: []string{"trans-unit", "alt-trans"}, children: oldInlines, text: true, other: true},
	"seg-source":    {parents: []string{"trans-unit", "alt-trans"}, children: oldInlines, text: true, other: true},
	"target":        {parents: []string{"trans-unit", "alt-trans"}, may: []string{"state", "state-qualifier", "resname"}, children: oldInlines, text: true, other: true},
	"alt-trans":     {parents: []string{"trans-unit"}, may: []string{"match-quality", "origin", "tool-id", "alttranstype", "mid"}, children: `(source;)?(seg-source;)?target;(context-group;)*(note;)*(\*;)*`, other: true},
	"note":          {parents: []string{"header", "group", "trans-unit", "alt-trans"}, may: []string{"from", "priority", "annotates"}, text: true},
	"context-group": {parents: []string{"group", "trans-unit", "alt-trans"}, may: []string{"name", "purpose", "crc"}, children: `(context;)+`},
	"context":       {parents: []string{"context-group"}, needs: []string{"context-type"}, may: []string{"match-mandatory", "crc"}, text: true},

	"g":   {parents: oldParents, needs: []string{"id"}, may: []string{"ctype", "clone", "xid", "equiv-text"}, children: oldInlines, text: true, other: true},
	"x":   {parents: oldParents, needs: []string{"id"}, may: []string{"ctype", "clone", "xid", "equiv-text"}, other: true},
	"bx":  {parents: oldParents, needs: []string{"id"}, may: []string{"rid", "ctype", "clone", "xid", "equiv-text"}, other: true},
	"ex":  {parents: oldParents, needs: []string{"id"}, may: []string{"rid", "xid", "equiv-text"}, other: true},
	"bpt": {parents: oldParents, needs: []string{"id"}, may: []string{"rid", "ctype", "crc", "xid", "equiv-text"}, text: true, other: true},
	"ept": {parents: oldParents, needs: []string{"id"}, may: []string{"rid", "crc", "xid", "equiv-text"}, text: true, other: true},
	"ph":  {parents: oldParents, needs: []string{"id"}, may: []string{"ctype", "crc", "assoc", "xid", "equiv-text"}, text: true, other: true},
	"it":  {parents: oldParents, needs: []string{"id", "pos"}, may: []string{"rid", "ctype", "crc", "xid", "equiv-text"}, text: true, other: true},
	"mrk": {parents: oldParents, needs: []string{"mtype"}, may: []string{"mid", "comment"}, children: oldInlines, text: true, other: true},
}

var oldParents = []string{"source", "seg-source", "target", "g", "mrk"}

// oldValues are the rules of attributes (XLIFF 1.2, clause 2.3).
var oldValues = map[string]string{
	"@version": `1\.2`, "@source-language": language, "@target-language": language, "@approved": yesNo, "@translate": yesNo, "@clone": yesNo,
	"@state":     `new|needs-(translation|adaptation|l10n|review-(translation|adaptation|l10n))|translated|signed-off|final|x-\S+`,
	"@annotates": `source|target|general`, "@priority": `[1-9]|10`, "@pos": `open|close`, "@maxwidth": nmtoken, "@size-unit": `byte|char|col|cm|dlgunit|em|ex|glyph|in|mm|percent|pixel|point|row|x-\S+`,
	"@datatype": `html|xml|plaintext|x-\S+`, "@purpose": `(information|location|match|x-\S+)( (information|location|match|x-\S+))*`,
	"x@ctype": `image|pb|lb|x-\S+`, "ph@ctype": `image|pb|lb|x-\S+`, "g@ctype": `bold|italic|underlined|link|x-\S+`, "@alttranstype": `proposal|previous-version|rejected|reference|accepted`,
}
