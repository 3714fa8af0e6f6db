import { describe, expect, it } from '@jest/globals';
import type { PodContainerProbe, PodProbeMarker } from '@kruise/api';
import { deepFreeze, type Pod } from '@kruise/objects';
import { planServerlessMarks } from './plan-serverless.ts';
import { planTargets } from './plan-targets.ts';
import { withServerlessProbes } from './serverless-step.ts';

const probe = { exec: { command: ['true'] } };
const marker = (name: string, ...probes: readonly Partial<PodContainerProbe>[]): PodProbeMarker => ({
  metadata: { name, namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    probes: probes.map((over) => ({ name: 'p', containerName: 'main', probe, podConditionType: 'c', ...over })),
  },
});
const pod = (over: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {}): Pod =>
  deepFreeze({
    metadata: { name: 'x', namespace: 'shop', labels: { app: 'web' }, ...over.metadata },
    spec: { containers: [{ name: 'main' }], nodeName: 'n', ...over.spec },
    status: { phase: 'Running', conditions: [{ type: 'Initialized', status: 'True' }], ...over.status },
  });

describe('planTargets', () => {
  const nodeAt = (name: string) =>
    name === '' || name === 'gone'
      ? undefined
      : { metadata: { name, ...(name === 'virtual' ? { labels: { type: 'virtual-kubelet' } } : {}) } };
  it.each<[string, Pod, 'normal' | 'serverless' | 'none']>([
    ['a Pod on a node', pod(), 'normal'],
    ['a Pod on a virtual node', pod({ spec: { nodeName: 'virtual' } }), 'serverless'],
    ['a Pod without a node', pod({ spec: { nodeName: '' } }), 'none'],
    ['a Pod on a node that is gone', pod({ spec: { nodeName: 'gone' } }), 'none'],
    ['a Pod with other labels', pod({ metadata: { labels: { app: 'api' } } }), 'none'],
    ['a Pod that is not initialized', pod({ status: { conditions: [] } }), 'none'],
    ['a Pod that has ended', pod({ status: { phase: 'Failed' } }), 'none'],
    ['a Pod that goes', pod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), 'none'],
  ])('%s', (_name, given, expected) => {
    const { byNode, serverless } = planTargets(marker('m', {}), [given], nodeAt);
    expect([byNode.size, serverless.length]).toEqual([expected === 'normal' ? 1 : 0, expected === 'serverless' ? 1 : 0]);
  });
});

describe('planServerlessMarks', () => {
  const of = marker('m', {
    markerPolicy: [
      { state: 'Succeeded', labels: { up: 'yes' } },
      { state: 'Failed', annotations: { down: 'yes' } },
    ],
  });
  it.each<[string, string | undefined, object | undefined]>([
    ['True', 'True', { metadata: { labels: { up: 'yes' } } }],
    ['False', 'False', { metadata: { annotations: { down: 'yes' } } }],
    ['unknown', 'Unknown', undefined],
    ['absent', undefined, undefined],
  ])('a condition that is %s', (_name, status, expected) => {
    const conditions = status === undefined ? [] : [{ type: 'c', status }];
    expect(planServerlessMarks(of, pod({ status: { conditions } }))).toEqual(expected);
  });

  it('writes nothing twice', () => {
    expect(
      planServerlessMarks(of, pod({ metadata: { labels: { up: 'yes' } }, status: { conditions: [{ type: 'c', status: 'True' }] } })),
    ).toBeUndefined();
  });
});

describe('withServerlessProbes', () => {
  const annotationsOf = (given: Pod, ...markers: readonly PodProbeMarker[]) => withServerlessProbes(given, markers).metadata.annotations;
  it('writes probes of containers that exist, without their policies', () => {
    const one = marker(
      'b',
      { markerPolicy: [{ state: 'Failed', labels: { a: 'b' } }] },
      { name: 'q', containerName: 'none', podConditionType: 'd' },
    );
    const two = marker('a', { name: 'r', containerName: 'side', podConditionType: 'e' });
    const given = pod({ spec: { initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'init' }] } });
    expect(annotationsOf(given, one, two, marker('c', { name: 's', containerName: 'init', podConditionType: 'f' }))).toEqual({
      'kruise.io/podprobe': JSON.stringify([
        { name: 'p', containerName: 'main', probe, podConditionType: 'c' },
        { name: 'r', containerName: 'side', probe, podConditionType: 'e' },
      ]),
      'kruise.io/podprobemarker-list': 'a,b',
    });
  });

  it('writes the same bytes for the same probe, however it was written', () => {
    const http = { httpHeaders: [{ value: 'v', name: 'n' }], host: '', scheme: 'HTTP', port: 80, path: '/a?b=1&c' };
    const written = { periodSeconds: 5, initialDelaySeconds: 0, httpGet: http };
    expect(annotationsOf(pod(), marker('a', { probe: written }))?.['kruise.io/podprobe']).toBe(
      '[{"name":"p","containerName":"main","probe":{"httpGet":{"path":"/a?b=1\\u0026c","port":80,"scheme":"HTTP",' +
        '"httpHeaders":[{"name":"n","value":"v"}]},"periodSeconds":5},"podConditionType":"c"}]',
    );
  });

  it('takes a condition type and a place once, and the markers that the Pod names', () => {
    const list = { 'kruise.io/podprobemarker-list': 'b' };
    expect(annotationsOf(pod(), marker('a', {}), marker('b', { name: 'q' }))?.['kruise.io/podprobemarker-list']).toBe('a');
    expect(
      annotationsOf(pod({ metadata: { annotations: list, labels: {} } }), marker('a', {}), marker('b', {}))?.[
        'kruise.io/podprobemarker-list'
      ],
    ).toBe('b');
  });

  it('leaves other Pods as they are', () => {
    const given = pod({ metadata: { labels: {} } });
    expect(withServerlessProbes(given, [marker('a', {})])).toBe(given);
    const empty = pod({ spec: { containers: null } });
    expect(withServerlessProbes(empty, [marker('a', {})])).toBe(empty);
  });
});
