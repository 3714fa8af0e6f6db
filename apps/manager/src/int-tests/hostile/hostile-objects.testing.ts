/** Objects by which a tenant with `edit` in one namespace tries to stop the manager: each is legal by schema and large in one dimension or in a product of two. */
import { allKinds } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { pods as podType, type KubeObject, type ResourceType } from '@kruise/objects';

export const beta = 'apps.kruise.io/v1beta1';

/** `KRUISE_HOSTILE_SIZE=full` (in `npm run nightly`): every attack by itself, in as many objects and bytes as its bounds allow or more. */
export const isFull = process.env['KRUISE_HOSTILE_SIZE'] === 'full';
/** Where a bound is on the product of two numbers, the usual run has fewer of what costs the API server most. */
export const sized = (usual: number, full: number): number => (isFull ? full : usual);

/** What one attack submits. */
export interface Attack {
  readonly name: string;
  /** Sent in this order, several at a time when there are more than a hundred. */
  readonly objects: (namespace: string) => readonly KubeObject[];
  /** Objects that are sent this many times as dry runs after those above are stored. */
  readonly dryRuns?: {
    readonly times: number;
    /** Of the webhook of which each replica must answer some. */
    readonly path?: string;
    readonly object: (namespace: string) => KubeObject;
  };
  /** Whether the objects belong to the cluster and not to the tenant's namespace. */
  readonly isOfCluster?: boolean;
  /** Whether every object must be refused, or taken; when absent each may be either. */
  readonly isRefused?: boolean;
}

/** Of an object that an attack submits. @throws for one that is neither a Pod nor of a kind of Kruise */
export function resourceOf({ apiVersion = '', kind = '' }: KubeObject): ResourceType<KubeObject> {
  if (kind === podType.kind) return podType;
  const [group = '', version = ''] = apiVersion.split('/');
  const declared = allKinds.find((each) => each.group === group && each.kind === kind);
  if (declared === undefined) throw new Error(`${apiVersion} ${kind} is no kind of Kruise`);
  return { group, version, kind, plural: declared.plural, namespaced: declared.namespaced };
}

/** Whether the API server or a webhook refuses an object. Some webhooks refuse with code 500, as upstream's do. */
export const isRefusedAttack = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code !== undefined && (error.code < 500 || error.message.includes(' denied the request: '));

export const alpha = 'apps.kruise.io/v1alpha1';
export const policy = 'policy.kruise.io/v1beta1';

export const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
/** Of an environment variable, where the bytes of a template count and not its entries. */
export const longVariable = 2000;
export const text = (characters: number): string => 'x'.repeat(characters);

/** Pods of a workload; the quota of the tenant allows 20. */
export const pods = sized(5, 20);
/** Objects of one kind that do the same. */
export const copies = sized(1, 3);

export const object = (apiVersion: string, kind: string, metadata: { namespace: string; name: string }, spec: unknown): KubeObject =>
  ({ apiVersion, kind, metadata, spec }) as KubeObject;

export const app = { app: 'hostile' };
export const selector = { matchLabels: app };
export const small = { metadata: { labels: app }, spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] } };
const claims = [
  { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } },
] as const;

/** A template of about this many bytes, all in environment variables: by default in short ones, of which the API server itself makes the most work. */
export const templateOf = (bytes: number, bytesOfVariable = 100): typeof small => {
  const value = 'x'.repeat(bytesOfVariable - 30);
  const env = Array.from({ length: Math.ceil(bytes / bytesOfVariable) }, (_, index) => ({ name: `V${index}`, value }));
  return { ...small, spec: { containers: [{ name: 'main', image: 'registry.example/app:1', env } as (typeof small.spec.containers)[0]] } };
};

/** With a template of about this many bytes. */
export const cloneSet = (namespace: string, name: string, bytes = 0, replicas = pods): KubeObject =>
  object(beta, 'CloneSet', { namespace, name }, { replicas, selector, template: bytes === 0 ? small : templateOf(bytes, longVariable) });

/** Images of a list; each becomes an ImagePullJob. */
export const listed = sized(60, 255);

