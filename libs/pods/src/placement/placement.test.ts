import { describe, expect, it } from '@jest/globals';
import type { PodSpec } from '@kruise/objects';
import { daemonTolerations } from './daemon-tolerations.ts';
import { boundByScheduler, nodeOf } from './node-binding.ts';

describe('the tolerations of a daemon', () => {
  const keys = (spec: Pick<PodSpec, 'tolerations' | 'hostNetwork'>): readonly string[] =>
    daemonTolerations(spec).map(({ key = '', effect = '' }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);

  it('follow those of the template, six of them, and one more on the network of the host', () => {
    const six = [
      'not-ready:NoExecute',
      'unreachable:NoExecute',
      'disk-pressure:NoSchedule',
      'memory-pressure:NoSchedule',
      'pid-pressure:NoSchedule',
      'unschedulable:NoSchedule',
    ];
    expect(keys({ tolerations: [{ key: 'own', operator: 'Exists' }] })).toEqual(['own:', ...six]);
    expect(keys({ hostNetwork: true })).toEqual([...six, 'network-unavailable:NoSchedule']);
  });

  it('are the only ones when the template has null', () => {
    expect(keys({ tolerations: null as never })).toHaveLength(6);
  });

  it('replace the same one in its place, permanently and not for a time', () => {
    const held = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 };
    const other = { ...held, operator: 'Equal', value: 'x' };
    const all = daemonTolerations({ tolerations: [held, other] });
    expect(all.slice(0, 2)).toEqual([{ key: held.key, operator: 'Exists', effect: 'NoExecute' }, other]);
    expect(all).toHaveLength(7);
  });
});

describe('a Pod for a node', () => {
  const bare: PodSpec = { containers: [] };
  const term = (...matchFields: readonly object[]) => ({ matchFields });
  const field = (values: readonly string[], operator = 'In', key = 'metadata.name') => ({ key, operator, values });
  const requiring = (...nodeSelectorTerms: readonly object[]) =>
    ({ ...bare, affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } }) as PodSpec;

  it('keeps its other requirements', () => {
    const preferred = [{ weight: 1, preference: {} }];
    const spec = {
      ...bare,
      nodeSelector: { zone: 'a' },
      affinity: {
        podAffinity: {},
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }],
          },
        },
      },
    };
    expect(boundByScheduler(spec, 'n1')).toEqual({
      ...spec,
      affinity: {
        podAffinity: {},
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term(field(['n1']))] },
        },
      },
    });
  });

  it.each<[string, PodSpec, string | undefined]>([
    ['that was bound', { ...boundByScheduler(bare, 'n2'), nodeName: 'n1' }, 'n1'],
    ['that waits for the scheduler', boundByScheduler(bare, 'n1'), 'n1'],
    ['with an empty nodeName', { ...boundByScheduler(bare, 'n1'), nodeName: '' }, 'n1'],
    ['for none', bare, undefined],
    ['for several', requiring(term(field(['n1', 'n2']))), undefined],
    ['for all but one', requiring(term(field(['n1'], 'NotIn'))), undefined],
    ['by another field', requiring(term(field(['n1'], 'In', 'metadata.uid'))), undefined],
    ['by labels', requiring({ matchExpressions: [field(['n1'])] }), undefined],
  ])('%s', (_name, spec, expected) => {
    expect(nodeOf({ spec })).toBe(expected);
  });
});
