{{/* What the values say about a gate, or its default: "true" or "false". An explicit entry goes before AllAlpha and AllBeta. (list . "Name") */}}
{{- /* Whether a gate is on: itself, or one that switches it on. */ -}}
{{- define "kruise.gate" -}}
{{- $root := index . 0 -}}
{{- $names := list (index . 1) -}}
{{- if has "ImagePullJobGate" $names -}}
{{- $names = concat $names (list "PreDownloadImageForInPlaceUpdate" "PreDownloadImageForDaemonSetUpdate") -}}
{{- end -}}
{{- $on := false -}}
{{- range $names -}}
{{- if eq (include "kruise.gateItself" (list $root .)) "true" -}}
{{- $on = true -}}
{{- end -}}
{{- end -}}
{{- $on -}}
{{- end -}}

{{- define "kruise.gateItself" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $asked := dict -}}
{{- range splitList "," $root.Values.featureGates -}}
{{- $pair := splitList "=" . -}}
{{- if eq (len $pair) 2 -}}
{{- $_ := set $asked (trim (first $pair)) (has (trim (last $pair)) (list "1" "t" "T" "true" "TRUE" "True")) -}}
{{- end -}}
{{- end -}}
{{- $gate := get (include "kruise.gateTable" $root | fromYaml) $name -}}
{{- $group := printf "All%s" $gate.maturity -}}
{{- if hasKey $asked $name -}}
{{- get $asked $name -}}
{{- else if hasKey $asked $group -}}
{{- get $asked $group -}}
{{- else -}}
{{- $gate.default -}}
{{- end -}}
{{- end -}}

{{- define "kruise.managerLabels" -}}
control-plane: controller-manager
{{- end -}}

{{- define "kruise.daemonLabels" -}}
control-plane: daemon
{{- end -}}

{{/* Of their own: each of the two DaemonSets must select its Pods only. */}}
{{- define "kruise.windowsDaemonLabels" -}}
control-plane: daemon-windows
{{- end -}}

{{- define "kruise.daemonNamespace" -}}
{{- .Values.daemon.namespace | default .Values.installation.namespace -}}
{{- end -}}

{{/* Reference of an image. (dict "root" $ "image" .Values.daemon.image): what the image leaves out is the manager's. */}}
{{- define "kruise.image" -}}
{{- $manager := .root.Values.manager.image -}}
{{- $repository := .image.repository | default $manager.repository -}}
{{- $tag := .image.tag | default $manager.tag | default (printf "v%s" .root.Chart.AppVersion) -}}
{{- with .root.Values.global.imageRegistry -}}{{ trimSuffix "/" . }}/{{- end -}}
{{ $repository }}:{{ $tag }}
{{- end -}}

{{- define "kruise.pullPolicy" -}}
{{- $tag := .image.tag | default .root.Values.manager.image.tag -}}
{{- .root.Values.manager.image.pullPolicy | default (eq $tag "latest" | ternary "Always" "IfNotPresent") -}}
{{- end -}}

{{/* Name of a Job of the release, of at most 63 characters: Kubernetes makes a label of it. (list . "finalizer") */}}
{{- define "kruise.jobName" -}}
{{- $suffix := printf "-%s" (index . 1) -}}
{{- $release := trunc (sub 63 (len $suffix) | int) (index . 0).Release.Name -}}
{{- printf "%s%s" (regexReplaceAll "[-.]+$" $release "") $suffix -}}
{{- end -}}

{{/* A preset wins over the values. */}}
{{- define "kruise.replicas" -}}
{{- get (dict "small" 1 "large" 2) .Values.preset | default .Values.manager.replicas -}}
{{- end -}}

{{/* Refuses two values with the same port of a manager Pod: the second server of the process could not listen. In the network of the node, the
node agent listens, too. */}}
{{- define "kruise.checkPorts" -}}
{{- $manager := .Values.manager -}}
{{- $ports := list (list "manager.webhook.port" $manager.webhook.port) (list "manager.metrics.port" $manager.metrics.port) (list "manager.healthProbe.port" $manager.healthProbe.port) -}}
{{- if and $manager.hostNetwork (eq (include "kruise.gate" (list . "KruiseDaemon")) "true") -}}
{{- $ports = append $ports (list "daemon.port" .Values.daemon.port) -}}
{{- end -}}
{{- $seen := dict -}}
{{- range $ports -}}
{{- $port := index . 1 | int | toString -}}
{{- if hasKey $seen $port -}}
{{- fail (printf "%s: %s is also %s; the two servers need different ports" (index . 0) $port (get $seen $port)) -}}
{{- end -}}
{{- $_ := set $seen $port (index . 0) -}}
{{- end -}}
{{- end -}}

