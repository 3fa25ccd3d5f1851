package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kelseyhightower/envconfig"
)

// wholeNumber leaves out what strconv reads differently than people do: 010 is eight to it, and 0x10 sixteen.
var wholeNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)$`)

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
	if d, ok := reflect.TypeAssert[time.Duration](value); ok {
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
