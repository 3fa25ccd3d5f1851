package report_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// schemaFile documents the JSON form.
const schemaFile = "../../docs/check.schema.json"

// node is a part of a JSON Schema.
type node = map[string]any

func readSchema(t *testing.T) node {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema node
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatalf("%s: %v", schemaFile, err)
	}
	return schema
}

// child is the object under a key, nil where there is none.
func child(n node, key string) node {
	c, _ := n[key].(node)
	return c
}

// follow returns what a reference leads to. Its own description stays.
func follow(schema, n node) node {
	name, isRef := n["$ref"].(string)
	if !isRef {
		return n
	}
	return child(child(schema, "$defs"), strings.TrimPrefix(name, "#/$defs/"))
}

// unit is how a description tells the unit of its figure.
var unit = regexp.MustCompile(`\b(in (seconds|bytes|bytes per second)|[Nn]umber of|[Rr]atio|without unit)\b`)

// TestSchemaDescribesEveryField wants a description of each field, and of each figure its unit.
func TestSchemaDescribesEveryField(t *testing.T) {
	schema := readSchema(t)
	figures := 0
	var visit func(path string, n node)
	visit = func(path string, n node) {
		description, _ := n["description"].(string)
		if described := follow(schema, n)["description"]; description == "" && described == nil {
			t.Errorf("%s has no description", path)
		}
		if n["type"] == "number" || n["type"] == "integer" || n["const"] != nil {
			figures++
			if !unit.MatchString(description) {
				t.Errorf("%s: the description tells no unit: %s", path, description)
			}
		}
		for name, property := range child(n, "properties") {
			visit(path+"."+name, property.(node)) //nolint:errcheck // the validator has checked it against its meta-schema
		}
		for _, key := range []string{"items", "additionalProperties"} {
			if of := child(n, key); of != nil {
				visit(path+"."+key, of)
			}
		}
		if n["type"] == "object" && n["additionalProperties"] == nil {
			t.Errorf("%s lets unknown fields through", path)
		}
	}
	visit("report", schema)
	for name, definition := range child(schema, "$defs") {
		visit(name, definition.(node)) //nolint:errcheck // as above
	}
	if figures < 50 {
		t.Errorf("only %d figures seen", figures)
	}
}

// TestSchemaHasTheFieldsOfTheReport fills every field of a report, and wants the schema to name exactly these.
func TestSchemaHasTheFieldsOfTheReport(t *testing.T) {
	text := encode(t, filled())
	if err := testbed.MatchesSchema(schemaFile, []byte(text)); err != nil {
		t.Fatal(err)
	}
	var report node
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	mustHaveAll(t, readSchema(t), "report", readSchema(t), report)
}

// mustHaveAll wants every property that the schema names in the document.
func mustHaveAll(t *testing.T, schema node, path string, n node, document any) {
	t.Helper()
	n = follow(schema, n)
	if list, ok := document.([]any); ok && len(list) > 0 {
		mustHaveAll(t, schema, path+"[0]", child(n, "items"), list[0])
		return
	}
	object, _ := document.(node)
	for name := range child(n, "properties") {
		value, there := object[name]
		if !there {
			t.Errorf("the schema names %s.%s, which no report has", path, name)
			continue
		}
		mustHaveAll(t, schema, path+"."+name, child(child(n, "properties"), name), value)
	}
}

func TestSchemaRefusesUnknownFields(t *testing.T) {
	for _, place := range []string{`{"schema"`, `{"dbroot_seconds"`, `"mount":{"id"`, `{"requests_per_second"`, `{"job_load"`} {
		text := encode(t, filled())
		strange := strings.Replace(text, place, strings.Replace(place, `{"`, `{"unknown":1,"`, 1), 1)
		if strange == text {
			t.Errorf("no %s in %s", place, text)
		}
		if testbed.MatchesSchema(schemaFile, []byte(strange)) == nil {
			t.Errorf("an unknown field before %s is let through", place)
		}
	}
}
