package engine

import (
	"path"
	"slices"
	"strings"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/translate"
	"atelier/workshop/translate/xliff"
)

// maxTranslateJobs bounds the documents that one job of the protocol translates
// at once.
const maxTranslateJobs = 16

// maxTranslateFiles bounds the TMX files and the reports of one job.
const maxTranslateFiles = 20

// checkTranslate checks params and brings them into the form that names the job.
func checkTranslate(p *TranslateStartParams) error {
	if err := checkLanguages(p); err != nil {
		return err
	}
	switch {
	case p.InPlace && p.Folder != "":
		return validation("in_place and folder exclude each other")
	case p.InPlace && len(p.To) > 1:
		return validation("in place there can be one language; name a folder for several")
	case !p.InPlace && p.Folder == "":
		p.Folder = "translated"
	}
	if !slices.Contains([]string{"", "model", "pseudo", "apertium", "none"}, p.Engine) {
		return validation("unknown engine " + p.Engine + ": use model, pseudo, apertium or none")
	}
	if err := checkOutputs(p); err != nil {
		return err
	}
	switch {
	case p.Jobs < 0 || p.Jobs > maxTranslateJobs:
		return validation("jobs must be from 1 to 16, or left out")
	case p.Rate < 0 || p.TokenRate < 0:
		return validation("rate and token_rate cannot be negative")
	case p.Price != nil && !(p.Price.Input >= 0 && p.Price.Output >= 0):
		return validation("a price cannot be negative")
	}
	return nil
}

func checkLanguages(p *TranslateStartParams) error {
	if len(p.To) == 0 {
		return validation("to is required: the language to translate into, such as es")
	}
	for i, to := range p.To {
		code, err := translate.Language(to)
		if err != nil {
			return validation("to: " + err.Error())
		}
		p.To[i] = code
	}
	if p.From != "" {
		code, err := translate.Language(p.From)
		if err != nil {
			return validation("from: " + err.Error())
		}
		p.From = code
	}
	return nil
}

// checkOutputs checks what the job writes beside translations. The endings keep a
// report from taking the place of a document.
func checkOutputs(p *TranslateStartParams) error {
	switch {
	case p.DryRun && (p.XLIFFOut != "" || p.TMXOut != ""):
		return validation("xliff_out and tmx_out write and dry_run does not: leave one out")
	case p.XLIFFVersion != "" && p.XLIFFOut == "":
		return validation("xliff_version is of what xliff_out writes: add that, or leave it out; xliff_in recognizes the version")
	case p.XLIFFVersion != "" && !slices.Contains(xliff.Versions, xliff.Version(p.XLIFFVersion)):
		return validation("xliff_version must be 2.1 or 1.2")
	case p.TMXOut != "" && strings.ToLower(path.Ext(p.TMXOut)) != ".tmx":
		return validation("tmx_out must end in .tmx")
	case len(p.TMX) > maxTranslateFiles || len(p.Reports) > maxTranslateFiles:
		return validation("at most 20 files can be named in tmx, and at most 20 in reports")
	}
	for _, r := range p.Reports {
		if ext := strings.ToLower(path.Ext(r)); !isPage(r) && ext != ".json" {
			return validation("reports must end in .html or .json: " + r)
		}
	}
	return nil
}

// jobPaths returns the files and folders of a job that are not its documents.
func jobPaths(p TranslateStartParams) ([]workshop.Path, error) {
	var out []workshop.Path
	for _, name := range slices.Concat([]string{p.Glossary, p.TMXOut, p.XLIFFIn, p.XLIFFOut}, p.TMX, p.Reports) {
		if name == "" {
			continue
		}
		path, err := tools.ParsePath(name)
		if err != nil {
			return nil, err
		}
		if path != "" {
			out = append(out, path)
		}
	}
	return out, nil
}
