import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, workloadSpreadDeclaration, type Gates } from '@kruise/api';
import { ApiError, Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import type { KubeObject, Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { Caches } from '../caches/caches.ts';
import type { PodCheck, PodCheckModule, PodCheckResult, PodOperation, PodOperationRequest } from '../module/pod-check.ts';
import type { Installed } from '../process/discovery.ts';
import { podAdmission, podAdmissionPaths } from './index.ts';
import { validatePod, type DefinedCheck } from './validate-pod.ts';

const { signal } = new AbortController();
const pod = aPod({ name: 'web-a' });
const next: Pod = { ...pod, metadata: { ...pod.metadata, labels: { changed: 'yes' } } };
const eviction = { metadata: { name: 'web-a', namespace: 'default' } };

const requestOf = (operation: AdmissionRequest['operation'], over: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  uid: 'request',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  operation,
  namespace: 'default',
  name: 'web-a',
  userInfo: {},
  ...over,
});
const update = requestOf('UPDATE', { object: next, oldObject: pod });
const resize = requestOf('UPDATE', { object: next, oldObject: pod, subResource: 'resize' });
const deletion = requestOf('DELETE', { oldObject: pod });
const evicting = requestOf('CREATE', { object: eviction, subResource: 'eviction' });

const every: readonly PodOperation[] = ['Update', 'Resize', 'Delete', 'Evict'];
const saying = (result: PodCheckResult, operations = every, seen: PodOperationRequest[] = []): DefinedCheck => ({
  operations,
  check: {
    name: 'budget',
    check: (asked) => {
      seen.push(asked);
      return result;
    },
  },
});
const decide = async (request: AdmissionRequest, ...checks: readonly DefinedCheck[]): Promise<Decision> =>
  validatePod(checks).decide(request, signal);

describe('what is done to a Pod', () => {
  it.each<{ name: string; request: AdmissionRequest; then: Omit<PodOperationRequest, 'request'> }>([
    { name: 'an update comes with both states', request: update, then: { operation: 'Update', pod, next } },
    { name: 'a change of the subresource resize is a resize', request: resize, then: { operation: 'Resize', pod, next } },
    { name: 'a deletion comes with the Pod', request: deletion, then: { operation: 'Delete', pod } },
    { name: 'a deletion may come without it', request: requestOf('DELETE'), then: { operation: 'Delete', pod: undefined } },
    { name: 'an eviction names no more than the Pod', request: evicting, then: { operation: 'Evict', pod: undefined, evicted: {} } },
  ])('$name', async ({ request, then }) => {
    const seen: PodOperationRequest[] = [];
    expect(await decide(request, saying({ kind: 'Allowed' }, every, seen))).toEqual({ kind: 'Allowed' });
    expect(seen).toEqual([{ ...then, request }]);
  });

  it.each<{ name: string; request: AdmissionRequest }>([
    { name: 'a creation', request: requestOf('CREATE', { object: pod }) },
    { name: 'a status update', request: { ...update, subResource: 'status' } },
    { name: 'the deletion of an eviction', request: { ...evicting, operation: 'DELETE' } },
    { name: 'a deletion of the subresource resize', request: { ...deletion, subResource: 'resize' } },
    { name: 'another resource', request: { ...deletion, resource: { group: '', version: 'v1', resource: 'services' } } },
    { name: 'Pods of another group', request: { ...deletion, resource: { group: 'metrics.k8s.io', version: 'v1', resource: 'pods' } } },
  ])('$name is allowed without a check', async ({ request }) => {
    expect(await decide(request, saying({ kind: 'Refused', message: 'no' }))).toEqual({ kind: 'Allowed' });
  });

  it.each<{ name: string; over: Partial<AdmissionRequest> }>([
    { name: 'the Pod as it is', over: { oldObject: null } },
    { name: 'the Pod as it would be', over: { object: { metadata: {} } as KubeObject } },
  ])('is refused as faulty without $name', async ({ over }) => {
    expect(await decide({ ...update, ...over }, saying({ kind: 'Allowed' }))).toEqual({
      kind: 'Failed',
      code: 400,
      message: 'the request holds no Pod',
    });
  });
});

describe('the checks', () => {
  it('are asked in their order until one refuses', async () => {
    const later: PodOperationRequest[] = [];
    const decision = await decide(deletion, saying({ kind: 'Refused', message: 'no' }), saying({ kind: 'Allowed' }, every, later));
    expect(decision).toEqual({ kind: 'Denied', message: 'no' });
    expect(later).toEqual([]);
  });

  it('are asked only about their operations', async () => {
    const refusing = saying({ kind: 'Refused', message: 'no' }, ['Update', 'Evict']);
    expect([await decide(deletion, refusing), await decide(update, refusing)]).toEqual([
      { kind: 'Allowed' },
      { kind: 'Denied', message: 'no' },
    ]);
  });

  it('refuse with code 400 where they name it', async () => {
    const decision = await decide(evicting, saying({ kind: 'Refused', code: 400, message: 'not to be read' }));
    expect(decision).toEqual({ kind: 'Failed', code: 400, message: 'not to be read' });
  });

  it('refuse for now, with the cause', async () => {
    const answer = { kind: 'NotYet', message: 'the budget is used up', cause: { reason: 'DisruptionBudget', message: '0 left' } } as const;
    expect(await decide(evicting, saying(answer), saying({ kind: 'Allowed' }))).toEqual(answer);
  });

  it('give warnings, those of all', async () => {
    const warning = (text: string): DefinedCheck => saying({ kind: 'Allowed', warnings: [text] });
    expect(await decide(deletion, warning('a'), warning('b'))).toEqual({ kind: 'Allowed', warnings: ['a', 'b'] });
  });

  const failing = (error: Error): DefinedCheck => ({
    operations: every,
    check: { name: 'budget', check: () => Promise.reject(error) },
  });

  it('refuse with code 400 what they cannot judge', async () => {
    const away = new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
    expect(await decide(deletion, failing(away))).toEqual({ kind: 'Failed', code: 400, message: 'budget: no answer' });
  });

  it('leave a fault of the program to the server, which counts it', async () => {
    await expect(decide(deletion, failing(new TypeError('broken')))).rejects.toThrow('broken');
  });
});

describe('what the validating webhook has to see', () => {
  const need = { reason: 'budget' };
  const needing = (isReady: boolean, operations = every): DefinedCheck => ({
    operations,
    check: {
      name: 'budget',
      needs: { isReady: () => isReady, current: () => [need], watch: (changed) => changed() },
      check: () => ({ kind: 'Allowed' }),
    },
  });

  it('is what all checks of existing Pods need', () => {
    const [needs] = validatePod([needing(true), needing(true), saying({ kind: 'Allowed' }, ['Evict'])]).needs ?? [];
    let changes = 0;
    needs?.watch(() => changes++);
    expect([needs?.webhook, needs?.isReady(), needs?.current(), changes]).toEqual([
      'vpod.kb.io',
      true,
      { subject: 'oldObject', needs: [need, need] },
      2,
    ]);
    expect(validatePod([needing(true), needing(false)]).needs?.[0]?.isReady()).toBe(false);
  });

  it('is everything when one of them does not say', () => {
    const webhooks = (...checks: readonly DefinedCheck[]) => validatePod(checks).needs?.map(({ webhook }) => webhook);
    expect(webhooks(needing(true), saying({ kind: 'Allowed' }, ['Delete']))).toEqual(['vpodeviction.kb.io']);
    expect(webhooks(needing(true), saying({ kind: 'Allowed' }, ['Evict']))).toEqual(['vpod.kb.io']);
  });

  it('is of evictions, which say no more than the namespace, all in the namespaces of what is needed', () => {
    const namespaceSelector = { matchLabels: { team: 'a' } };
    const narrow = { reason: 'budget', namespaceSelector, objectSelector: { matchLabels: { app: 'x' } }, condition: 'false' };
    const check: PodCheck = { name: 'budget', needs: { current: () => [narrow] }, check: () => ({ kind: 'Allowed' }) };
    const [ofPods, ofEvictions] = validatePod([{ operations: every, check }]).needs ?? [];
    expect(ofPods?.current()).toEqual({ subject: 'oldObject', needs: [narrow] });
    expect(ofEvictions?.current()).toEqual({ needs: [{ reason: 'budget', namespaceSelector }] });
    const [, none] = validatePod([{ operations: ['Delete'], check }]).needs ?? [];
    expect(none?.current()).toEqual({ needs: [] });
  });
});

describe('the registration of /validate-pod', () => {
  const check: PodCheck = { name: 'budget', check: () => ({ kind: 'Allowed' }) };
  const asked: string[] = [];
  const module = (name: PodCheckModule['name'], gates: PodCheckModule['gates'] = []): PodCheckModule => ({
    name,
    operations: ['Delete'],
    gates,
    define: () => ({ ...check, check: () => (asked.push(name), { kind: 'Allowed' }) }),
  });
  const gated = module('podunavailablebudget', ['PodUnavailableBudgetDeleteGate']);
  const handlersFor = (podChecks: readonly PodCheckModule[], gates: Gates, installed: Installed = () => true) => {
    const client = new FakeApi();
    const informers = new Informers({ client, clock: new FakeClock(), logger: silentLogger() });
    const dependencies = { client, caches: new Caches(informers, ''), gates, podNamespace: 'kruise-system', allowPrivileged: true };
    const modules = [{ podChecks }];
    expect(podAdmissionPaths(modules, gates, installed)).toEqual(podAdmission(modules, dependencies, installed).map(({ path }) => path));
    return podAdmission(modules, dependencies, installed);
  };

  it.each<{ name: string; checks: readonly PodCheckModule[]; gate: boolean; paths: readonly string[] }>([
    { name: 'is there with a check', checks: [module('workloadspread')], gate: false, paths: ['/mutate-pod', '/validate-pod'] },
    { name: 'is there with a check whose gate is on', checks: [gated], gate: true, paths: ['/mutate-pod', '/validate-pod'] },
    { name: 'is not there when its gate is off', checks: [gated], gate: false, paths: ['/mutate-pod'] },
    { name: 'is not there without a check', checks: [], gate: true, paths: ['/mutate-pod'] },
  ])('$name', ({ checks, gate, paths }) => {
    const gates = { ...defaultGates, PodWebhook: true, PodUnavailableBudgetDeleteGate: gate };
    expect(handlersFor(checks, gates).map(({ path }) => path)).toEqual(paths);
  });

  it('is not there when the kind that its check reads is not installed', () => {
    const reading = { ...module('workloadspread'), needs: workloadSpreadDeclaration };
    const withoutKind: Installed = (_group, _version, kind) => kind !== 'WorkloadSpread';
    expect(handlersFor([reading], defaultGates, withoutKind).map(({ path }) => path)).toEqual(['/mutate-pod']);
    expect(handlersFor([reading], defaultGates).map(({ path }) => path)).toEqual(['/mutate-pod', '/validate-pod']);
  });

  it('asks in the order of the list', async () => {
    const handlers = handlersFor([module('workloadspread'), module('podunavailablebudget')], { ...defaultGates, PodWebhook: true });
    await handlers[1]?.decide(deletion, signal);
    expect(asked).toEqual(['podunavailablebudget', 'workloadspread']);
  });
});
