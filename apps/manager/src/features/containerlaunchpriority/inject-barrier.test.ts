import { describe, expect, it } from '@jest/globals';
import { deepFreeze, type Container, type EnvVar, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { launchPriorityStep } from './admission.ts';
import { injectBarrier } from '@kruise/kinds/containerlaunchpriority';

const ordered = { 'apps.kruise.io/container-launch-priority': 'Ordered' };
const priority = (value: string): EnvVar => ({ name: 'KRUISE_CONTAINER_PRIORITY', value });
const own: EnvVar = { name: 'OWN', value: '1' };
const container = (name: string, ...env: readonly EnvVar[]): Container => ({ name, image: 'app:1', ...(env.length === 0 ? {} : { env }) });
const barrier = (key: string, pod = 'web'): EnvVar => ({
  name: 'KRUISE_CONTAINER_BARRIER',
  valueFrom: { configMapKeyRef: { name: `${pod}-barrier`, key } },
});

function podOf(containers: readonly Container[], annotations?: Readonly<Record<string, string>>): Pod {
  const pod = aPod({ name: 'web', ...(annotations === undefined ? {} : { annotations }) });
  return deepFreeze({ ...pod, spec: { ...pod.spec, containers } });
}

function envsOf(pod: Pod): readonly (readonly EnvVar[] | undefined)[] {
  const injected = injectBarrier(pod, () => 0);
  if (injected.kind !== 'Pod') throw new Error(injected.message);
  return injected.pod.spec.containers.map(({ env }) => env);
}

const keysOf = (pod: Pod): readonly (string | undefined)[] =>
  envsOf(pod).map((env) => env?.find(({ name }) => name === 'KRUISE_CONTAINER_BARRIER')?.valueFrom?.configMapKeyRef?.key);

describe('the barrier of a new Pod', () => {
  it('is at the end of the environment of every container, including those without a priority', () => {
    expect(envsOf(podOf([container('main', own), container('c2', own, priority('10'))]))).toEqual([
      [own, barrier('p_0')],
      [own, priority('10'), barrier('p_10')],
    ]);
  });

  it.each<{ name: string; containers: readonly Container[]; annotations?: Readonly<Record<string, string>>; keys: readonly string[] }>([
    {
      name: 'Ordered follows the list',
      containers: [container('a'), container('b'), container('c')],
      annotations: ordered,
      keys: ['p_0', 'p_-1', 'p_-2'],
    },
    {
      name: 'Ordered outdoes explicit priorities, even those that are no numbers',
      containers: [container('a', priority('x')), container('b', priority('5'))],
      annotations: ordered,
      keys: ['p_0', 'p_-1'],
    },
    {
      name: 'the last entry of the name wins',
      containers: [container('a', priority('1'), priority('7')), container('b')],
      keys: ['p_7', 'p_0'],
    },
    {
      name: 'numbers are written in one way, the documented range whole',
      containers: [
        container('a', priority('+007')),
        container('b', priority('-2147483647')),
        container('c', priority('-0')),
        container('d', priority('2147483647')),
      ],
      keys: ['p_7', 'p_-2147483647', 'p_0', 'p_2147483647'],
    },
    {
      name: 'equal ones share a level',
      containers: [container('a', priority('2')), container('b', priority('2')), container('c')],
      keys: ['p_2', 'p_2', 'p_0'],
    },
  ])('$name', ({ containers, annotations, keys }) => {
    expect(keysOf(podOf(containers, annotations))).toEqual(keys);
  });

  it.each<{ name: string; pod: Pod }>([
    { name: 'no priority', pod: podOf([container('a', own), container('b')]) },
    { name: 'a single container with a priority', pod: podOf([container('a', priority('5'))]) },
    { name: 'a single container, Ordered', pod: podOf([container('a')], ordered) },
    { name: 'a single container with a priority that is none', pod: podOf([container('a', priority('abc'))]) },
    { name: 'all priorities equal', pod: podOf([container('a', priority('5')), container('b', priority('5'))]) },
    { name: 'all priorities 0', pod: podOf([container('a', priority('0')), container('b')]) },
    {
      name: 'another value of the annotation',
      pod: podOf([container('a'), container('b')], { 'apps.kruise.io/container-launch-priority': 'ordered' }),
    },
    { name: 'a barrier everywhere already', pod: podOf([container('a', barrier('p_1')), container('b', priority('1'), barrier('p_0'))]) },
    { name: 'no containers at all', pod: { ...aPod(), spec: { containers: null } } as unknown as Pod },
  ])('is not there with $name: the very same Pod', ({ pod }) => {
    expect(injectBarrier(pod, () => 0)).toEqual({ kind: 'Pod', pod });
    expect((injectBarrier(pod, () => 0) as { pod: Pod }).pod).toBe(pod);
  });

  it('is not put up twice in a container, but in those that came later', () => {
    const first = container('a', priority('1'), barrier('p_1'));
    expect(envsOf(podOf([first, container('late')]))).toEqual([first.env, [barrier('p_0')]]);
  });

  it('takes the place of what a copied manifest has from another Pod, whose containers have all started', () => {
    const done = { 'apps.kruise.io/container-launch-priority-completed': 'true', ...ordered };
    const copied = podOf([container('a', own, barrier('p_0', 'other')), container('b', barrier('p_-1', 'other'))], done);
    const injected = injectBarrier(copied, () => 0);
    if (injected.kind !== 'Pod') throw new Error(injected.message);
    expect(injected.pod.metadata.annotations).toEqual(ordered);
    expect(injected.pod.spec.containers.map(({ env }) => env)).toEqual([[own, barrier('p_0')], [barrier('p_-1')]]);
  });

  it('leaves a barrier from a user unchanged', () => {
    const made = [
      { name: 'KRUISE_CONTAINER_BARRIER', value: 'x' },
      { name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'mine', key: 'p_0' } } },
      { name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'my-barrier', key: 'open' } } },
    ];
    const pod = podOf(
      made.map((entry, i) => container(`c${i}`, entry)),
      ordered,
    );
    expect(injectBarrier(pod, () => 0)).toEqual({ kind: 'Pod', pod });
  });

  it.each<{ name: string; entry: EnvVar; shown: string }>([
    { name: 'letters', entry: priority('abc'), shown: '"abc"' },
    { name: 'nothing', entry: priority(''), shown: '""' },
    {
      name: 'a reference',
      entry: { name: 'KRUISE_CONTAINER_PRIORITY', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      shown: '""',
    },
    { name: 'a number in another way', entry: priority('0x12'), shown: '"0x12"' },
    { name: 'a number with an exponent', entry: priority('1e3'), shown: '"1e3"' },
    { name: 'a fraction of nothing', entry: priority('1.0'), shown: '"1.0"' },
    { name: 'a fraction', entry: priority('1.5'), shown: '"1.5"' },
    { name: 'a number beyond all use', entry: priority('99999999999999999999'), shown: '"99999999999999999999"' },
  ])('refuses the Pod for a priority that is $name, with code 400, naming container and value', async ({ entry, shown }) => {
    const message = `container "b": KRUISE_CONTAINER_PRIORITY must be an integer, not ${shown}`;
    const step = launchPriorityStep(() => 0);
    const request = { operation: 'CREATE' } as unknown as Parameters<typeof step.apply>[1];
    const result = await step.apply(podOf([container('a'), container('b', entry)]), request, new AbortController().signal);
    expect(result).toEqual({ kind: 'Refused', code: 400, message });
  });

  it('is put up by the step of the webhook, which requests Pods with an order', async () => {
    const step = launchPriorityStep(() => 0);
    const pod = podOf([container('a', priority('1')), container('b')]);
    expect(await step.apply(pod, {} as never, new AbortController().signal)).toEqual(injectBarrier(pod, () => 0));
    expect(step.needs?.current().map(({ reason }) => reason)).toEqual(['container-launch-priority']);
    expect(step.needs?.trace).toContain('KRUISE_CONTAINER_BARRIER');
    expect(step.name).toBe('container-launch-priority');
  });

  it('changes nothing of the metadata', () => {
    const { annotations: _annotations, ...metadata } = podOf([]).metadata;
    const pod = { ...podOf([container('a', priority('1')), container('b')]), metadata };
    const injected = injectBarrier(pod, () => 0);
    expect(injected.kind === 'Pod' && injected.pod.metadata).toStrictEqual(metadata);
  });

  it('leaves init containers alone', () => {
    const pod = podOf([container('a', priority('1')), container('b')]);
    const initContainers = [container('init', priority('9'))];
    const injected = injectBarrier({ ...pod, spec: { ...pod.spec, initContainers } }, () => 0);
    expect(injected.kind === 'Pod' && injected.pod.spec.initContainers).toBe(initContainers);
  });
});

