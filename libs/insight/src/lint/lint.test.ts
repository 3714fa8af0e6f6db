/** What lint finds, and what it does not find in objects that work. */
import { describe, expect, it } from '@jest/globals';
import { defaultGates } from '@kruise/api';
import { lintIds, lintRules } from './findings/catalog.ts';
import { aCloneSet, anObject, lintExamples, pullSecretExample } from './examples.testing.ts';
import type { LintedObject } from './objects/linted.ts';
import { lintObjects, type LintOptions } from './lint.ts';

const found = (objects: readonly LintedObject[], options?: LintOptions): readonly string[] =>
  (lintObjects(objects, options)[0] ?? []).map(({ id, path }) => `${id} ${path}`);

/** It needs a gate, and has a test of its own. */
const withoutExample = ['KR204'];

describe('lint', () => {
  it.each(lintExamples)('finds $id in $name', ({ id, path, faulty, sound }) => {
    const pathsOf = (objects: readonly LintedObject[]): readonly string[] =>
      lintObjects(objects).flatMap((findings) => findings.filter((one) => one.id === id).map((one) => one.path));
    expect(pathsOf(faulty)).toEqual([path]);
    expect(pathsOf(sound)).toEqual([]);
  });

  it('has an example of each finding', () => {
    const shown = new Set(lintExamples.map(({ id }) => id));
    expect(lintIds.filter((id) => !shown.has(id))).toEqual(withoutExample);
  });

  it('finds a pull secret that is not among the Secrets', () => {
    const options = { gates: { ...defaultGates, ImagePullJobGate: true } };
    expect(found(pullSecretExample.faulty, options)).toEqual(['KR204 spec.pullSecrets[1]']);
    expect(found(pullSecretExample.sound, options)).toEqual([]);
    expect(found(pullSecretExample.faulty.slice(0, 1), options)).toEqual([]);
  });

  it('finds nothing in a CloneSet that works, and in objects of other groups', () => {
    expect(lintObjects([aCloneSet(), anObject('apps/v1', 'Deployment', { replicas: 'many' })])).toEqual([[], []]);
  });

  it('reports errors before warnings and notes', () => {
    const object = { ...aCloneSet({ replicas: 'a', replica: 1 }), apiVersion: 'apps.kruise.io/v1alpha1' };
    expect(found([object])).toEqual(['KR003 spec.replicas', 'KR006 spec.replica', 'KR202 apiVersion']);
  });

  it('reports a field once when the schema and the webhook refuse it', () => {
    expect(found([aCloneSet({ selector: 'a' })])).toEqual(['KR003 spec.selector']);
    expect(found([aCloneSet({ replicas: true })])).toEqual(['KR003 spec.replicas']);
  });

  it('omits the hint of the webhook on a field with a warning', () => {
    const budget = anObject('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
      selector: { matchLabels: { app: 'web' } },
      maxUnavailable: '0%',
    });
    expect(found([budget])).toEqual(['KR104 spec.maxUnavailable']);
  });

  it('accepts capitals in the prefix of an annotation, but not of a label', () => {
    const key = { 'Example.com/team': 'a' };
    expect(found([aCloneSet({}, { annotations: key })])).toEqual([]);
    expect(found([aCloneSet({}, { labels: key })])).toEqual(['KR002 metadata.labels']);
  });

  it.each<{ name: string; target: object; paths: readonly string[] }>([
    { name: 'a StatefulSet of apps/v1 without apiVersion', target: { kind: 'StatefulSet' }, paths: [] },
    { name: 'a Deployment without kind', target: {}, paths: [] },
    { name: 'no CloneSet without apiVersion', target: { kind: 'CloneSet' }, paths: ['KR102 spec.scaleTargetRef.apiVersion'] },
    { name: 'a StatefulSet of another project', target: { apiVersion: 'apps.example.com/v1', kind: 'StatefulSet' }, paths: [] },
  ])('knows that KEDA scales $name', ({ target, paths }) => {
    expect(found([anObject('keda.sh/v1alpha1', 'ScaledObject', { scaleTargetRef: { ...target, name: 'web' } })])).toEqual(paths);
  });

  describe('a workload with an autoscaler', () => {
    const scaler = anObject('autoscaling/v2', 'HorizontalPodAutoscaler', {
      scaleTargetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
    });
    const workload = (partition: number | string): LintedObject =>
      aCloneSet({ replicas: undefined, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } });

    it('has more replicas than a partition, except one of 100%', () => {
      expect(found([workload(1)])).toEqual(['KR105 spec.updateStrategy.rollingUpdate.partition']);
      expect(found([workload(1), scaler])).toEqual([]);
      expect(found([workload('100%'), scaler])).toEqual(['KR105 spec.updateStrategy.rollingUpdate.partition']);
    });

    it('may have more Pods than a budget requires', () => {
      const budget = anObject('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
        selector: { matchLabels: { app: 'web' } },
        minAvailable: '80%',
      });
      expect(found([budget, workload(0)])).toEqual(['KR104 spec.minAvailable']);
      expect(found([budget, workload(0), scaler])).toEqual([]);
    });
  });

  it('knows the containers that a SidecarSet of the files injects', () => {
    const apps = 'apps.kruise.io/v1beta1';
    const selector = { matchLabels: { app: 'web' } };
    const probe = { name: 'p', containerName: 'side', probe: { exec: { command: ['true'] } }, podConditionType: 'example.com/up' };
    const marker = anObject('apps.kruise.io/v1alpha1', 'PodProbeMarker', { selector, probes: [probe] });
    const request = anObject(apps, 'ContainerRecreateRequest', { podName: 'web', containers: [{ name: 'side' }] });
    const pod = anObject('v1', 'Pod', { containers: [{ name: 'main', image: 'app:1' }] }, { labels: { app: 'web' } });
    const sidecars = (matchLabels: object): LintedObject =>
      anObject(apps, 'SidecarSet', { selector: { matchLabels }, containers: [{ name: 'side', image: 'side:1' }] });
    const idsOf = (objects: readonly LintedObject[]): readonly string[] =>
      lintObjects(objects)
        .flat()
        .map(({ id }) => id)
        .filter((id) => id === 'KR109' || id === 'KR110');
    expect(idsOf([marker, request, pod, aCloneSet()])).toEqual(['KR109', 'KR110']);
    expect(idsOf([marker, request, pod, aCloneSet(), sidecars({ app: 'other' })])).toEqual(['KR109', 'KR110']);
    expect(idsOf([marker, request, pod, aCloneSet(), sidecars({ app: 'web' })])).toEqual([]);
  });

  it.each(['apps.kruise.io/subset-name', 'controller-revision-hash'])('does not judge a selector with the label %s', (key) => {
    const budget = anObject('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
      selector: { matchLabels: { app: 'web', [key]: 'a' } },
      maxUnavailable: 1,
    });
    expect(found([budget, aCloneSet()])).toEqual([]);
  });

  it('does not guess how many Pods a Job has', () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };
    const budget = anObject('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
      selector: { matchLabels: { app: 'web' } },
      minAvailable: 1,
    });
    expect(found([budget, anObject('batch/v1', 'Job', { parallelism: 5, template })])).toEqual([]);
  });

  it('drops the status of a new object, as the API server does', () => {
    expect(found([{ ...aCloneSet(), status: { replicas: 'a' } }])).toEqual([]);
  });

  it('reads namespaces that objects leave to the client', () => {
    const [first, second] = [aCloneSet(), aCloneSet({}, { namespace: 'shop' })];
    expect(found([second, first].toReversed(), { namespace: 'shop' })).toEqual([]);
    expect(lintObjects([first, second], { namespace: 'shop' })[1]?.map(({ id }) => id)).toEqual(['KR008']);
  });

  it('reads the list of the administrator in the shared ConfigMap', () => {
    const spread = anObject('apps.kruise.io/v1beta1', 'WorkloadSpread', {
      targetRef: { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'web' },
      subsets: [{ name: 'a', maxReplicas: 1 }, { name: 'b' }],
    });
    const listed = JSON.stringify({ workloads: [{ Group: 'game.example.com', Version: 'v1', Kind: 'GameSet' }] });
    const settings = {
      ...anObject('v1', 'ConfigMap', undefined, { name: 'kruise-configuration', namespace: 'kruise-system' }),
      data: { WorkloadSpread_Watch_Custom_Workload_WhiteList: listed },
    };
    expect(found([spread])).toEqual(['KR004 spec.targetRef']);
    expect(found([spread, settings])).toEqual([]);
  });

  it('tries the patches of a WorkloadSpread on the template of its workload', () => {
    const spread = anObject('apps.kruise.io/v1beta1', 'WorkloadSpread', {
      targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
      subsets: [{ name: 'a', maxReplicas: 1, patch: { spec: { containers: [{ name: 'main', image: '' }] } } }, { name: 'b' }],
    });
    expect(found([spread])).toEqual([]);
    expect(lintObjects([aCloneSet(), spread])[1]?.map(({ id }) => id)).toEqual(['KR004']);
  });

  it.each<{ name: string; object: unknown }>([
    { name: 'metadata of another type', object: { metadata: 7 } },
    { name: 'no metadata', object: { metadata: null } },
    { name: 'labels of another type', object: { metadata: { name: 'a', labels: [] } } },
    { name: 'a spec of another type', object: { spec: [] } },
    { name: 'no spec', object: { spec: undefined } },
  ])('refuses objects with $name', ({ object }) => {
    const ids = (lintObjects([{ ...aCloneSet(), ...(object as object) }])[0] ?? []).map(({ id }) => lintRules[id].severity);
    expect(ids).toContain('error');
  });
});
