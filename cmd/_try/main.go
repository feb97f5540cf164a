package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"atelier/formats"
	"atelier/formats/builtin"
)

func main() {
	ctx := context.Background()
	src, err := formats.OpenFile(os.Args[1])
	if err != nil { panic(err) }
	f, err := builtin.Formats(builtin.Options{}).Detect(ctx, src)
	if err != nil { panic(err) }
	if os.Args[2] == "read" || os.Args[2] == "map" {
		if os.Args[2] == "map" {
			m, err := f.Mapper.Map(ctx, src, formats.MapOptions{})
			b, _ := json.MarshalIndent(m, "", " ")
			fmt.Println(string(b), err)
			return
		}
		t, err := f.Reader.Read(ctx, src, formats.Selector{Include: os.Args[3:]})
		fmt.Println(t.Text, err)
		return
	}
	b, _ := os.ReadFile(os.Args[2])
	var ops []json.RawMessage
	if err := json.Unmarshal(b, &ops); err != nil { panic(err) }
	out, _ := os.Create(os.Args[3])
	rep, err := f.Editor.Apply(ctx, src, out, ops, formats.ApplyOptions{Open: func(_ context.Context, p string) (formats.SourceCloser, error) {
		return formats.OpenFile(filepath.Join(filepath.Dir(os.Args[1]), p))
	}})
	j, _ := json.Marshal(rep)
	fmt.Println(string(j), err)
}
