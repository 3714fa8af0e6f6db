/**
 * The controllers of the six kinds and the garbage collector, on an API server in memory. They see Pods as they were some looks ago, as a controller
 * with a slow watch does, and do to them at once whatever the object requests. A move must leave them nothing to do.
 */
import { FakeClock, type FakeApi } from '@kruise/kube/testing';
import {
  isTerminating,
  canonicalJson,
  controllerOf,
  fnv1a,
  memberAt,
  numberAt,
  pods,
  safeEncode,
  type ResourceType,
} from '@kruise/objects';
import { shortHash } from '@kruise/pods';
import { replicaSets } from '@kruise/workloads';
import { fakeApi, kruiseRun, typeOf, type RunOptions, type RunResult } from '../testing.ts';
import { withMember, type Untyped } from '../objects/untyped.ts';
import { wordOf, type AdoptableKind } from './observed/directions.ts';

const namespace = 'default';
const app = { app: 'web' };
const nodes = ['node-0', 'node-1', 'node-2'];
const podType = pods as unknown as ResourceType<Untyped>;
const setType = replicaSets as unknown as ResourceType<Untyped>;
const revisionType = typeOf('ControllerRevision', 'apps') as unknown as ResourceType<Untyped>;

/** In v1beta1 for kinds of Kruise. */
export const adoptableTypes: Readonly<Record<AdoptableKind, ResourceType<Untyped>>> = {
  Deployment: typeOf('Deployment', 'apps'),
  StatefulSet: typeOf('StatefulSet', 'apps'),
  DaemonSet: typeOf('DaemonSet', 'apps'),
  CloneSet: typeOf('CloneSet'),
  AdvancedStatefulSet: typeOf('StatefulSet'),
  AdvancedDaemonSet: typeOf('DaemonSet'),
} as unknown as Record<AdoptableKind, ResourceType<Untyped>>;

/** The Pod template of every workload. */
export const template = {
  metadata: { labels: app },
  spec: { serviceAccountName: 'robot', containers: [{ name: 'main', image: 'nginx' }] },
};

