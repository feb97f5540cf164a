package engine

import (
	"maps"
	"strings"

	"atelier/workshop/translate"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/xliff"
)

// translateMembers describes the members of the params of translations.
func translateMembers() map[string]member {
	text := member{about: "only segments with this text in the source or the translation, in any case, without tags"}
	show := member{about: "only segments that are so far: open (left, or with remarks and not confirmed), left (in the source language), translated, or whose translation is of a machine, the memory or a person", values: values(append([]translate.Show{translate.ShowAll}, translate.Shows...)...)}
	code := member{about: "only segments with a remark of this kind, such as number or tags"}
	path := member{about: "only this translation of the job, by its place in the draft; default all"}
	formats := values(formatXLIFF, formatTMX)
	rows := map[string]member{
		"TranslateStart.dry_run":       {about: "count words, repetitions and memory hits and estimate tokens and cost; nothing is asked and no translation is written"},
		"TranslateStart.cluster":       {about: "let the workers of the cluster ask the model that Atelier was started with (--cluster); the job is the same without"},
		"TranslateStart.jobs":          {about: "documents at once, 1 to 16; default 2, with cluster 16"},
		"TranslateStart.price":         {about: "money for a million tokens to the model (input) and from it (output), for the cost; default the price in the settings"},
		"TranslateStart.rate":          {about: "requests a minute at most; default as the endpoint allows"},
		"TranslateStart.reports":       {about: "files to write a report to, at most 20: a page when the name ends in .html, data when it ends in .json; they go into the draft"},
		"TranslateStart.sentences":     {about: "translate sentence by sentence: more repetitions and memory hits, less context"},
		"TranslateStart.strict":        {about: "leave in the source language what misses a term or a number, instead of flagging it"},
		"TranslateStart.tmx":           {about: "TMX files of the workbench to read into its translation memory first, at most 20"},
		"TranslateStart.tmx_out":       {about: "a file *.tmx to write the translation memory to at the end; it goes into the draft"},
		"TranslateStart.token_rate":    {about: "tokens a minute at most"},
		"TranslateStart.xliff_in":      {about: "a folder of XLIFF documents (1.1, 1.2, 2.x) that people have reviewed, or one document: what they say goes before everything else"},
		"TranslateStart.xliff_out":     {about: "a folder for an XLIFF document of each translation, for people to review; it goes into the draft"},
		"TranslateStart.xliff_version": {about: "the XLIFF version that xliff_out gets; default 2.1", values: values(xliff.V21, xliff.V12)},
		"TranslateStart.force":         {about: "do again what is done, and replace what is in the way"},
		"TranslateStatus.offset":       {about: "the first of the files wanted, from 0"},
		"TranslateSegments.text":       text,
		"TranslateSegments.show":       show,
		"TranslateSegments.code":       code,
		"TranslateSegments.path":       path,
		"TranslateSegments.counts":     {about: "count the segments of each document too"},
		"TranslateSegments.limit":      {about: "segments wanted, at most 500; default 100"},
		"TranslateSegments.offset":     {about: "the first of the segments wanted, from 0, in the order of the documents"},
		"TranslateCorrect.corrections": {about: "translations of a person, at most 10,000; one that equals the translation that is there confirms it; without any, documents that an ended program left unwritten are written"},
		"TranslateCorrect.equal":       {about: "the corrections also count for segments of the same text and language that nobody has confirmed"},
		"TranslateReplace.find":        {about: "the text to replace, in translations; text with a tag in it is not found"},
		"TranslateReplace.replace":     {about: "what takes its place; with regexp $1 is the first group"},
		"TranslateReplace.regexp":      {about: "find is a regular expression (RE2)"},
		"TranslateReplace.match_case":  {about: "capital letters count"},
		"TranslateReplace.whole_words": {about: "only where no letter, digit or low line is beside it"},
		"TranslateReplace.preview":     {about: "only find: the result has the first 50 segments as they would be"},
		"TranslateReplace.text":        text,
		"TranslateReplace.show":        show,
		"TranslateReplace.code":        code,
		"TranslateReplace.path":        path,
		"TranslateMatches.language":    {about: "the language of the translation, one of the job"},
		"TranslateMatches.text":        {about: "the source text, with its tags"},
		"TranslateExport.job_id":       {about: "the job; needed for xliff, of tmx it chooses the languages"},
		"TranslateExport.format":       {about: "xliff: the translations of the job; tmx: the translation memory", values: formats},
		"TranslateExport.path":         {about: "of xliff only this translation; default all"},
		"TranslateExport.version":      {about: "of XLIFF; default 2.1", values: values(xliff.V21, xliff.V12)},
		"TranslateExport.to_path":      {about: "where the draft gets it: for xliff a folder, for tmx a file *.tmx; without it the result has the content, at most 32 MiB"},
		"TranslateImport.job_id":       {about: "the job; needed for xliff"},
		"TranslateImport.format":       {about: "xliff: corrections of the job's translations; tmx: entries for the translation memory", values: formats},
		"TranslateImport.path":         {about: "a file of the workbench; for xliff a folder of such files too"},
		"TranslateImport.name":         {about: "the name of the file whose bytes are in content"},
		"TranslateImport.content":      {about: "instead of path the bytes of the file in base64, at most 32 MiB"},
	}
	return rows
}

