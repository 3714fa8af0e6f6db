/**
 * Alerts that fire and clear in a real Prometheus while programs fail. The rules are those of the chart with shorter times; `alerts.int.test.ts` tests
 * their times.
 */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { type KubeObject, namespaces, pods, type ResourceType } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { cloneSetOf } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { isRefusedWrite, RefusedWrites } from '../../../apps/manager/src/int-tests/processes/admission-policy.testing.ts';
import { type Alert, ruleGroups } from './alerts.ts';
import { Installation } from './installation.testing.ts';
import { PrometheusProcess } from './prometheus.testing.ts';

const leases: ResourceType = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true };
const image = 'registry.example/app:1';

const shortened = (alert: Alert): Alert => ({ ...alert, for: '1s', expr: alert.expr.replaceAll(/\[\d+m\]/g, '[15s]') });

let installation: Installation;
let prometheus: PrometheusProcess;

beforeAll(async () => {
  installation = await Installation.start();
  prometheus = await PrometheusProcess.start(installation.targets, ruleGroups(shortened));
  await eventually(async () => (await prometheus.faults()).length === 0);
});
afterAll(async () => {
  await prometheus?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

/** Whether an alert has fired since the start, and fires now. */
async function courseOf(alert: string): Promise<{ readonly hasFired: boolean; readonly fires: boolean }> {
  const fired = await prometheus.query(`count_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[1h])`);
  return { hasFired: fired.length > 0, fires: await prometheus.isFiring(alert) };
}

const firedAndCleared = { hasFired: true, fires: false };
const fires = (alert: string): Promise<void> => eventually(() => prometheus.isFiring(alert));
const clears = (alert: string): Promise<void> => eventually(async () => !(await prometheus.isFiring(alert)));

/** A caller that sends its review after the time for which it waits. */
async function sendLateReview(): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: installation.manager.ports.webhook, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const head = [
    'POST /mutate-pod?timeout=1ms HTTP/1.1',
    'Host: webhook',
    'Content-Type: application/json',
    'Content-Length: 100',
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.write(' '.repeat(100));
  await once(socket, 'data');
  socket.destroy();
}

const aPod = { metadata: { name: 'tried', namespace: 'refused' }, spec: { containers: [{ name: 'main', image }] } } as KubeObject;

/** Created again until the webhooks of the new manager answer. */
const createCloneSet = (name: string): Promise<void> =>
  eventually(() =>
    installation.client.create<KubeObject>(cloneSets, cloneSetOf('refused', { name, replicas: 2, image })).then(
      () => true,
      (error: Error) => {
        if (error.message.includes('failed calling webhook')) return false;
        throw error;
      },
    ),
  );

describe('an alert fires in a drill and clears', () => {
  it('KruiseReconcileErrors and KruiseWorkloadStuck: an administrator refuses the Pods of a CloneSet', async () => {
    const { client, plane } = installation;
    await client.create(namespaces, { metadata: { name: 'refused' } });
    const policy = { name: 'no-pods', namespace: 'refused', operation: 'CREATE', refuses: 'true' } as const;
    const isRefused = (): Promise<boolean> => isRefusedWrite(client.create<KubeObject>(pods, aPod, { dryRun: true }));
    {
      await using _policy = await RefusedWrites.begin(plane, policy, isRefused);
      await createCloneSet('web');
      await fires('KruiseReconcileErrors');
      await fires('KruiseWorkloadStuck');
    }
    await eventually(async () => !(await isRefused()));
    // The next retry may be minutes away; a change is examined immediately.
    await client.patch(cloneSets, { namespace: 'refused', name: 'web' }, { spec: { replicas: 3 } }, { type: 'merge' });
    await clears('KruiseWorkloadStuck');
    await clears('KruiseReconcileErrors');
    expect(await courseOf('KruiseWorkloadStuck')).toEqual(firedAndCleared);
    expect(await courseOf('KruiseReconcileErrors')).toEqual(firedAndCleared);
  });

  it('KruiseWebhookErrors: reviews get no decision', async () => {
    await eventually(async () => {
      await sendLateReview();
      return prometheus.isFiring('KruiseWebhookErrors');
    });
    await clears('KruiseWebhookErrors');
    expect(await courseOf('KruiseWebhookErrors')).toEqual(firedAndCleared);
  });

  it('KruiseManagerDown: the only manager ends; KruiseNoLeader: another client holds its lease', async () => {
    const { client, manager } = installation;
    const key = { namespace: 'kruise-system', name: 'kruise-manager' };
    await manager.signal('SIGTERM');
    await fires('KruiseManagerDown');
    const spec = { holderIdentity: 'rival', leaseDurationSeconds: 3600, renewTime: `${new Date().toISOString().slice(0, -1)}000Z` };
    await client.patch(leases, key, { spec }, { type: 'merge' });
    await manager.start();
    await clears('KruiseManagerDown');
    await fires('KruiseNoLeader');
    await client.delete(leases, key).catch((error: unknown) => {
      if (!isFailure(error, 'NotFound')) throw error;
    });
    await clears('KruiseNoLeader');
    expect(await courseOf('KruiseManagerDown')).toEqual(firedAndCleared);
    expect(await courseOf('KruiseNoLeader')).toEqual(firedAndCleared);
  });
});
