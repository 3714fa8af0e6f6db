/** Objects of every kind that has members which v1alpha1 cannot say, and which an annotation carries through it. @see docs/decisions/lossless-v1alpha1.md */

const selector = { matchLabels: { a: 'b' } };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'x:1' }] } };
const images = { imageListPullJobTemplate: { spec: { images: ['a'], completionPolicy: {} } } };
const status = {
  phase: 'Recreating',
  conditions: [{ type: 'Other', status: 'True', reason: 'r', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' }],
};

interface HubOnly {
  readonly group: string;
  readonly kind: string;
  readonly spec: object;
  readonly status?: object;
}

/** Valid in v1beta1, each with such members. */
export const hubOnly: readonly HubOnly[] = [
  { group: 'apps.kruise.io', kind: 'AdvancedCronJob', spec: { schedule: '@hourly', template: images } },
  { group: 'policy.kruise.io', kind: 'PodUnavailableBudget', spec: { selector, protectTotalReplicas: 3, ignoredPodSelector: selector } },
  { group: 'apps.kruise.io', kind: 'StatefulSet', spec: { selector, template, ordinals: { start: 2 } } },
  { group: 'apps.kruise.io', kind: 'ContainerRecreateRequest', spec: { podName: 'p', containers: [{ name: 'main' }] }, status },
];
