//go:build linux

package testbed

import (
	"bytes"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// MatchesSchema returns why text is not JSON that the JSON Schema in a file describes, nil when it is.
func MatchesSchema(schema string, text []byte) error {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiled, err := compiler.Compile(schema)
	if err != nil {
		return fmt.Errorf("compile %s: %w", schema, err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("parse JSON: %w", err)
	}
	if err := compiled.Validate(document); err != nil {
		return fmt.Errorf("match %s: %w", schema, err)
	}
	return nil
}
