/** A CloneSet's life on simulated nodes: create, update in place, update by recreation, scale to 0. */
import { cloneSets, type CloneSet } from '@kruise/api';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces, pods } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { AdmissionLoad, type ReviewSubject } from './admission-load.ts';
import { cloneSet, inPlaceUpdate, name, namespace, recreateUpdate, scaleToZero } from './clone-set.ts';
import { DelayWatch } from './delay-watch.ts';
import { install } from './install.ts';
import { ManagerProcess } from './manager-process.ts';
import { admissionOf, runPhase, type Phase, type PhaseResult } from './phase.ts';

export interface RolloutOptions {
  readonly program: string;
  readonly folder: string;
  readonly pods: number;
  readonly profileFolder?: string;
  readonly progress: (line: string) => void;
}

export interface RolloutResult {
  readonly phases: readonly PhaseResult[];
  /** Paths that are served, of those asked for. */
  readonly admissionPaths: readonly string[];
  readonly admissionFailures: readonly string[];
  readonly atRest: PhaseResult['admission'];
}

const podsPerNode = 100;
const admissionPerSecond = 20;
const key = { namespace, name };

const inGroup = (path: string, replicas: number): ReviewSubject => ({
  path,
  resource: { group: cloneSets.group, version: cloneSets.version, resource: cloneSets.plural },
  kind: { group: cloneSets.group, version: cloneSets.version, kind: cloneSets.kind },
  object: cloneSet(replicas),
});

const podSubject: ReviewSubject = {
  path: '/mutate-pod',
  resource: { group: '', version: 'v1', resource: 'pods' },
  kind: { group: '', version: 'v1', kind: 'Pod' },
  object: { ...cloneSet(1).spec.template, metadata: { name: 'web-x', namespace } },
};

const subjects = [inGroup('/mutate-apps-kruise-io-cloneset', 3), inGroup('/validate-apps-kruise-io-cloneset', 3), podSubject];

type Status = NonNullable<CloneSet['status']>;

/** Whether the status is about the spec as it is, and fulfils `test`. */
async function statusIs(client: Client, test: (status: Status) => boolean): Promise<boolean> {
  const held = await client.get(cloneSets, key);
  return held.status?.observedGeneration === held.metadata.generation && test(held.status as Status);
}

function phasesOf(client: Client, replicas: number): readonly Phase[] {
  const patch = (operations: readonly object[]): Promise<unknown> => client.patch(cloneSets, key, operations, { type: 'json' });
  const isRolledOut = (): Promise<boolean> =>
    statusIs(
      client,
      (status) =>
        status.replicas === replicas && status.updatedReadyReplicas === replicas && status.currentRevision === status.updateRevision,
    );
  const timeoutMs = 60_000 + replicas * 120;
  return [
    { name: `create ${replicas} Pods`, begin: () => client.create(cloneSets, cloneSet(replicas)), isOver: isRolledOut, timeoutMs },
    { name: 'in-place update, 20 % at a time', begin: () => patch(inPlaceUpdate), isOver: isRolledOut, timeoutMs },
    { name: 'recreate update, 20 % at a time', begin: () => patch(recreateUpdate), isOver: isRolledOut, timeoutMs },
    {
      name: 'scale to 0',
      begin: () => patch(scaleToZero),
      isOver: async () =>
        (await statusIs(client, (status) => status.replicas === 0)) &&
        (await client.list(pods, { namespace, limit: 1 })).items.length === 0,
      timeoutMs,
    },
  ];
}

/** The same calls while the manager has nothing else to do. */
async function admissionAtRest(load: AdmissionLoad): Promise<PhaseResult['admission']> {
  load.take();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  return admissionOf(load.take());
}

export async function measureRollout({ program, folder, pods: replicas, profileFolder, progress }: RolloutOptions): Promise<RolloutResult> {
  progress('starting a control plane with simulated nodes');
  await using plane = await startControlPlane({ controllers: true, simulatedNodes: Math.ceil(replicas / podsPerNode) + 1 });
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await install(client, AbortSignal.timeout(60_000));
    await client.create(namespaces, { metadata: { name: namespace } });
    await plane.waitFor(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    await using manager = await ManagerProcess.start({
      program,
      folder,
      kubeconfig: plane.kubeconfigPath,
      ...(profileFolder === undefined ? {} : { profileFolder }),
    });
    await manager.waitUntilReady();
    await manager.waitUntilLeading();
    const admission = await AdmissionLoad.connect(
      { port: manager.ports.webhook, certificateAuthority: manager.certificateAuthority },
      subjects,
    );
    admission.start(admissionPerSecond);
    const delays = new DelayWatch(manager);
    try {
      const atRest = await admissionAtRest(admission);
      const results: PhaseResult[] = [];
      for (const phase of phasesOf(client, replicas)) {
        progress(phase.name);
        results.push(await runPhase(phase, { plane, manager, admission, delays }));
        progress(JSON.stringify(results.at(-1)));
      }
      return { phases: results, atRest, admissionPaths: admission.paths, admissionFailures: admission.failures };
    } finally {
      await delays.stop();
      await admission.stop();
    }
  } finally {
    client.close();
  }
}
