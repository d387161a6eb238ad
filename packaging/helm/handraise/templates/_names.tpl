{{- define "handraise.name" -}}
{{- if contains "handraise" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-handraise" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- define "handraise.selector" -}}
app.kubernetes.io/name: handraise
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "handraise.labels" -}}
{{ include "handraise.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}
