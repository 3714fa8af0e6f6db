/** A Pod as a StatefulSet creates it. @see spec/statefulset.md 3, 5.3.3 */
import { describe, expect, it } from '@jest/globals';
import { defaultGates, type StatefulSet } from '@kruise/api';
import { instant, type Pod } from '@kruise/objects';
import { newRevision } from '@kruise/pods';
import { ownerReferenceTo, podMaker } from './new-pod.ts';
import { aClaimTemplate, aStatefulSet, type SetShape } from '../testing.ts';

type Template = StatefulSet['spec']['template'];

const now = instant(Date.parse('2026-01-02T03:04:05Z'));
const plain: Template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };

function made(shape: SetShape = {}, template: Template = plain, PodIndexLabel = true): { readonly pod: Pod; readonly revision: string } {
  const set = aStatefulSet(shape);
  const owner = ownerReferenceTo(set);
  const { revision } = newRevision({ namespace: 'default', parent: 'web', owner, template, annotations: {} }, 1, 0);
  return { pod: podMaker({ set, revision, gates: { ...defaultGates, PodIndexLabel }, now })(7), revision: revision.metadata.name };
}

describe('a new Pod', () => {
  it('has the template of its revision, the identity of its ordinal, and an owner', () => {
    const template: Template = {
      metadata: { labels: { app: 'web', tier: 'db' }, annotations: { a: 'b' }, finalizers: ['example.com/x'] },
      spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }], terminationGracePeriodSeconds: 5 },
    };
    const { pod, revision } = made({}, template);
    expect(pod).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-7',
        generateName: 'web-',
        namespace: 'default',
        labels: {
          app: 'web',
          tier: 'db',
          'controller-revision-hash': revision,
          'statefulset.kubernetes.io/pod-name': 'web-7',
          'apps.kubernetes.io/pod-index': '7',
          'lifecycle.apps.kruise.io/state': 'Normal',
        },
        annotations: { a: 'b', 'lifecycle.apps.kruise.io/timestamp': '2026-01-02T03:04:05Z' },
        finalizers: ['example.com/x'],
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'StatefulSet',
            name: 'web',
            uid: 'set-uid',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { ...template.spec, hostname: 'web-7', subdomain: 'web' },
    });
    expect(revision).toMatch(/^web-[a-z0-9]+$/);
  });

  it('has no subdomain of its template, also without a Service, as in the original', () => {
    const template: Template = { ...plain, spec: { containers: [], subdomain: 'mine' } };
    expect(made({ spec: { serviceName: '' } }, template).pod.spec).not.toHaveProperty('subdomain');
    expect(made({}, template).pod.spec).toHaveProperty('subdomain', 'web');
  });

  it('has no label of its ordinal without the gate, and no subdomain without a Service', () => {
    const { pod } = made({ spec: { serviceName: '' } }, plain, false);
    expect(pod.metadata.labels).not.toHaveProperty(['apps.kubernetes.io/pod-index']);
    expect(pod.spec).not.toHaveProperty('subdomain');
    const { serviceName: _none, ...spec } = aStatefulSet().spec;
    const set = { ...aStatefulSet(), spec };
    const owner = ownerReferenceTo(set);
    const { revision } = newRevision({ namespace: 'default', parent: 'web', owner, template: plain, annotations: {} }, 1, 0);
    expect(podMaker({ set, revision, gates: defaultGates, now })(0).spec).not.toHaveProperty('subdomain');
  });

  it('mounts its claims in place of volumes of the template with the same names', () => {
    const spec = {
      containers: [],
      volumes: [
        { name: 'data', emptyDir: {} },
        { name: 'tmp', emptyDir: {} },
      ],
    };
    const { pod } = made({ claims: [aClaimTemplate('data'), aClaimTemplate('logs')] }, { ...plain, spec });
    expect(pod.spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-web-7', readOnly: false } },
      { name: 'logs', persistentVolumeClaim: { claimName: 'logs-web-7', readOnly: false } },
      { name: 'tmp', emptyDir: {} },
    ]);
    expect(made().pod.spec).not.toHaveProperty('volumes');
  });

  it.each<{ name: string; hook: object; then: string }>([
    { name: 'waits for its preNormal hook', hook: { labelsHandler: { warm: 'yes' } }, then: 'PreparingNormal' },
    { name: 'has nothing to wait for when it carries all of it', hook: { labelsHandler: { app: 'web' } }, then: 'Normal' },
    {
      name: 'waits when it carries a part of it',
      hook: { labelsHandler: { app: 'web' }, finalizersHandler: ['example.com/x'] },
      then: 'PreparingNormal',
    },
  ])('$name', ({ hook, then }) => {
    const { pod } = made({ spec: { lifecycle: { preNormal: hook } } });
    expect(pod.metadata.labels?.['lifecycle.apps.kruise.io/state']).toBe(then);
  });

  it('of a template without metadata has what is its own', () => {
    const { pod } = made({}, { spec: { containers: [] } });
    expect(pod.metadata).not.toHaveProperty('finalizers');
    expect(Object.keys(pod.metadata.annotations ?? {})).toEqual(['lifecycle.apps.kruise.io/timestamp']);
  });
});
