/** What a new Pod and its claims look like. @see spec/cloneset.md 3, 5.6 */
import { describe, expect, it } from '@jest/globals';
import type { CloneSet } from '@kruise/api';
import type { ControllerRevision, Pod, PodTemplateSpec } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { newClaims, podMaker } from './new-pod.ts';
import { plan } from '../plan.ts';
import { adapterOf } from './pod-facts.ts';
import { aCloneSet, aSnapshot, aContext, ownerReference } from '../testing.ts';

/** The CloneSet with this template, and the revision that it makes. */
function made(
  template: PodTemplateSpec,
  spec: Partial<CloneSet['spec']> = {},
): { readonly cloneSet: CloneSet; readonly revision: ControllerRevision } {
  const cloneSet = aCloneSet({ spec: { template: { metadata: { labels: { app: 'sample' } }, ...template }, ...spec } });
  const [action] = plan(aSnapshot(cloneSet, [], []), aContext()).revisions;
  if (action?.kind !== 'CreateRevision') throw new Error('a first template makes a revision');
  return { cloneSet, revision: action.attempt.revision };
}

function aNewPod(
  template: PodTemplateSpec,
  spec: Partial<CloneSet['spec']> = {},
  isShort = false,
): { readonly pod: Pod; readonly revision: ControllerRevision } {
  const { cloneSet, revision } = made(template, spec);
  const pod = podMaker({ cloneSet, revision, adapter: adapterOf({ gates: aContext({ CloneSetShortHash: isShort }).gates }), now: epoch })(
    'b2c4d',
  );
  return { pod, revision };
}

const containers = [{ name: 'main', image: 'app:1' }];
const claim = (name: string, more: object = {}): NonNullable<CloneSet['spec']['volumeClaimTemplates']>[number] => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'] },
  ...more,
});
const volumeOf = (name: string): object => ({ name, persistentVolumeClaim: { claimName: `${name}-sample-b2c4d`, readOnly: false } });

describe('a new Pod', () => {
  it('carries name, ownerReference, hashes, id and state, and what the template gives', () => {
    const { pod, revision } = aNewPod({
      metadata: { labels: { app: 'sample', tier: 'web' }, annotations: { team: 'shop' }, finalizers: ['example.com/f'] },
      spec: { containers },
    });
    const hash = revision.metadata.name.slice('sample-'.length);
    expect(pod).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'sample-b2c4d',
        generateName: 'sample-',
        namespace: 'default',
        labels: {
          app: 'sample',
          tier: 'web',
          'controller-revision-hash': revision.metadata.name,
          'pod-template-hash': hash,
          'apps.kruise.io/cloneset-instance-id': 'b2c4d',
          'lifecycle.apps.kruise.io/state': 'PreparingNormal',
        },
        annotations: { team: 'shop', 'lifecycle.apps.kruise.io/timestamp': '2026-01-01T00:00:00Z' },
        finalizers: ['example.com/f'],
        ownerReferences: [ownerReference],
      },
      spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
    });
  });

  it('carries the short hash in both labels with the gate, and no finalizers when the template has none', () => {
    const { pod, revision } = aNewPod({ spec: { containers } }, {}, true);
    const hash = revision.metadata.name.slice('sample-'.length);
    expect(pod.metadata.labels).toMatchObject({ 'controller-revision-hash': hash, 'pod-template-hash': hash });
    expect(pod.metadata).not.toHaveProperty('finalizers');
    expect(pod.spec).not.toHaveProperty('volumes');
  });

  it.each<{ name: string; gates: readonly string[]; then: readonly string[] }>([
    { name: 'the gate comes after those of the template', gates: ['KruisePodReady'], then: ['KruisePodReady', 'InPlaceUpdateReady'] },
    { name: 'the gate is not added twice', gates: ['InPlaceUpdateReady', 'x'], then: ['InPlaceUpdateReady', 'x'] },
  ])('waits for its readiness gates: $name', ({ gates, then }) => {
    const { pod } = aNewPod({ spec: { containers, readinessGates: gates.map((conditionType) => ({ conditionType })) } });
    expect(pod.spec.readinessGates?.map(({ conditionType }) => conditionType)).toEqual(then);
  });

  it.each<{ name: string; volumes?: readonly { name: string }[]; claims: readonly string[]; then: readonly object[] | undefined }>([
    {
      name: 'those of claims in the order of their templates, then those of the template',
      volumes: [{ name: 'tmp' }],
      claims: ['logs', 'data'],
      then: [volumeOf('logs'), volumeOf('data'), { name: 'tmp' }],
    },
    {
      name: 'a claim takes the place of a volume of its name',
      volumes: [{ name: 'data' }, { name: 'tmp' }],
      claims: ['data'],
      then: [volumeOf('data'), { name: 'tmp' }],
    },
    { name: 'those of the template alone', volumes: [{ name: 'tmp' }], claims: [], then: [{ name: 'tmp' }] },
    { name: 'those of claims alone', claims: ['data'], then: [volumeOf('data')] },
  ])('has volumes: $name', ({ volumes, claims, then }) => {
    const { pod } = aNewPod(
      { spec: { containers, ...(volumes === undefined ? {} : { volumes }) } },
      { volumeClaimTemplates: claims.map((name) => claim(name)) },
    );
    expect(pod.spec.volumes).toEqual(then);
  });

  it('of a revision that cannot be read has no containers, and of a CloneSet without a namespace no namespace', () => {
    const { cloneSet, revision } = made({ spec: { containers } });
    const { namespace: _namespace, ...metadata } = cloneSet.metadata;
    const { data: _data, ...unreadable } = revision;
    const pod = podMaker({ cloneSet: { ...cloneSet, metadata }, revision: unreadable, adapter: adapterOf(aContext()), now: epoch })(
      'b2c4d',
    );
    expect(pod.metadata.namespace).toBe('');
    expect(pod.spec).toEqual({ containers: [], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] });
    expect(Object.keys(pod.metadata.labels ?? {})).not.toContain('app');
  });
});

describe('the claims of a new Pod', () => {
  it('are one for each template, with its labels, those of the selector and the id, and belong to the CloneSet', () => {
    const { cloneSet } = made(
      { spec: { containers } },
      {
        volumeClaimTemplates: [
          claim('data', { metadata: { name: 'data', labels: { disk: 'fast' }, annotations: { a: 'b' } } }),
          claim('logs'),
        ],
      },
    );
    const labels = { app: 'sample', 'apps.kruise.io/cloneset-instance-id': 'b2c4d' };
    const common = { namespace: 'default', ownerReferences: [ownerReference] };
    expect(newClaims(cloneSet, 'b2c4d')).toEqual([
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data-sample-b2c4d', annotations: { a: 'b' }, labels: { disk: 'fast', ...labels }, ...common },
        spec: { accessModes: ['ReadWriteOnce'] },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'logs-sample-b2c4d', labels, ...common },
        spec: { accessModes: ['ReadWriteOnce'] },
      },
    ]);
  });

  it('are none without templates, and have no spec where the template has none', () => {
    expect(newClaims(aCloneSet(), 'b2c4d')).toEqual([]);
    const bare = {
      ...aCloneSet({ spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] as never } }),
      metadata: { name: 'sample', uid: 'set-uid' },
    };
    const [one] = newClaims(bare, 'b2c4d');
    expect(one).not.toHaveProperty('spec');
    expect(one?.metadata.namespace).toBe('');
  });
});
