/**
 * A CloneSet over an API server in memory whose writes may be refused, object by object, or whose answers get lost, with kubelets, hooks and a garbage
 * collector. What Pods serve is counted from the Pods alone: nothing here calls the rules under test.
 */
import { cloneSets, labels, type CloneSet } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { isWrite, type Death, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { deepEqual, nodes, persistentVolumeClaims, pods, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import { asNew, ControllerLife, newClock, newFakeApi } from '../../module/one-controller.testing.ts';
import { kubeletStep, withKruisePodReady } from '../../module/kubelet-step.testing.ts';
import { cloneSetController } from './controller.ts';
import { aCloneSet, type CloneSetShape } from './testing.ts';

const key = { namespace: 'default', name: 'sample' };

/** Writes that do not succeed. */
export interface Trouble {
  readonly verb: 'create' | 'patch' | 'delete';
  readonly plural: 'pods' | 'persistentvolumeclaims';
  readonly subresource: '' | 'status';
  /** The object of this number, by name, of those that there are when the trouble begins; undefined: all, and those that are yet to be made. */
  readonly which: number | undefined;
  /** Refused; or carried out, and the answer is lost. */
  readonly how: 'Refused' | 'Lost';
  /** Seconds, or calls. */
  readonly lasts: { readonly kind: 'ForGood' } | { readonly kind: 'Seconds' | 'Calls'; readonly count: number };
}

interface Beginning {
  readonly trouble: Trouble;
  readonly name: string | undefined;
  readonly since: number;
  calls: number;
}

const denied = (): ApiError =>
  new ApiError('admission webhook "no.example.com" denied the request: no', { kind: 'Forbidden' }, { code: 403 });
const noAnswer = (): ApiError => new ApiError('no answer came', { kind: 'Unreachable', cause: undefined });

const isStaying = (pod: Pod): boolean => pod.metadata.deletionTimestamp === undefined;

/** Ready as the kubelet said last, and every readiness gate open by now: whoever closes one takes the Pod out of service. */
export function serves(pod: Pod): boolean {
  const status = (type: string): string | undefined => (pod.status?.conditions ?? []).find((one) => one.type === type)?.status;
  const gates = (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
  return isStaying(pod) && pod.status?.phase === 'Running' && [...gates, 'Ready'].every((type) => status(type) === 'True');
}

/** Available as the specification says: it serves, and no hook waits on it. */
const isAvailable = (pod: Pod): boolean => serves(pod) && ['', 'Normal'].includes(pod.metadata.labels?.[labels.lifecycleState] ?? '');

export class LivesWorld {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  /** What must never happen, in words, in the order in which it did. */
  readonly violations: string[] = [];
  /** Refused writes and lost answers so far. */
  troubled = 0;
  deaths = 0;
  readonly #maxUnavailable: number;
  readonly #terminationRounds: number;
  readonly #troubles: Beginning[] = [];
  readonly #leaving = new Map<string, number>();
  #life: ControllerLife;
  #serving = 0;
  /** The fewest replicas that were asked for lately: the news may be on its way. */
  #replicas: readonly number[];

  constructor(shape: CloneSetShape & { readonly maxUnavailable: number; readonly terminationRounds: number }) {
    this.#maxUnavailable = shape.maxUnavailable;
    this.#terminationRounds = shape.terminationRounds;
    this.#replicas = [shape.replicas ?? 1];
    this.api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    this.api.seed(cloneSets, asNew(aCloneSet(shape)));
    this.api.onWrite(({ call, refused }) => {
      if (call.from === 'manager' && refused === undefined) this.#look(call);
    });
    this.#life = this.#begin();
  }

  get cloneSet(): CloneSet {
    return this.api.peek(cloneSets, key) as CloneSet;
  }

  get pods(): readonly Pod[] {
    return this.api.peekAll(pods, key.namespace);
  }

  get staying(): readonly Pod[] {
    return this.pods.filter(isStaying);
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.api.peekAll(persistentVolumeClaims, key.namespace);
  }

  change(spec: Partial<CloneSet['spec']>): void {
    const { metadata, spec: held, ...rest } = this.cloneSet;
    const changed = { ...held, ...spec };
    this.#replicas = [...this.#replicas.slice(-1), changed.replicas ?? 1];
    this.api.seed(cloneSets, { ...rest, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 }, spec: changed });
  }

  changeImage(image: string): void {
    const { template } = this.cloneSet.spec;
    this.change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image }] } } });
  }

  relabel(pod: Pod, change: Readonly<Record<string, string>>, removed?: string): void {
    const kept = Object.entries(pod.metadata.labels ?? {}).filter(([name]) => name !== removed);
    this.api.seed(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...Object.fromEntries(kept), ...change } } });
  }

  async deletePod(pod: Pod): Promise<void> {
    await this.api.delete(pods, { ...key, name: pod.metadata.name });
    this.#serving = this.staying.filter(isAvailable).length;
  }

  begin(trouble: Trouble): void {
    const all = (trouble.plural === 'pods' ? this.pods : this.claims).map(({ metadata }) => metadata.name);
    const name = trouble.which === undefined ? undefined : all[trouble.which % Math.max(all.length, 1)];
    this.#troubles.push({ trouble, name, since: this.clock.now(), calls: 0 });
  }

  endTroubles(): void {
    this.#troubles.length = 0;
  }

  /** The process dies, and another one follows that dies as `death` says. */
  async restart(death?: Death): Promise<void> {
    await this.#life.stop();
    this.#life = this.#begin(death);
  }

  /** Seconds in which manager, kubelets, hooks and the garbage collector take turns. */
  async run(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await this.#life.settle();
      if (this.#life.dead) {
        this.deaths++;
        await this.restart();
      }
      await this.clock.step(900);
      this.#replicas = this.#replicas.slice(-1);
      await this.#runNodes();
      this.#runHooks();
      await this.#collectGarbage();
      this.#serving = this.staying.filter(isAvailable).length;
    }
  }

  async stop(): Promise<void> {
    await this.#life.stop();
  }

  #begin(death?: Death): ControllerLife {
    return new ControllerLife(this.api, this.clock, cloneSetController, { before: (call) => this.#before(call), death });
  }

  #before(call: FakeCall): void {
    if (!isWrite(call)) return;
    const met = this.#troubles.find((one) => this.#concerns(one, call));
    if (met === undefined) return;
    met.calls++;
    this.troubled++;
    if (met.trouble.how === 'Refused') throw denied();
    const { type, key: at, body, subresource } = call;
    if (type === undefined) throw noAnswer();
    const ignored = (): undefined => undefined;
    if (call.verb === 'create') void this.api.create(type, body as never).catch(ignored);
    else if (call.verb === 'delete') void this.api.delete(type, at, body as never).catch(ignored);
    else void this.api.patch(type, at, body, { type: 'strategic', ...(subresource === '' ? {} : { subresource }) }).catch(ignored);
    throw noAnswer();
  }

  #concerns({ trouble, name, since, calls }: Beginning, call: FakeCall): boolean {
    const { verb, plural, subresource, lasts } = trouble;
    if (call.verb !== verb || call.type?.plural !== plural || (verb === 'patch' && call.subresource !== subresource)) return false;
    if (name !== undefined && call.key.name !== name) return false;
    if (lasts.kind === 'Calls') return calls < lasts.count;
    return lasts.kind === 'ForGood' || this.clock.now() < since + lasts.count * 1000;
  }

  /** After each write of the manager: nothing that it does may take out more than the limit, or a claim that is in use. */
  #look({ verb, type, key: { name } }: FakeCall): void {
    const now = this.staying.filter(isAvailable).length;
    const floor = Math.min(...this.#replicas) - this.#maxUnavailable;
    if (now < this.#serving && now < floor)
      this.violations.push(`${verb} ${type?.plural ?? ''} ${name}: ${now} Pods are available, ${floor} have to be`);
    this.#serving = now;
    if (verb !== 'delete' || type?.plural !== 'persistentvolumeclaims') return;
    const users = this.staying.filter(({ spec }) =>
      (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === name),
    );
    if (users.length > 0) this.violations.push(`claim ${name} of Pod ${users[0]?.metadata.name ?? ''} was deleted`);
  }

  async #runNodes(): Promise<void> {
    for (const pod of this.pods) {
      const { uid = '', name } = pod.metadata;
      if (!isStaying(pod)) {
        const rounds = (this.#leaving.get(uid) ?? 0) + 1;
        this.#leaving.set(uid, rounds);
        if (rounds >= this.#terminationRounds) await this.api.delete(pods, { ...key, name }, { gracePeriodSeconds: 0 });
        continue;
      }
      const next = kubeletStep(withKruisePodReady(pod), this.clock.now());
      if (!deepEqual(pod, next)) this.api.seed(pods, next);
    }
  }

  /** Those behind the hooks let go of Pods that wait, and take hold of updated ones again. */
  #runHooks(): void {
    for (const pod of this.staying) {
      const state = pod.metadata.labels?.[labels.lifecycleState];
      if (state === 'PreparingUpdate' || state === 'PreparingDelete') this.relabel(pod, {}, 'hold');
      if (state === 'Updated') this.relabel(pod, { hold: 'yes' });
    }
  }

  async #collectGarbage(): Promise<void> {
    const uids = new Set([this.cloneSet.metadata.uid, ...this.pods.map(({ metadata }) => metadata.uid)]);
    for (const { metadata } of this.claims) {
      const owners = metadata.ownerReferences ?? [];
      if (owners.length > 0 && owners.every(({ uid }) => !uids.has(uid)))
        await this.api.delete(persistentVolumeClaims, { ...key, name: metadata.name }, { gracePeriodSeconds: 0 });
    }
  }
}
