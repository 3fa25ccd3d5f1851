//go:build linux

package topology

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

const (
	// maxXML is far above any Columnstore.xml: 10 KiB on one node, some 100 KiB on a hundred.
	maxXML = 16 << 20
	// maxDepth bounds the nesting; ColumnStore's own file is three deep.
	maxDepth = 32
)

// wanted are the elements that discovery reads, as section/name.
var wanted = regexp.MustCompile(`^(` +
	`SystemConfig/(DBRoot[0-9]+|DataFilePlugin)|` +
	`SystemModuleConfig/ModuleDBRoot(ID[0-9]+-[0-9]+|Count[0-9]+)-3|` +
	`WriteEngine/BulkRollbackDir|` +
	`Installation/DBRootStorageType|` +
	`StorageManager/Enabled)$`)

// settings are the wanted elements of Columnstore.xml by section/name (SystemConfig/DBRoot1).
type settings map[string]setting

// setting is one element. Of several with the same name the first one counts, as in ColumnStore's own reader.
type setting struct {
	// value has no space around it.
	value string
	line  int
	// second is the next element of the same name, nil when there is none.
	second *setting
}

func readSettings(path string, watch Operations) (settings, error) {
	data, err := readFile("ColumnStore's configuration", path, maxXML, watch)
	if err != nil {
		return nil, err
	}
	found, err := parseSettings(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return found, nil
}

// parseSettings walks the tokens, because the elements' names hold digits and dashes. No entity is ever expanded but the
// five that XML predefines: a reference to any other is a syntax error.
func parseSettings(data []byte) (settings, error) {
	decoder := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	decoder.CharsetReader = asciiReader
	w := walker{found: settings{}}
	for {
		line, _ := decoder.InputPos()
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = w.take(token, line)
		} else {
			line, _ = decoder.InputPos()
		}
		if err != nil {
			return nil, w.locate(err, line)
		}
	}
	if !w.rooted {
		return nil, errors.New("not XML: it holds no element")
	}
	return w.found, nil
}

// walker follows the elements of a document.
type walker struct {
	found settings
	// path are the names of the open elements, the root's first.
	path   []string
	rooted bool
	// text and line belong to the open element section/name.
	text strings.Builder
	line int
}

func (w *walker) take(token xml.Token, line int) error {
	switch token := token.(type) {
	case xml.StartElement:
		return w.open(token.Name.Local, line)
	case xml.EndElement:
		w.close()
	case xml.CharData:
		if len(w.path) == 3 {
			w.text.Write(token)
		} else if len(w.path) == 0 && len(bytes.TrimSpace(token)) > 0 {
			return errors.New("not XML: text outside of the root element")
		}
	}
	return nil
}

func (w *walker) open(name string, line int) error {
	if len(w.path) == maxDepth {
		return fmt.Errorf("elements nested more than %d deep", maxDepth)
	}
	if len(w.path) == 0 && w.rooted {
		return fmt.Errorf("a second root element <%s>", name)
	}
	w.rooted = true
	w.path = append(w.path, name)
	if len(w.path) == 3 {
		w.text.Reset()
		w.line = line
	}
	return nil
}

func (w *walker) close() {
	if len(w.path) == 3 {
		w.keep(w.path[1] + "/" + w.path[2])
	}
	w.path = w.path[:len(w.path)-1]
}

func (w *walker) keep(name string) {
	if !wanted.MatchString(name) {
		return
	}
	this := setting{value: strings.TrimSpace(w.text.String()), line: w.line}
	first, repeated := w.found[name]
	switch {
	case !repeated:
		w.found[name] = this
	case first.second == nil:
		first.second = &this
		w.found[name] = first
	}
}

// locate says where in the document the error is.
func (w *walker) locate(err error, line int) error {
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		err = errors.New(syntax.Msg)
	}
	if len(w.path) == 0 {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return fmt.Errorf("line %d, in <%s>: %w", line, strings.Join(w.path, "/"), err)
}

// asciiReader lets a declared encoding="ASCII", which some XML libraries write, pass as the part of UTF-8 that it is.
func asciiReader(charset string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "ascii", "us-ascii":
		return input, nil
	default:
		return nil, fmt.Errorf("encoding %q is not read: store the file as UTF-8", charset)
	}
}
