{{/* The name of every resource begins with the release's name. */}}
{{- define "identity.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* Labels that select the pods of one part. Expects (dict "root" $ "part" "web"). */}}
{{- define "identity.selector" -}}
app: {{ include "identity.name" .root }}
part: {{ .part }}
{{- end }}

{{- define "identity.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "identity.containerSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* The pods of web and worker. Expects (dict "root" $ "part" "web" "values" .Values.web "roles" "web"). */}}
{{- define "identity.deployment" -}}
{{- $values := .root.Values -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "identity.name" .root }}-{{ .part }}
spec:
  {{- if not .values.autoscaling.isEnabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  selector:
    matchLabels:
      {{- include "identity.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "identity.selector" . | nindent 8 }}
      annotations:
        # Pods start anew when a setting changes.
        checksum/settings: {{ $values.settings | toJson | sha256sum }}
        {{- with .values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      automountServiceAccountToken: false
      # The grace time, 30 seconds for what is in flight, and a little.
      terminationGracePeriodSeconds: {{ add (int ($values.settings.STOP_GRACE_SECONDS | default "5")) 35 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "identity.selector" . | nindent 14 }}
      {{- with $values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: service
          image: {{ include "identity.image" .root }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          env: [{ name: ROLES, value: {{ .roles | quote }} }]
          envFrom:
            - configMapRef: { name: {{ include "identity.name" .root }}-settings }
            - secretRef: { name: {{ $values.secretNames.service }} }
          ports: [{ name: http, containerPort: 3000 }]
          readinessProbe:
            httpGet: { path: /health/ready, port: http }
            periodSeconds: 5
            timeoutSeconds: 3
          livenessProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
          startupProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 2
            failureThreshold: 30
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            {{- include "identity.containerSecurity" . | nindent 12 }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}

{{/* Expects the same as identity.deployment. */}}
{{- define "identity.autoscaler" -}}
{{- with .values.autoscaling }}
{{- if .isEnabled }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "identity.name" $.root }}-{{ $.part }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "identity.name" $.root }}-{{ $.part }}
  minReplicas: {{ .min }}
  maxReplicas: {{ .max }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .cpuPercent }} }
{{- end }}
{{- end }}
{{- end }}
