{{/* Names, labels, and what this release may touch. */}}

{{- define "muster.name" -}}
{{- ternary .Release.Name (printf "%s-muster" .Release.Name) (contains "muster" .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* "-<pool>", or nothing: the end of names that belong to a node pool, as the program forms them. */}}
{{- define "muster.poolSuffix" -}}
{{- with .Values.nodePool }}-{{ . }}{{ end -}}
{{- end -}}

{{- define "muster.labels" -}}
app: {{ include "muster.name" . }}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: muster
{{- end -}}

{{- define "muster.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* "yes" where an object of the whole cluster is missing, or came with this release. (list $ apiVersion kind name) */}}
{{- define "muster.mayMake" -}}
{{- $root := index . 0 -}}
{{- $found := lookup (index . 1) (index . 2) "" (index . 3) -}}
{{- $annotations := dig "metadata" "annotations" dict $found -}}
{{- $isOurs := and (eq (get $annotations "meta.helm.sh/release-name") $root.Release.Name) (eq (get $annotations "meta.helm.sh/release-namespace") $root.Release.Namespace) -}}
{{- if or (not $found) $isOurs }}yes{{ end -}}
{{- end -}}

{{/* "yes" where the CRD of this name is to be installed. (list $ name) */}}
{{- define "muster.installsCrd" -}}
{{- $root := index . 0 -}}
{{- $how := $root.Values.crds.install -}}
{{- if eq $how "always" }}yes{{ else if eq $how "auto" }}{{ include "muster.mayMake" (list $root "apiextensions.k8s.io/v1" "CustomResourceDefinition" (index . 1)) }}{{ end -}}
{{- end -}}

{{- define "muster.config" -}}
{{- with .Values.config }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* YAML takes on and off for truth values. */}}
{{- define "muster.podGrouper" -}}
{{- $value := .Values.podGrouper -}}
{{- if kindIs "bool" $value }}{{ ternary "on" "off" $value }}{{ else }}{{ $value }}{{ end -}}
{{- end -}}
