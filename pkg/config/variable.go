package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kelseyhightower/envconfig"
)

// variable is a field of Settings that a variable of the environment sets.
type variable struct {
	reflect.StructField
	// index leads from Settings to the field, through the groups.
	index []int
}

// variables returns all of them in the order of Settings.
func variables() []variable { return collect(reflect.TypeFor[Settings](), nil) }

// collect returns the variables of a group and of the groups in it.
func collect(group reflect.Type, index []int) (found []variable) {
	for field := range group.Fields() {
		v := variable{field, slices.Concat(index, field.Index)}
		if v.name() == "" {
			found = append(found, collect(v.Type, v.index)...)
		} else {
			found = append(found, v)
		}
	}
	return found
}

func (v variable) name() string     { return v.Tag.Get("envconfig") }
func (v variable) fullName() string { return fullName(v.name()) }
func (v variable) isList() bool     { return v.Type.Kind() == reflect.Slice }
func (v variable) isSecret() bool   { return v.Type == reflect.TypeFor[Secret]() }

// fullName puts the prefix before a variable's name.
func fullName(name string) string { return Prefix + "_" + name }

// decode turns text into a value of the field's type; without text it takes the default. The error has a line for each
// entry of a list that is wrong.
func (v variable) decode(text string) (reflect.Value, error) {
	entries := v.entries(text)
	if len(entries) == 0 {
		entries = v.entries(v.Tag.Get("default"))
	}
	switch {
	case len(entries) == 0:
		return reflect.Zero(v.Type), nil
	case !v.isList():
		return v.decodeOne(v.Type, entries[0])
	}
	list, errs := reflect.Zero(v.Type), []error(nil)
	for _, entry := range entries {
		value, err := v.decodeOne(v.Type.Elem(), entry)
		list, errs = reflect.Append(list, value), append(errs, err)
	}
	return list, errors.Join(errs...)
}

// entries splits the text of a list, and leaves out what is empty.
func (v variable) entries(text string) (entries []string) {
	parts := []string{text}
	if v.isList() {
		parts = strings.Split(text, ",")
	}
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			entries = append(entries, part)
		}
	}
	return entries
}

// decodeOne turns a text without blanks around it into a value of type t, and checks it as the tags say.
func (v variable) decodeOne(t reflect.Type, text string) (value reflect.Value, err error) {
	if text, err = v.choose(text); err == nil {
		err = v.checkText(text)
	}
	if err == nil {
		value, err = convert(t, text)
	}
	if err == nil {
		err = v.checkRange(value)
	}
	if err != nil {
		return reflect.Zero(t), fmt.Errorf("%s: %w", v.fullName(), err)
	}
	return value, nil
}

// choose returns text in the spelling of the closed set, if there is one.
func (v variable) choose(text string) (string, error) {
	set := strings.Fields(v.Tag.Get("oneof"))
	for _, member := range set {
		if strings.EqualFold(member, text) {
			return member, nil
		}
	}
	if len(set) > 0 {
		return "", fmt.Errorf("%s is none of %s", quote(text), strings.Join(set, ", "))
	}
	return text, nil
}

// checkText applies the check that the tag names.
func (v variable) checkText(text string) error {
	switch v.Tag.Get("check") {
	case "path":
		return checkPath(text)
	case "address":
		return checkAddress(text)
	case "identifier":
		return checkIdentifier(text)
	}
	return nil
}

// checkRange holds a number against min, max and zero.
func (v variable) checkRange(value reflect.Value) error {
	if v.Tag.Get("max") == "" {
		return nil
	}
	low, high := v.bound("min"), v.bound("max")
	zero, offered := v.Tag.Lookup("zero")
	if offered && value.Int() == 0 || low.Int() <= value.Int() && value.Int() <= high.Int() {
		return nil
	}
	advice := fmt.Sprintf("choose from %s to %s", format(low), format(high))
	if offered {
		advice += ", or 0 for " + zero
	}
	return fmt.Errorf("%s is out of range; %s", format(value), advice)
}

// bound returns the tag's value in the field's own type.
func (v variable) bound(tag string) reflect.Value {
	value, err := convert(v.Type, v.Tag.Get(tag))
	if err != nil {
		panic(fmt.Sprintf("config: tag %s of %s: %v", tag, v.name(), err))
	}
	return value
}

// wholeNumber leaves out what strconv reads differently than people do: 010 is eight to it, and 0x10 sixteen.
var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// nowhere is a prefix that no variable of a process can have: names end at the first equals sign.
const nowhere = "="

// convert has envconfig turn text into a value of type t.
//
// envconfig takes a field's text from the process's environment or else from the field's default tag. Here each text
// comes by a tag of its own, under a prefix that the environment cannot hold. So Load depends on its argument alone and
// changes nothing; all variables are tried, where envconfig stops at the first that is wrong; and the bare name, which
// envconfig looks up for a field with a name in its tag (LOG_LEVEL, say), is never read.
func convert(t reflect.Type, text string) (reflect.Value, error) {
	if t.Kind() == reflect.Int && !wholeNumber.MatchString(text) {
		return reflect.Value{}, fmt.Errorf("%s is not a whole number; write it like 30", quote(text))
	}
	tag := reflect.StructTag("default:" + strconv.Quote(text))
	spec := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Value", Type: t, Tag: tag}}))
	if err := envconfig.Process(nowhere, spec.Interface()); err != nil {
		return reflect.Value{}, explain(t, text, err)
	}
	return spec.Elem().Field(0), nil
}

// explain says what is wrong with text, without the value that envconfig puts into its own error.
func explain(t reflect.Type, text string, err error) error {
	var parsing *envconfig.ParseError
	switch {
	case !errors.As(err, &parsing):
		return err
	case t == reflect.TypeFor[time.Duration]():
		return fmt.Errorf("%s is not a duration; write it like 1m or 30s", quote(text))
	case t.Kind() == reflect.Bool:
		return fmt.Errorf("%s is neither true nor false", quote(text))
	case errors.Is(parsing.Err, strconv.ErrRange):
		return fmt.Errorf("%s is too large a number", quote(text))
	}
	return parsing.Err
}

// format writes a value in the form in which convert reads it.
func format(value reflect.Value) string {
	if value.Kind() == reflect.Slice {
		entries := make([]string, value.Len())
		for i := range entries {
			entries[i] = format(value.Index(i))
		}
		return strings.Join(entries, ",")
	}
	if d, ok := value.Interface().(time.Duration); ok {
		return formatDuration(d)
	}
	return fmt.Sprint(value.Interface())
}

// formatDuration writes 1m for 1m0s, 0 for 0s, and us for µs, as people do.
func formatDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	text := strings.Replace(d.String(), "µ", "u", 1)
	for _, rest := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, rest) {
			text = text[:len(text)-2]
		}
	}
	return text
}
