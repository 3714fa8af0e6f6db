{{- /* Generated from tools/generate/rbac.ts by `npm run generate`. Do not edit. */ -}}
{{- define "kruise.helmHookRules" -}}
- apiGroups:
    - apps.kruise.io
  resources:
    - broadcastjobs
    - clonesets
    - daemonsets
    - sidecarsets
    - statefulsets
    - uniteddeployments
  verbs:
    - list
{{- end }}
