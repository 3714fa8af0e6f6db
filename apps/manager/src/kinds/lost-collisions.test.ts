/**
 * The names of revisions that others hold: however a pass ends after it has met one, what it has learned is in `status.collisionCount`, and there
 * is one revision of the template. @see spec/inplace-update.md 3.3
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cloneSets, daemonSets, sidecarSets, statefulSets, unitedDeployments } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { isWrite, type FakeCall } from '@kruise/kube/testing';
import { controllerRevisions, keyOf, memberAt, nodes, type ControllerRevision, type KubeObject, type ResourceType } from '@kruise/objects';
import type { ControllerModule } from '../module/kind-module.ts';
import { asNew } from '../module/controller-process.testing.ts';
import { InMemoryCluster } from '../module/in-memory-cluster.testing.ts';
import { cloneSetController } from './cloneset/controller.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';
import { daemonSetController } from './daemonset/controller.ts';
import { aDaemonSet } from '@kruise/kinds/daemonset/testing';
import { sidecarSetController } from './sidecarset/controller.ts';
import { aSidecarSet } from '@kruise/kinds/sidecarset/testing';
import { statefulSetController } from './statefulset/controller.ts';
import { aStatefulSet } from '@kruise/kinds/statefulset/testing';
import { unitedDeploymentController } from './uniteddeployment/controller.ts';
import { aUnited } from '@kruise/kinds/uniteddeployment/testing';

interface Kind {
  readonly controller: ControllerModule;
  readonly type: ResourceType;
  readonly object: KubeObject;
  /** Where its revisions are, if not beside it. */
  readonly revisionsNamespace?: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  CloneSet: { controller: cloneSetController, type: cloneSets, object: aCloneSet({ replicas: 1 }) },
  StatefulSet: { controller: statefulSetController, type: statefulSets, object: aStatefulSet() },
  DaemonSet: { controller: daemonSetController, type: daemonSets, object: aDaemonSet() },
  UnitedDeployment: { controller: unitedDeploymentController, type: unitedDeployments, object: aUnited() },
  SidecarSet: { controller: sidecarSetController, type: sidecarSets, object: aSidecarSet(), revisionsNamespace: 'kruise-system' },
};

const unavailable = (): ApiError => new ApiError('etcdserver: request timed out', { kind: 'Unreachable', cause: undefined });
const isOf = ({ verb, type }: FakeCall, wanted: string, plural: string): boolean => verb === wanted && type?.plural === plural;

class RevisionsCluster extends InMemoryCluster {
  /** Names that the manager has tried to give to a revision. */
  readonly tried: string[] = [];
  refuse: (call: FakeCall) => Error | undefined = () => undefined;
  readonly #kind: Kind;

  constructor(kind: Kind, taken: readonly string[]) {
    super(kind.controller);
    this.#kind = kind;
    this.api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    const { revisionsNamespace: namespace = 'default' } = kind;
    for (const name of taken) this.api.seed(controllerRevisions, { metadata: { name, namespace }, data: { other: name }, revision: 1 });
    this.api.seed(kind.type, asNew(kind.object));
    const before = (call: FakeCall): void => {
      if (isOf(call, 'create', 'controllerrevisions')) this.tried.push(String(memberAt(call.body, 'metadata', 'name')));
      const error = this.refuse(call);
      if (error !== undefined) throw error;
    };
    this.begin({ before });
  }

  get count(): unknown {
    return memberAt(this.api.peek(this.#kind.type, keyOf(this.#kind.object)), 'status', 'collisionCount');
  }

  get own(): readonly ControllerRevision[] {
    return this.api
      .peekAll(controllerRevisions, this.#kind.revisionsNamespace ?? 'default')
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === this.#kind.type.kind));
  }
}

let opened: AsyncDisposableStack;
beforeEach(() => void (opened = new AsyncDisposableStack()));
afterEach(() => opened.disposeAsync());

const open = (kind: Kind, taken: readonly string[]): RevisionsCluster => opened.use(new RevisionsCluster(kind, taken));

/** The names in the order in which they are tried while all before are taken. */
async function namesOf(kind: Kind, count: number): Promise<readonly string[]> {
  const names: string[] = [];
  while (names.length < count) {
    const cluster = open(kind, names);
    await cluster.ticks(1);
    names.push(cluster.tried.at(-1) ?? '');
  }
  return names;
}

describe.each(Object.entries(kinds))('a %s whose revision would have the names of others', (_name, kind) => {
  it('counts them in a pass that makes the revision', async () => {
    const names = await namesOf(kind, 3);
    const cluster = open(kind, names.slice(0, 2));
    await cluster.ticks(3);
    expect(cluster.tried).toEqual(names);
    expect([cluster.count, cluster.own.map(({ metadata }) => metadata.name)]).toEqual([2, [names[2]]]);
  });

  it('counts them also in a pass that fails at the name after them, and tries none of them again', async () => {
    const names = await namesOf(kind, 3);
    const cluster = open(kind, names.slice(0, 2));
    cluster.refuse = (call) => (isOf(call, 'create', 'controllerrevisions') && call.key.name === names[2] ? unavailable() : undefined);
    await cluster.ticks(1);
    expect(cluster.own).toEqual([]);
    expect(cluster.count).toBe(2);

    cluster.refuse = () => undefined;
    await cluster.ticks(30);
    expect(cluster.tried.filter((name) => name !== names[2])).toEqual(names.slice(0, 2));
    expect([cluster.count, cluster.own.map(({ metadata }) => metadata.name)]).toEqual([2, [names[2]]]);
  });

  it('makes no other revision when the count was not written', async () => {
    const [taken = '', next = ''] = await namesOf(kind, 2);
    const cluster = open(kind, [taken]);
    const isStatus = (call: FakeCall): boolean => isWrite(call) && call.type?.plural === kind.type.plural && call.subresource === 'status';
    cluster.refuse = (call) => (isStatus(call) ? unavailable() : undefined);
    await cluster.ticks(1);
    expect(cluster.own.map(({ metadata }) => metadata.name)).toEqual([next]);
    expect([undefined, 0]).toContain(cluster.count);

    cluster.refuse = () => undefined;
    await cluster.ticks(30);
    expect(cluster.tried).toEqual([taken, next]);
    expect(cluster.own.map(({ metadata }) => metadata.name)).toEqual([next]);
  });
});
