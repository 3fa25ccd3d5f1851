package config

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Variable documents one variable of the environment.
type Variable struct {
	// Name is the full name.
	Name string
	// Default is the text that an unset or empty variable stands for; empty where there is none.
	Default string
	// Meaning is one or more sentences in Markdown.
	Meaning string
	// Secret marks a value that is never shown.
	Secret bool
}

// Reference returns all variables in the order in which they are documented.
func Reference() (reference []Variable) {
	for _, v := range variables() {
		reference = append(reference, Variable{
			Name:    v.fullName(),
			Default: v.tag.Get("default"),
			Meaning: meaning(v.name()),
			Secret:  v.isSecret(),
		})
	}
	return reference
}

// WriteMarkdown writes the reference as a table.
func WriteMarkdown(w io.Writer) error {
	var table strings.Builder
	table.WriteString("| variable | default | meaning |\n|---|---|---|\n")
	for _, v := range Reference() {
		standard := "–"
		if v.Default != "" {
			standard = "`" + v.Default + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", v.Name, standard, v.Meaning)
	}
	if _, err := io.WriteString(w, table.String()); err != nil {
		return fmt.Errorf("write table of variables: %w", err)
	}
	return nil
}

// WriteExample writes the reference as a file for systemd's EnvironmentFile or docker's --env-file, with every variable
// commented out.
func WriteExample(w io.Writer) error {
	var example strings.Builder
	example.WriteString("# Settings of columnstore_exporter. Each line shows the default; remove the # to set another value.\n")
	example.WriteString("# Durations are written like 700us, 30s, 1m or 6h, sizes like 4096, 4KiB or 1MiB. An empty value means the default.\n")
	for _, v := range Reference() {
		fmt.Fprintf(&example, "\n# %s\n#%s=%s\n", strings.ReplaceAll(v.Meaning, "`", ""), v.Name, v.Default)
	}
	if _, err := io.WriteString(w, example.String()); err != nil {
		return fmt.Errorf("write example of variables: %w", err)
	}
	return nil
}

// WriteEffective writes the settings as lines NAME=value that Load reads back, secrets masked: first what the environment
// has set, then the defaults.
func WriteEffective(w io.Writer, validated Validated) error {
	settings := reflect.ValueOf(validated.Settings())
	var given, standard strings.Builder
	for _, v := range variables() {
		section := &standard
		if validated.given[v.fullName()] {
			section = &given
		}
		fmt.Fprintf(section, "%s=%s\n", v.fullName(), format(settings.FieldByIndex(v.index)))
	}
	if _, err := fmt.Fprintf(w, "# set in the environment\n%s\n# default\n%s", given.String(), standard.String()); err != nil {
		return fmt.Errorf("write effective settings: %w", err)
	}
	return nil
}
