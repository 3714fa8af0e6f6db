/** The webhook configurations: one table of admission webhooks, from which come the chart's lists and the plain manifests. */
import { admissionPaths, allFeatures, allKinds, labels, webhookName, type FeatureWebhook, type KindDeclaration } from '@kruise/api';
import { withHashOrigin, withTemplateOrigin, type GeneratedFile, type Generator } from '../generator.ts';
import { mutatingConfigurationName, validatingConfigurationName, webhookServiceName } from '../names.ts';
import { toYaml } from '../yaml.ts';

const source = 'tools/generate/chart/webhooks.ts';
const chartFolder = 'charts/kruise/templates/generated/webhooks';
const plainFolder = 'deploy/manifests/generated/webhooks';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

export interface WebhookDeclaration {
  readonly type: 'mutating' | 'validating';
  readonly name: string;
  readonly path: string;
  readonly group: string;
  readonly versions: readonly string[];
  readonly operations: readonly Operation[];
  readonly resources: readonly string[];
  /**
   * Which objects reach it: `pods` omits system namespaces and is under the gate PodWebhook, `guards` are the deletion guards of
   * other kinds, omit kube-system and let requests pass on failures in the chart, `kinds` are our own kinds, their deletion guards included.
   */
  readonly audience: 'pods' | 'guards' | 'kinds';
  /** Only objects with this label are asked about; all when absent. */
  readonly objectLabel?: string;
}

const ofKind = (
  declaration: KindDeclaration,
  type: WebhookDeclaration['type'],
  operations: readonly Operation[] | undefined,
): readonly WebhookDeclaration[] => {
  if (operations === undefined) return [];
  const verb = type === 'mutating' ? 'mutate' : 'validate';
  return [
    {
      type,
      name: webhookName(declaration, verb),
      path: admissionPaths(declaration, verb)[0],
      group: declaration.group,
      versions: declaration.versions.map(({ name }) => name),
      operations,
      resources: [declaration.plural],
      audience: 'kinds',
    },
  ];
};

/**
 * Deletions of objects of a kind of ours that have the protection label: refused also in kube-system and while no manager answers, as by the
 * webhook of the original that also checks the kind.
 */
const guardOf = (declaration: KindDeclaration): readonly WebhookDeclaration[] =>
  ofKind(declaration, 'validating', declaration.admission?.guardsDeletion === true ? ['DELETE'] : undefined).map((webhook) => ({
    ...webhook,
    name: `v${declaration.singular}deletion.kb.io`,
    objectLabel: labels.deleteProtection,
  }));

const pods = (
  type: WebhookDeclaration['type'],
  name: string,
  operations: readonly Operation[],
  resources: readonly string[] = ['pods'],
): WebhookDeclaration => ({
  type,
  name: `${name}.kb.io`,
  path: type === 'mutating' ? '/mutate-pod' : '/validate-pod',
  group: '',
  versions: ['v1'],
  operations,
  resources,
  audience: 'pods',
});

const ofFeature = ({ name, path, group, versions, operations, resource, objectLabel }: FeatureWebhook): WebhookDeclaration => ({
  type: 'validating',
  name,
  path,
  group,
  versions,
  operations,
  resources: [resource],
  audience: 'guards',
  objectLabel,
});

/** Every admission webhook; the API server calls mutating ones in this order. @see spec/manager.md 4.3, 4.4 */
export const webhooks: readonly WebhookDeclaration[] = [
  pods('mutating', 'mpod', ['CREATE']),
  ...allKinds.flatMap((kind) => ofKind(kind, 'mutating', kind.admission?.mutates)),
  pods('validating', 'vpod', ['UPDATE', 'DELETE'], ['pods', 'pods/resize']),
  pods('validating', 'vpodeviction', ['CREATE'], ['pods/eviction']),
  ...allKinds.flatMap((kind) => ofKind(kind, 'validating', kind.admission?.validates)),
  ...allKinds.flatMap(guardOf),
  ...allFeatures.flatMap((feature) => feature.webhooks.map(ofFeature)),
];

const objectSelectorOf = ({ objectLabel }: WebhookDeclaration): object =>
  objectLabel === undefined ? {} : { objectSelector: { matchExpressions: [{ key: objectLabel, operator: 'Exists' }] } };

const rulesOf = ({ group, versions, operations, resources }: WebhookDeclaration): readonly object[] => [
  { apiGroups: [group], apiVersions: versions, operations, resources },
];

/** As in the plain manifests: every failure refuses the request, and namespaces that carry a `control-plane` label are left alone. */
const plainWebhook = (webhook: WebhookDeclaration): object => ({
  name: webhook.name,
  admissionReviewVersions: ['v1', 'v1beta1'],
  clientConfig: { service: { namespace: 'kruise-system', name: webhookServiceName, path: webhook.path } },
  failurePolicy: 'Fail',
  sideEffects: 'None',
  ...(webhook.audience === 'pods' ? { namespaceSelector: { matchExpressions: [{ key: 'control-plane', operator: 'DoesNotExist' }] } } : {}),
  ...objectSelectorOf(webhook),
  rules: rulesOf(webhook),
});

export const plainConfigurations = (): readonly object[] =>
  [
    { type: 'mutating', kind: 'MutatingWebhookConfiguration', name: mutatingConfigurationName },
    { type: 'validating', kind: 'ValidatingWebhookConfiguration', name: validatingConfigurationName },
  ].map(({ type, kind, name }) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name, annotations: { template: '' } },
    webhooks: webhooks.filter((webhook) => webhook.type === type).map(plainWebhook),
  }));

/** One entry of the list in the chart; namespaces and timeout come from the values. */
function chartWebhook(webhook: WebhookDeclaration): string {
  const head = toYaml([
    {
      name: webhook.name,
      admissionReviewVersions: ['v1', 'v1beta1'],
      clientConfig: { service: { namespace: 'NAMESPACE', name: webhookServiceName, path: webhook.path } },
      failurePolicy: webhook.audience === 'guards' ? 'Ignore' : 'Fail',
      sideEffects: 'None',
      timeoutSeconds: 'TIMEOUT',
      ...objectSelectorOf(webhook),
      rules: rulesOf(webhook),
    },
  ]);
  const selector = `{{- with include "kruise.webhookNamespaces.${webhook.audience}" . }}\n  namespaceSelector:\n    matchExpressions:\n      {{- . | nindent 6 }}\n{{- end }}\n`;
  const entry =
    head
      .replace('NAMESPACE', '{{ .Values.installation.namespace | quote }}')
      .replace('TIMEOUT', '{{ .Values.webhookConfiguration.timeoutSeconds }}') + selector;
  return webhook.audience === 'pods' ? `{{- if eq (include "kruise.gate" (list . "PodWebhook")) "true" }}\n${entry}{{- end }}\n` : entry;
}

function chartList(type: WebhookDeclaration['type']): GeneratedFile {
  const entries = webhooks.filter((webhook) => webhook.type === type).map(chartWebhook);
  return {
    path: `${chartFolder}/_${type}.tpl`,
    content: withTemplateOrigin(source, `{{- define "kruise.webhooks.${type}" -}}\n${entries.join('')}{{- end }}\n`),
  };
}

export const webhookGenerator: Generator = {
  name: 'webhook configurations',
  folders: [chartFolder, plainFolder],
  files: () => [
    chartList('mutating'),
    chartList('validating'),
    { path: `${plainFolder}/webhooks.yaml`, content: withHashOrigin(source, plainConfigurations().map(toYaml).join('---\n')) },
  ],
};
