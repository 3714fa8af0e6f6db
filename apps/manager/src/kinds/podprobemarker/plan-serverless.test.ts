import { describe, expect, it } from '@jest/globals';
import type { PodContainerProbe, PodProbeMarker } from '@kruise/api';
import { deepFreeze, type Pod } from '@kruise/objects';
import { planServerlessMarks } from '@kruise/kinds/podprobemarker';
import { countTargets, planTargets } from '@kruise/kinds/probes';
import { serverlessProbesStep, withServerlessProbes } from './serverless-step.ts';

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
    ['a Pod whose initialization goes on', pod({ status: { conditions: [{ type: 'Initialized', status: 'False' }] } }), 'none'],
    ['a Pod that is ready but not initialized', pod({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }), 'none'],
    ['a Pod that no node is known of', pod({ spec: { nodeName: undefined } }), 'none'],
    ['a Pod that has ended', pod({ status: { phase: 'Failed' } }), 'none'],
    ['a Pod that goes', pod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), 'none'],
  ])('%s', (_name, given, expected) => {
    const { byNode, serverless } = planTargets(marker('m', {}), [given], nodeAt);
    expect([byNode.size, serverless.length]).toEqual([expected === 'normal' ? 1 : 0, expected === 'serverless' ? 1 : 0]);
  });
});

describe('the Pods of a marker', () => {
  const named = (name: string, nodeName: string): Pod => pod({ metadata: { name }, spec: { nodeName } });
  const nodeAt = (name: string) => ({ metadata: { name, labels: { type: name === 'virtual' ? 'virtual-kubelet' : 'real' } } });
  it('are sorted by node, and are counted together with those of virtual nodes', () => {
    const pods = [named('b', 'n1'), named('v', 'virtual'), named('a', 'n1'), named('c', 'n2')];
    const targets = planTargets(marker('m', {}), pods, nodeAt);
    const names = [...targets.byNode].map(([node, list]) => [node, list.map(({ metadata }) => metadata.name)]);
    expect(names).toEqual([
      ['n1', ['b', 'a']],
      ['n2', ['c']],
    ]);
    expect(targets.serverless.map(({ metadata }) => metadata.name)).toEqual(['v']);
    expect(countTargets(targets)).toBe(4);
  });

  it('are none for a marker whose selector says nothing or cannot be read, or that has no spec', () => {
    const spec = (selector: unknown) => ({ ...marker('m', {}), spec: { selector, probes: [] } }) as unknown as PodProbeMarker;
    const { spec: _spec, ...bare } = marker('m', {});
    for (const one of [spec(undefined), spec({ matchExpressions: [{ key: 'app', operator: 'No' }] }), bare as PodProbeMarker])
      expect(countTargets(planTargets(one, [pod()], nodeAt))).toBe(0);
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
    expect(planServerlessMarks(of, pod({ status: { conditions } }))).toStrictEqual(expected);
  });

  it('a marker without probes marks nothing', () => {
    expect(planServerlessMarks(marker('m'), pod())).toBeUndefined();
  });

  it('writes nothing twice', () => {
    expect(
      planServerlessMarks(of, pod({ metadata: { labels: { up: 'yes' } }, status: { conditions: [{ type: 'c', status: 'True' }] } })),
    ).toBeUndefined();
  });
});

