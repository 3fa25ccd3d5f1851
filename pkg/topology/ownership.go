//go:build linux

package topology

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// assignment is one element ModuleDBRootID<module>-<position>-3, which gives a DBroot to a performance module.
type assignment struct {
	module, position int
	element, value   string
}

var assignmentName = regexp.MustCompile(`^SystemModuleConfig/ModuleDBRootID([1-9][0-9]*)-([1-9][0-9]*)-3$`)

// assignments returns them sorted by module and position.
func assignments(found settings) []assignment {
	var all []assignment
	for element, s := range found {
		match := assignmentName.FindStringSubmatch(element)
		if match == nil {
			continue
		}
		module, errModule := strconv.Atoi(match[1])
		position, errPosition := strconv.Atoi(match[2])
		if errModule == nil && errPosition == nil {
			all = append(all, assignment{module, position, element, s.value})
		}
	}
	slices.SortFunc(all, func(a, b assignment) int {
		return cmp.Or(cmp.Compare(a.module, b.module), cmp.Compare(a.position, b.position))
	})
	return all
}

// knows returns an error when Columnstore.xml says nothing about the module's DBroots, not even that it has none.
func (c *columnstore) knows(module int) error {
	if _, ok := c.settings[countElement(module)]; ok {
		return nil
	}
	if slices.ContainsFunc(c.assigned, func(a assignment) bool { return a.module == module }) {
		return nil
	}
	return fmt.Errorf("%s has no %s", c.path, countElement(module))
}

// owned returns the numbers of the module's DBroots, each with the element that gives it.
func (c *columnstore) owned(module int) map[int]string {
	count, err := strconv.Atoi(c.settings[countElement(module)].value)
	if err != nil {
		count = math.MaxInt
	}
	owned := map[int]string{}
	for _, a := range c.assigned {
		if a.module != module {
			continue
		}
		number, _ := strconv.Atoi(a.value)
		_, defined := c.dbroot(number)
		switch {
		case a.value == unassigned:
			c.ignore(a.element, a.value, "no DBroot is assigned")
		case a.position > count: // ColumnStore itself looks no further
			c.mistake(a.element, a.value, "beyond %s, which is %d", countElement(module), count)
		case !dbrootNumber.MatchString(a.value):
			c.mistake(a.element, a.value, "not the number of a DBroot, 1 to %d", maxDBRoot)
		case owned[number] != "":
			c.mistake(a.element, a.value, "%s gives DBroot %d already", owned[number], number)
		case defined.line == 0:
			c.mistake(a.element, a.value, "%s has no SystemConfig/DBRoot%d", c.path, number)
		default:
			owned[number] = a.element
		}
	}
	return owned
}

// owner says whose a DBroot is that is not this node's.
func (c *columnstore) owner(number int) string {
	for _, a := range c.assigned {
		if a.value == strconv.Itoa(number) && fmt.Sprintf("pm%d", a.module) != c.Module {
			return fmt.Sprintf("pm%d's by %s, and this node is %s", a.module, a.element, c.Module)
		}
	}
	return "not among the DBroots of " + c.Module
}

func countElement(module int) string {
	return fmt.Sprintf("SystemModuleConfig/ModuleDBRootCount%d-3", module)
}
