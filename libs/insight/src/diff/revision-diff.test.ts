/** What differs between two revisions, by kind and policy. */
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { object } from '../snapshots.testing.ts';
import { revisionDiff, type RevisionDiff } from './revision-diff.ts';

const container = (more: object = {}): object => ({ name: 'main', image: 'nginx:1', ...more });
const template = (more: object = {}, metadata: object = { labels: { app: 'web' } }): JsonObject => ({
  metadata,
  spec: { containers: [container(more)] },
});

const cloneSet = (podUpdatePolicy?: string): ReturnType<typeof object> =>
  object('apps.kruise.io/v1beta1/CloneSet', 'web', {
    spec: podUpdatePolicy === undefined ? {} : { updateStrategy: { rollingUpdate: { podUpdatePolicy } } },
  });

const diff = (before: JsonObject, after: JsonObject, workload = cloneSet('InPlaceIfPossible')): RevisionDiff =>
  revisionDiff(workload, { name: 'web-a', number: 1, template: before }, { name: 'web-b', number: 2, template: after });

describe('the fields that differ', () => {
  it.each<{ name: string; before: JsonObject; after: JsonObject; then: RevisionDiff['changes'] }>([
    { name: 'nothing of equal templates', before: template(), after: template(), then: [] },
    {
      name: 'nothing when one writer filled in defaults and another form of a quantity',
      before: template({ resources: { limits: { cpu: '1000m' } } }),
      after: template({ resources: { limits: { cpu: '1' } }, ports: undefined }),
      then: [],
    },
    {
      name: 'an image, by the name of its container, is updated in place',
      before: template(),
      after: template({ image: 'nginx:2' }),
      then: [{ path: 'spec.containers[main].image', before: 'nginx:1', after: 'nginx:2', update: 'InPlace' }],
    },
    {
      name: 'a label is updated in place, each key by itself',
      before: template({}, { labels: { app: 'web', old: 'x' } }),
      after: template({}, { labels: { app: 'web', next: 'y' } }),
      then: [
        { path: 'metadata.labels.old', before: 'x', update: 'InPlace' },
        { path: 'metadata.labels.next', after: 'y', update: 'InPlace' },
      ],
    },
    {
      name: 'a variable that is added recreates, and the image beside it would not',
      before: template({ env: [{ name: 'A', value: '1' }] }),
      after: template({
        image: 'nginx:2',
        env: [
          { name: 'A', value: '2' },
          { name: 'B', value: '1' },
        ],
      }),
      then: [
        { path: 'spec.containers[main].image', before: 'nginx:1', after: 'nginx:2', update: 'InPlace' },
        { path: 'spec.containers[main].env[A].value', before: '1', after: '2', update: 'Recreate' },
        { path: 'spec.containers[main].env[1]', after: { name: 'B', value: '1' }, update: 'Recreate' },
      ],
    },
    {
      name: 'a container that is removed or renamed is named by its index',
      before: { spec: { containers: [container(), { name: 'side', image: 'busybox' }] } },
      after: { spec: { containers: [container({ name: 'web' })] } },
      then: [
        { path: 'spec.containers[0].name', before: 'main', after: 'web', update: 'Recreate' },
        { path: 'spec.containers[1]', before: { name: 'side', image: 'busybox', resources: {} }, update: 'Recreate' },
      ],
    },
  ])('$name', ({ before, after, then }) => {
    expect(diff(before, after).changes).toEqual(then);
  });
});

describe('what the update of a Pod does', () => {
  const [image, variable] = [template({ image: 'nginx:2' }), template({ env: [{ name: 'A', value: '1' }] })];
  const statefulSet = object('apps.kruise.io/v1beta1/StatefulSet', 'db', {
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } } },
  });
  const daemonSet = object('apps.kruise.io/v1alpha1/DaemonSet', 'agent', {
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } } },
  });
  const olderCloneSet = object('apps.kruise.io/v1alpha1/CloneSet', 'web', { spec: { updateStrategy: { type: 'InPlaceOnly' } } });

  it.each([
    { name: 'nothing without a difference', after: template(), update: 'None', why: '' },
    { name: 'in place by the policy', after: image, update: 'InPlace', why: '' },
    { name: 'recreation without a policy', after: image, of: cloneSet(), update: 'Recreate', why: 'the update policy is ReCreate' },
    { name: 'recreation for a field', after: variable, update: 'Recreate', why: 'spec.containers[0].env differs' },
    { name: 'nothing possible with InPlaceOnly', after: variable, of: cloneSet('InPlaceOnly'), update: 'Impossible', why: /env differs/ },
    { name: 'in place of an Advanced StatefulSet', after: image, of: statefulSet, update: 'InPlace', why: '' },
    { name: 'in place of an Advanced DaemonSet', after: image, of: daemonSet, update: 'InPlace', why: '' },
    { name: 'the policy of v1alpha1', after: variable, of: olderCloneSet, update: 'Impossible', why: /env differs/ },
    {
      name: 'recreation of kinds of Kubernetes',
      after: image,
      of: object('apps/v1/Deployment', 'web', {}),
      update: 'Recreate',
      why: 'Deployment does not update Pods in place',
    },
  ])('is $name', ({ after, of, update, why }) => {
    const result = diff(template(), after, of);
    expect(result).toMatchObject({ update, from: { name: 'web-a', number: 1 }, to: { name: 'web-b', number: 2 } });
    expect(result.why).toMatch(why);
    if (update === 'None' || update === 'InPlace') expect(result.why).toBe('');
  });
});

describe('the templates of a UnitedDeployment', () => {
  const subset = (pod: JsonObject, spec: object = {}): JsonObject => ({
    cloneSetTemplate: { metadata: { labels: { app: 'web' } }, spec: { template: pod, ...spec } },
  });
  const rolling = { updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } } };
  const united = object('apps.kruise.io/v1beta1/UnitedDeployment', 'web', {});

  it('are compared by the kind and policy of the children', () => {
    const result = diff(subset(template(), rolling), subset(template({ image: 'nginx:2' }), rolling), united);
    expect(result).toMatchObject({
      update: 'InPlace',
      changes: [{ path: 'cloneSetTemplate.spec.template.spec.containers[main].image', update: 'InPlace' }],
    });
  });

  it('may differ outside of the Pod template, which concerns no Pod', () => {
    const result = diff(subset(template()), subset(template(), rolling), united);
    expect(result).toMatchObject({
      update: 'None',
      changes: [{ path: 'cloneSetTemplate.spec.updateStrategy', after: rolling.updateStrategy, update: 'None' }],
    });
  });
});
