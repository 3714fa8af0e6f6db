/** Changes of a source shortly before it is released, and runs that end between the last two writes. */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { memberAt } from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import { withMember, type Untyped } from '../../objects/untyped.ts';
import { AdoptCluster, adoptableTypes, adoptLine, identities } from '../controllers.testing.ts';
import { directionFrom, type AdoptableKind } from '../observed/directions.ts';

const kinds: readonly AdoptableKind[] = ['Deployment', 'CloneSet', 'StatefulSet', 'AdvancedStatefulSet', 'DaemonSet', 'AdvancedDaemonSet'];
const to = (from: AdoptableKind): AdoptableKind => directionFrom(from)?.to ?? from;

const bodyOf = ({ body }: FakeCall): string => JSON.stringify(body ?? '');
const isRecord = (call: FakeCall): boolean => call.from === 'plugin' && bodyOf(call).includes('adopt-release":"{');
/** The dry run of the same write is made while the source exists. */
const isRelease = (cluster: AdoptCluster, call: FakeCall): boolean =>
  cluster.workload(cluster.from) === undefined && call.type?.kind !== 'ReplicaSet' && bodyOf(call).includes('adopt-release":null');

/** Changes the source once, when the end of the hold has been recorded. */
function changeAfterRecord(cluster: AdoptCluster, path: readonly string[], value: unknown): void {
  let isDone = false;
  cluster.api.onWrite(({ call, refused }) => {
    const source = cluster.workload(cluster.from);
    if (isDone || refused !== undefined || !isRecord(call) || source === undefined) return;
    isDone = true;
    cluster.api.seed(adoptableTypes[cluster.from], withMember(source, path, value) as Untyped);
  });
}

/** A run that is killed before the write that ends the hold. */
async function runUntilRelease(cluster: AdoptCluster, line: string, name = 'web'): Promise<void> {
  const connection = cluster.api.connect('plugin');
  connection.faults.before = (call) => {
    if (isRelease(cluster, call)) throw new Error('killed');
  };
  await cluster.run(line, { connection }).catch(() => undefined);
  expect(cluster.workload(cluster.from)).toBeUndefined();
  expect(cluster.workload(to(cluster.from), name)?.metadata.annotations).toHaveProperty('kubectl-kruise/adopt');
}

describe('a source that is changed after the end of the hold was recorded', () => {
  it('gets another record, and the target the change', async () => {
    const cluster = new AdoptCluster('Deployment', 1);
    changeAfterRecord(cluster, ['spec', 'replicas'], 4);
    const { code, err } = await cluster.run(adoptLine('Deployment'));
    expect(code).toBe(0);
    expect(err).toContain('recording how the hold ends, with the replicas that the source got during the move');
    expect(memberAt(cluster.workload('CloneSet'), 'spec', 'replicas')).toBe(4);
  });

  it('with a setting that the target does not have, is reported', async () => {
    const cluster = new AdoptCluster('CloneSet', 1);
    changeAfterRecord(cluster, ['spec', 'lifecycle'], { preDelete: { labelsHandler: { a: 'b' } } });
    const { code, err } = await cluster.run(adoptLine('CloneSet'));
    expect(code).toBe(0);
    expect(err).toContain(
      'Warning: during the move, another client changed spec.lifecycle of the source to {"preDelete":{"labelsHandler":{"a":"b"}}}; ' +
        'the target has no such setting\n',
    );
  });

  it('to what the API server refuses of the target, can be changed back', async () => {
    const cluster = new AdoptCluster('Deployment', 1);
    changeAfterRecord(cluster, ['spec', 'minReadySeconds'], -1);
    const connection = cluster.api.connect('plugin');
    connection.faults.before = (call) => {
      if (bodyOf(call).includes('"minReadySeconds":-1')) throw new ApiError('minReadySeconds: invalid', { kind: 'Invalid', causes: [] });
    };
    const refused = await cluster.run(adoptLine('Deployment'), { connection });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('minReadySeconds: invalid') as unknown });
    expect(refused.err).toContain('run the same command again');
    const source = cluster.workload('Deployment') as Untyped;
    cluster.api.seed(adoptableTypes.Deployment, withMember(source, ['spec', 'minReadySeconds'], 2) as Untyped);
    expect(await cluster.run(adoptLine('Deployment'))).toMatchObject({ code: 0 });
    expect(memberAt(cluster.workload('CloneSet'), 'spec', 'minReadySeconds')).toBe(2);
    expect(cluster.harm).toEqual([]);
  });
});

