{{- /* Generated from tools/generate/chart/webhooks.ts by `npm run generate`. Do not edit. */ -}}
{{- define "kruise.webhooks.mutating" -}}
{{- if eq (include "kruise.gate" (list . "PodWebhook")) "true" }}
- name: mpod.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-pod
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
        - pods
{{- with include "kruise.webhookNamespaces.pods" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
{{- end }}
- name: madvancedcronjob.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-advancedcronjob
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
- name: mbroadcastjob.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-broadcastjob
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
- name: mcloneset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-cloneset
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
- name: mcontainerrecreaterequest.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-containerrecreaterequest
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
        - containerrecreaterequests
{{- with include "kruise.webhookNamespaces.kinds" . }}
  namespaceSelector:
    matchExpressions:
      {{- . | nindent 6 }}
{{- end }}
- name: mdaemonset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-daemonset
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
- name: mimagelistpulljob-v1beta1.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-imagelistpulljob
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
- name: mimagepulljob-v1beta1.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-imagepulljob
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
- name: mnodeimage.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-nodeimage
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
- name: msidecarset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-sidecarset
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
- name: mstatefulset.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-statefulset
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
- name: muniteddeployment.kb.io
  admissionReviewVersions:
    - v1
    - v1beta1
  clientConfig:
    service:
      namespace: {{ .Values.installation.namespace | quote }}
      name: kruise-webhook-service
      path: /mutate-apps-kruise-io-uniteddeployment
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
{{- end }}