{{/* The limit of the PodDisruptionBudget. One that allows no eviction at all is refused: the drain of a node with a manager would not end. */}}
{{- define "kruise.disruptionLimit" -}}
{{- $budget := .Values.manager.podDisruptionBudget -}}
{{- $field := kindIs "invalid" $budget.minAvailable | ternary "maxUnavailable" "minAvailable" -}}
{{- $limit := index $budget $field -}}
{{- $path := printf "manager.podDisruptionBudget.%s" $field -}}
{{- if kindIs "invalid" $limit -}}
{{- fail (printf "%s: set it, or minAvailable, or set manager.podDisruptionBudget.enabled to false" $path) -}}
{{- end -}}
{{- $replicas := include "kruise.replicas" . | int -}}
{{- $pods := int $limit -}}
{{- if kindIs "string" $limit -}}
{{- /* Kubernetes rounds up. */ -}}
{{- $pods = div (add 99 (mul $replicas (trimSuffix "%" $limit | int))) 100 | int -}}
{{- end -}}
{{- if eq $field "minAvailable" -}}
{{- if and (gt $replicas 0) (ge $pods $replicas) -}}
{{- fail (printf "%s: %v of %d manager Pods must stay, so no node with a manager Pod can be drained; it must be less than the number of Pods" $path $limit $replicas) -}}
{{- end -}}
{{- else if and (gt $replicas 0) (eq $pods 0) -}}
{{- fail (printf "%s: %v of %d manager Pods may be evicted, so no node with a manager Pod can be drained; it must be more than 0" $path $limit $replicas) -}}
{{- end -}}
{{ $field }}: {{ $limit }}
{{- end -}}

{{- define "kruise.managerResources" -}}
{{- if eq .Values.preset "small" -}}
limits: {cpu: 500m, memory: 512Mi}
requests: {cpu: 100m, memory: 256Mi}
{{- else if eq .Values.preset "large" -}}
limits: {cpu: "2", memory: 2Gi}
requests: {cpu: 200m, memory: 512Mi}
{{- else -}}
{{- toYaml (.Values.manager.resources | default dict) -}}
{{- end -}}
{{- end -}}

{{/* The Pod Security level of the installation's namespace, empty for none. */}}
{{- define "kruise.podSecurity" -}}
{{- $level := .Values.installation.podSecurity -}}
{{- $daemonInside := and (eq (include "kruise.gate" (list . "KruiseDaemon")) "true") (eq (include "kruise.daemonNamespace" .) .Values.installation.namespace) -}}
{{- if eq $level "auto" -}}
{{- ternary "privileged" "restricted" $daemonInside -}}
{{- else if ne $level "none" -}}
{{- $level -}}
{{- end -}}
{{- end -}}

{{/* What Pod Security "restricted" asks of a container. */}}
{{- define "kruise.restrictedContainer" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
  add: [NET_BIND_SERVICE]
{{- end -}}

{{/* ... and of a pod. */}}
{{- define "kruise.restrictedPod" -}}
runAsNonRoot: true
runAsUser: 65534
runAsGroup: 65534
fsGroup: 65534
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Only one pod of an old and a new version may be where it is: the ports of a node or the place in a zone exist once. */}}
{{- define "kruise.onePlacePerPod" -}}
{{- or .Values.manager.hostNetwork (eq .Values.manager.multiAZ "forcible") -}}
{{- end -}}

{{- define "kruise.managerSelector" -}}
matchExpressions:
  - key: control-plane
    operator: In
    values: [controller-manager]
{{- end -}}

{{- define "kruise.generatedAffinity" -}}
{{- with .Values.manager.nodeAffinity }}
nodeAffinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
podAntiAffinity:
  {{- if eq .Values.manager.multiAZ "forcible" }}
  requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: topology.kubernetes.io/zone
      labelSelector:
        {{- include "kruise.managerSelector" . | nindent 8 }}
  {{- end }}
  preferredDuringSchedulingIgnoredDuringExecution:
    {{- if eq .Values.manager.multiAZ "preferred" }}
    - weight: 100
      podAffinityTerm:
        topologyKey: topology.kubernetes.io/zone
        labelSelector:
          {{- include "kruise.managerSelector" . | nindent 10 }}
    {{- end }}
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          {{- include "kruise.managerSelector" . | nindent 10 }}
{{- end -}}

