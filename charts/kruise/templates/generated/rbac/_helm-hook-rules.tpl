{{- /* Generated from tools/generate/chart/rbac.ts by `npm run generate`. Do not edit. */ -}}
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
- apiGroups:
    - apps.kruise.io
  resources:
    - containerrecreaterequests
    - ephemeraljobs
    - imagepulljobs
    - podprobemarkers
  verbs:
    - delete
    - list
    - patch
{{- end }}
{{- define "kruise.migrationRules" -}}
- apiGroups:
    - apps.kruise.io
  resources:
    - advancedcronjobs
    - broadcastjobs
    - clonesets
    - containerrecreaterequests
    - daemonsets
    - ephemeraljobs
    - imagelistpulljobs
    - imagepulljobs
    - nodeimages
    - nodepodprobes
    - persistentpodstates
    - podprobemarkers
    - resourcedistributions
    - sidecarsets
    - statefulsets
    - uniteddeployments
    - workloadspreads
  verbs:
    - list
    - patch
- apiGroups:
    - policy.kruise.io
  resources:
    - podunavailablebudgets
  verbs:
    - list
    - patch
- apiGroups:
    - apiextensions.k8s.io
  resources:
    - customresourcedefinitions
  resourceNames:
    - advancedcronjobs.apps.kruise.io
    - broadcastjobs.apps.kruise.io
    - clonesets.apps.kruise.io
    - containerrecreaterequests.apps.kruise.io
    - daemonsets.apps.kruise.io
    - ephemeraljobs.apps.kruise.io
    - imagelistpulljobs.apps.kruise.io
    - imagepulljobs.apps.kruise.io
    - nodeimages.apps.kruise.io
    - nodepodprobes.apps.kruise.io
    - persistentpodstates.apps.kruise.io
    - podprobemarkers.apps.kruise.io
    - podunavailablebudgets.policy.kruise.io
    - resourcedistributions.apps.kruise.io
    - sidecarsets.apps.kruise.io
    - statefulsets.apps.kruise.io
    - uniteddeployments.apps.kruise.io
    - workloadspreads.apps.kruise.io
  verbs:
    - get
- apiGroups:
    - apiextensions.k8s.io
  resources:
    - customresourcedefinitions/status
  resourceNames:
    - advancedcronjobs.apps.kruise.io
    - broadcastjobs.apps.kruise.io
    - clonesets.apps.kruise.io
    - containerrecreaterequests.apps.kruise.io
    - daemonsets.apps.kruise.io
    - ephemeraljobs.apps.kruise.io
    - imagelistpulljobs.apps.kruise.io
    - imagepulljobs.apps.kruise.io
    - nodeimages.apps.kruise.io
    - nodepodprobes.apps.kruise.io
    - persistentpodstates.apps.kruise.io
    - podprobemarkers.apps.kruise.io
    - podunavailablebudgets.policy.kruise.io
    - resourcedistributions.apps.kruise.io
    - sidecarsets.apps.kruise.io
    - statefulsets.apps.kruise.io
    - uniteddeployments.apps.kruise.io
    - workloadspreads.apps.kruise.io
  verbs:
    - update
{{- if eq .Values.crds.storageVersion "v1alpha1" }}
- apiGroups:
    - ''
  resources:
    - pods
    - persistentvolumeclaims
  verbs:
    - list
    - patch
{{- end }}
{{- if eq .Values.crds.storageVersion "v1alpha1" }}
- apiGroups:
    - apps
  resources:
    - controllerrevisions
    - deployments
    - statefulsets
  verbs:
    - list
    - patch
{{- end }}
{{- if and (eq .Values.crds.storageVersion "v1alpha1") (eq (include "kruise.gate" (list . "ResourceDistributionGate")) "true") }}
- apiGroups:
    - ''
  resources:
    - configmaps
  verbs:
    - list
    - patch
{{- end }}
{{- if and (eq .Values.crds.storageVersion "v1alpha1") (eq .Values.installation.secretsAccess "cluster") (eq (include "kruise.gate" (list . "ResourceDistributionGate")) "true") }}
- apiGroups:
    - ''
  resources:
    - secrets
  verbs:
    - list
    - patch
{{- end }}
{{- end }}