func init() {
	maps.Copy(resultMembers, map[string]string{
		"corrected":                      "how many segments were stored as a person's",
		"refused":                        "corrections that were not used, at most 500",
		"written":                        "documents of the draft that were written",
		"TranslateExportResult.written":  "files that were written into the draft",
		"TranslateExportResult.name":     "the name of the file in bytes_base64; several XLIFF documents come as a zip archive",
		"TranslateExportResult.entries":  "how many XLIFF documents, or entries of the memory, it has",
		"TranslateSegmentsResult.total":  "how many segments the params select",
		"documents":                      "counts of each translation",
		"TranslateDocument.segments":     "how many segments it has",
		"TranslateDocument.left":         "how many are in the source language",
		"TranslateDocument.open":         "how many are left, or have remarks and are not confirmed",
		"TranslateDocument.confirmed":    "how many a person wrote or confirmed",
		"unwritten":                      "whether the program ended before it wrote the document; TranslateCorrect without corrections writes it",
		"TranslateSegment.path":          "the translation, by its place in the draft",
		"TranslateSegment.segment":       "the id of the segment in its document",
		"TranslateSegment.part":          "the kind of place, such as body, header, cell or notes",
		"TranslateSegment.notes":         "what the translation must mind",
		"TranslateSegment.max_length":    "how long the translation may be, in UTF-16 units; 0: as long as it needs",
		"TranslateSegment.source":        "the text in the source language, with tags: <1>…</1> encloses formatting, <2/> is an object; & and < are written &amp; and &lt;",
		"TranslateSegment.target":        "the translation, with the same tags",
		"TranslateSegment.state":         "whether it is translated or left in the source language",
		"TranslateSegment.origin":        "who translated it",
		"remarks":                        "what a person should look at",
		"TranslateRemark.message":        "what is wrong and what to do",
		"TranslateRefusal.reason":        "why the correction was not used",
		"Correction.path":                "the translation, by its place in the draft",
		"Correction.segment":             "the id of the segment",
		"Correction.target":              "the translation of the person, with the tags of the source",
		"TranslateRefusal.path":          "the translation, or the XLIFF document",
		"TranslateReplaceResult.found":   "how many segments it changes, at most 10,000 in one call",
		"TranslateReplaceResult.matches": "how many places in them",
		"across":                         "how many segments have the text only with a tag in it; they stay as they are",
		"TranslateMatchesResult.matches": "entries of the translation memory, the most similar first",
		"percent":                        "how similar the source is; 100: the same text",
		"TranslateMatch.origin":          "where the entry comes from",
		"TranslateMatch.changed":         "when it was written, RFC 3339",
		"TranslateMatchesResult.terms":   "terms of the glossary that the text has",
		"TranslateTerm.note":             "what the glossary says of the term",
		"forbidden":                      "whether target must not be used",
		"TranslateMatchesResult.keep":    "what of the text must not be translated",
		"TranslateImportResult.tmx":      "counts of an import of TMX",
		"Counts.units":                   "units of the file",
		"Counts.entries":                 "entries that were stored, over all pairs of languages",
		"Counts.skipped":                 "units that were not stored whole: no text, no second language, or too long",
		"Counts.untagged":                "texts whose tags were not understood and were removed",
		"engines":                        "what can translate",
		"TranslateEngine.available":      "whether it can be used here",
		"TranslateEngine.why":            "why it cannot be used",
		"pairs":                          "the directions that are installed",
		"TranslatePair.from":             "the source language, BCP 47",
		"TranslatePair.to":               "the target language, BCP 47",
		"TranslateFile.can":              "whether the file can be translated",
		"TranslateFile.only_named":       "whether a job leaves the file out unless its paths name it: code, data and hidden files",
		"TranslateFile.why":              "why the file cannot be translated",
		"TranslateOptionsResult.memory":  "entries of the translation memory by languages",
		"TranslateMemory.from":           "the source language; empty: unknown",
		"TranslateMemory.to":             "the target language",
		"TranslateMemory.person":         "entries that people wrote or confirmed",
		"TranslateMemory.imported":       "entries of other tools",
		"TranslateMemory.machine":        "entries of engines",
		"TranslateStatusResult.params":   "the params of TranslateStart, which continue the job",
		"TranslateSegmentsChanged.paths": "the translations that were corrected",
	})
	// The params in the status of a job are those of TranslateStart.
	rows := members()
	for name, row := range rows {
		if own, ok := rows["TranslateStart."+name]; ok {
			row = own
		}
		resultMembers["TranslateStartParams."+strings.TrimPrefix(name, "TranslateStart.")] = row.about
	}
	origins := values(translate.FromMachine, translate.FromMemory, translate.FromPerson)
	codes := resultValues["Flag.code"]
	maps.Copy(resultValues, map[string][]any{
		"TranslateSegment.state":  values(translate.StateTranslated, translate.StateLeft),
		"TranslateSegment.origin": append([]any{""}, origins...),
		"TranslateRemark.code":    codes,
		"TranslateRefusal.code":   append([]any{""}, codes...),
		"TranslateMatch.origin":   values(memory.Person, memory.Imported, memory.Machine),
	})
}
