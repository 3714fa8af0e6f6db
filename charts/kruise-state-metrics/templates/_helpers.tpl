{{- define "kruise-state-metrics.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "kruise-state-metrics.fullname" -}}
{{- $name := include "kruise-state-metrics.name" . -}}
{{- $made := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $made | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "kruise-state-metrics.selector" -}}
control-plane: {{ include "kruise-state-metrics.fullname" . | quote }}
{{- end -}}

{{- define "kruise-state-metrics.labels" -}}
{{ include "kruise-state-metrics.selector" . }}
app.kubernetes.io/name: {{ include "kruise-state-metrics.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "kruise-state-metrics.account" -}}
{{- $name := .Values.serviceAccount.create | ternary (include "kruise-state-metrics.fullname" .) "default" -}}
{{- .Values.serviceAccount.name | default $name -}}
{{- end -}}

{{- define "kruise-state-metrics.metadata" -}}
metadata:
  name: {{ include "kruise-state-metrics.fullname" . | quote }}
  namespace: {{ .Values.installation.namespace | quote }}
  labels:
    {{- include "kruise-state-metrics.labels" . | nindent 4 }}
{{- end -}}
