{{- define "columnstore-exporter.labels" -}}
{{ include "columnstore-exporter.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "columnstore-exporter.selectorLabels" -}}
app.kubernetes.io/name: columnstore-exporter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "columnstore-exporter.name" -}}
{{ ternary .Release.Name (printf "%s-columnstore-exporter" .Release.Name | trunc 63 | trimSuffix "-") (contains "columnstore-exporter" .Release.Name) }}
{{- end }}

{{/* The container. A chart of ColumnStore includes it in the context of this one:
     include "columnstore-exporter.container" (index .Subcharts "columnstore-exporter") */}}
{{- define "columnstore-exporter.container" -}}
name: columnstore-exporter
image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- if or .Values.settings .Values.ingest.secretName }}
env:
  {{- range $name, $value := .Values.settings }}
  - name: COLUMNSTORE_EXPORTER_{{ $name }}
    value: {{ $value | quote }}
  {{- end }}
  {{- if .Values.ingest.secretName }}
  - name: COLUMNSTORE_EXPORTER_INGEST_DSN
    valueFrom:
      secretKeyRef:
        name: {{ .Values.ingest.secretName }}
        key: {{ .Values.ingest.secretKey }}
  {{- end }}
{{- end }}
ports:
  - name: columnstore-exp
    containerPort: 10570
livenessProbe:
  httpGet:
    path: /-/healthy
    port: columnstore-exp
  timeoutSeconds: 5
{{- /* In a pod of ColumnStore, not to be measured yet is no reason to keep clients from the database. */}}
{{- if eq .Values.mode "daemonset" }}
readinessProbe:
  httpGet:
    path: /-/ready
    port: columnstore-exp
  timeoutSeconds: 5
{{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  runAsUser: {{ .Values.runAs.user }}
  runAsGroup: {{ .Values.runAs.group }}
  runAsNonRoot: true
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
  seccompProfile:
    type: RuntimeDefault
volumeMounts:
  {{- range .Values.directories }}
  - name: {{ .name }}
    mountPath: {{ .path }}
    {{- if get . "readOnly" }}
    readOnly: true
    {{- else }}
    # DBroots that are mounted later, as in a fail-over, appear here, too.
    mountPropagation: HostToContainer
    {{- end }}
  {{- end }}
  - name: columnstore-exporter-state
    mountPath: /var/lib/columnstore_exporter
{{- end }}

{{/* The volume of the exporter's own that the container needs. */}}
{{- define "columnstore-exporter.stateVolume" -}}
name: columnstore-exporter-state
emptyDir: {}
{{- end }}
