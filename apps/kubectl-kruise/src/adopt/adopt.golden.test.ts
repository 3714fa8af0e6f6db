/** What `adopt` prints: the plan, what it refuses, and the steps of a move. */
import { expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { memberAt } from '@kruise/objects';
import { goldenText } from '@kruise/testing';
import { replicaSets } from '@kruise/workloads';
import { servedTypes, type RunResult } from '../testing.ts';
import { plainType } from '../objects/served-types.ts';
import type { Untyped } from '../objects/untyped.ts';
import { AdoptCluster, adoptableTypes } from './controllers.testing.ts';

const scaler = {
  ...plainType({ group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' }),
  verbs: ['get', 'list'],
  subresources: [],
};

async function transcript(cluster: AdoptCluster, ...lines: readonly string[]): Promise<string> {
  let text = '';
  for (const line of lines) {
    const { code, out, err } = await cluster.run(line, { types: [...servedTypes, scaler] });
    const errors = err.replaceAll(/^/gm, '! ').replace(/! $/, '');
    text += `$ kubectl-kruise ${line}\n${out}${errors}${code === 0 ? '' : `exit ${code}\n`}\n`;
  }
  return text;
}

/** Changes the workload of a cluster as another client would. */
function change(cluster: AdoptCluster, members: object): void {
  const type = adoptableTypes[cluster.from];
  const held = cluster.workload(cluster.from);
  cluster.api.seed(type, { ...held, ...members } as unknown as Untyped);
}

it('adopt', async () => {
  const web = new AdoptCluster('Deployment');
  web.api.seed(scaler, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 9 },
  } as never);
  let text = await transcript(
    web,
    'adopt deployment/web',
    'adopt deployment/web --dry-run=server',
    'adopt deployment/web --dry-run=client -o json',
    'adopt deployment web --to=statefulset --yes',
    'adopt deployment/web --to clonesets.v1alpha1.apps.kruise.io --name=shop --yes',
    'adopt deployment/web --name=shop --yes',
    'adopt deployment/web --yes',
    'adopt cloneset/shop --name=web --yes',
  );
  const db = new AdoptCluster('AdvancedStatefulSet');
  const spec = db.workload('AdvancedStatefulSet')?.['spec'] as object;
  change(db, {
    metadata: { ...db.workload('AdvancedStatefulSet')?.metadata, labels: { 'policy.kruise.io/delete-protection': 'Always' } },
    spec: { ...spec, reserveOrdinals: [7], lifecycle: { preDelete: { finalizersHandler: ['a/b'] } } },
  });
  text += await transcript(
    db,
    'adopt asts/web --name=other --yes',
    'adopt asts/web -o xml',
    'adopt pod/web-0',
    'adopt asts/gone --yes',
    'adopt asts',
  );
  const agents = new AdoptCluster('DaemonSet');
  text += await transcript(agents, 'adopt daemonset/web --yes');
  expect(text).toBe(goldenText(new URL('./testdata/adopt.txt', import.meta.url), text));
});

const inDefault = (right: string): string => `${right} in default`;

it('takes an interrupted move back while the source still exists, and only with the target of the first run', async () => {
  const cluster = new AdoptCluster('Deployment');
  const { metadata } = cluster.workload('Deployment') as Untyped;
  const marked = {
    ...metadata,
    annotations: { 'kubectl-kruise/adopt': 'clonesets.apps.kruise.io/web' },
    finalizers: ['kubectl-kruise/adopt'],
  };
  change(cluster, { metadata: marked });
  expect(await cluster.run('adopt deployment/web --name=other --yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining('an earlier run moves the Pods to clonesets.apps.kruise.io/web') as unknown,
  });
  change(cluster, { metadata: { ...marked, labels: { 'policy.kruise.io/delete-protection': 'Always' } } });
  expect(await cluster.run('adopt deployment/web --yes')).toMatchObject({ code: 1 });
  expect(cluster.workload('Deployment')?.metadata.finalizers ?? []).toEqual([]);
  expect(JSON.stringify(cluster.workload('Deployment'))).not.toContain('kubectl-kruise');
});

it('leaves the move to a run with another target that marked the source after this one had read it', async () => {
  const cluster = new AdoptCluster('Deployment');
  const connection = cluster.api.connect('plugin');
  let reads = 0;
  connection.faults.before = ({ verb, type }) => {
    if (verb !== 'get' || type?.kind !== 'Deployment' || ++reads !== 2) return;
    const metadata = {
      ...cluster.workload('Deployment')?.metadata,
      annotations: { 'kubectl-kruise/adopt': 'clonesets.apps.kruise.io/shop' },
      finalizers: ['kubectl-kruise/adopt'],
    };
    change(cluster, { metadata });
  };
  expect(await cluster.run('adopt deployment/web --yes', { connection })).toMatchObject({
    code: 1,
    err: expect.stringContaining('an earlier run moves the Pods to clonesets.apps.kruise.io/shop') as unknown,
  });
  expect(cluster.workload('Deployment')?.metadata.deletionTimestamp).toBeUndefined();
  expect(cluster.workload('CloneSet')).toBeUndefined();
});

it('writes nothing when the server refuses the target, and moves when it cannot check it', async () => {
  const refusing = async (failure: ApiError): Promise<{ readonly cluster: AdoptCluster; readonly result: RunResult }> => {
    const cluster = new AdoptCluster('CloneSet');
    const connection = cluster.api.connect('plugin');
    let creations = 0;
    connection.faults.before = ({ verb, type }) => {
      if (verb === 'create' && type?.kind === 'Deployment' && ++creations === 1) throw failure;
    };
    return { cluster, result: await cluster.run('adopt clone/web --yes', { connection }) };
  };
  const refused = await refusing(new ApiError('maxUnavailable may not be 0', { kind: 'Invalid', causes: [] }));
  expect(refused.result).toMatchObject({ code: 1, err: expect.stringContaining('maxUnavailable may not be 0') as unknown });
  expect(refused.cluster.workload('CloneSet')?.metadata.finalizers).toBeUndefined();
  const unchecked = await refusing(new ApiError('no dry run', { kind: 'BadRequest' }, { reason: 'BadRequest' }));
  expect(unchecked.result).toMatchObject({
    code: 0,
    err: expect.stringContaining('Warning: the server cannot check deployment.apps/web before the move: no dry run') as unknown,
  });
  const denied = await refusing(new ApiError('denied', { kind: 'BadRequest' }));
  expect(denied.result.code).toBe(1);
  expect(denied.cluster.workload('CloneSet')?.metadata.finalizers).toBeUndefined();
});

it('ends at the time limit, without a Pod that restarted, and continues afterwards', async () => {
  const cluster = new AdoptCluster('Deployment', 500);
  expect(await cluster.run('adopt deployment/web --yes --timeout=20s')).toMatchObject({
    code: 1,
    err: expect.stringContaining('run the same command again to continue') as unknown,
  });
  expect(cluster.harm).toEqual([]);
});

it('writes nothing when another object has the name of the ReplicaSet', async () => {
  const cluster = new AdoptCluster('CloneSet');
  const revision = String(memberAt(cluster.workload('CloneSet'), 'status', 'updateRevision'));
  const reference = { apiVersion: 'x/v1', kind: 'X', name: 'x', uid: 'x', controller: true };
  const selector = { matchLabels: { other: 'x' } };
  cluster.api.seed(replicaSets, {
    metadata: { name: revision, namespace: 'default', labels: { app: 'web' }, ownerReferences: [reference] },
    spec: { replicas: 0, selector },
  });
  expect(await cluster.run('adopt clone/web --yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`"${revision}" already exists`) as unknown,
  });
  expect(cluster.workload('CloneSet')?.metadata.finalizers).toBeUndefined();
  expect(cluster.harm).toEqual([]);
});

it('stops when another client created the target while the Pods have no owner', async () => {
  const cluster = new AdoptCluster('CloneSet');
  const { metadata, ...rest } = cluster.workload('CloneSet') as Untyped;
  const marked = { ...metadata, annotations: { 'kubectl-kruise/adopt': 'deployments.apps/web' }, finalizers: ['kubectl-kruise/adopt'] };
  cluster.api.seed(adoptableTypes.CloneSet, { ...rest, metadata: marked });
  await cluster.api.delete(adoptableTypes.CloneSet, { namespace: 'default', name: 'web' }, { propagationPolicy: 'Orphan' });
  cluster.api.seed(adoptableTypes.Deployment, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { paused: true },
  });
  expect(await cluster.run('adopt clone/web --yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining('another client created it while the move ran, and 3 Pods have no controller') as unknown,
  });
  expect(cluster.workload('CloneSet')).toBeDefined();
});

