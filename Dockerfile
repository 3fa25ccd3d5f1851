# docker build --build-arg VERSION=… --build-arg REVISION=$(git rev-parse HEAD) .
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
ARG BRANCH=unknown
RUN make build VERSION="$VERSION" REVISION="$REVISION" BRANCH="$BRANCH" \
 && install -d state

# Static and without a shell: it holds certificates, time zones, and the user nonroot (65532).
# cpimport is not in here: import trials go through LOAD DATA.
FROM gcr.io/distroless/static-debian12:nonroot
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="columnstore_exporter" \
      org.opencontainers.image.description="Storage latency and import speed of MariaDB ColumnStore for Prometheus" \
      org.opencontainers.image.source="https://github.com/columnstore/columnstore_exporter" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /src/LICENSE /LICENSE
COPY --from=build /src/columnstore_exporter /usr/bin/columnstore_exporter
COPY --from=build --chown=65532:65532 /src/state /var/lib/columnstore_exporter
# Its probe files are owned like the DBroots and called after the host: docker run --user "$(id -u mysql):$(id -g mysql)"
# --hostname "$(hostname)", with a state directory of the same owner. deploy/container/compose.yml shows the rest.
USER 65532:65532
EXPOSE 10570
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/usr/bin/columnstore_exporter", "healthcheck"]
ENTRYPOINT ["/usr/bin/columnstore_exporter"]
