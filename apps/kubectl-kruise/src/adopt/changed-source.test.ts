/** Clients that change a workload, or its Pods, while its move runs. */
import { describe, expect, it } from '@jest/globals';
import type { FakeCall } from '@kruise/kube/testing';
import { controllerOf, memberAt, pods as podType, type Pod } from '@kruise/objects';
import { withMember, type Untyped } from '../objects/untyped.ts';
import type { RunResult } from '../testing.ts';
import { AdoptCluster, adoptableTypes, adoptLine, identities } from './controllers.testing.ts';
import { directionFrom, type AdoptableKind } from './observed/directions.ts';

const kinds: readonly AdoptableKind[] = ['Deployment', 'CloneSet', 'StatefulSet', 'AdvancedStatefulSet', 'DaemonSet', 'AdvancedDaemonSet'];
const to = (from: AdoptableKind): AdoptableKind => directionFrom(from)?.to ?? from;

/** When another client changes the source: when it has been deleted, or when the target has been created. */
const moments = ['delete', 'create'] as const;
type Moment = (typeof moments)[number];

const isOf = (call: FakeCall, kind: AdoptableKind): boolean =>
  call.type?.kind === adoptableTypes[kind].kind && call.type.group === adoptableTypes[kind].group;
const isMoment = (call: FakeCall, moment: Moment, from: AdoptableKind): boolean =>
  call.from === 'plugin' && call.verb === moment && isOf(call, moment === 'delete' ? from : to(from));
const isRelease = (call: FakeCall, from: AdoptableKind): boolean =>
  call.from === 'plugin' && call.verb === 'patch' && isOf(call, to(from)) && JSON.stringify(call.body).includes('kubectl-kruise/adopt');

/** Another image and, unless it is a DaemonSet, more replicas. A manager may report the revision of the new template. */
function changed(source: Untyped, from: AdoptableKind): Untyped {
  const containers = [{ name: 'main', image: 'nginx:2' }];
  const updated = withMember(source, ['spec', 'template', 'spec', 'containers'], containers);
  const scaled = from.endsWith('DaemonSet') ? updated : withMember(updated, ['spec', 'replicas'], 4);
  return (from === 'CloneSet' ? withMember(scaled, ['status', 'updateRevision'], 'web-other') : scaled) as Untyped;
}

interface Disturbed {
  readonly cluster: AdoptCluster;
  readonly result: RunResult;
  /** What controllers did to Pods before the hold ended. */
  readonly harmOnHold: readonly string[] | undefined;
}

/** A move during which another client makes a change, once. */
async function disturb(from: AdoptableKind, moment: Moment, change: (cluster: AdoptCluster) => void): Promise<Disturbed> {
  const cluster = new AdoptCluster(from, 1);
  const connection = cluster.api.connect('plugin');
  let harmOnHold: readonly string[] | undefined;
  let isChanged = false;
  connection.faults.before = (call) => {
    if (isRelease(call, from)) harmOnHold ??= [...cluster.harm];
  };
  cluster.api.onWrite(({ call, refused }) => {
    // A creation before the deletion is a dry run.
    const isDeleted = cluster.workload(from)?.metadata.deletionTimestamp !== undefined;
    if (isChanged || refused !== undefined || !isDeleted || !isMoment(call, moment, from)) return;
    isChanged = true;
    change(cluster);
  });
  return { cluster, result: await cluster.run(adoptLine(from), { connection }), harmOnHold };
}

describe.each(kinds)('a %s', (from) => {
  it.each(moments)(
    'that is changed after the %s: its Pods move first, and the target gets the change when its hold ends',
    async (moment) => {
      const { cluster, result, harmOnHold } = await disturb(from, moment, (each) => {
        each.api.seed(adoptableTypes[from], changed(each.workload(from) as Untyped, from));
      });
      expect(result).toMatchObject({
        code: 0,
        err: expect.stringMatching(/with the .*template.* that the source got during the move/) as unknown,
      });
      expect(harmOnHold).toEqual([]);
      const target = cluster.workload(to(from));
      expect(memberAt(target, 'spec', 'template', 'spec')).toMatchObject({
        serviceAccountName: 'robot',
        containers: [{ image: 'nginx:2' }],
      });
      if (!from.endsWith('DaemonSet')) expect(memberAt(target, 'spec', 'replicas')).toBe(4);
      // The target rolls the change out.
      expect(cluster.harm).not.toEqual([]);
      expect(JSON.stringify(target)).not.toContain('kubectl-kruise');
    },
  );
});

describe('Pods of other clients that the selector matches', () => {
  const stranger = (name: string, phase: string): Pod => ({
    metadata: { name, namespace: 'default', labels: { app: 'web' } },
    spec: { containers: [] },
    status: { phase },
  });

  it.each(['Deployment', 'CloneSet'] as const)('stay as they are when the Pods of a %s move', async (from) => {
    const { cluster, result } = await disturb(from, 'create', (each) => {
      each.api.seed(podType, stranger('running', 'Running'));
      each.api.seed(podType, stranger('ended', 'Succeeded'));
    });
    expect(result).toMatchObject({ code: 0, out: expect.stringContaining('adopted 3 Pods') as unknown });
    expect(cluster.harm).toEqual([]);
    const strangers = cluster.pods.filter(({ metadata }) => ['running', 'ended'].includes(metadata.name));
    expect(strangers.map((pod) => [controllerOf(pod), pod.metadata.labels])).toEqual([
      [undefined, { app: 'web' }],
      [undefined, { app: 'web' }],
    ]);
    expect(cluster.workload(from)).toBeUndefined();
  });

  it('that ended before do not prevent a move', async () => {
    const cluster = new AdoptCluster('Deployment');
    cluster.api.seed(podType, stranger('ended', 'Failed'));
    const before = identities(cluster);
    expect(await cluster.run(adoptLine('Deployment'))).toMatchObject({ code: 0 });
    expect(identities(cluster)).toEqual(before);
    expect(controllerOf(cluster.pods.find(({ metadata }) => metadata.name === 'ended') as Untyped)).toBeUndefined();
  });
});
