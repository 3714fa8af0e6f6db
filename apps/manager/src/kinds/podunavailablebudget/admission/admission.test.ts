import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, podUnavailableBudgets, type Gates } from '@kruise/api';
import { ApiError, Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { Caches } from '../../../caches/caches.ts';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import { podUnavailableBudgetAdmission } from './admission.ts';

const { signal } = new AbortController();
const spec = { selector: { matchLabels: { a: 'b' } }, maxUnavailable: 1 };
const others = [{ metadata: { name: 'other', namespace: 'shop' }, spec: { selector: { matchLabels: { x: 'y' } }, maxUnavailable: 1 } }];

async function decide(
  object: object,
  over: { gates?: Partial<Gates>; version?: string; request?: Partial<AdmissionRequest>; down?: boolean } = {},
): Promise<Decision | undefined> {
  const api = new FakeApi();
  for (const one of others) api.seed(podUnavailableBudgets, one);
  const clock = new FakeClock();
  const informers = new Informers({ client: api, clock, logger: silentLogger() });
  const client = api.connect('handler', {
    before: () => {
      if (over.down === true) throw new ApiError('down', { kind: 'Unreachable', cause: undefined });
    },
  });
  const [handler] = podUnavailableBudgetAdmission({
    client,
    caches: new Caches(informers, ''),
    clock,
    gates: { ...defaultGates, ...over.gates },
  } as unknown as HandlerDependencies);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  const { version = 'v1beta1' } = over;
  const whole = {
    apiVersion: `policy.kruise.io/${version}`,
    kind: 'PodUnavailableBudget',
    metadata: { name: 'p', namespace: 'shop' },
    spec,
    ...object,
  };
  const request = { operation: 'CREATE', namespace: 'shop', resource: { version }, userInfo: {}, object: whole, ...over.request };
  const decision = await handler?.decide(request as AdmissionRequest, signal);
  stop.abort();
  await running;
  return decision;
}
const failed = (message: string | RegExp) => ({
  kind: 'Failed',
  code: 400,
  message: typeof message === 'string' ? message : expect.stringMatching(message),
});
const annotated = (annotations: object) => ({ metadata: { name: 'p', namespace: 'shop', annotations } });

describe('admission of PodUnavailableBudgets (4.1)', () => {
  it.each<{ name: string; object?: object; over?: Parameters<typeof decide>[1]; then: object }>([
    { name: 'a good one is let in', then: { kind: 'Allowed', warnings: [] } },
    {
      name: 'one of the older version is let in',
      over: { version: 'v1alpha1' },
      object: annotated({ 'kruise.io/pub-protect-operations': 'DELETE, EVICT' }),
      then: { kind: 'Allowed' },
    },
    {
      name: 'with both gates off none is',
      over: { gates: { PodUnavailableBudgetDeleteGate: false, PodUnavailableBudgetUpdateGate: false } },
      then: failed(
        'feature PodUnavailableBudget is invalid, please open via feature-gate(PodUnavailableBudgetDeleteGate, PodUnavailableBudgetUpdateGate)',
      ),
    },
    {
      name: 'with one of them on it is',
      over: { gates: { PodUnavailableBudgetDeleteGate: false, PodUnavailableBudgetUpdateGate: true } },
      then: { kind: 'Allowed' },
    },
    {
      name: 'one with an annotation that cannot be read is not',
      over: { version: 'v1alpha1' },
      object: annotated({ 'kruise.io/pub-protect-operations': 'REMOVE' }),
      then: failed(/^metadata.annotations\[kruise.io\/pub-protect-operations\]: Unsupported value: "REMOVE"/),
    },
    { name: 'one of no version is not', over: { version: 'v2' }, then: failed('unsupported version: v2') },
    { name: 'all faults are named at once', object: { spec: { maxUnavailable: -1 } }, then: failed(/selector.*maxUnavailable/s) },
    {
      name: '14: a change of the selector is refused',
      over: {
        request: {
          operation: 'UPDATE',
          oldObject: { metadata: { name: 'p' }, spec: { ...spec, selector: { matchLabels: { a: 'c' } } } } as never,
        },
      },
      then: failed(/cannot be modified/),
    },
    {
      name: '14: one that overlaps with another is refused',
      object: { spec: { ...spec, selector: { matchExpressions: [{ key: 'x', operator: 'In', values: ['y', 'z'] }] } } },
      then: failed(/in conflict with other PodUnavailableBudget other/),
    },
    { name: 'a good one is let in while the API server does not answer', over: { down: true }, then: { kind: 'Allowed' } },
    {
      name: '14: one that overlaps with another is refused while the API server does not answer',
      object: { spec: others[0]?.spec },
      over: { down: true },
      then: failed(/in conflict with other PodUnavailableBudget other/),
    },
    {
      name: 'what cannot be meant is warned of',
      object: { spec: { ...spec, maxUnavailable: 0 } },
      then: { kind: 'Allowed', warnings: [expect.stringMatching(/cannot be drained/)] },
    },
    {
      name: 'one that is being deleted is admitted with any content',
      object: { spec: {} },
      over: {
        request: { operation: 'UPDATE', oldObject: { metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } } },
      },
      then: { kind: 'Allowed' },
    },
    { name: 'a deletion is never refused', over: { request: { operation: 'DELETE', object: null } }, then: { kind: 'Allowed' } },
  ])('$name', async ({ object = {}, over, then }) => {
    expect(await decide(object, over)).toMatchObject(then);
  });
});
