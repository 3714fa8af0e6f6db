/**
 * A manager that starts where another implementation ran, with the recorded CloneSets, Pods, revisions and claims on a real API server: it
 * writes to none of them. (`kinds/cloneset/runs/takeover.golden.test.ts` shows this for the plans, and how a rollout in progress continues.)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, cloneSets, type CloneSet } from '@kruise/api';
import {
  controllerRevisions,
  namespaces,
  persistentVolumeClaims,
  pods,
  type ControllerRevision,
  type KubeObject,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { recordedStages, startFaultProxy, staysTrue, type ControlPlane, type FaultProxy, type RecordedStage } from '@kruise/testing';
import { recordingOf } from '../kinds/cloneset/runs/recorded.testing.ts';
import { CloneSetFixture } from './fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

/** One namespace a stage. */
const namespaceOf = (stage: RecordedStage): string => `recorded-${stage}`;

const oddNamespace = 'odd-members';

/** The CloneSet with members that its revisions lack, as the other implementation drops what its types do not know. */
function withOddMembers(cloneSet: CloneSet): CloneSet {
  const { spec } = cloneSet;
  const { metadata, spec: podSpec } = spec.template;
  const containers = (podSpec?.containers ?? []).map((container) => ({ ...container, odd: { a: [] } }));
  const template = { metadata: { ...metadata, odd: 1 }, spec: { ...podSpec, containers, hostnameOverride: 'x' } };
  return { ...cloneSet, spec: { ...spec, template } };
}