describe('the marks of several probes', () => {
  const up = (key: string, value: string): Partial<PodContainerProbe> => ({
    podConditionType: key,
    markerPolicy: [{ state: 'Succeeded', labels: { [key]: value, last: value }, annotations: { [key]: value } }],
  });
  const conditions = ['a', 'b'].map((type) => ({ type, status: 'True' }));
  const of = marker('m', up('a', '1'), { podConditionType: 'a' }, up('b', '2'), up('absent', '3'), {
    ...up('c', '4'),
    podConditionType: undefined as never,
  });

  it('are put on together, the last one wins, and the Pod is the very one', () => {
    expect(planServerlessMarks(of, pod({ metadata: { uid: 'u', labels: undefined }, status: { conditions } }))).toEqual({
      metadata: { uid: 'u', labels: { a: '1', b: '2', last: '2' }, annotations: { a: '1', b: '2' } },
    });
  });

  it('are written where they differ alone', () => {
    const metadata = { labels: { a: '1', b: 'old', last: '2', other: 'x' }, annotations: { a: '1', b: '2' } };
    expect(planServerlessMarks(of, pod({ metadata, status: { conditions } }))).toEqual({ metadata: { labels: { b: '2' } } });
    const annotated = { labels: { a: '1', b: '2', last: '2' }, annotations: { a: '1' } };
    expect(planServerlessMarks(of, pod({ metadata: annotated, status: { conditions } }))).toEqual({
      metadata: { annotations: { b: '2' } },
    });
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

  it('takes probes of one name in two containers, and of one container under two names', () => {
    const given = pod({ spec: { containers: [{ name: 'main' }, { name: 'side' }] } });
    const of = marker(
      'a',
      {},
      { containerName: 'side', podConditionType: 'd' },
      { podConditionType: 'e' },
      { name: 'q', podConditionType: 'f' },
    );
    const taken = JSON.parse(annotationsOf(given, of)?.['kruise.io/podprobe'] ?? '[]') as readonly PodContainerProbe[];
    expect(taken.map(({ name, containerName, podConditionType }) => [name, containerName, podConditionType])).toEqual([
      ['p', 'main', 'c'],
      ['p', 'side', 'd'],
      ['q', 'main', 'f'],
    ]);
  });

  it('takes no probe that writes no condition, and does not list its marker', () => {
    const empty = marker('empty', { podConditionType: '' });
    const absent = marker('absent', { podConditionType: undefined as never });
    expect(annotationsOf(pod(), empty, absent, marker('good', {}))?.['kruise.io/podprobemarker-list']).toBe('good');
    const given = pod();
    expect(withServerlessProbes(given, [empty, absent])).toBe(given);
  });

  it('keeps the other annotations, and an empty list of markers names none', () => {
    const metadata = { annotations: { a: 'b', 'kruise.io/podprobemarker-list': '' } };
    expect(
      annotationsOf(pod({ metadata }), marker('m', {}), { ...marker('other', {}), spec: { ...marker('other', {}).spec, selector: {} } }),
    ).toEqual({
      a: 'b',
      'kruise.io/podprobe': JSON.stringify([{ name: 'p', containerName: 'main', probe, podConditionType: 'c' }]),
      'kruise.io/podprobemarker-list': 'm',
    });
  });

  it('takes each of the markers that the Pod names', () => {
    const metadata = { annotations: { 'kruise.io/podprobemarker-list': 'second,third' } };
    const markers = ['first', 'second', 'third'].map((name) => marker(name, { name, podConditionType: name }));
    const taken = JSON.parse(annotationsOf(pod({ metadata }), ...markers)?.['kruise.io/podprobe'] ?? '[]') as readonly PodContainerProbe[];
    expect(taken.map(({ name }) => name)).toEqual(['second', 'third']);
  });

  it('leaves other Pods as they are', () => {
    const given = pod({ metadata: { labels: {} } });
    expect(withServerlessProbes(given, [marker('a', {})])).toBe(given);
    const empty = pod({ spec: { containers: null } });
    expect(withServerlessProbes(empty, [marker('a', {})])).toBe(empty);
  });
});

describe('the step of the Pod webhook', () => {
  const markers = [marker('m', {})];
  const caches = (events: string[]) =>
    ({
      of: () => ({
        reflector: { waitForSync: () => Promise.resolve(void events.push('synced')) },
        store: { list: (options: object) => (events.push(JSON.stringify(options)), markers) },
      }),
    }) as unknown as Parameters<typeof serverlessProbesStep>[1];
  const step = (isOn: boolean, events: string[] = []) =>
    serverlessProbesStep({ EnablePodProbeMarkerOnServerless: isOn } as Parameters<typeof serverlessProbesStep>[0], caches(events));

  it('is there only with its gate', () => {
    expect([step(false), step(true)?.name]).toEqual([undefined, 'serverless-probes']);
  });

  it('requests the markers of the namespace of the Pod once they are all known', async () => {
    const events: string[] = [];
    const given = pod();
    const verdict = await step(true, events)?.apply(given, {} as never, new AbortController().signal);
    expect(verdict).toEqual({ kind: 'Pod', pod: withServerlessProbes(given, markers) });
    expect(events).toEqual(['synced', '{"namespace":"shop","sorted":true}']);
  });
});
