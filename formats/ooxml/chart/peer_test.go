package chart

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/internal/need"
)

// peerScript prints what openpyxl finds in the chart parts of the files that are its
// arguments: for each series its cells and the values that the part stores.
const peerScript = `
import json, sys, zipfile
from openpyxl.chart.chartspace import ChartSpace
from openpyxl.xml.functions import fromstring
def values(d):
    if d is None: return None
    r = getattr(d, 'numRef', None) or getattr(d, 'strRef', None)
    c = (getattr(r, 'numCache', None) or getattr(r, 'strCache', None)) if r is not None else getattr(d, 'numLit', None)
    return {'f': r.f if r is not None else '', 'points': [[int(p.idx), str(p.v)] for p in c.pt if p.idx < 100] if c is not None else []}
looks = {'txPr', 'spPr', 'dLbls', 'extLst', 'title', 'legend', 'AlternateContent', 'userShapes', 'externalData', 'printSettings', 'clrMapOvr', 'dPt', 'marker', 'layout'}
def bare(e): # without what openpyxl 3.0 cannot read of other programs
    for c in list(e):
        if c.tag.split('}')[-1] in looks: e.remove(c)
        else: bare(c)
    return e
out = {}
for f in sys.argv[1:]:
    try: z = zipfile.ZipFile(f)
    except Exception: continue
    for n in z.namelist():
        if '/charts/chart' in n and n.endswith('.xml'):
            try:
                area = ChartSpace.from_tree(bare(fromstring(z.read(n)))).chart.plotArea
                out[f + ' ' + n] = [{'name': s.tx.strRef.f if s.tx is not None and s.tx.strRef is not None else '', 'val': values(getattr(s, 'val', None) or getattr(s, 'yVal', None)), 'cat': values(getattr(s, 'cat', None) or getattr(s, 'xVal', None))} for c in area._charts for s in c.ser]
            except Exception as e: print(n, e, file=sys.stderr)
print(json.dumps(out))
`

// peerData is a list of values that openpyxl found.
type peerData struct {
	F      string
	Points [][2]any
}

// Read finds the series, cells and values that openpyxl finds in the charts of real
// documents of all kinds.
func TestReadAsOpenpyxl(t *testing.T) {
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import openpyxl").Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		need.Absent(t, "openpyxl", "python3-openpyxl")
	}
	var files []string
	for _, kind := range []string{"xlsx", "docx", "pptx"} {
		files = append(files, formatstest.Corpus(t, kind)...)
	}
	raw, err := exec.CommandContext(t.Context(), python, append([]string{"-W", "ignore", "-c", peerScript}, files...)...).Output()
	require.NoError(t, err)
	var want map[string][]struct {
		Name     string
		Val, Cat *peerData
	}
	require.NoError(t, json.Unmarshal(raw, &want))
	require.NotEmpty(t, want)
	charts, points := 0, 0
	for _, f := range files {
		eachChart(t, f, func(name string, doc []byte) {
			c, err := Read(t.Context(), doc)
			require.NoError(t, err, "%s %s", f, name)
			require.NotEmpty(t, c.Text(nil))
			peer, ok := want[f+" "+name]
			if !ok {
				return // openpyxl could not read it
			}
			charts++
			require.Equal(t, len(peer), len(c.Series)+c.SeriesOmitted, "%s %s", f, name)
			for i, s := range c.Series {
				require.Equal(t, peer[i].Name, s.NameRef, "%s %s", f, name)
				points += sameData(t, peer[i].Val, s.Values)
				points += sameData(t, peer[i].Cat, s.Categories)
			}
		})
	}
	require.Greater(t, charts, 20)
	require.Greater(t, points, 200)
}

// eachChart calls f for the chart parts of an office file.
func eachChart(t *testing.T, file string, f func(name string, doc []byte)) {
	z, err := zip.OpenReader(file)
	if errors.Is(err, zip.ErrFormat) {
		return
	}
	require.NoError(t, err)
	defer z.Close()
	for _, part := range z.File {
		if !strings.Contains(part.Name, "/charts/chart") || path.Ext(part.Name) != ".xml" {
			continue
		}
		r, err := part.Open()
		require.NoError(t, err)
		doc, err := io.ReadAll(r)
		require.NoError(t, err)
		f(part.Name, doc)
	}
}

// sameData compares values and returns how many there are. openpyxl reads no labels
// of several levels.
func sameData(t *testing.T, want *peerData, have Data) int {
	if want == nil || want.F == "" && len(want.Points) == 0 {
		return 0
	}
	require.Equal(t, oneLine(want.F), have.Formula)
	require.Len(t, have.Points, len(want.Points))
	for i, p := range want.Points {
		require.EqualValues(t, p[0], have.Points[i].Index)
		if v, err := strconv.ParseFloat(p[1].(string), 64); err == nil { // which it writes in its own way
			mine, err := strconv.ParseFloat(have.Points[i].Text, 64)
			require.NoError(t, err)
			require.Equal(t, v, mine)
			continue
		}
		require.Equal(t, oneLine(p[1].(string)), have.Points[i].Text)
	}
	return len(want.Points)
}
