package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"atelier/formats"
	"atelier/formats/builtin"
)

func main() {
	b, _ := os.ReadFile(os.Args[1])
	var ops []json.RawMessage
	if err := json.Unmarshal(b, &ops); err != nil { panic(err) }
	out, _ := os.Create(os.Args[2])
	rep, err := builtin.Formats(builtin.Options{}).Kind(formats.KindOfName(os.Args[2])).Editor.Apply(context.Background(), nil, out, ops, formats.ApplyOptions{})
	fmt.Println(rep, err)
}
