{{- define "vedette.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 32 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 32 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What selectors match. Call with (list $ component). */}}
{{- define "vedette.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "vedette.labels" -}}
{{- $root := index . 0 -}}
{{ include "vedette.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Call with (list $ repository). */}}
{{- define "vedette.image" -}}
{{- $root := index . 0 -}}
{{ printf "%s:%s" (index . 1) ($root.Values.image.tag | default $root.Chart.AppVersion) | quote }}
{{- end -}}

{{- define "vedette.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Secret settings of the server, from the Secret of the user. */}}
{{- define "vedette.secretEnvironment" -}}
{{- range .Values.secret.keys }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.secret.name }}
      key: {{ . }}
{{- end }}
{{- end -}}

{{/* Settings as environment variables, sorted by name. */}}
{{- define "vedette.environment" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  {{- if and (kindIs "float64" $value) (eq (floor $value) $value) }}
  value: {{ $value | int64 | quote }}
  {{- else }}
  value: {{ $value | toString | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The rights of processes that need none. */}}
{{- define "vedette.unprivileged" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Fails if settings can't be used. Call with (dict "of" text "settings" map "names" file "own" list). */}}
{{- define "vedette.checkSettings" -}}
{{- range $name, $value := .settings -}}
{{- if has $name $.names.secrets -}}
{{- fail (printf "%s.%s is a secret: put it into a Secret, and remove it from the values (docs/kubernetes.md)" $.of $name) -}}
{{- else if has $name $.own -}}
{{- fail (printf "%s.%s is set by the chart: remove it" $.of $name) -}}
{{- else if not (has $name $.names.settings) -}}
{{- fail (printf "%s.%s isn't a setting of this release: compare its name with deploy/.env.example or deploy/agent.env.example" $.of $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "vedette.checkValues" -}}
{{- $names := .Files.Get "settings/server.json" | fromJson -}}
{{- $settings := .Values.server.settings -}}
{{- include "vedette.checkSettings" (dict "of" "server.settings" "settings" $settings "names" $names "own" (list "PORT" "DATA_DIR" "STOP_WITH_PARENT")) -}}
{{- if not .Values.secret.name -}}
{{- fail "secret.name is required: create a Secret with DATABASE_URL and SECRET_KEY, and name it here" -}}
{{- end -}}
{{- range list "DATABASE_URL" "SECRET_KEY" -}}
{{- if not (has . $.Values.secret.keys) -}}
{{- fail (printf "secret.keys must contain %s: servers share one database and one key" .) -}}
{{- end -}}
{{- end -}}
{{- range .Values.secret.keys -}}
{{- if not (has . $names.secrets) -}}
{{- fail (printf "secret.keys: %s isn't a secret setting of the server. There are: %s" . (join ", " $names.secrets)) -}}
{{- end -}}
{{- end -}}
{{- if not $settings.PUBLIC_URL -}}
{{- fail "server.settings.PUBLIC_URL is required: the address that people and agents use, such as https://vedette.example.com" -}}
{{- end -}}
{{- if eq (toString $settings.BLOB_STORE) "s3" -}}
{{- range list "S3_URL" "S3_BUCKET" -}}
{{- if not (get $settings .) -}}
{{- fail (printf "server.settings.%s is required with BLOB_STORE=s3" .) -}}
{{- end -}}
{{- end -}}
{{- range list "S3_ACCESS_KEY_ID" "S3_SECRET_ACCESS_KEY" -}}
{{- if not (has . $.Values.secret.keys) -}}
{{- fail (printf "secret.keys must contain %s with BLOB_STORE=s3" .) -}}
{{- end -}}
{{- end -}}
{{- else if not .Values.server.dataClaim -}}
{{- fail "server.dataClaim is required unless BLOB_STORE is s3: files of runs would be lost with the pod" -}}
{{- end -}}
{{- if and .Values.monitoring.serviceMonitor.enabled (not (has "METRICS_TOKEN" .Values.secret.keys)) -}}
{{- fail "secret.keys must contain METRICS_TOKEN with monitoring.serviceMonitor: without a token only the server's own pod may read /metrics" -}}
{{- end -}}
{{- $agentNames := list -}}
{{- range .Values.agents -}}
{{- if has .name $agentNames -}}
{{- fail (printf "agents: the name %s is used twice" .name) -}}
{{- end -}}
{{- $agentNames = append $agentNames .name -}}
{{- include "vedette.checkAgent" (list $ .) -}}
{{- end -}}
{{- end -}}

{{- define "vedette.checkAgent" -}}
{{- $root := index . 0 -}}
{{- $agent := index . 1 -}}
{{- $names := $root.Files.Get "settings/agent.json" | fromJson -}}
{{- $own := list "AGENT_LOCATIONS" "AGENT_DATA_DIR" "AGENT_HEALTH_PORT" "AGENT_PARENT_PID" "AGENT_HEALTH_OPTIONAL" -}}
{{- $of := printf "agents.%s.settings" $agent.name -}}
{{- include "vedette.checkSettings" (dict "of" $of "settings" ($agent.settings | default dict) "names" $names "own" $own) -}}
{{- range ($agent.secret.more | default list) -}}
{{- if not (has . $names.secrets) -}}
{{- fail (printf "agents.%s.secret.more: %s isn't a secret setting of agents. There are: %s" $agent.name . (join ", " $names.secrets)) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $agent.kind "code") (not (semverCompare ">=1.33.0-0" $root.Capabilities.KubeVersion.Version)) -}}
{{- fail (printf "agents.%s: the kind code needs Kubernetes 1.33 or newer, for user namespaces and an unmasked /proc. This is %s: use the kind network, or an agent outside of the cluster" $agent.name $root.Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- end -}}
