//go:build linux

package topology

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxDBRoot is the highest number that is looked for. The numbering may have holes, so DBRootCount says nothing.
	maxDBRoot = 99
	// unassigned is what ColumnStore writes where there could be a value and is none.
	unassigned = "unassigned"
)

// columnstore is Columnstore.xml and the plan that is made from it.
type columnstore struct {
	*plan
	path     string
	settings settings
	assigned []assignment
}

// addColumnstore plans the DBroots that Columnstore.xml gives to this node's module; all of them when the module is unknown.
func (p *plan) addColumnstore(src Sources, watch Operations) error {
	found, err := readSettings(src.ColumnstoreXML, watch)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: set %s to where ColumnStore's configuration is, or %s to its DBroots", err, xmlVariable, dbrootsVariable)
	}
	if err != nil {
		return err
	}
	c := &columnstore{plan: p, path: src.ColumnstoreXML, settings: found, assigned: assignments(found)}
	if len(c.numbers()) == 0 {
		return fmt.Errorf("read %s: no SystemConfig/DBRoot1 to DBRoot%d in it: set %s to the file that has them, or %s to the DBroots",
			c.path, maxDBRoot, xmlVariable, dbrootsVariable)
	}
	module, err := readModule(src.ModuleFile, watch)
	if err == nil {
		c.Module = fmt.Sprintf("pm%d", module)
		err = c.knows(module)
	}
	if err == nil {
		c.addOwned(module)
	} else {
		c.note("Every DBroot is taken for this node's: %v.", err)
		c.addAll()
	}
	c.ignoreOddElements()
	c.noteStorageManager()
	return nil
}

// addOwned plans the DBroots that elements ModuleDBRootID give to the module.
func (c *columnstore) addOwned(module int) {
	owned := c.owned(module)
	for _, number := range c.numbers() {
		element, s := c.dbroot(number)
		if by, ok := owned[number]; ok {
			c.addSetting(number, fmt.Sprintf(", %s gives it to %s", by, c.Module))
		} else {
			c.ignore(element, s.value, "%s", c.owner(number))
		}
	}
	if len(owned) == 0 {
		c.note("%s owns no DBroot.", c.Module)
	}
}

func (c *columnstore) addAll() {
	for _, number := range c.numbers() {
		c.addSetting(number, "")
	}
}

// addSetting plans the DBroot of that number, which is defined. owner ends the reason.
func (c *columnstore) addSetting(number int, owner string) {
	element, s := c.dbroot(number)
	if s.value == unassigned {
		c.ignore(element, s.value, "unassigned")
		return
	}
	c.addDBRoot(candidate{number, element, s.value, fmt.Sprintf("in %s line %d%s", c.path, s.line, owner)})
}

// numbers are the numbers of the DBroots that are defined, in order.
func (c *columnstore) numbers() []int {
	var defined []int
	for number := 1; number <= maxDBRoot; number++ {
		if _, s := c.dbroot(number); s.line > 0 {
			defined = append(defined, number)
		}
	}
	return defined
}

// dbroot returns the element that defines a DBroot; its line is 0 when there is none.
func (c *columnstore) dbroot(number int) (element string, s setting) {
	element = "SystemConfig/DBRoot" + strconv.Itoa(number)
	return element, c.settings[element]
}

// ignoreOddElements notes the elements that look as if they counted.
func (c *columnstore) ignoreOddElements() {
	for _, element := range slices.Sorted(maps.Keys(c.settings)) {
		s := c.settings[element]
		if s.second != nil {
			c.mistake(element, s.second.value, "a second one, in %s line %d: ColumnStore reads the first, in line %d", c.path, s.second.line, s.line)
		}
		if number, ok := strings.CutPrefix(element, "SystemConfig/DBRoot"); ok && !dbrootNumber.MatchString(number) {
			c.mistake(element, s.value, "not the number of a DBroot, 1 to %d (in %s line %d)", maxDBRoot, c.path, s.line)
		}
	}
	const unused = "WriteEngine/BulkRollbackDir"
	if s, ok := c.settings[unused]; ok {
		c.ignore(unused, s.value, "ColumnStore reads it and never uses it: the directory in use is bulkRollback in each DBroot")
	}
}

// noteStorageManager says when a DBroot is not where the data is.
func (c *columnstore) noteStorageManager() {
	var signs []string
	for _, sign := range []struct{ element, value string }{
		{"Installation/DBRootStorageType", "storagemanager"},
		{"StorageManager/Enabled", "y"},
		{"SystemConfig/DataFilePlugin", ""},
	} {
		value := c.settings[sign.element].value
		if value != "" && (sign.value == "" || strings.EqualFold(value, sign.value)) {
			signs = append(signs, sign.element+"="+value)
		}
	}
	if len(signs) == 0 {
		return
	}
	c.StorageManager = true
	c.note("Storage Manager is in use (%s): ColumnStore's data is in object storage behind a cache, and what is measured in a DBroot is the local disk alone.",
		strings.Join(signs, ", "))
}
