/** The configuration of a webhook of another product, which denies every new Pod of a namespace. */
import { other } from './stuck-state.testing.ts';

/** What the webhook says. */
export const denial = 'label team is required';

/** Returns a webhook configuration for new Pods of a namespace. */
export const podWebhook = (namespace: string, clientConfig: object): object =>
  other('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', namespace, {
    webhooks: [
      {
        name: `${namespace}.example.com`,
        clientConfig,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
      },
    ],
  });