describe.each(kinds)('a run of a %s that is killed before its last write', (from) => {
  it('is shown by a dry run, and ended by the next run', async () => {
    const cluster = new AdoptCluster(from, 1);
    const before = identities(cluster);
    await runUntilRelease(cluster, adoptLine(from));
    const line = adoptLine(from).replace(' --yes', '');
    const note = expect.stringContaining('only the hold of the target is left to end') as unknown;
    expect(await cluster.run(`${line} --dry-run=client`)).toMatchObject({ code: 0, out: note });
    expect(await cluster.run(line)).toMatchObject({ code: 1, out: note });
    const { code, out } = await cluster.run(adoptLine(from));
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/ adopted the Pods of .*\/web\n$/) as unknown });
    expect(cluster.text()).not.toContain('kubectl-kruise');
    expect(cluster.harm).toEqual([]);
    expect(identities(cluster)).toEqual(before);
  });
});

describe('a hold that an earlier run has left', () => {
  it('ends in the version that it was begun in', async () => {
    const cluster = new AdoptCluster('Deployment', 1);
    changeAfterRecord(cluster, ['spec', 'strategy', 'rollingUpdate', 'maxSurge'], 2);
    await runUntilRelease(cluster, 'adopt deployment/web --to clonesets.v1alpha1.apps.kruise.io --yes');
    const versions: string[] = [];
    cluster.api.onWrite(({ call }) => void (bodyOf(call).includes('adopt-release":null') && versions.push(call.type?.version ?? '')));
    expect(await cluster.run('adopt deployment/web --yes')).toMatchObject({ code: 0 });
    expect(versions).toEqual(['v1alpha1']);
  });

  it('ends although another client has created the source again', async () => {
    const cluster = new AdoptCluster('CloneSet');
    const { metadata, spec } = cluster.workload('CloneSet') as Untyped;
    await runUntilRelease(cluster, adoptLine('CloneSet'));
    const { name, namespace = '', labels = {} } = metadata;
    cluster.api.seed(adoptableTypes.CloneSet, { metadata: { name, namespace, labels }, spec: { ...(spec as object), replicas: 0 } });
    expect(await cluster.run(adoptLine('CloneSet'))).toMatchObject({
      code: 0,
      err: expect.stringContaining('Warning: another client created cloneset.apps.kruise.io/web again') as unknown,
    });
    expect(memberAt(cluster.workload('Deployment'), 'spec', 'paused')).toBeUndefined();
  });

  it('of another source is not ended', async () => {
    const cluster = new AdoptCluster('Deployment');
    await runUntilRelease(cluster, 'adopt deployment/web --name=shop --yes', 'shop');
    expect(await cluster.run('adopt deployment/other --name=shop --yes')).toMatchObject({ code: 1 });
    expect(cluster.workload('CloneSet', 'shop')?.metadata.annotations).toHaveProperty('kubectl-kruise/adopt');
  });
});

it('leaves no annotation on the ReplicaSet when a run is killed after the end of the hold', async () => {
  const cluster = new AdoptCluster('CloneSet');
  const connection = cluster.api.connect('plugin');
  let isReleased = false;
  connection.faults.before = (call) => {
    if (isReleased && call.verb === 'patch') throw new Error('killed');
    isReleased ||= isRelease(cluster, call);
  };
  await cluster.run(adoptLine('CloneSet'), { connection }).catch(() => undefined);
  const annotations = (): string => JSON.stringify(cluster.all(replicaSets as never).map((one) => one.metadata.annotations));
  expect(annotations()).toContain('kubectl-kruise/adopt');
  expect(await cluster.run(adoptLine('CloneSet'))).toMatchObject({ code: 0 });
  expect(annotations()).not.toContain('kubectl-kruise/adopt');
});
