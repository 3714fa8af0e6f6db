/** SidecarSets over Pods of one namespace, each SidecarSet for the Pods of one app, as a user of the API sees them. */
import { sidecarSets, type SidecarContainer, type SidecarSet, type SidecarSetStatus } from '@kruise/api';
import { ApiError, isFailure, type Client } from '@kruise/kube';
import { controllerRevisions, isPodReady, pods, podCondition, type ControllerRevision, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { patiently } from '../../apps/manager/src/int-tests/fixtures/patiently.testing.ts';
import { everyReplicaWould } from './replicas.ts';

const run = ['sh', '-c', "trap 'exit 0' TERM; sleep 100000 & wait"];

/** Images that the cluster's registry has; each runs the same command. */
export const sidecarImages = {
  first: 'busybox:1.33',
  second: 'busybox:1.34',
  third: 'busybox:1.35',
  empty: 'busybox:1.32',
  missing: 'busybox:none',
} as const;

/** A container that ends at once when asked to. */
export const sidecar = (name: string, image: string, more: Partial<SidecarContainer> = {}): SidecarContainer => ({
  name,
  image,
  command: run,
  imagePullPolicy: 'IfNotPresent',
  ...more,
});

export const hotSidecar = (name: string, image: string, more: Partial<SidecarContainer> = {}): SidecarContainer =>
  sidecar(name, image, { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: sidecarImages.empty }, ...more });

export const imagesOf = (pod: Pod): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(pod.spec.containers.map(({ name, image }) => [name, image]));

export const upgradable = (pod: Pod): readonly (string | undefined)[] => {
  const condition = podCondition(pod, 'SidecarSetUpgradable');
  return [condition?.status, condition?.message];
};

/** Matched, updated, ready, updated and ready. */
const countsOf = ({ matchedPods, updatedPods, readyPods, updatedReadyPods }: SidecarSetStatus): readonly number[] => [
  matchedPods,
  updatedPods,
  readyPods,
  updatedReadyPods ?? 0,
];

export class SidecarFixture {
  readonly #fixture: CloneSetFixture;
  readonly #made: string[] = [];

  constructor(fixture: CloneSetFixture) {
    this.#fixture = fixture;
  }

  get client(): Client {
    return this.#fixture.client;
  }

  /** Cluster-scoped, so the name gets that of the namespace in front; it is for the Pods of app `app` only. */
  nameOf(app: string): string {
    return `${this.#fixture.namespace}-${app}`;
  }

  /** @returns once every replica injects it into new Pods of the app */
  async create(
    app: string,
    containers: readonly SidecarContainer[],
    spec: Partial<SidecarSet['spec']> = {},
    selected = app,
  ): Promise<SidecarSet> {
    const name = this.nameOf(app);
    this.#made.push(name);
    const sidecarSet: SidecarSet = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name },
      spec: {
        selector: { matchLabels: { app: selected } },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': this.#fixture.namespace } },
        containers,
        ...spec,
      },
    };
    const created = await patiently(() => this.client.create(sidecarSets, sidecarSet));
    const pod = this.#podOf(selected, 'dry-run', {});
    const isInjected = (): Promise<boolean> => everyReplicaWould(this.client, pod, (patch) => patch.includes(name));
    await this.eventually(isInjected, `new Pods get ${name} from every replica`);
    return created;
  }

  async get(app: string): Promise<SidecarSet> {
    return this.client.get(sidecarSets, { namespace: '', name: this.nameOf(app) });
  }

  async change(app: string, spec: Partial<SidecarSet['spec']> | Readonly<Record<string, unknown>>): Promise<SidecarSet> {
    return patiently(() => this.client.patch(sidecarSets, { namespace: '', name: this.nameOf(app) }, { spec }, { type: 'merge' }));
  }

  /** Makes Pods and waits until they are ready. */
  async pods(app: string, names: readonly string[], labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await Promise.all(names.map((name) => this.client.create(pods, this.#podOf(app, name, labels))));
    const areReady = async (): Promise<boolean> => {
      const all = await this.podsOf(app);
      return all.length >= names.length && all.every(isPodReady);
    };
    await this.eventually(areReady, `Pods of ${app} are ready`);
  }

  /** Pods of the app, by name. */
  async podsOf(app: string): Promise<readonly Pod[]> {
    const { items } = await this.client.list(pods, { namespace: this.#fixture.namespace, labelSelector: `app=${app}` });
    return items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  async deletePod(name: string): Promise<void> {
    await this.client.delete(pods, { namespace: this.#fixture.namespace, name }, { gracePeriodSeconds: 0 });
  }

  /** Waits until the status shows these counts for the present generation. @returns the Pods of the app then */
  async untilCounts(app: string, counts: readonly number[]): Promise<readonly Pod[]> {
    let seen: readonly number[] = [];
    const holds = async (): Promise<boolean> => {
      const { metadata, status } = await this.get(app);
      seen = status === undefined ? [] : countsOf(status);
      return status?.observedGeneration === metadata.generation && JSON.stringify(seen) === JSON.stringify(counts);
    };
    await this.eventually(holds, `${app} counts ${JSON.stringify(counts)}`).catch((error: unknown) => {
      throw new Error(`${String(error)}; seen last: ${JSON.stringify(seen)}`);
    });
    return this.podsOf(app);
  }

  /** The history, oldest first. */
  async revisions(app: string): Promise<readonly ControllerRevision[]> {
    const selector = `kruise.io/sidecarset-name=${this.nameOf(app)}`;
    const { items } = await this.client.list(controllerRevisions, { namespace: 'kruise-system', labelSelector: selector });
    return items.toSorted((a, b) => a.revision - b.revision);
  }

  /** @returns what the refusal said */
  async refusal(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof ApiError) return error.message;
    throw new Error('it was not refused');
  }

  eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
    return this.#fixture.eventually(holds, what);
  }

  /** Deletes the SidecarSets made here. */
  async close(): Promise<void> {
    for (const name of this.#made)
      await this.client.delete(sidecarSets, { namespace: '', name }).catch((error: unknown) => {
        if (!isFailure(error, 'NotFound')) throw error;
      });
  }

  #podOf(app: string, name: string, labels: Readonly<Record<string, string>>): Pod {
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: this.#fixture.namespace, name: `${app}-${name}`, labels: { app, ...labels } },
      spec: { terminationGracePeriodSeconds: 5, containers: [sidecar('main', sidecarImages.first)] },
    };
  }
}
