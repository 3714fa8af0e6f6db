/**
 * What follows from a look at an object is done to exactly that version where its user may have changed meanwhile what was decided on. Each row is a
 * write that would otherwise undo the user's.
 */
import { describe, expect, it } from '@jest/globals';
import {
  broadcastJobs,
  containerRecreateRequests,
  ephemeralJobs,
  imageListPullJobs,
  persistentPodStates,
  type EphemeralJob,
} from '@kruise/api';
import type { Client } from '@kruise/kube';
import type { FakeApi, FakeClock } from '@kruise/kube/testing';
import {
  keyOf,
  persistentVolumeClaims,
  pods,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { execute as terminateSidecars } from '../features/sidecarterminator/execute.ts';
import { newClock, newFakeApi } from '../module/controller-process.testing.ts';
import { writePodAction } from '../workloads/writes/pod-action-writes.ts';
import { execute as ofBroadcastJob } from './broadcastjob/execute.ts';
import { execute as ofRequest } from './containerrecreaterequest/execute.ts';
import { execute as ofEphemeralJob } from './ephemeraljob/execute.ts';
import { execute as ofList } from './imagelistpulljob/execute.ts';
import { execute as ofState } from './persistentpodstate/execute.ts';
import { execute as ofStatefulSet } from './statefulset/execute.ts';

const { signal } = new AbortController();
const metadata = { name: 'a', namespace: 'default' };
const because = 'its time is over';
/** A recorder without a listener. */
const quiet = new Proxy({}, { get: () => () => undefined }) as never;

interface Io {
  readonly client: Client;
  readonly clock: FakeClock;
}

interface Row {
  readonly name: string;
  readonly type: ResourceType;
  readonly held: KubeObject & { readonly spec?: unknown; readonly status?: unknown };
  /** What the user changes between the look and the write; a merge patch. */
  readonly change: object;
  /** The write, of the object as it was seen. */
  readonly write: (seen: never, io: Io) => Promise<unknown>;
}

const row = <T extends KubeObject>(
  name: string,
  type: ResourceType<T>,
  { held, change, write }: { readonly held: T; readonly change: object; readonly write: (seen: T, io: Io) => Promise<unknown> },
): Row => ({ name, type: type, held, change, write });

const longer = { spec: { completionPolicy: { ttlSecondsAfterFinished: 9999 } } };
const template = { spec: { containers: [] } };
const claim: PersistentVolumeClaim = { metadata, spec: { resources: { requests: { storage: '1Gi' } } } };
const pod: Pod = { metadata, spec: { containers: [{ name: 'main', image: 'app:1' }] } };
const resize = { spec: { containers: [{ name: 'main', resources: { limits: { cpu: '2' } } }] } };

const rows: readonly Row[] = [
  row('a BroadcastJob whose time is over is deleted', broadcastJobs, {
    held: { metadata, spec: { template } },
    change: longer,
    write: (job, { client }) => ofBroadcastJob({ kind: 'DeleteJob', because }, { client, object: job, events: quiet }, signal),
  }),
  row('an EphemeralJob whose time is over is deleted', ephemeralJobs, {
    held: { metadata, spec: {} } as EphemeralJob,
    change: { spec: { ttlSecondsAfterFinished: 9999 } },
    write: (job, { client }) => ofEphemeralJob({ kind: 'DeleteJob', because }, { client, object: job }, signal),
  }),
  row('an ImageListPullJob whose time is over is deleted', imageListPullJobs, {
    held: { metadata, spec: { images: ['a'], completionPolicy: { type: 'Always' } } },
    change: longer,
    write: (job, { client }) => ofList({ kind: 'DeleteList', because }, { client, object: job, recorder: quiet }, signal),
  }),
  row('a ContainerRecreateRequest whose time is over is deleted', containerRecreateRequests, {
    held: { metadata, spec: { podName: 'a', containers: [] } },
    change: { spec: { ttlSecondsAfterFinished: 9999 } },
    write: (request, io) => ofRequest({ kind: 'Delete', because }, request, io, signal),
  }),
  row('a PersistentPodState that nobody asks for is deleted', persistentPodStates, {
    held: { metadata, spec: { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'a' } } },
    change: { metadata: { ownerReferences: [] } },
    write: (state, { client }) => ofState({ kind: 'Delete', state, because }, client, signal),
  }),
  row('a claim grows to what its template asks for', persistentVolumeClaims, {
    held: claim,
    change: { spec: { resources: { requests: { storage: '9Gi' } } } },
    write: (seen, { client }) => {
      const resources = { requests: { storage: '2Gi' } };
      const io = { client, events: quiet, object: { metadata } } as never;
      return ofStatefulSet({ kind: 'ResizeClaim', claim: seen, resources, because }, io, signal);
    },
  }),
  row('a Pod gets other amounts', pods, {
    held: pod,
    change: { metadata: { labels: { own: 'x' } }, spec: { containers: [{ name: 'main', image: 'app:2' }] } },
    write: (seen, { client, clock }) => {
      const state = { revision: 'web-2', updateTimestamp: '2026-01-01T00:00:00Z', lastContainerStatuses: null };
      const step = { kind: 'NextBatch', because, update: { pod: seen, state, resize } } as const;
      const writer = { client, clock, events: quiet, adapter: quiet, resources: 'BySubresource' } as const;
      return writePodAction({ kind: 'RefreshPod', pod: seen, because, step }, writer, signal);
    },
  }),
  row('a Pod counts as ended without its sidecars', pods, {
    held: pod,
    change: { spec: { containers: [{ name: 'main', image: 'app:2' }] } },
    write: (seen, io) => terminateSidecars({ kind: 'MarkPod', phase: 'Succeeded', because }, seen, { ...io, events: quiet }, signal),
  }),
];

function open({ type, held }: Row): { readonly api: FakeApi; readonly seen: never; readonly io: Io } {
  const clock = newClock();
  const api = newFakeApi(clock);
  return { api, seen: api.seed(type, held) as never, io: { client: api.connect('manager'), clock } };
}

describe.each(rows.map((one) => [one.name, one] as const))('%s', (_, one) => {
  it('as it was seen', async () => {
    const { api, seen, io } = open(one);
    await one.write(seen, io);
    expect(api.peek(one.type, keyOf(one.held))).not.toEqual(seen);
  });

  it('but not after another client has changed it', async () => {
    const { api, seen, io } = open(one);
    const changed = await api.patch(one.type, keyOf(one.held), one.change, { type: 'merge' });
    await expect(one.write(seen, io)).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    expect(api.peek(one.type, keyOf(one.held))).toEqual(changed);
  });
});