{{- define "kruise.affinity" -}}
{{- $generated := include "kruise.generatedAffinity" . | fromYaml -}}
{{- mergeOverwrite $generated (.Values.manager.affinity | default dict) | toYaml -}}
{{- end -}}

{{/* The minor version of Kubernetes, such as 1.34-0. */}}
{{- define "kruise.kubeMinor" -}}
{{- printf "%s.%s-0" .Capabilities.KubeVersion.Major (trimSuffix "+" .Capabilities.KubeVersion.Minor) -}}
{{- end -}}

{{- define "kruise.topologySpread" -}}
{{- if .Values.manager.topologySpreadConstraints -}}
{{- toYaml .Values.manager.topologySpreadConstraints -}}
{{- else -}}
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: {{ eq .Values.manager.multiAZ "equivalent" | ternary "DoNotSchedule" "ScheduleAnyway" }}
  labelSelector:
    {{- include "kruise.managerSelector" . | nindent 4 }}
  {{- if semverCompare "> 1.26-0" (include "kruise.kubeMinor" .) }}
  matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}
{{- end -}}

{{/* Environment that manager and daemon share. */}}
{{- define "kruise.sharedEnv" -}}
{{- if ne .Values.daemon.configNamespace "kruise-daemon-config" }}
- name: KRUISE_DAEMON_CONFIG_NS
  value: {{ .Values.daemon.configNamespace | quote }}
{{- end }}
{{- if .Values.enableKubeCacheMutationDetector }}
- name: KUBE_CACHE_MUTATION_DETECTOR
  value: "true"
{{- end }}
{{- end -}}

{{/* ServiceAccounts keep the secrets that the cluster put on them. (dict "root" $ "name" n "namespace" ns) */}}
{{- define "kruise.serviceAccount" -}}
{{- $live := lookup "v1" "ServiceAccount" .namespace .name -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ .namespace | quote }}
  {{- with .root.Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- with $live.secrets }}
secrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Expressions on the labels of namespaces whose objects a webhook sees; empty for all. */}}
{{- define "kruise.webhookNamespaces.pods" -}}
{{- $system := list "kube-system" .Values.installation.namespace (include "kruise.daemonNamespace" .) | uniq -}}
- key: control-plane
  operator: NotIn
  values: {{ .Values.webhookConfiguration.aksIntegration | ternary (list "openkruise" "true") (list "openkruise") | toJson }}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values: {{ $system | toJson }}
{{- if .Values.webhookConfiguration.aksIntegration }}
{{ include "kruise.aksManaged" . }}
{{- end }}
{{- end -}}

{{- define "kruise.webhookNamespaces.guards" -}}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values: ["kube-system"]
{{- with include "kruise.webhookNamespaces.kinds" . }}
{{ . }}
{{- end }}
{{- end -}}

{{- define "kruise.webhookNamespaces.kinds" -}}
{{- if .Values.webhookConfiguration.aksIntegration -}}
- key: control-plane
  operator: NotIn
  values: ["true"]
{{ include "kruise.aksManaged" . }}
{{- end -}}
{{- end -}}

{{- define "kruise.aksManaged" -}}
- key: kubernetes.azure.com/managedby
  operator: NotIn
  values: ["aks"]
{{- end -}}

{{- /* Whether a value that is on by default is on: `null`, which removes a default, must not delete or leave out CRDs. */ -}}
{{- define "kruise.isOn" -}}
{{- if ne (toString .) "false" }}true{{ end -}}
{{- end -}}

{{- /*
The version that the API server stores of a kind with two versions: `list . NAME`, with the name of its CRD. A CRD that stores v1alpha1 and has no CA
for its conversion, as OpenKruise leaves it, continues to store v1alpha1 until a manager has written the CA: the API server could not convert what
clients write in v1alpha1, and would refuse it. Without the value, as after an upgrade that reuses values, the version is v1beta1.
*/ -}}
{{- define "kruise.storedVersion" -}}
{{- $root := index . 0 -}}
{{- $chosen := $root.Values.crds.storageVersion | default "v1beta1" -}}
{{- if eq $chosen "v1beta1" -}}
{{- $live := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (index . 1) -}}
{{- if not (dig "spec" "conversion" "webhook" "clientConfig" "caBundle" "" $live) -}}
{{- range (dig "spec" "versions" list $live) -}}
{{- if and .storage (eq .name "v1alpha1") -}}
{{- $chosen = "v1alpha1" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $chosen -}}
{{- end -}}
