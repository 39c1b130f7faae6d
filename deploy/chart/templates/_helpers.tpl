{{/* Names, labels, and which objects this release may change. */}}

{{- define "muster.name" -}}
{{- ternary .Release.Name (printf "%s-muster" .Release.Name) (contains "muster" .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* The suffix "-<pool>" of names that belong to a node pool, or nothing. The program uses the same names. */}}
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

{{/* "yes" if a cluster-scoped object is missing or came with this release. (list $ apiVersion kind name) */}}
{{- define "muster.mayMake" -}}
{{- $root := index . 0 -}}
{{- $found := lookup (index . 1) (index . 2) "" (index . 3) -}}
{{- $annotations := dig "metadata" "annotations" dict $found -}}
{{- $isOurs := and (eq (get $annotations "meta.helm.sh/release-name") $root.Release.Name) (eq (get $annotations "meta.helm.sh/release-namespace") $root.Release.Namespace) -}}
{{- if or (not $found) $isOurs }}yes{{ end -}}
{{- end -}}

{{/* "yes" if the CRD of this name is to be installed. (list $ name) */}}
{{- define "muster.installsCrd" -}}
{{- $root := index . 0 -}}
{{- $how := $root.Values.crds.install -}}
{{- if eq $how "always" }}yes{{ else if eq $how "auto" }}{{ include "muster.mayMake" (list $root "apiextensions.k8s.io/v1" "CustomResourceDefinition" (index . 1)) }}{{ end -}}
{{- end -}}

{{- define "muster.config" -}}
{{- with .Values.config }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* YAML parses on and off as booleans. */}}
{{- define "muster.podGrouper" -}}
{{- $value := .Values.podGrouper -}}
{{- if kindIs "bool" $value }}{{ ternary "on" "off" $value }}{{ else }}{{ $value }}{{ end -}}
{{- end -}}

{{/* Parts of the policies for muster's own ServiceAccount. */}}
{{- define "muster.metadataVariables" -}}
- {name: labels, expression: "has(object.metadata.labels) ? object.metadata.labels : {}"}
- {name: oldLabels, expression: "has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}"}
- {name: annotations, expression: "has(object.metadata.annotations) ? object.metadata.annotations : {}"}
- {name: oldAnnotations, expression: "has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}"}
{{- end -}}

{{/* (dict "what" KIND "labels" KEYS) */}}
{{- define "muster.metadataValidations" -}}
- expression: >-
    variables.labels.all(k, k in variables.ownLabels ||
      (k in variables.oldLabels && variables.labels[k] == variables.oldLabels[k])) &&
    variables.oldLabels.all(k, k in variables.ownLabels || k in variables.labels) &&
    variables.annotations.all(k, k in variables.ownAnnotations ||
      (k in variables.oldAnnotations && variables.annotations[k] == variables.oldAnnotations[k])) &&
    variables.oldAnnotations.all(k, k in variables.ownAnnotations || k in variables.annotations)
  message: "in labels and annotations of {{ .what }}, muster may change only {{ .labels }}"
  reason: Forbidden
- expression: >-
    object.metadata.?ownerReferences == oldObject.metadata.?ownerReferences &&
    object.metadata.?finalizers == oldObject.metadata.?finalizers
  message: "muster may not change owners or finalizers of {{ .what }}"
  reason: Forbidden
{{- end -}}

{{/* (list $ end-of-name) */}}
{{- define "muster.ownBinding" -}}
{{- $root := index . 0 -}}
{{- $policy := printf "%s-%s" (include "muster.name" $root) (index . 1) -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ $policy }}
  labels:
    {{- include "muster.labels" $root | nindent 4 }}
spec:
  policyName: {{ $policy }}
  validationActions: [Deny]
{{- end -}}