describe('the name of the Pod', () => {
  const named = (metadata: object): Pod => {
    const pod = podOf([container('a', priority('1')), container('b')]);
    return { ...pod, metadata: { ...pod.metadata, ...metadata } };
  };
  const metadataOf = (pod: Pod): unknown => {
    const injected = injectBarrier(pod, () => 0.5);
    return injected.kind === 'Pod' ? [injected.pod.metadata.name, injected.pod.spec.containers[0]?.env?.at(-1)] : injected;
  };

  it('is chosen here when the API server would choose it', () => {
    expect(metadataOf(named({ name: '', generateName: 'web-6f9-' }))).toEqual(['web-6f9-rrrrr', barrier('p_1', 'web-6f9-rrrrr')]);
  });

  it('keeps 58 characters of what it is generated from', () => {
    expect(metadataOf(named({ name: undefined, generateName: 'x'.repeat(70) }))).toEqual([
      `${'x'.repeat(58)}rrrrr`,
      barrier('p_1', `${'x'.repeat(58)}rrrrr`),
    ]);
  });

  it('is left to the API server in a Pod without an order, and when there is nothing to make one from', () => {
    const pod = podOf([container('a'), container('b')]);
    const plain = { ...pod, metadata: { ...pod.metadata, name: '', generateName: 'web-' } };
    expect(injectBarrier(plain, () => 0)).toEqual({ kind: 'Pod', pod: plain });
    const nameless = named({ name: '' });
    expect(injectBarrier(nameless, () => 0)).toEqual({ kind: 'Pod', pod: nameless });
  });

  it.each([null, 5, {}])('is none when it is no text: %j', (odd) => {
    const nameless = named({ name: odd, generateName: odd });
    expect(injectBarrier(nameless, () => 0)).toEqual({ kind: 'Pod', pod: nameless });
    expect(metadataOf(named({ name: odd, generateName: 'web-' }))).toEqual(['web-rrrrr', barrier('p_1', 'web-rrrrr')]);
  });

  it('may have 245 characters, no more: the ConfigMap needs the rest', () => {
    expect(injectBarrier(named({ name: 'x'.repeat(245) }), () => 0).kind).toBe('Pod');
    expect(injectBarrier(named({ name: 'x'.repeat(246) }), () => 0)).toMatchObject({
      kind: 'Refused',
      message: expect.stringContaining('at most 245 characters'),
    });
  });
});
