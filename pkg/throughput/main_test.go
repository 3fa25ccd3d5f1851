package throughput_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// childSpec holds a spec as JSON in the environment of a process that is to run it and nothing else.
const childSpec = "THROUGHPUT_TEST_SPEC"

func TestMain(m *testing.M) {
	if text := os.Getenv(childSpec); text != "" {
		os.Exit(child(text))
	}
	goleak.VerifyTestMain(m)
}

// child runs a spec, and says when its first test has begun, what came out, and the most memory that it had.
func child(text string) (code int) {
	var spec throughput.Spec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	outcome := throughput.Run(context.Background(), spec, when(spec.Tests[0], func() { fmt.Println("begun") }))
	if err := json.NewEncoder(os.Stdout).Encode(outcome); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Print(string(status))
	return 0
}