export function ephemeral(name: string): object {
  return { name, image: 'registry.example/debug:1', imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' };
}

/** A selector with this many values in `In` requirements of a thousand values each. */
const wideSelector = (values: number): object => ({
  matchExpressions: Array.from({ length: Math.ceil(values / 1000) }, (_, index) => ({
    key: `k${index}`,
    operator: 'NotIn',
    values: Array.from({ length: 1000 }, (_, value) => `v${value}-${'x'.repeat(40)}`),
  })),
});

/** With a replica in each subset. */
export const unitedDeployment = (
  metadata: { namespace: string; name: string },
  template: typeof small,
  subsets: readonly object[],
): KubeObject =>
  object(beta, 'UnitedDeployment', metadata, {
    replicas: subsets.length,
    selector,
    template: { cloneSetTemplate: { metadata: { labels: app }, spec: { selector, template } } },
    topology: { subsets },
  });

const million = 1_000_000;

/** Objects whose replicas, claims or ordinals are many. */
export const huge: readonly Attack[] = [
  {
    name: 'CloneSets of a million replicas, with and without claims',
    objects: (namespace) => [
      object(beta, 'CloneSet', { namespace, name: 'huge' }, { replicas: million, selector, template: small }),
      object(
        beta,
        'CloneSet',
        { namespace, name: 'huge-claims' },
        {
          replicas: million,
          selector: { matchLabels: { app: 'claims' } },
          template: { ...small, metadata: { labels: { app: 'claims' } } },
          volumeClaimTemplates: claims,
        },
      ),
    ],
  },
  {
    name: 'Parallel StatefulSets of a million replicas, also behind reserved ordinals',
    objects: (namespace) =>
      [{}, { reserveOrdinals: Array.from({ length: 20_000 }, (_, index) => index * 2) }, { reserveOrdinals: ['0-900000'] }].map(
        (more, index) =>
          object(
            beta,
            'StatefulSet',
            { namespace, name: `huge-${index}` },
            {
              replicas: million,
              serviceName: '',
              podManagementPolicy: 'Parallel',
              selector: { matchLabels: { app: `set-${index}` } },
              template: { ...small, metadata: { labels: { app: `set-${index}` } } },
              volumeClaimTemplates: claims,
              ...more,
            },
          ),
      ),
  },
  {
    name: 'BroadcastJobs and image jobs with a parallelism of a billion',
    objects: (namespace) => [
      object(
        beta,
        'BroadcastJob',
        { namespace, name: 'wide' },
        { parallelism: 1_000_000_000, template: { spec: { ...small.spec, restartPolicy: 'Never' } } },
      ),
      object(
        beta,
        'ImagePullJob',
        { namespace, name: 'wide' },
        { image: 'registry.example/app:1', parallelism: 1_000_000_000, completionPolicy: { type: 'Always' } },
      ),
    ],
  },
];

/** Objects whose cost is the product of two of their members. */
export const products: readonly Attack[] = [
  {
    name: 'a UnitedDeployment of 300 subsets over a template of 600 KB',
    objects: (namespace) => [
      unitedDeployment(
        { namespace, name: 'product' },
        templateOf(600_000),
        Array.from({ length: 300 }, (_, index) => ({ name: `s${index}` })),
      ),
    ],
  },
  {
    name: 'dry runs of a WorkloadSpread of 1,000 patched subsets over a template of 500 KB',
    objects: (namespace) => [
      object(beta, 'CloneSet', { namespace, name: 'target' }, { replicas: 1, selector, template: templateOf(500_000) }),
    ],
    isRefused: false,
    dryRuns: {
      times: sized(4, 8),
      path: '/validate-apps-kruise-io-workloadspread',
      object: (namespace) =>
        object(
          beta,
          'WorkloadSpread',
          { namespace, name: 'product' },
          {
            targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'target' },
            subsets: Array.from({ length: 1000 }, (_, index) => ({
              name: `s${index}`,
              patch: { metadata: { annotations: { [`subset-${index}`]: 'x'.repeat(100) } } },
            })),
          },
        ),
    },
  },
  {
    name: 'selectors of 20,000 values in budgets, markers and ephemeral jobs',
    objects: (namespace) => [
      object(
        'policy.kruise.io/v1alpha1',
        'PodUnavailableBudget',
        { namespace, name: 'wide' },
        { selector: wideSelector(20_000), maxUnavailable: 1 },
      ),
      object(
        'apps.kruise.io/v1alpha1',
        'PodProbeMarker',
        { namespace, name: 'wide' },
        {
          selector: wideSelector(20_000),
          probes: [{ name: 'p', containerName: 'main', podConditionType: 'a/b', probe: { exec: { command: ['true'] } } }],
        },
      ),
      object(
        'apps.kruise.io/v1alpha1',
        'EphemeralJob',
        { namespace, name: 'wide' },
        { selector: wideSelector(20_000), template: { ephemeralContainers: [{ name: 'debug', image: 'registry.example/debug:1' }] } },
      ),
    ],
  },
];

/** References that try to leave the namespace or the API that they name. */
export const references: readonly Attack[] = [
  {
    name: 'budgets that name an escaped path in place of an API version',
    isRefused: true,
    objects: (namespace) =>
      ['v1%2Fsecrets', 'v1/../../api/v1/secrets', 'apps/v1?limit=1', 'v1#'].map((apiVersion, index) =>
        object(
          'policy.kruise.io/v1beta1',
          'PodUnavailableBudget',
          { namespace, name: `escaped-${index}` },
          { targetRef: { apiVersion, kind: 'Secret', name: 'x' }, maxUnavailable: 1 },
        ),
      ),
  },
];