/** A workload of each kind as users write it, with a setting that only survives a careful move. */
const specs: Readonly<Record<AdoptableKind, object>> = {
  Deployment: { replicas: 3, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
  CloneSet: { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
  StatefulSet: { replicas: 3, serviceName: 'web', updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
  AdvancedStatefulSet: { replicas: 3, serviceName: 'web', updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
  DaemonSet: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } },
  AdvancedDaemonSet: { burstReplicas: 250, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } },
};

const uidOf = ({ metadata }: Untyped): string => metadata.uid ?? '';
const isControlledBy = (object: Untyped, owner: Untyped): boolean => controllerOf(object)?.uid === uidOf(owner);
const hashOf = (value: unknown): string => safeEncode(String(fnv1a(canonicalJson(value))));
const specOf = (object: Untyped, ...path: readonly string[]): unknown => memberAt(object, 'spec', ...path);
const isRefused = (object: Untyped): boolean =>
  String(specOf(object, 'template', 'spec', 'serviceAccountName')).startsWith('kubectl-kruise');

/** The template without the label by which a Deployment distinguishes its ReplicaSets. */
const withoutHash = (object: Untyped): string =>
  canonicalJson(withMember(specOf(object, 'template') as Untyped, ['metadata', 'labels', 'pod-template-hash'], ''));

/** A cluster with one workload. */
export class AdoptCluster {
  readonly api: FakeApi = fakeApi();
  /** What the controllers did to Pods: empty in every move that works. */
  readonly harm: string[] = [];
  readonly from: AdoptableKind;
  #lag = 0;
  readonly #views: (readonly Untyped[])[] = [];
  /** Names of the Pods that each owner created, by its UID: like a real controller, it creates no more until it has seen them. */
  readonly #created = new Map<string, string[]>();

  /**
   * @param lag how many looks at the Pods the controllers are behind; they look every second, and when the plugin lists Pods
   * @param spec members of the workload in place of the usual ones
   */
  constructor(from: AdoptableKind, lag = 0, spec: object = {}) {
    this.from = from;
    this.#seed(spec);
    this.#lag = lag;
    this.harm.length = 0;
    this.api.onWrite(({ call, refused }) => {
      if (refused === undefined && call.body !== undefined) this.#sync();
    });
  }

  all(type: ResourceType<Untyped>): readonly Untyped[] {
    return this.api.peekAll(type, namespace);
  }

  get pods(): readonly Untyped[] {
    return this.all(podType);
  }

  workload(kind: AdoptableKind, name = 'web'): Untyped | undefined {
    return this.api.peek(adoptableTypes[kind], { namespace, name });
  }

  /** Runs the plugin until it ends; the clock advances for what it waits for. @param connection that of a process which may be killed */
  async run(line: string, options: RunOptions & { readonly connection?: FakeApi } = {}): Promise<RunResult> {
    const clock = new FakeClock();
    const connection = options.connection ?? this.api.connect('plugin');
    const faults = connection.faults;
    const { before } = faults;
    faults.before = async (call) => {
      if (call.verb === 'list' && call.type?.kind === 'Pod') this.#look();
      await before?.(call);
    };
    const result = kruiseRun(connection, line, { clock, ...options });
    let done = false;
    void result.finally(() => (done = true)).catch(() => undefined);
    for (let i = 0; i < 400 && !done; i++) {
      await clock.step(1000);
      if (!done) this.#look();
    }
    // The controllers act on what the run has left.
    for (let i = 0; i < this.#lag + 3; i++) this.#look();
    return result;
  }

  /** All objects, without what differs from run to run. */
  text(): string {
    const objects = [...Object.values(adoptableTypes), setType, revisionType, podType].flatMap((type) => this.all(type));
    const uids = new Map(objects.map((object) => [uidOf(object), `${object.kind ?? ''} ${object.metadata.name}`]));
    const drop = ['resourceVersion', 'creationTimestamp', 'generation', 'observedGeneration'];
    const text = JSON.stringify(objects, (key, value: unknown) => {
      if (drop.includes(key)) return undefined;
      if (key === 'revision') return undefined;
      return key === 'uid' ? (uids.get(String(value)) ?? 'unknown') : value;
    });
    return JSON.stringify(
      (JSON.parse(text) as unknown[]).map((one) => canonicalJson(one)),
      undefined,
      1,
    );
  }

  #seed(spec: object): void {
    const type = adoptableTypes[this.from];
    this.#put(type, {
      metadata: { name: 'web', namespace, labels: app, annotations: { team: 'a' }, generation: 1 },
      spec: { selector: { matchLabels: app }, template, ...specs[this.from], ...spec },
    });
    for (let i = 0; i < 4; i++) this.#look();
  }

  #put(type: ResourceType<Untyped>, object: Untyped): Untyped {
    return this.api.seed(type, object);
  }

  #status(type: ResourceType<Untyped>, object: Untyped, status: object): void {
    const held = this.api.peek(type, { namespace, name: object.metadata.name });
    if (held !== undefined) this.#put(type, { ...held, status: { observedGeneration: held.metadata.generation, ...status } });
  }

  /** What the controllers know of Pods becomes newer. */
  #look(): void {
    this.#collect();
    this.#views.push(this.pods);
    if (this.#views.length > this.#lag + 1) this.#views.shift();
    this.#sync();
  }

  get #view(): readonly Untyped[] {
    return this.#views[0] ?? [];
  }

  /** The garbage collector: references to what is orphaned are removed, and what refers only to absent owners is deleted. */
  #collect(): void {
    const owners = [...Object.values(adoptableTypes), setType];
    for (const type of owners)
      for (const owner of this.all(type).filter(({ metadata }) => metadata.finalizers?.includes('orphan') === true)) {
        this.#orphan(uidOf(owner));
        const finalizers = owner.metadata.finalizers?.filter((name) => name !== 'orphan');
        this.#put(type, withMember(owner, ['metadata', 'finalizers'], finalizers) as Untyped);
      }
    const uids = new Set(owners.flatMap((type) => this.all(type).map(uidOf)));
    for (const pod of this.pods)
      if (pod.metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)) === true) this.harm.push(`collected ${pod.metadata.name}`);
  }

  #orphan(owner: string): void {
    const dependents = [setType, revisionType, podType].flatMap((type) => this.all(type).map((object) => ({ type, object })));
    for (const { type, object } of dependents) {
      const references = object.metadata.ownerReferences ?? [];
      const left = references.filter(({ uid }) => uid !== owner);
      if (left.length < references.length) this.#put(type, withMember(object, ['metadata', 'ownerReferences'], left) as Untyped);
    }
  }

  #sync(): void {
    for (const object of this.all(setType)) if (!this.#isBehind(object)) this.#syncReplicaSet(object);
    const sync: Readonly<Record<AdoptableKind, (object: Untyped, type: ResourceType<Untyped>) => void>> = {
      Deployment: (object) => this.#syncDeployment(object),
      CloneSet: (object) => this.#syncCloneSet(object),
      StatefulSet: (object, type) => this.#syncStatefulSet(object, type, 'b'),
      AdvancedStatefulSet: (object, type) => this.#syncStatefulSet(object, type, 'k'),
      DaemonSet: (object, type) => this.#syncDaemonSet(object, type, 'b'),
      AdvancedDaemonSet: (object, type) => this.#syncDaemonSet(object, type, 'k'),
    };
    for (const [kind, type] of Object.entries(adoptableTypes))
      for (const object of this.all(type)) if (!isTerminating(object) && !this.#isBehind(object)) sync[kind as AdoptableKind](object, type);
  }

  /** Returns whether a Pod that the owner created is not in the view yet. */
  #isBehind(owner: Untyped): boolean {
    const names = ({ metadata }: Untyped): string => metadata.name;
    const [seen, existing] = [new Set(this.#view.map(names)), new Set(this.pods.map(names))];
    return (this.#created.get(uidOf(owner)) ?? []).some((name) => existing.has(name) && !seen.has(name));
  }

  #active(owner: Untyped): readonly Untyped[] {
    return this.#view.filter((pod) => isControlledBy(pod, owner) && !isTerminating(pod));
  }

  /** Adopts what it sees as orphans, if they still are. */
  #adopt(owner: Untyped, type: ResourceType<Untyped>, labels: object): void {
    const entries = Object.entries(labels);
    for (const seen of this.#view.filter((pod) => controllerOf(pod) === undefined)) {
      const pod = this.api.peek(podType, { namespace, name: seen.metadata.name });
      const matches = entries.every(([name, value]) => seen.metadata.labels?.[name] === value);
      if (pod === undefined || !matches || controllerOf(pod) !== undefined) continue;
      this.#put(podType, withMember(pod, ['metadata', 'ownerReferences'], [this.#reference(owner, type)]) as Untyped);
    }
  }

  #reference(owner: Untyped, { group, version, kind }: ResourceType<Untyped>): object {
    const { name, uid } = owner.metadata;
    return { apiVersion: group === '' ? version : `${group}/${version}`, kind, name, uid, controller: true, blockOwnerDeletion: true };
  }

  #create(owner: Untyped, type: ResourceType<Untyped>, name: string, more: { readonly labels?: object; readonly nodeName?: string }): void {
    if (this.api.peek(podType, { namespace, name }) !== undefined || isRefused(owner)) return;
    this.harm.push(`created ${name}`);
    this.#created.set(uidOf(owner), [...(this.#created.get(uidOf(owner)) ?? []), name]);
    this.#put(podType, {
      metadata: { name, namespace, labels: { ...app, ...more.labels }, ownerReferences: [this.#reference(owner, type)] },
      spec: { containers: [], ...(more.nodeName === undefined ? {} : { nodeName: more.nodeName }) },
      status: { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 0 }] },
    } as never);
  }

  #delete(pod: Untyped): void {
    this.harm.push(`deleted ${pod.metadata.name}`);
  }

  #freeName(prefix: string): string {
    const taken = this.pods.map(({ metadata }) => metadata.name);
    for (let i = 0; ; i++) {
      const name = `${prefix}-${safeEncode(String(100_00 + i)).padStart(5, 'b')}`;
      if (!taken.includes(name)) return name;
    }
  }

  #syncReplicaSet(set: Untyped): void {
    if (isTerminating(set)) return;
    const labels = memberAt(specOf(set), 'selector', 'matchLabels') as object;
    this.#adopt(set, setType, labels);
    const own = this.#active(set);
    const replicas = numberAt(set, 'spec', 'replicas') ?? 1;
    for (let i = own.length; i < replicas; i++) this.#create(set, setType, this.#freeName(set.metadata.name), { labels });
    for (const pod of own.slice(replicas)) this.#delete(pod);
    this.#status(setType, set, { replicas: own.length });
  }

  #syncDeployment(deployment: Untyped): void {
    const type = adoptableTypes.Deployment;
    for (const set of this.all(setType).filter((one) => controllerOf(one) === undefined && !isTerminating(one)))
      this.#put(setType, withMember(set, ['metadata', 'ownerReferences'], [this.#reference(deployment, type)]) as Untyped);
    const own = this.all(setType).filter((one) => isControlledBy(one, deployment));
    let current = own.find((one) => withoutHash(one) === withoutHash(deployment));
    if (specOf(deployment, 'paused') !== true) {
      for (const set of own) if (set !== current) this.#put(setType, withMember(set, ['spec', 'replicas'], 0) as Untyped);
      if (current === undefined) {
        const hash = hashOf(specOf(deployment, 'template'));
        const labels = { ...app, 'pod-template-hash': hash };
        current = this.#put(setType, {
          metadata: { name: `web-${hash}`, namespace, labels, ownerReferences: [this.#reference(deployment, type)] },
          spec: {
            replicas: specOf(deployment, 'replicas'),
            selector: { matchLabels: labels },
            template: withMember(specOf(deployment, 'template') as Untyped, ['metadata', 'labels'], labels),
          },
        } as never);
        this.harm.push(`created ReplicaSet ${current.metadata.name}`);
      } else if (specOf(current, 'replicas') !== specOf(deployment, 'replicas'))
        current = this.#put(setType, withMember(current, ['spec', 'replicas'], specOf(deployment, 'replicas')) as Untyped);
    }
    if (current !== undefined) {
      const annotations = { ...current.metadata.annotations, ...deployment.metadata.annotations };
      this.#put(setType, withMember(current, ['metadata', 'annotations'], annotations) as Untyped);
    }
    const count = (set: Untyped | undefined): number => numberAt(set, 'status', 'replicas') ?? 0;
    const all = own.reduce((sum, set) => sum + count(set), 0);
    this.#status(type, deployment, { replicas: all, updatedReplicas: count(current) });
  }

  /** Recreates the Pods that do not have the revision, as far as the strategy allows it. */
  #update(owner: Untyped, own: readonly Untyped[], revision: string): readonly Untyped[] {
    const updated = own.filter(({ metadata }) => shortHash(metadata.labels?.['controller-revision-hash'] ?? '') === shortHash(revision));
    const rolls =
      specOf(owner, 'updateStrategy', 'type') !== 'OnDelete' && specOf(owner, 'updateStrategy', 'rollingUpdate', 'paused') !== true;
    if (rolls) for (const pod of own) if (!updated.includes(pod)) this.#delete(pod);
    return updated;
  }

  #syncCloneSet(cloneSet: Untyped): void {
    const type = adoptableTypes.CloneSet;
    const own = this.#active(cloneSet);
    const revision = `web-${hashOf([specOf(cloneSet, 'template'), 'clone'])}`;
    const replicas = numberAt(cloneSet, 'spec', 'replicas') ?? 1;
    const limit = numberAt(cloneSet, 'spec', 'scaleStrategy', 'maxUnavailable') ?? Infinity;
    const labels = { 'controller-revision-hash': revision, 'pod-template-hash': shortHash(revision) };
    for (let i = own.length; i < Math.min(replicas, own.length + limit); i++) {
      const name = this.#freeName('web');
      this.#create(cloneSet, type, name, { labels: { ...labels, 'apps.kruise.io/cloneset-instance-id': shortHash(name) } });
    }
    for (const pod of own.slice(replicas)) this.#delete(pod);
    this.#keepRevision(cloneSet, type, revision);
    const updated = this.#update(cloneSet, own, revision);
    this.#status(type, cloneSet, { replicas: own.length, updatedReplicas: updated.length, updateRevision: revision });
  }

  #syncStatefulSet(set: Untyped, type: ResourceType<Untyped>, salt: string): void {
    this.#adopt(set, type, app);
    const own = this.#active(set);
    const revision = `web-${hashOf([specOf(set, 'template'), salt])}`;
    const replicas = numberAt(set, 'spec', 'replicas') ?? 1;
    const labels = { 'controller-revision-hash': revision };
    this.#keepRevision(set, type, revision);
    for (let i = 0; i < replicas; i++) this.#create(set, type, `web-${i}`, { labels });
    for (const pod of own.filter(({ metadata }) => Number(shortHash(metadata.name)) >= replicas)) this.#delete(pod);
    const updated = this.#update(set, own, revision);
    this.#status(type, set, { replicas: own.length, updatedReplicas: updated.length, updateRevision: revision });
  }

  #syncDaemonSet(set: Untyped, type: ResourceType<Untyped>, salt: string): void {
    this.#adopt(set, type, app);
    const own = this.#active(set);
    const hash = hashOf([specOf(set, 'template'), salt]);
    this.#keepRevision(set, type, `web-${hash}`);
    const labels = { 'controller-revision-hash': hash, ...(salt === 'b' ? { 'pod-template-generation': '1' } : {}) };
    for (const nodeName of nodes) {
      const here = own.filter((pod) => specOf(pod, 'nodeName') === nodeName);
      if (here.length === 0 && specOf(set, 'burstReplicas') !== 0)
        this.#create(set, type, this.#freeName(`web-${salt}`), { labels, nodeName });
      for (const pod of here.slice(1)) this.#delete(pod);
    }
    const updated = this.#update(set, own, hash);
    const count = { currentNumberScheduled: own.length, numberMisscheduled: 0, updatedNumberScheduled: updated.length };
    this.#status(type, set, { ...count, ...(salt === 'b' ? {} : { updateRevision: hash }) });
  }

  /** @param name of the revision of the present template */
  #keepRevision(set: Untyped, type: ResourceType<Untyped>, name: string): void {
    const reference = [this.#reference(set, type)];
    for (const one of this.all(revisionType).filter((each) => controllerOf(each) === undefined))
      this.#put(revisionType, withMember(one, ['metadata', 'ownerReferences'], reference) as Untyped);
    const held = this.api.peek(revisionType, { namespace, name });
    const newest = Math.max(0, ...this.all(revisionType).map((one) => numberAt(one, 'revision') ?? 0));
    if (held !== undefined) {
      if (numberAt(held, 'revision') !== newest) this.#put(revisionType, withMember(held, ['revision'], newest + 1) as Untyped);
      return;
    }
    const data = { spec: { template: { ...(specOf(set, 'template') as object), $patch: 'replace' } } };
    const labels = { ...app, 'controller-revision-hash': shortHash(name) };
    this.#put(revisionType, { metadata: { name, namespace, labels, ownerReferences: reference }, data, revision: newest + 1 } as never);
  }
}

/** The Pods of a cluster by name and UID. */
export const identities = ({ pods: all }: AdoptCluster): readonly string[] =>
  all.map(({ metadata }) => `${metadata.name} ${metadata.uid ?? ''}`);

/** The command line that moves the Pods of a kind. */
export const adoptLine = (from: AdoptableKind): string => `adopt ${wordOf[from]}/web --yes`;
