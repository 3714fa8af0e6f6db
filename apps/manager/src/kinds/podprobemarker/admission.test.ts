/** What may be asked of the nodes: every attack of the shared list, those by names and marks, and what updates may do. */
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, normaliseGates, type GateName } from '@kruise/api';
import { setIn, type JsonObject } from '@kruise/objects';
import { probeAttacks } from '@kruise/testing';
import { podProbeMarkerAdmission } from './admission.ts';

const { signal } = new AbortController();
const request = (object: JsonObject, oldObject?: JsonObject): AdmissionRequest =>
  ({
    uid: 'request',
    resource: { group: 'apps.kruise.io', version: 'v1alpha1', resource: 'podprobemarkers' },
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    namespace: 'shop',
    userInfo: {},
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
  }) as unknown as AdmissionRequest;

const good = {
  name: 'alive',
  containerName: 'main',
  podConditionType: 'game.io/alive',
  probe: { exec: { command: ['true'] } },
  markerPolicy: [{ state: 'Succeeded', labels: { alive: 'yes' } }],
};
const marker = (over: object = {}, metadata: object = {}): JsonObject => ({
  metadata: { name: 'm', namespace: 'shop', ...metadata },
  spec: { selector: { matchLabels: { app: 'web' } }, probes: [{ ...good, ...over }] },
});
const marks = (labels: object, annotations: object = {}): object => ({ markerPolicy: [{ state: 'Succeeded', labels, annotations }] });

const decide = async (object: JsonObject, oldObject?: JsonObject, off?: GateName): Promise<Decision | undefined> => {
  const gates = normaliseGates({ ...defaultGates, ...(off === undefined ? {} : { [off]: false }) });
  const [handler] = podProbeMarkerAdmission({ gates });
  return handler?.decide(request(object, oldObject), signal);
};
const refused = (text: string, code = 400): object => ({ kind: 'Failed', code, message: expect.stringContaining(text) });

describe('admission of PodProbeMarkers', () => {
  it('knows at least 60 attacks, each once', () => {
    expect(new Set(probeAttacks.map(({ probe }) => JSON.stringify(probe))).size).toBe(probeAttacks.length);
    expect(probeAttacks.length).toBeGreaterThanOrEqual(60);
  });

  it.each(probeAttacks.filter(({ refusal: denial }) => denial !== undefined))('refuses $name', async ({ probe, refusal: denial = '' }) => {
    expect(await decide(marker({ probe }))).toMatchObject(refused(denial));
  });

  it.each(probeAttacks.filter(({ refusal: denial }) => denial === undefined))('takes $name', async ({ probe }) => {
    expect(await decide(marker({ probe }))).toMatchObject({ kind: 'Allowed' });
  });

  it.each<[string, object, string]>([
    ...['PodScheduled', 'Initialized', 'Ready', 'ContainersReady', 'KruisePodReady', 'InPlaceUpdateReady', 'DisruptionTarget'].map(
      (type): [string, object, string] => [`the condition ${type}`, { podConditionType: type }, 'must not be a condition'],
    ),
    ['the share of another marker', { name: 'a#b' }, 'must not contain #'],
    ['a condition that is no name', { podConditionType: '../Ready' }, 'podConditionType'],
    ['a condition with blanks', { podConditionType: ' Ready' }, 'podConditionType'],
    ['a label with a line break', marks({ a: 'b\nc' }), 'markerPolicy[0].labels'],
    ['a label of a kilobyte', marks({ a: 'b'.repeat(1024) }), 'markerPolicy[0].labels'],
    ['a label key with two domains', marks({ 'a/b/c': 'd' }), 'markerPolicy[0].labels'],
    ['a label that is no text', marks({ a: { b: 'c' } }), 'markerPolicy[0].labels'],
    ['an annotation key with blanks', marks({}, { 'a b': '' }), 'markerPolicy[0].annotations'],
    ['annotations larger than a Pod may have', marks({}, { a: 'b'.repeat(300_000) }), 'markerPolicy[0].annotations'],
    ['no container', { containerName: '' }, 'containerName'],
  ])('refuses %s', async (_name, over, text) => {
    expect(await decide(marker(over))).toMatchObject(refused(text));
  });

  it.each<GateName>(['PodProbeMarkerGate', 'KruiseDaemon'])('refuses all without the gate %s', async (off) => {
    expect(await decide(marker(), undefined, off)).toMatchObject(refused('feature-gate PodProbeMarkerGate is not enabled', 403));
  });

  describe('of one that is there', () => {
    const odd = marks({ a: 'b c' });
    const bad = marker(odd);
    const going = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [] };

    it('keeps the selector', async () => {
      const moved = setIn<JsonObject>(marker(), ['spec', 'selector', 'matchLabels', 'app'], 'api');
      expect(await decide(moved, marker())).toMatchObject(refused('selector: Invalid value'));
      expect(await decide(moved, marker())).toMatchObject(refused('selector must be immutable'));
    });

    it('lets one with faults lose its finalizer, and be mended, but not change otherwise', async () => {
      expect(await decide(marker(odd, going), bad)).toMatchObject({ kind: 'Allowed' });
      expect(await decide(marker(), bad)).toMatchObject({ kind: 'Allowed' });
      expect(await decide(marker({ ...odd, containerName: 'b' }), bad)).toMatchObject(refused('markerPolicy[0].labels'));
    });

    it('lets one with a condition of others change otherwise, with a warning, and take no further one', async () => {
      const held = marker({ podConditionType: 'Ready' });
      expect(await decide(marker({ podConditionType: 'Ready', containerName: 'b' }), held)).toMatchObject({
        kind: 'Allowed',
        warnings: [expect.stringContaining('spec.probes[0].podConditionType: Ready is a condition that Kubernetes or Kruise writes')],
      });
      expect(await decide(marker({ podConditionType: 'ContainersReady' }), held)).toMatchObject(refused('must not be a condition'));
    });

    it('lets it go when the feature is off', async () => {
      expect(await decide(marker({}, going), marker({}, going), 'KruiseDaemon')).toMatchObject({ kind: 'Allowed' });
    });
  });
});
