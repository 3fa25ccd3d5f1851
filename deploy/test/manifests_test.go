// Package deploy_test holds the manifests under deploy to the types of those who read them: Kubernetes, the Prometheus
// operator, Helm, Kustomize, Compose and Prometheus. It is a module of its own, as the exporter needs none of these.
package deploy_test

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

var update = flag.Bool("update", false, "write operator/prometheusrule.yaml from Prometheus's rules")

// decode returns the objects of a stream of YAML documents. A field that the type does not have, or has twice, fails the
// test.
func decode(t *testing.T, stream []byte) (objects []runtime.Object) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apps.AddToScheme, core.AddToScheme, monitoring.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Errorf("%v\n%s", err, document)
			continue
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := validation.NameIsDNSSubdomain(accessor.GetName(), false); wrong != nil {
			t.Errorf("name %q: %v", accessor.GetName(), wrong)
		}
		objects = append(objects, object)
	}
}

// of returns the objects that are of type T.
func of[T runtime.Object](objects []runtime.Object) (found []T) {
	for _, o := range objects {
		if o, ok := o.(T); ok {
			found = append(found, o)
		}
	}
	return found
}

// one returns the only object that is of type T.
func one[T runtime.Object](t *testing.T, objects []runtime.Object) T {
	t.Helper()
	found := of[T](objects)
	if len(found) != 1 {
		t.Fatalf("%d objects of type %T", len(found), *new(T))
	}
	return found[0]
}

// settings are the variables that the exporter knows.
func settings(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../columnstore_exporter.env.example")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^#(COLUMNSTORE_EXPORTER_\w+)=`).FindAllStringSubmatch(string(text), -1) {
		known[match[1]] = true
	}
	return known
}

// holdUnknown reports variables that the exporter does not know.
func holdUnknown(t *testing.T, names ...string) {
	t.Helper()
	known := settings(t)
	for _, name := range names {
		if strings.HasPrefix(name, "COLUMNSTORE_EXPORTER_") && !known[name] {
			t.Errorf("the exporter knows no setting %s", name)
		}
	}
}
