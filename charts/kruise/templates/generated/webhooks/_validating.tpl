{{- /* Generated from tools/generate/chart/webhooks.ts by `npm run generate`. Do not edit. */ -}}
{{- define "kruise.webhooks.validating" -}}
{{- if eq (include "kruise.gate" (list . "PodWebhook")) "true" }}
- name: vpod.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-pod
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - ''
      apiVersions:
        - v1
      operations:
        - UPDATE
        - DELETE
      resources:
        - pods
        - pods/resize
{{- with include "kruise.webhookNamespaces.pods" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
{{- end }}
{{- if eq (include "kruise.gate" (list . "PodWebhook")) "true" }}
- name: vpodeviction.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-pod
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - ''
      apiVersions:
        - v1
      operations:
        - CREATE
      resources:
        - pods/eviction
{{- with include "kruise.webhookNamespaces.pods" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
{{- end }}
- name: vadvancedcronjob.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-advancedcronjob
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - advancedcronjobs
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vbroadcastjob.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-broadcastjob
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - broadcastjobs
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vcloneset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-cloneset
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - clonesets
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vdaemonset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-daemonset
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - daemonsets
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vephemeraljobs.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-v1alpha1-ephemeraljob
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
      operations:
        - CREATE
        - UPDATE
      resources:
        - ephemeraljobs
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vimagelistpulljob-v1beta1.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-imagelistpulljob
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - imagelistpulljobs
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vimagepulljob-v1beta1.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-imagepulljob
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - imagepulljobs
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vnodeimage.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-nodeimage
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - nodeimages
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vpersistentpodstate.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-persistentpodstate
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - persistentpodstates
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vpodprobemarker.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-podprobemarker
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
      operations:
        - CREATE
        - UPDATE
      resources:
        - podprobemarkers
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vpodunavailablebudget.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-policy-kruise-io-podunavailablebudget
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - policy.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - podunavailablebudgets
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vresourcedistribution.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-resourcedistribution
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - resourcedistributions
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vsidecarset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-sidecarset
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - sidecarsets
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vstatefulset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-statefulset
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - statefulsets
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vuniteddeployment.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-uniteddeployment
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - uniteddeployments
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vworkloadspread.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-workloadspread
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - CREATE
        - UPDATE
      resources:
        - workloadspreads
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vclonesetdeletion.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-cloneset
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - DELETE
      resources:
        - clonesets
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vstatefulsetdeletion.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-statefulset
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - DELETE
      resources:
        - statefulsets
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vuniteddeploymentdeletion.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-kruise-io-uniteddeployment
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - apps.kruise.io
      apiVersions:
        - v1alpha1
        - v1beta1
      operations:
        - DELETE
      resources:
        - uniteddeployments
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vbuiltindeployment.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-deployment
  failurePolicy: Ignore
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - apps
      apiVersions:
        - v1
      operations:
        - DELETE
      resources:
        - deployments
{{- with include "kruise.webhookNamespaces.guards" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vbuiltinreplicaset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-replicaset
  failurePolicy: Ignore
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - apps
      apiVersions:
        - v1
      operations:
        - DELETE
      resources:
        - replicasets
{{- with include "kruise.webhookNamespaces.guards" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vbuiltinstatefulset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-apps-statefulset
  failurePolicy: Ignore
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - apps
      apiVersions:
        - v1
      operations:
        - DELETE
      resources:
        - statefulsets
{{- with include "kruise.webhookNamespaces.guards" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vcustomresourcedefinition.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-customresourcedefinition
  failurePolicy: Ignore
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - apiextensions.k8s.io
      apiVersions:
        - v1
        - v1beta1
      operations:
        - DELETE
      resources:
        - customresourcedefinitions
{{- with include "kruise.webhookNamespaces.guards" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vnamespace.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-namespace
  failurePolicy: Ignore
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - ''
      apiVersions:
        - v1
      operations:
        - DELETE
      resources:
        - namespaces
{{- with include "kruise.webhookNamespaces.guards" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vservice.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-service
  failurePolicy: Ignore
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - ''
      apiVersions:
        - v1
      operations:
        - DELETE
      resources:
        - services
{{- with include "kruise.webhookNamespaces.guards" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: vingress.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /validate-ingress
  failurePolicy: Ignore
  sideEffects: None
  timeoutSeconds: {{ .Values.webhookConfiguration.timeoutSeconds }}
  objectSelector:
    matchExpressions:
      - key: policy.kruise.io/delete-protection
        operator: Exists
  rules:
    - apiGroups:
        - networking.k8s.io
      apiVersions:
        - v1
        - v1beta1
      operations:
        - DELETE
      resources:
        - ingresses
{{- with include "kruise.webhookNamespaces.guards" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
{{- end }}
