//go:build linux

package topology

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
)

const (
	dbrootsVariable = "COLUMNSTORE_EXPORTER_DBROOTS"
	extraVariable   = "COLUMNSTORE_EXPORTER_EXTRA_DIRECTORIES"
	xmlVariable     = "COLUMNSTORE_EXPORTER_COLUMNSTORE_XML"
)

// dbrootNumber is the number of a DBroot as ColumnStore writes it. cmapi knows two digits and no more.
var dbrootNumber = regexp.MustCompile(`^[1-9]\d?$`)

// plan is a topology in the making.
type plan struct {
	Topology
	// dbroots and extras say what each planned directory is, so that none is planned twice.
	dbroots map[string]string
	extras  map[string]string
}

func newPlan() *plan {
	return &plan{
		Topology: Topology{Targets: []Planned{}, Ignored: []Ignored{}}, // [] rather than null in JSON
		dbroots:  map[string]string{},
		extras:   map[string]string{},
	}
}

// candidate is a DBroot that is this node's, unless its path is bad.
type candidate struct {
	number int
	// element and value are the path's source, as Ignored has them.
	element, value string
	// origin ends the reason: where the element is, and what makes it this node's.
	origin string
}

func (p *plan) addDBRoot(c candidate) {
	directory, err := cleanPath(c.value)
	if err != nil {
		p.mistake(c.element, c.value, "%v (%s)", err, c.origin)
		return
	}
	if other, taken := p.dbroots[directory]; taken {
		p.mistake(c.element, c.value, "the same directory as %s (%s)", other, c.origin)
		return
	}
	p.dbroots[directory] = c.element
	number := strconv.Itoa(c.number)
	p.Targets = append(p.Targets,
		Planned{
			Target{DBRoot: number, Kind: KindDBRoot, Directory: directory},
			c.element + " " + c.origin + rewritten(c.value, directory),
		},
		Planned{
			Target{DBRoot: number, Kind: KindBulkRollback, Directory: filepath.Join(directory, "bulkRollback")},
			"where cpimport keeps what a rollback of DBroot " + number + " needs",
		})
}

// addOverrides plans the DBroots that the operator gave instead of Columnstore.xml's, in the order of their numbers.
func (p *plan) addOverrides(given []NumberedPath) {
	paths := map[int]string{}
	for _, g := range given {
		number, _ := strconv.Atoi(g.Number)
		entry := g.Number + "=" + g.Path
		if !dbrootNumber.MatchString(g.Number) {
			p.mistake(dbrootsVariable, entry, "%q is not the number of a DBroot, 1 to 99", g.Number)
		} else if _, twice := paths[number]; twice {
			p.mistake(dbrootsVariable, entry, "DBroot %d is given twice: the first counts", number)
		} else {
			paths[number] = g.Path
		}
	}
	for number := 1; number <= maxDBRoot; number++ {
		if path, ok := paths[number]; ok {
			p.addDBRoot(candidate{number, dbrootsVariable, path, fmt.Sprintf("gives DBroot %d", number)})
		}
	}
}

func (p *plan) addExtras(given []NamedPath) {
	for _, g := range given {
		entry := g.Name + "=" + g.Path
		directory, err := cleanPath(g.Path)
		if err != nil {
			p.mistake(extraVariable, entry, "%v", err)
			continue
		}
		if other, taken := p.extras[directory]; taken {
			p.mistake(extraVariable, entry, "the same directory as %s", other)
			continue
		}
		p.extras[directory] = entry
		p.Targets = append(p.Targets, Planned{
			Target{Kind: KindExtra, Name: g.Name, Directory: directory},
			extraVariable + " names it" + rewritten(g.Path, directory),
		})
	}
}

// ignore notes what is left out as it should be.
func (p *plan) ignore(element, value, format string, args ...any) {
	p.Ignored = append(p.Ignored, Ignored{Element: element, Value: value, Reason: fmt.Sprintf(format, args...)})
}

// mistake notes what is left out because the configuration is wrong there.
func (p *plan) mistake(element, value, format string, args ...any) {
	p.ignore(element, value, format, args...)
	p.Ignored[len(p.Ignored)-1].Mistake = true
}

func (p *plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// rewritten ends a reason when the path was not clean.
func rewritten(value, directory string) string {
	if value == directory {
		return ""
	}
	return fmt.Sprintf("; written %q", value)
}
