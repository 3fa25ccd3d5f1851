# `make` lists the targets. `make run` and `make test` install what they need beyond Go.
SHELL         := bash
.SHELLFLAGS   := -euo pipefail -c
MAKEFLAGS     += --no-builtin-rules --warn-undefined-variables
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

export PATH := /usr/sbin:/sbin:$(PATH)

BINARY  := columnstore_exporter
PACKAGE := ./cmd/columnstore_exporter
SOURCES := cmd dashboards deploy pkg

# What the binary says of itself. A build outside a clone, as in the Dockerfile, is told.
VERSION  ?= $(or $(patsubst v%,%,$(shell git describe --tags --match='v[0-9]*' --dirty 2>/dev/null)),0.0.0-dev)
REVISION ?= $(or $(shell git rev-parse HEAD 2>/dev/null),unknown)
BRANCH   ?= $(or $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null),unknown)
DATE     ?= $(shell git log -1 --format=%cI 2>/dev/null)
STAMP     = github.com/prometheus/common/version
LDFLAGS   = -s -w -X $(STAMP).Version=$(VERSION) -X $(STAMP).Revision=$(REVISION) -X $(STAMP).Branch=$(BRANCH) \
            -X $(STAMP).BuildDate=$(DATE)

GOLANGCI_LINT := .bin/golangci-lint@v2.15.0
NFPM          := .bin/nfpm@v2.45.2
CYCLONEDX     := .bin/cyclonedx-gomod@v1.10.0

# What `make packages` and `make release` make, and where.
ARCHITECTURES ?= amd64 arm64
DIST          ?= dist
EPOCH          = $(shell git log -1 --format=%ct 2>/dev/null)
release        = $(BINARY)-$(VERSION).linux-$(1)

# The Debian packages that tests and benchmarks need. (deploy/local/run sees to its own.)
DEPS := busybox-static chromium cpio debootstrap e2fsprogs fio fonts-dejavu-core fuse3 gcc ioping kmod libc6-dev mandoc \
        mariadb-client-core mariadb-server-core mount procps prometheus prometheus-alertmanager qemu-system-x86 shellcheck \
        strace sysstat systemd systemd-container xfsprogs

# Tests behind a build tag need more than Go and a Linux machine; all of these run in `make test`. Apart are the tests of two
# tags: packages, which boot a Debian each (75 s of processor time in all, and once the making of a Debian from the archive) and
# would keep a person waiting: CI runs them afterwards; and columnstore, which need a real engine, which is no package: they
# run where COLUMNSTORE_BED is.
TAGS            := chromium,deploy,mariadb,nfs,prometheus
COLUMNSTORE_BED ?= ../shared/columnstore
TESTFLAGS       ?=
BENCHFLAGS      ?= -benchtime=1x
FUZZTIME        ?= 30s
FUZZJOBS        ?= 1

# The packages with tests behind the tag $(1).
tagged = $(sort $(dir $(addprefix ./,$(shell grep -rlE --include='*_test.go' '^//go:build .*\b$(1)\b' $(SOURCES)))))
# A benchmark of the name $(1), which prints its figures, and with UPDATE=1 writes them into docs/performance.md.
UPDATE ?=
bench   = $(if $(UPDATE),PERFORMANCE_DOCUMENT=$(CURDIR)/docs/performance.md) \
          go test -tags=$(TAGS) -run='^$$' -bench='^Benchmark$(1)' -timeout=1h $(BENCHFLAGS)
BENCHES := $(addprefix bench-,fidelity stress cost scale throughput csv)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## the static binary ./columnstore_exporter
	CGO_ENABLED=0 go build -trimpath -ldflags='$(LDFLAGS)' -o $(BINARY) $(PACKAGE)

.PHONY: run
run: build ## the daemon on DBroots made under ./.run; Ctrl-C ends it
	@deploy/local/run

.PHONY: test
test: deps lint ## what CI runs, test-packages apart
	@# The race detector would have each process that a test starts sleep for a second at its end.
	GORACE=atexit_sleep_ms=0 go test -race -p=1 -tags=$(TAGS) -timeout=40m $(TESTFLAGS) ./...
	@# Go's cache of test results takes no notice of files outside of the module.
	go test -C deploy/test -count=1 $(TESTFLAGS) ./...
	$(MAKE) fuzz FUZZTIME=10s FUZZJOBS=3
	@$(MAKE) --no-print-directory test-columnstore

.PHONY: test-faults
test-faults: ## all faults at all moments; writes docs/faults.md
	go test -count=1 -tags=mariadb -run='^TestFaults$$' -timeout=1h $(TESTFLAGS) $(PACKAGE) -faults-document=$(CURDIR)/docs/faults.md

.PHONY: test-nfs
test-nfs: ## the tests against a real NFS server in a QEMU guest, alone; writes docs/nfs.md
	go test -count=1 -tags=nfs -run=NFS -timeout=20m -v $(TESTFLAGS) $(filter-out $(PACKAGE)/,$(call tagged,nfs))
	go test -count=1 -tags=nfs -run=NFS -timeout=20m -v $(TESTFLAGS) $(PACKAGE) -nfs-document=$(CURDIR)/docs/nfs.md

.PHONY: test-packages
test-packages: ## the tests of the deb in a booted Debian, alone
	go test -count=1 -tags=packages -timeout=20m $(TESTFLAGS) $(call tagged,packages)

.PHONY: test-columnstore
test-columnstore: ## the tests against a real ColumnStore, where COLUMNSTORE_BED is
ifneq ($(wildcard $(COLUMNSTORE_BED)/columnstore),)
	COLUMNSTORE_BED=$(abspath $(COLUMNSTORE_BED)) \
		go test -count=1 -p=1 -tags=columnstore -run=ColumnStore -timeout=40m $(TESTFLAGS) $(call tagged,columnstore)