it('ends well when another client creates the source again right after the end', async () => {
  const cluster = new AdoptCluster('CloneSet');
  const { metadata, spec } = cluster.workload('CloneSet') as Untyped;
  const { name, namespace = '', labels = {} } = metadata;
  cluster.api.onWrite(({ call }) => {
    if (call.from !== 'plugin' || call.verb !== 'patch' || cluster.workload('CloneSet') !== undefined) return;
    cluster.api.seed(adoptableTypes.CloneSet, { metadata: { name, namespace, labels }, spec: { ...(spec as object), replicas: 0 } });
  });
  expect(await cluster.run('adopt clone/web --yes')).toMatchObject({
    code: 0,
    out: expect.stringContaining('deployment.apps/web adopted 3 Pods of cloneset.apps.kruise.io/web') as unknown,
    err: expect.stringContaining('Warning: another client created cloneset.apps.kruise.io/web again') as unknown,
  });
});

it('says that the target is on hold when another client removed the source', async () => {
  const cluster = new AdoptCluster('Deployment', 500);
  await cluster.run('adopt deployment/web --yes --timeout=20s');
  const held = cluster.workload('Deployment') as Untyped;
  const type = adoptableTypes.Deployment;
  cluster.api.seed(type, { ...held, metadata: { ...held.metadata, finalizers: [] } });
  await cluster.api.delete(type, { namespace: 'default', name: 'web' }).catch(() => undefined);
  expect(cluster.workload('Deployment')).toBeUndefined();
  expect(await cluster.run('adopt deployment/web --yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining('was removed before the move ended, and cloneset.apps.kruise.io/web is on hold') as unknown,
  });
});

