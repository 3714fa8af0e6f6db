import { describe, expect, it } from '@jest/globals';
import { defaultGates } from '@kruise/api';
import { deepFreeze, type Container, type OwnerReference, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { enhancedLivenessStep, withoutLivenessProbes } from './enhanced-liveness.ts';

const probe = { httpGet: { path: '/live', port: 80 }, periodSeconds: 5 };
const container = (name: string, livenessProbe?: object): Container => ({
  name,
  image: 'app:1',
  readinessProbe: { tcpSocket: { port: 80 } },
  ...(livenessProbe === undefined ? {} : { livenessProbe }),
});
const owner = (apiVersion: string, kind: string): OwnerReference => ({ apiVersion, kind, name: 'o', uid: 'u', controller: true });
const ours = owner('apps.kruise.io/v1beta1', 'CloneSet');

function podOf(containers: readonly Container[], value = 'true', by = ours): Pod {
  const pod = aPod({ annotations: { 'apps.kruise.io/using-enhanced-liveness': value, kept: 'yes' }, owner: by });
  return deepFreeze({ ...pod, spec: { ...pod.spec, containers, initContainers: [container('init', probe)] } });
}

function withoutAnnotations(pod: Pod): Pod {
  const { annotations: _annotations, ...metadata } = pod.metadata;
  return { ...pod, metadata };
}

describe('liveness probes that are taken over', () => {
  it('leave the containers for the annotation, in order; everything else stays', () => {
    const pod = podOf([container('a', probe), container('b'), container('c', { exec: { command: ['true'] } })]);
    const changed = withoutLivenessProbes(pod);
    expect(changed.spec).toEqual({ ...pod.spec, containers: [container('a'), container('b'), container('c')] });
    expect(changed.metadata.annotations).toEqual({
      'apps.kruise.io/using-enhanced-liveness': 'true',
      kept: 'yes',
      'apps.kruise.io/container-probe-context':
        '[{"name":"a","livenessProbe":{"httpGet":{"path":"/live","port":80},"periodSeconds":5}},{"name":"c","livenessProbe":{"exec":{"command":["true"]}}}]',
    });
    expect(withoutLivenessProbes(changed)).toBe(changed);
  });

  it.each<{ name: string; pod: Pod }>([
    { name: 'no container has one', pod: podOf([container('a')]) },
    { name: 'the annotation says something else', pod: podOf([container('a', probe)], 'True') },
    { name: 'a ReplicaSet owns the Pod', pod: podOf([container('a', probe)], 'true', owner('apps/v1', 'ReplicaSet')) },
    { name: 'it has no controller', pod: podOf([container('a', probe)], 'true', { ...ours, controller: false }) },
    { name: 'there are no annotations', pod: withoutAnnotations(podOf([container('a', probe)])) },
  ])('stay when $name', ({ pod }) => {
    expect(withoutLivenessProbes(pod)).toBe(pod);
  });

  it('are not looked for in a Pod that names no containers', () => {
    const pod = podOf([]);
    const empty: Pod = { ...pod, spec: { ...pod.spec, containers: null as never } };
    expect(withoutLivenessProbes(empty)).toBe(empty);
  });

  it('are moved by the step, which requests the Pods of our workloads', async () => {
    const step = enhancedLivenessStep({ EnhancedLivenessProbe: true });
    const pod = podOf([container('a', probe)]);
    expect(await step?.apply(pod, {} as never, new AbortController().signal)).toEqual({ kind: 'Pod', pod: withoutLivenessProbes(pod) });
    expect(step?.needs?.current().map(({ reason }) => reason)).toEqual(['kruise-workload']);
  });

  it('are left alone while the gate is off', () => {
    expect(enhancedLivenessStep(defaultGates)).toBeUndefined();
    expect(enhancedLivenessStep({ EnhancedLivenessProbe: true })?.name).toBe('enhanced-liveness');
  });
});
