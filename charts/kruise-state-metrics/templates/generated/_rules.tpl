{{- /* Generated from apps/state-metrics/src/families by `npm run generate`. Do not edit. */ -}}
{{- define "kruise-state-metrics.rules" -}}
- apiGroups:
    - apps.kruise.io
  resources:
    - advancedcronjobs
    - broadcastjobs
    - clonesets
    - containerrecreaterequests
    - daemonsets
    - imagelistpulljobs
    - imagepulljobs
    - nodeimages
    - persistentpodstates
    - podprobemarkers
    - resourcedistributions
    - sidecarsets
    - statefulsets
    - uniteddeployments
    - workloadspreads
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - policy.kruise.io
  resources:
    - podunavailablebudgets
  verbs:
    - get
    - list
    - watch
{{- end }}