it('writes nothing when the server refuses the new owner of a Pod', async () => {
  const cluster = new AdoptCluster('Deployment');
  const connection = cluster.api.connect('plugin');
  connection.faults.before = ({ verb, type }) => {
    if (verb === 'patch' && type?.kind === 'Pod') throw new ApiError('cannot set blockOwnerDeletion', { kind: 'Forbidden' });
  };
  const { code, err } = await cluster.run('adopt deployment/web --yes', { connection });
  expect(code).toBe(1);
  expect(err).toContain('cannot set blockOwnerDeletion');
  expect(err).not.toContain('The move has not ended');
  expect(cluster.workload('Deployment')?.metadata.finalizers).toBeUndefined();
});

it('says how to go on when a right is taken away in the middle', async () => {
  const cluster = new AdoptCluster('Deployment');
  const connection = cluster.api.connect('plugin');
  connection.faults.before = ({ verb, type }) => {
    if (verb === 'patch' && type?.kind === 'Pod' && cluster.workload('CloneSet') !== undefined)
      throw new ApiError('you may not patch pods', { kind: 'Forbidden' });
  };
  const { code, err } = await cluster.run('adopt deployment/web --yes', { connection });
  expect(code).toBe(1);
  expect(err).toContain('you may not patch pods');
  expect(err).toContain('The move has not ended, and Pods may have no controller: remove the cause, and run the same command again');
  expect(await cluster.run('adopt deployment/web --yes')).toMatchObject({ code: 0 });
  expect(cluster.harm).toEqual([]);
});

it('names the rights that are missing, and writes nothing', async () => {
  const cluster = new AdoptCluster('CloneSet');
  cluster.api.rawAnswers.set('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { status: { allowed: false } });
  const { code, err } = await cluster.run('adopt clone/web --yes');
  expect(code).toBe(1);
  expect(err.split('\n')).toEqual([
    'error: the move needs rights that you do not have:',
    ...['patch clonesets.apps.kruise.io', 'delete clonesets.apps.kruise.io', 'get deployments.apps', 'create deployments.apps'].map(
      inDefault,
    ),
    ...['patch deployments.apps', 'list pods', 'patch pods', 'list controllerrevisions.apps', 'delete controllerrevisions.apps'].map(
      inDefault,
    ),
    ...['list replicasets.apps', 'create replicasets.apps', 'patch replicasets.apps'].map(inDefault),
    '',
  ]);
  expect(cluster.workload('CloneSet')?.metadata.finalizers).toBeUndefined();
});
