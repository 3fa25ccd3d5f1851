package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// variable is a field of Settings that a variable of the environment sets.
type variable struct {
	tag reflect.StructTag
	typ reflect.Type
	// index leads from Settings to the field, through the groups.
	index []int
}

// variables returns all of them in the order of Settings.
func variables() []variable { return collect(reflect.TypeFor[Settings](), nil) }

// collect returns the variables of a group and of the groups in it.
func collect(group reflect.Type, index []int) (found []variable) {
	for field := range group.Fields() {
		v := variable{field.Tag, field.Type, slices.Concat(index, field.Index)}
		if v.name() == "" {
			found = append(found, collect(v.typ, v.index)...)
		} else {
			found = append(found, v)
		}
	}
	return found
}

func (v variable) name() string     { return v.tag.Get("envconfig") }
func (v variable) fullName() string { return fullName(v.name()) }
func (v variable) isList() bool     { return v.typ.Kind() == reflect.Slice }
func (v variable) isSecret() bool   { return v.typ == reflect.TypeFor[Secret]() }

// fullName puts the prefix before a variable's name.
func fullName(name string) string { return Prefix + "_" + name }

// decode turns text into a value of the field's type; without text it takes the default. The error has a line for each
// entry of a list that is wrong.
func (v variable) decode(text string) (reflect.Value, error) {
	entries := v.entries(text)
	if len(entries) == 0 {
		entries = v.entries(v.tag.Get("default"))
	}
	switch {
	case len(entries) == 0:
		return reflect.Zero(v.typ), nil
	case !v.isList():
		return v.decodeOne(v.typ, entries[0])
	}
	list, errs := reflect.Zero(v.typ), []error(nil)
	for _, entry := range entries {
		value, err := v.decodeOne(v.typ.Elem(), entry)
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
	set := strings.Fields(v.tag.Get("oneof"))
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
	switch v.tag.Get("check") {
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
	if v.tag.Get("max") == "" {
		return nil
	}
	low, high := v.bound("min"), v.bound("max")
	zero, offered := v.tag.Lookup("zero")
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
	value, err := convert(v.typ, v.tag.Get(tag))
	if err != nil {
		panic(fmt.Sprintf("config: tag %s of %s: %v", tag, v.name(), err))
	}
	return value
}
