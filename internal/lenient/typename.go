package lenient

import "reflect"

// TypeName names the JSON value for a Go type, for messages such as "expected
// a string".
func TypeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return TypeName(t.Elem())
	}
	return "a number"
}
