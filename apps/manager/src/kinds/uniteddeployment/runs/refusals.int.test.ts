/** Refusals of a real API server for one subset, with the workloads of Kubernetes: they are reported, the other subsets continue, and later this one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets, unitedDeploymentLabels as labels, type UnitedDeployment } from '@kruise/api';
import { namespaces, pods } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { startDenyingWebhook } from '../../../int-tests/processes/denying-webhook.testing.ts';
import { startInstalledPlane } from '../../../int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../../int-tests/processes/manager-process.testing.ts';
import { isObserved } from '../../../int-tests/fixtures/workload-fixture.testing.ts';
import { UnitedFixture } from '../../../int-tests/fixtures/united-fixture.testing.ts';

const subsets = [{ name: 'a' }, { name: 'b' }];
const namespace = 'refusals';

const conditionOf = ({ status }: UnitedDeployment, type: string) => status?.conditions?.find((one) => one.type === type);
const blockedBy = (reason: string, text: string) => (seen: UnitedDeployment) => {
  const blocked = conditionOf(seen, 'Blocked');
  return blocked?.reason === reason && blocked.message?.includes(text) === true;
};
const isAtEase = (seen: UnitedDeployment): boolean =>
  (seen.status?.conditions ?? []).every(({ type, status }) => type !== 'Blocked' && status === 'True');

describe('a subset that is refused', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: UnitedFixture;
  /** What a test has opened besides; closed after it. */
  let opened = new AsyncDisposableStack();

  const quotaPath = (name = ''): string => `/api/v1/namespaces/${namespace}/resourcequotas${name === '' ? '' : `/${name}`}`;
  /** In force once its usage is known. @returns takes it away */
  const setQuota = async (name: string, hard: Readonly<Record<string, string>>): Promise<() => Promise<void>> => {
    await plane.api.request(quotaPath(), { method: 'POST', body: { metadata: { name }, spec: { hard } } });
    const isInForce = async (): Promise<boolean> => {
      const { status } = (await plane.api.request(quotaPath(name))) as { readonly status?: { readonly used?: object } };
      return Object.keys(status?.used ?? {}).length === Object.keys(hard).length;
    };
    await fixture.eventually(isInForce, `quota ${name} is in force`);
    let isSet = true;
    return async () => {
      if (isSet) await plane.api.request(quotaPath(name), { method: 'DELETE' });
      isSet = false;
    };
  };
  const setPodSecurity = (level: string | null): Promise<unknown> =>
    fixture.client.patch(
      namespaces,
      { namespace: '', name: namespace },
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': level } } },
      { type: 'merge' },
    );
  /** The events are few, even after many attempts. */
  const warningsOf = async (name: string): Promise<readonly string[]> =>
    (await fixture.events(name)).filter(({ reason = '' }) => reason.startsWith('Failed')).map(({ message = '' }) => message);

  beforeAll(async () => {
    plane = await startInstalledPlane();
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir });
    fixture = await UnitedFixture.create(plane.kubeconfigPath, namespace);
    await manager.start();
  });
  afterEach(async () => {
    await opened.disposeAsync();
    opened = new AsyncDisposableStack();
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    fixture.client.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('by a quota of children is reported, the other is created and updated, and it continues without the quota', async () => {
    const lift = await setQuota('few-deployments', { 'count/deployments.apps': '1' });
    opened.defer(lift);
    await fixture.apply({ name: 'counted', kind: 'Deployment', replicas: 4, image: 'app:1', subsets });
    const seen = await fixture.until('counted', (one) => blockedBy('QuotaExceeded', 'subset ')(one) && one.status?.readyReplicas === 2);
    expect(conditionOf(seen, 'SubsetProvisioned')).toMatchObject({ status: 'False', reason: 'Error' });
    expect(conditionOf(seen, 'SubsetUpdated')).toMatchObject({ status: 'True' });
    const [first] = await fixture.children('counted', 'Deployment');
    await fixture.setTemplate('counted', { kind: 'Deployment', image: 'app:2' });
    await fixture.until('counted', (one) => isObserved(one) && one.status?.updatedReadyReplicas === 2 && one.status.replicas === 2);
    // A Deployment says how many Pods it has a moment after it has made, or deleted, one.
    const images = async (): Promise<readonly (string | undefined)[]> =>
      (await fixture.podsOf('counted')).map((pod) => pod.spec.containers[0]?.image);
    await fixture.eventually(async () => (await images()).join() === 'app:2,app:2', 'both Pods are new');
    expect(await fixture.children('counted', 'Deployment')).toMatchObject([{ metadata: { name: first?.metadata.name } }]);
    const warnings = await warningsOf('counted');
    expect(warnings.length).toBeLessThanOrEqual(4);
    expect(warnings).toContainEqual(expect.stringContaining('exceeded quota: few-deployments'));
    await lift();
    await fixture.untilRolledOut('counted');
    // The Pods of the update and the ready ones are counted by different members of a Deployment's status, which change one after the other.
    await fixture.until('counted', (one) => isAtEase(one) && one.status?.readyReplicas === 4);
    expect(await fixture.spread('counted', 'Deployment')).toBe('a 2, b 2');
  });

  it('by a webhook of another product is reported in its words, the other continues, and it continues when the webhook is deleted', async () => {
    await fixture.apply({ name: 'judged', replicas: 4, image: 'app:1', subsets });
    await fixture.untilRolledOut('judged');
    const policy = opened.use(
      await startDenyingWebhook(({ metadata }) => (metadata.labels?.[labels.subsetName] === 'b' ? 'nothing for b' : undefined)),
    );
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const webhook = {
      name: 'policy.example.com',
      clientConfig: policy.clientConfig,
      rules: [{ apiGroups: ['apps.kruise.io'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['clonesets'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
    };
    await plane.api.request(path, { method: 'POST', body: { metadata: { name: 'policy' }, webhooks: [webhook] } });
    opened.defer(() =>
      plane.api.request(`${path}/policy`, { method: 'DELETE' }).then(
        () => undefined,
        () => undefined,
      ),
    );
    const child = await fixture.child('judged', 'b');
    const tried = { metadata: { labels: { tried: 'yes' } } };
    const denied = (): Promise<boolean> =>
      fixture.client.patch(cloneSets, { namespace, name: child.metadata.name }, tried, { type: 'merge' }).then(
        () => false,
        () => true,
      );
    await fixture.eventually(denied, 'the webhook is asked');
    await fixture.setTemplate('judged', { image: 'app:2' });
    const seen = await fixture.until(
      'judged',
      (one) => blockedBy('AdmissionRefuses', 'subset b: ')(one) && one.status?.updatedReadyReplicas === 2,
    );
    expect(conditionOf(seen, 'Blocked')?.message).toContain('nothing for b');
    expect(conditionOf(seen, 'SubsetUpdated')).toMatchObject({ status: 'False', reason: 'Error' });
    expect((await fixture.podsOf('judged', 'a')).map((pod) => pod.spec.containers[0]?.image)).toEqual(['app:2', 'app:2']);
    expect((await fixture.podsOf('judged', 'b')).map((pod) => pod.spec.containers[0]?.image)).toEqual(['app:1', 'app:1']);
    expect((await warningsOf('judged')).length).toBeLessThanOrEqual(4);
    await plane.api.request(`${path}/policy`, { method: 'DELETE' });
    await fixture.untilRolledOut('judged');
    await fixture.until('judged', isAtEase);
  });

  it.each(['CloneSet', 'Deployment'] as const)(
    'Pods of a %s by a quota says so, in the order of the subsets, and no longer than it lasts',
    async (kind) => {
      const name = `crowded-${kind.toLowerCase()}`;
      await fixture.apply({ name, kind, replicas: 2, image: 'app:1', subsets });
      await fixture.untilRolledOut(name);
      const { items } = await fixture.client.list(pods, { namespace });
      // Terminating Pods free no quota for others after their deletion.
      const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
      const lift = await setQuota('few-pods', { pods: String(staying + 1) });
      opened.defer(lift);
      await fixture.patch(name, { spec: { replicas: 6 } });
      const seen = await fixture.until(name, blockedBy('QuotaExceeded', 'exceeded quota: few-pods'));
      expect(conditionOf(seen, 'Blocked')?.message).toMatch(/^subset [ab]: /);
      expect(conditionOf(seen, 'SubsetProvisioned')?.status).toBe('True');
      expect(await fixture.spread(name, kind)).toBe('a 3, b 3');
      await lift();
      // Deployments ask again after a while of their own, or when something changes.
      await fixture.patch(name, { spec: { replicas: 4 } });
      await fixture.untilRolledOut(name);
      await fixture.until(name, isAtEase);
    },
  );

  it('Pods of one subset by PodSecurity says so, and the other subset has its Pods', async () => {
    await setPodSecurity('baseline');
    opened.defer(() => setPodSecurity(null).then(() => undefined));
    const patch = { spec: { hostNetwork: true } };
    await fixture.apply({ name: 'secured', replicas: 4, image: 'app:1', subsets: [{ name: 'a', patch }, { name: 'b' }] });
    const seen = await fixture.until(
      'secured',
      (one) => blockedBy('AdmissionRefuses', 'subset a: ')(one) && one.status?.readyReplicas === 2,
    );
    expect(conditionOf(seen, 'Blocked')?.message).toContain('violates PodSecurity "baseline:latest"');
    expect(await fixture.podsOf('secured', 'a')).toEqual([]);
    await fixture.patch('secured', { spec: { topology: { subsets } } });
    await fixture.untilRolledOut('secured');
    await fixture.until('secured', isAtEase);
  });
});
