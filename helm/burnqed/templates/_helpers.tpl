{{- define "burnqed.labels" -}}
app.kubernetes.io/name: burnqed
app.kubernetes.io/part-of: burnqed
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "burnqed.image" -}}
{{- $name := printf "burnqed-%s:%s" .name (.root.Values.images.tag | default .root.Chart.AppVersion) -}}
{{- if .root.Values.images.registry }}{{ trimSuffix "/" .root.Values.images.registry }}/{{ end }}{{ $name }}
{{- end }}

{{- define "burnqed.store" -}}
{{- .Values.store.uri | default (ternary "s3://burnqed/store" "" .Values.s3Server.enabled) | required "store.uri is required: s3://BUCKET/PREFIX" -}}
{{- end }}

{{- define "burnqed.endpoint" -}}
{{- .Values.store.endpoint | default (ternary (printf "http://burnqed-s3.%s.svc:8333" .Release.Namespace) "" .Values.s3Server.enabled) -}}
{{- end }}

{{- define "burnqed.settings" -}}
version: {{ .Chart.AppVersion | quote }}
profile: {{ .Values.profile | quote }}
store: {{ include "burnqed.store" . | quote }}
{{- $root := . }}
{{- range list "worker" "trainer" "sglang" }}
{{ . }}-image: {{ include "burnqed.image" (dict "root" $root "name" .) | quote }}
{{- end }}
{{- $config := deepCopy .Values.config }}
{{- if not .Values.artifacts.enabled }}
{{- $config = mergeOverwrite (dict "cluster" (dict "artifacts" nil)) $config }}
{{- end }}
{{- if .Values.modelCache.enabled }}
{{- $config = mergeOverwrite (dict "cluster" (dict "model_cache" "pvc:burnqed-models")) $config }}
{{- end }}
{{- if .Values.leanCache.enabled }}
{{- $config = mergeOverwrite (dict "cluster" (dict "lean_cache" "pvc:burnqed-lean")) $config }}
{{- end }}
config.yaml: {{ toYaml $config | quote }}
{{- end }}
