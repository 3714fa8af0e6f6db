/** A small object of each kind, which every version of the kind accepts. `check` sends it as a dry run. */
import type { JsonObject } from '@kruise/objects';

/** The name of each sample, and the value of its label. */
export const sampleName = 'kruise-check';

const labels = { app: sampleName };
const selector = { matchLabels: labels };
const containers = [{ name: 'main', image: 'example.com/kruise-check:1' }];
const template = { metadata: { labels }, spec: { containers } };
const jobTemplate = { metadata: { labels }, spec: { restartPolicy: 'Never', containers } };
const probe = { exec: { command: ['true'] }, periodSeconds: 10 };
const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: sampleName };

/** The `spec` by plural. */
export const sampleSpecs: Readonly<Record<string, JsonObject>> = {
  advancedcronjobs: { schedule: '0 0 1 1 *', paused: true, template: { jobTemplate: { spec: { template: jobTemplate } } } },
  broadcastjobs: { template: jobTemplate, completionPolicy: { type: 'Always' }, paused: true },
  clonesets: { replicas: 0, selector, template },
  containerrecreaterequests: { podName: sampleName, containers: [{ name: 'main' }] },
  daemonsets: { selector, template },
  ephemeraljobs: {
    selector,
    paused: true,
    template: {
      ephemeralContainers: [
        { name: 'main', image: 'example.com/kruise-check:1', imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' },
      ],
    },
  },
  imagelistpulljobs: { images: ['example.com/kruise-check:1'], selector, completionPolicy: { type: 'Always' } },
  imagepulljobs: { image: 'example.com/kruise-check:1', selector, completionPolicy: { type: 'Always' } },
  nodeimages: {},
  nodepodprobes: {},
  persistentpodstates: { targetRef: target },
  podprobemarkers: { selector, probes: [{ name: 'idle', containerName: 'main', probe, podConditionType: 'kruise.io/check' }] },
  podunavailablebudgets: { selector, maxUnavailable: 1 },
  resourcedistributions: {
    resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: sampleName } },
    targets: { includedNamespaces: { list: [{ name: 'default' }] } },
  },
  sidecarsets: { selector, containers: [{ name: 'side', image: 'example.com/kruise-check:1' }], namespace: 'default' },
  statefulsets: { replicas: 0, selector, serviceName: sampleName, template },
  uniteddeployments: {
    replicas: 0,
    selector,
    template: { cloneSetTemplate: { metadata: { labels }, spec: { selector, template } } },
    topology: { subsets: [{ name: 'a' }] },
  },
  workloadspreads: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: sampleName }, subsets: [{ name: 'a' }] },
};
