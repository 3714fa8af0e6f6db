/** Shapes of large objects that only several members together make, by what they hold. */
import type { JsonObject } from '@kruise/objects';
import { samples } from './samples.testing.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Specs of Pods of about so many bytes. */
export const pairedPods: Readonly<Record<string, (bytes: number) => JsonObject>> = {
  'variables that sub paths name': (bytes) => {
    const all = numbers(bytes / 95);
    const env = all.map((index) => ({ name: `N${index}`, value: `$(N${index + 1})` }));
    const volumeMounts = all.map((index) => ({ name: 'work', mountPath: `/m${index}`, subPathExpr: `$(N${index})` }));
    return { containers: [{ name: 'main', image: 'a:1', env, volumeMounts }] };
  },
  'one sub path that names all variables': (bytes) => {
    const all = numbers(bytes / 34);
    const env = all.map((index) => ({ name: `N${index}`, value: 'x' }));
    const subPathExpr = all.map((index) => `$(N${index})`).join('/');
    return { containers: [{ name: 'main', image: 'a:1', env, volumeMounts: [{ name: 'work', mountPath: '/m', subPathExpr }] }] };
  },
  'references that do not end': (bytes) => ({
    containers: [{ name: 'main', image: 'a:1', volumeMounts: [{ name: 'w', mountPath: '/m', subPathExpr: '$(A'.repeat(bytes / 3) }] }],
  }),
  'a long name of a container': (bytes) => ({
    containers: [
      { name: `app-${'a'.repeat(bytes)}`, image: 'a:1' },
      { name: 'main', image: 'a:1' },
    ],
  }),
  'many containers with variables': (bytes) => ({
    containers: numbers(bytes / 120).map((index) => ({
      name: `c${index}`,
      image: 'a:1',
      env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: `${index}` }],
    })),
  }),
  'containers and init containers of the same names': (bytes) => {
    const containers = numbers(bytes / 70).map((index) => ({ name: `c${index}`, image: 'a:1' }));
    return { containers, initContainers: containers };
  },
};

const nested = (value: unknown, depth: number): unknown => (depth === 0 ? value : [{}, nested(value, depth - 1)]);
const podOf = (spec: JsonObject): JsonObject => ({ metadata: { labels: { app: 'web' } }, spec });
const cloneSetOf = (changes: JsonObject): JsonObject => ({ ...samples['cloneset'], ...changes });
const mainWith = (changes: JsonObject): JsonObject => podOf({ containers: [{ name: 'main', image: 'a:1', ...changes }] });
const inPlaceOnly = { type: 'RollingUpdate', rollingUpdate: { partition: 0, podUpdatePolicy: 'InPlaceOnly' } };

/** Specs by path, each of about the given bytes; `version` distinguishes two specs of nearly the same size. */
export const pairedSpecs: Readonly<Record<string, readonly [path: string, (bytes: number, version: number) => JsonObject]>> = {
  'claim templates': [
    '/validate-apps-kruise-io-cloneset',
    (bytes) => cloneSetOf({ volumeClaimTemplates: numbers(bytes / 30).map((index) => ({ metadata: { name: `d${index}` } })) }),
  ],
  'many faults': [
    '/validate-apps-kruise-io-cloneset',
    (bytes) => cloneSetOf({ template: mainWith({ args: numbers(bytes / 2).map(() => 1) }) }),
  ],
  'dots and slashes in names': [
    '/validate-apps-kruise-io-cloneset',
    (bytes) =>
      cloneSetOf({ template: mainWith({ image: '/.'.repeat(bytes / 4), name: '.'.repeat(bytes / 4), workingDir: '/'.repeat(bytes / 4) }) }),
  ],
  'colons in an address': [
    '/validate-apps-kruise-io-cloneset',
    (bytes) =>
      cloneSetOf({
        template: podOf({ containers: [], dnsConfig: { nameservers: ['1:'.repeat(bytes / 2)], searches: ['_.'.repeat(bytes / 4)] } }),
      }),
  ],
  'a change in lists of lists': [
    '/validate-apps-kruise-io-cloneset',
    (bytes, version) =>
      cloneSetOf({
        updateStrategy: inPlaceOnly,
        template: podOf({ containers: [{ name: 'main', image: 'a:1' }], unknown: nested([...numbers(bytes / 7), -version], 90) }),
      }),
  ],
  'expressions of one key': [
    '/validate-apps-kruise-io-sidecarset',
    (bytes) => {
      const matchExpressions = numbers(bytes / 48).map((index) => ({ key: 'app', operator: 'In', values: [`v${index}`] }));
      return { ...samples['sidecarset'], selector: { matchExpressions } };
    },
  ],
  'containers of one name': [
    '/mutate-apps-kruise-io-containerrecreaterequest',
    (bytes) => ({ podName: 'p', containers: numbers(bytes / 16).map(() => ({ name: 'main' })) }),
  ],
};

/** Objects whose conversion has something to do. */
export const pairedObjects: Readonly<Record<string, (bytes: number) => JsonObject>> = {
  'numbers of many subsets': (bytes) => {
    const byName = Object.fromEntries(numbers(bytes / 24).map((index) => [`s${index}`, index]));
    const updateStatus = { updatedRevision: 'r', currentPartitions: byName };
    return { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'UnitedDeployment', status: { subsetReplicas: byName, updateStatus } };
  },
  'states of many subsets': (bytes) => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'UnitedDeployment',
    status: { subsetStatuses: numbers(bytes / 42).map((index) => ({ name: `s${index}`, replicas: 1, partition: index })) },
  }),
  'subsets with terms': (bytes) => ({
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'WorkloadSpread',
    spec: { subsets: numbers(bytes / 60).map((index) => ({ name: `s${index}`, requiredNodeSelectorTerm: { matchExpressions: [] } })) },
  }),
  'conditions of many versions': (bytes) => ({
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'WorkloadSpread',
    status: {
      versionedSubsetStatuses: Object.fromEntries(
        numbers(bytes / 70).map((index) => [`v${index}`, [{ name: 's', conditions: [{ type: 'A', status: 'True' }] }]]),
      ),
    },
  }),
  'many words': (bytes) => ({
    apiVersion: 'policy.kruise.io/v1alpha1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'n', annotations: { 'kruise.io/pub-protect-operations': 'DELETE,'.repeat(bytes / 7) } },
    spec: {},
  }),
};