/** What of a recorded object can be created again, below the owners that are there now; others are omitted. */
function renewed<T extends KubeObject>(object: T, namespace: string, uids: ReadonlyMap<string, string>): T {
  const { name, generateName, labels, annotations, finalizers, ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.flatMap((owner) => {
    const uid = uids.get(owner.uid);
    return uid === undefined ? [] : [{ ...owner, uid }];
  });
  const kept = JSON.parse(JSON.stringify({ name, generateName, labels, annotations, finalizers })) as KubeObject['metadata'];
  return { ...object, metadata: { ...kept, namespace, ownerReferences: owners } };
}

describe('a manager that starts on a cluster where another implementation ran', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-takeover-'));
  let plane: ControlPlane;
  let proxy: FaultProxy;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;

  /** Creates the object and its status. @returns it as it is then */
  async function restore<T extends KubeObject & { readonly status?: unknown }>(type: ResourceType<T>, object: T): Promise<T> {
    const created = await fixture.client.create(type, object);
    return object.status === undefined ? created : fixture.client.updateStatus(type, { ...created, status: object.status });
  }

  async function restoreStage(stage: RecordedStage, namespace: string, change = (cloneSet: CloneSet): CloneSet => cloneSet): Promise<void> {
    const recording = recordingOf(stage);
    await fixture.client.create(namespaces, { metadata: { name: namespace } });
    const uids = new Map<string, string>();
    for (const recorded of recording.cloneSets) {
      const { status } = recorded;
      // The generation restarts; the present spec had been observed completely.
      const observed = { ...recorded, ...(status === undefined ? {} : { status: { ...status, observedGeneration: 1 } }) };
      const { metadata } = await restore(cloneSets, change(renewed(observed, namespace, uids)));
      uids.set(recorded.metadata.uid ?? '', metadata.uid ?? '');
    }
    for (const revision of recording.revisions) await restore(controllerRevisions, renewed(revision, namespace, uids));
    for (const claim of recording.claims) await restore(persistentVolumeClaims, renewed(claim, namespace, uids));
    for (const pod of recording.pods) await restore(pods, renewed(pod, namespace, uids));
  }

  const inEachPhase = async <T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> => {
    const lists = await Promise.all(recordedStages.map((stage) => fixture.client.list(type, { namespace: namespaceOf(stage) })));
    return lists.flatMap(({ items }) => items);
  };

  /** Name and version of every Pod, revision and claim. */
  async function versions(): Promise<readonly string[]> {
    const kinds: readonly ResourceType[] = [controllerRevisions, persistentVolumeClaims, pods];
    const objects = (await Promise.all(kinds.map(inEachPhase))).flat();
    return objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name} ${metadata.resourceVersion}`);
  }

  /** What the CloneSets count and name, and whether anything but the status was written. */
  async function counted(): Promise<readonly unknown[]> {
    return (await inEachPhase(cloneSets)).map(({ metadata, spec, status }) => {
      const { conditions: _conditions, ...counters } = status ?? {};
      return {
        name: `${metadata.namespace}/${metadata.name}`,
        generation: metadata.generation,
        spec,
        updatedAvailableReplicas: 0,
        ...counters,
      };
    });
  }

  beforeAll(async () => {
    // Without the controllers of Kubernetes, nothing collects or binds the restored objects; without webhooks, they are stored as recorded.
    plane = await startInstalledPlane({ controllers: false, simulatedNodes: 0, edit: (manifest) => ({ ...manifest, webhooks: [] }) });
    fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'own');
    for (const stage of recordedStages) await restoreStage(stage, namespaceOf(stage));
    await restoreStage('3-updated', oddNamespace, withOddMembers);
    proxy = await startFaultProxy({ kubeconfigPath: plane.kubeconfigPath });
    const gates = 'AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false';
    manager = await ManagerProcess.create({
      kubeconfigPath: proxy.kubeconfigPath,
      dir,
      flags: ['--enable-leader-election=false', `--feature-gates=${gates}`],
    });
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    fixture.client.close();
    await proxy.stop();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('writes to no Pod, revision, claim or template that it finds, and counts the same', async () => {
    const [before, countedBefore] = [await versions(), await counted()];
    expect(before).toHaveLength(17 + 6 + 24);
    expect(countedBefore).toHaveLength(12);
    await manager.start();
    // One of its own, to know that it has looked at the others.
    await fixture.apply({ name: 'own', replicas: 1, image: 'registry.example/app:1' });
    await fixture.until('own', ({ status }) => status?.replicas === 1);
    // Conditions are kept true: the other implementation leaves errors in them that are long over.
    const written = (): readonly string[] =>
      proxy.requests
        .filter(({ method, path }) => method !== 'GET' && path.includes('/namespaces/recorded-'))
        .filter(({ path }) => !/\/clonesets\/[^/]+\/status$/.test(path))
        .map(({ method, path }) => `${method} ${path}`);
    await staysTrue('nothing is written', () => written().length === 0, 2_000);
    expect(written()).toEqual([]);
    expect(await versions()).toEqual(before);
    expect(await counted()).toEqual(countedBefore);
  });

  it('takes over CloneSets with members in the template that their revisions lack, and scales them without an update', async () => {
    const inOddNamespace = async <T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> =>
      (await fixture.client.list(type, { namespace: oddNamespace })).items;
    const written = (): readonly Promise<readonly (Pod | ControllerRevision)[]>[] => [
      inOddNamespace(pods),
      inOddNamespace(controllerRevisions),
    ];
    const [podsBefore, revisionsBefore] = (await Promise.all(written())) as [readonly Pod[], readonly ControllerRevision[]];
    const names = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name).sort();
    const updateRevisions = (await inOddNamespace(cloneSets)).map(({ spec, status }) => {
      expect(JSON.stringify(spec.template)).toContain('"odd":{"a":[]}');
      return status?.updateRevision ?? '';
    });
    if (!(await manager.isReady())) await manager.start();
    const noted = async (): Promise<readonly ControllerRevision[]> =>
      (await inOddNamespace(controllerRevisions)).filter(
        ({ metadata }) => metadata.annotations?.[annotations.revisionStandsFor] !== undefined,
      );
    await fixture.eventually(async () => (await noted()).length === updateRevisions.length, 'the revisions are noted');
    expect(names(await noted())).toEqual(updateRevisions.toSorted());

    const [{ metadata, spec }] = (await inOddNamespace(cloneSets)).filter(({ metadata: { name } }) => name === 'web') as [CloneSet];
    const replicas = (spec.replicas ?? 1) + 1;
    await fixture.client.patch(cloneSets, { namespace: oddNamespace, name: 'web' }, { spec: { replicas } }, { type: 'merge' });
    const reached = async (): Promise<boolean> => {
      const { status, metadata: now } = await fixture.client.get(cloneSets, { namespace: oddNamespace, name: metadata.name });
      return status?.observedGeneration === now.generation && status?.replicas === replicas;
    };
    await fixture.eventually(reached, 'web has one Pod more');
    const [podsAfter, revisionsAfter] = (await Promise.all(written())) as [readonly Pod[], readonly ControllerRevision[]];
    expect(names(revisionsAfter)).toEqual(names(revisionsBefore));
    const stayed = podsAfter.filter(({ metadata: { name } }) => names(podsBefore).includes(name));
    expect(stayed).toEqual(podsBefore);
    expect(podsAfter).toHaveLength(podsBefore.length + 1);
  });
});