else
	@echo 'test-columnstore: not run: no $(COLUMNSTORE_BED)'
endif

.PHONY: soak
soak: ## a long life in minutes: 2,000,000 samples, 100,000 scrapes, 2,000 trials; writes docs/soak.md
	go test -count=1 -tags=mariadb -run='^TestSoak$$' -timeout=2h -v $(PACKAGE) -soak=1 -soak-document=$(CURDIR)/docs/soak.md

.PHONY: test-harmless
test-harmless: ## all calls of a day's work in ColumnStore's directories; writes docs/harmless.md
	go test -count=1 -tags=mariadb -run='^TestDaemonIsHarmless$$' -timeout=2h -v $(PACKAGE) -day=1 -harmless-document=$(CURDIR)/docs/harmless.md

.PHONY: performance
performance: ## all benchmarks, into docs/performance.md: an hour on a quiet machine, as root
	for bench in $(BENCHES); do $(MAKE) --no-print-directory $$bench UPDATE=1; done

.PHONY: $(BENCHES) bench-micro
bench-fidelity: ## read latency beside ioping and a loop in C
	$(call bench,Fidelity$$) $(PACKAGE)

bench-stress: ## the same while the machine, or the daemon, is busy
	$(call bench,Stress$$) $(PACKAGE)

bench-cost: ## processor time, memory and writes of the daemon at the defaults
	$(call bench,Cost$$) $(PACKAGE)

bench-scale: ## what 10, 100 and 1,000 directories cost
	$(call bench,Scale$$) $(PACKAGE)

bench-throughput: ## throughput beside fio, and what checksums cost
	$(call bench,Throughput) ./pkg/throughput/

bench-csv: ## the rows of an import trial
	$(call bench,CSV$$) $(PACKAGE)

bench-micro: ## time and allocations of what is done for each sample, for benchstat
	go test -run='^$$' -bench='Do|Sample|InFlight|Receive|Run|Gather|Checksum|Read|Write' -benchmem -count=10 \
		./pkg/ingest/cptest ./pkg/latency/... ./pkg/metrics ./pkg/tasks ./pkg/throughput ./pkg/worker

.PHONY: fuzz
fuzz: ## each fuzz test for FUZZTIME
	@grep -roE --include='*_test.go' '^func Fuzz\w+' $(SOURCES) | sed -E 's,/[^/]*:func (.*), \1 $(FUZZTIME),' | xargs -P $(FUZZJOBS) -L 1 .ci/fuzz

.PHONY: packages
packages: $(NFPM) $(ARCHITECTURES:%=$(DIST)/linux-%/$(BINARY)) ## deb and rpm for ARCHITECTURES, in dist
	for arch in $(ARCHITECTURES); do for format in deb rpm; do \
		ARCH=$$arch VERSION=$(VERSION) BIN=$(DIST)/linux-$$arch/$(BINARY) SOURCE_DATE_EPOCH=$(EPOCH) \
			$(NFPM) package --config=deploy/packages/nfpm.yaml --packager=$$format --target=$(DIST); \
	done; done

.PHONY: release
release: packages $(CYCLONEDX) ## packages, archives, bills of materials and checksums, in dist
	for arch in $(ARCHITECTURES); do \
		git archive --prefix=$(call release,$$arch)/ --add-file=$(DIST)/linux-$$arch/$(BINARY) \
			HEAD CHANGELOG.md LICENSE README.md dashboards deploy docs ':!*.go' ':!*/testdata' | gzip -9n >$(DIST)/$(call release,$$arch).tar.gz; \
		$(CYCLONEDX) bin -json -std -noserial -notimestamp -version=v$(VERSION) \
			-output=$(DIST)/$(call release,$$arch).cdx.json $(DIST)/linux-$$arch/$(BINARY); \
	done
	cd $(DIST) && sha256sum *.deb *.rpm *.tar.gz *.cdx.json >SHA256SUMS

$(DIST)/linux-%/$(BINARY): force
	CGO_ENABLED=0 GOARCH=$* go build -trimpath -ldflags='$(LDFLAGS)' -o $@ $(PACKAGE)

.PHONY: force
force:

.PHONY: lint
lint: $(GOLANGCI_LINT) ## formatting, vet, linters, go.mod, shell scripts
	for module in . deploy/test; do \
		(cd "$$module" && go mod tidy -diff && $(CURDIR)/$(GOLANGCI_LINT) run); \
	done
	git grep -lE '^#!.*\b(ba)?sh$$' | xargs shellcheck -x -P SCRIPTDIR

$(GOLANGCI_LINT):
	.ci/tool github.com/golangci/golangci-lint/v2/cmd/$(@F)

$(NFPM):
	.ci/tool github.com/goreleaser/nfpm/v2/cmd/$(@F)

$(CYCLONEDX):
	.ci/tool github.com/CycloneDX/cyclonedx-gomod/cmd/$(@F)

.PHONY: dashboards
dashboards: ## the dashboards' JSON from their Go
	go generate ./dashboards

.PHONY: generate
generate: dashboards ## all that is made from code, README's tables among it
	go test -run=Golden ./pkg/config -update
	go test -run=ReadmeHas $(PACKAGE) -update
	go test -tags=packages -run=ManPageHasTheSettings ./deploy/packages -update
	go test -C deploy/test -run=RuleIsGenerated . -update

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## format the Go files
	$(GOLANGCI_LINT) fmt

.PHONY: deps
deps: ## the Debian packages that tests and benchmarks need
	.ci/deps $(DEPS)

.PHONY: clean
clean: ## remove what the targets made here
	rm -rf .bin .run dist $(BINARY)
