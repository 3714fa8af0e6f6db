import { describe, expect, it } from '@jest/globals';
import type { PodProbe, PodProbeMarker } from '@kruise/api';
import { deepFreeze, type Pod } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { planNodeProbes } from './plan-node-probes.ts';
import { formatProbeName, parseProbeName } from '../probes/probe-name.ts';

const exec = { exec: { command: ['true'] } };
const marker = (
  name = 'way',
  probes: PodProbeMarker['spec']['probes'] = [{ name: 'a', containerName: 'main', probe: exec }],
): PodProbeMarker => ({
  metadata: { name, namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'web' } }, probes },
});
const pod = (name: string, { ip = '10.0.0.1', uid = `uid-${name}` } = {}): Pod => ({
  metadata: { name, namespace: 'shop', uid },
  spec: {
    containers: [
      {
        name: 'main',
        ports: [
          { name: 'metrics', containerPort: 9090 },
          { name: 'http', containerPort: 8080 },
        ],
      },
      { name: 'side', ports: [{ name: 'admin', containerPort: 9 }] },
    ],
  },
  status: ip === '' ? {} : { podIP: ip },
});
const entry = (name: string, probes: readonly string[], over: Partial<PodProbe> = {}): PodProbe => ({
  name,
  namespace: 'shop',
  uid: `uid-${name}`,
  IP: '10.0.0.1',
  probes: probes.map((probe) => ({ name: probe, containerName: 'main', probe: exec })),
  ...over,
});
const plan = (held: readonly PodProbe[], pods: readonly Pod[], of = marker()) =>
  planNodeProbes(deepFreeze(held), deepFreeze(of), pods).podProbes;

describe('planNodeProbes', () => {
  it('adds a Pod with its probes at the end', () => {
    expect(plan([entry('x', ['other#a'])], [pod('y')])).toEqual([entry('x', ['other#a']), entry('y', ['way#a'])]);
  });

  it('gives back the very list when nothing changes', () => {
    const held = deepFreeze([entry('x', ['gateway#a', 'way#a'])]);
    expect(planNodeProbes(held, marker(), [pod('x')]).podProbes).toBe(held);
  });

  it.each<[string, readonly PodProbe[], readonly Pod[], readonly PodProbe[]]>([
    ['adds its probe beside those of others', [entry('x', ['other#a'])], [pod('x')], [entry('x', ['other#a', 'way#a'])]],
    ['drops a probe that it has no more', [entry('x', ['way#a', 'way#old'])], [pod('x')], [entry('x', ['way#a'])]],
    ['drops the entry of a Pod that it probes no more', [entry('x', ['way#a'])], [], []],
    ['keeps what others have there', [entry('x', ['way#a', 'gateway#a'])], [], [entry('x', ['gateway#a'])]],
    [
      'leaves its namesake in another namespace alone',
      [entry('x', ['way#a'], { namespace: 'b' })],
      [],
      [entry('x', ['way#a'], { namespace: 'b' })],
    ],
    ['takes a Pod of another uid for another', [entry('x', ['way#a'], { uid: 'old' })], [pod('x')], [entry('x', ['way#a'])]],
    ['fills in the IP', [entry('x', ['way#a'], { IP: '' })], [pod('x')], [entry('x', ['way#a'])]],
    ['renews the IP', [entry('x', ['way#a'], { IP: '10.9.9.9' })], [pod('x')], [entry('x', ['way#a'])]],
    ['keeps a known IP while the Pod tells none', [entry('x', ['way#a'])], [pod('x', { ip: '' })], [entry('x', ['way#a'])]],
    [
      'renews a probe in its place when it changed',
      [
        {
          ...entry('x', []),
          probes: [
            { name: 'way#a', containerName: 'main', probe: { exec: { command: ['false'] } } },
            ...(entry('x', ['other#a']).probes ?? []),
          ],
        },
      ],
      [pod('x')],
      [entry('x', ['way#a', 'other#a'])],
    ],
    ['keeps probes of a name that is none of a marker', [entry('x', ['way'])], [], [entry('x', ['way'])]],
    ['drops an entry without probes', [{ name: 'x', namespace: 'shop', uid: 'uid-x', IP: '' }], [], []],
    ['fills an entry without probes', [{ name: 'x', namespace: 'shop', uid: 'uid-x', IP: '' }], [pod('x')], [entry('x', ['way#a'])]],
    ['keeps the order of the Pods that it adds', [], [pod('y'), pod('x')], [entry('y', ['way#a']), entry('x', ['way#a'])]],
    [
      'takes an empty IP for a Pod without a status',
      [],
      [{ metadata: pod('x').metadata, spec: { containers: [] } }],
      [entry('x', ['way#a'], { IP: '' })],
    ],
    [
      'keeps a known IP while the Pod has no status',
      [entry('x', ['way#a'])],
      [{ metadata: pod('x').metadata, spec: { containers: [] } }],
      [entry('x', ['way#a'])],
    ],
    ['takes an empty IP for a new Pod', [], [pod('x', { ip: '' })], [entry('x', ['way#a'], { IP: '' })]],
  ])('%s', (_name, held, pods, expected) => {
    expect(plan(held, pods)).toEqual(expected);
  });

  it.each<[string, string | number, number | undefined]>([
    ['a number', 80, 80],
    ['the name of a port', 'http', 8080],
    ['a number as text', '81', 81],
    ['the longest number as text', '65535', 65535],
    ['a text that is too long for a port', '123456', undefined],
    ['a text that begins with a number', '81a', undefined],
    ['a text that ends with a number', 'a81', undefined],
    ['no such name', 'grpc', undefined],
    ['the name of a port of another container', 'admin', undefined],
  ])('resolves a port: %s', (_name, port, number) => {
    for (const handler of ['httpGet', 'tcpSocket'] as const) {
      const of = marker('way', [{ name: 'a', containerName: 'main', probe: { [handler]: { port } } }]);
      const { podProbes, unresolved } = planNodeProbes([], of, [pod('x')]);
      expect(podProbes.flatMap(({ probes }) => probes ?? []).map(({ probe }) => probe[handler]?.port)).toEqual(
        number === undefined ? [] : [number],
      );
      expect(unresolved).toEqual(number === undefined ? [{ pod: 'x', probe: 'a' }] : []);
    }
  });

  it('resolves the port of an init container by name, and leaves what else the handler says', () => {
    const here: Pod = {
      ...pod('x'),
      spec: {
        containers: [{ name: 'main' }],
        initContainers: [
          {
            name: 'side',
            ports: [
              { name: 'grpc', containerPort: 5 },
              { name: 'http', containerPort: 9 },
            ],
          },
        ],
      },
    };
    const of = marker('way', [{ name: 'a', containerName: 'side', probe: { periodSeconds: 3, httpGet: { path: '/up', port: 'http' } } }]);
    expect(planNodeProbes([], of, [here]).podProbes[0]?.probes).toEqual([
      { name: 'way#a', containerName: 'side', probe: { periodSeconds: 3, httpGet: { path: '/up', port: 9 } } },
    ]);
  });

  it('resolves no name in a container that is not there or has no ports', () => {
    const of = (containerName: string) => marker('way', [{ name: 'a', containerName, probe: { tcpSocket: { port: 'http' } } }]);
    const bare: Pod = { ...pod('x'), spec: { containers: [{ name: 'main' }] } };
    expect(planNodeProbes([], of('none'), [pod('x')]).unresolved).toEqual([{ pod: 'x', probe: 'a' }]);
    expect(planNodeProbes([], of('main'), [bare]).unresolved).toEqual([{ pod: 'x', probe: 'a' }]);
  });

  it('skips a Pod none of whose probes can run, and a probe without a port', () => {
    const of = (port: object) => marker('way', [{ name: 'a', containerName: 'main', probe: { tcpSocket: port as { port: number } } }]);
    expect(planNodeProbes([], of({}), [pod('x')])).toEqual({ podProbes: [], unresolved: [{ pod: 'x', probe: 'a' }], refused: [] });
    expect(planNodeProbes([entry('x', ['way#a'])], of({ port: 'none' }), [pod('x')])).toEqual({
      podProbes: [],
      unresolved: [{ pod: 'x', probe: 'a' }],
      refused: [],
    });
  });

  it('converges, and what it adds it takes away again without a trace of itself', () => {
    const names = fc.subarray(['p1', 'p2', 'p3', 'p4']);
    const held = names.chain((pods) =>
      fc.tuple(
        ...pods.map((name) =>
          fc.subarray(['way#a', 'way#b', 'gateway#a', 'x#way#a'], { minLength: 1 }).map((probes) => entry(name, probes)),
        ),
      ),
    );
    const others = (list: readonly PodProbe[]): readonly string[] =>
      list.flatMap(({ name, probes = [] }) =>
        probes.filter((probe) => !probe.name.startsWith('way#')).map((probe) => `${name}/${probe.name}`),
      );
    const seen = new Occurrences();
    fc.assert(
      fc.property(held, names, (before, here) => {
        const pods = here.map((name) => pod(name));
        const once = plan(before, pods);
        seen.note('others have probes there', others(before).length > 0 && pods.length > 0);
        seen.note(
          'its probe stands on the list of a Pod that is gone',
          before.some(({ name, probes = [] }) => !here.includes(name) && probes.some((probe) => probe.name.startsWith('way#'))),
        );
        expect(planNodeProbes(once, marker(), pods).podProbes).toBe(once);
        expect(others(once).toSorted()).toEqual(others(before).toSorted());
        expect(
          plan(once, [])
            .flatMap(({ probes = [] }) => probes)
            .filter((probe) => probe.name.startsWith('way#')),
        ).toEqual([]);
      }),
    );
    seen.expectAtLeast({ 'others have probes there': 10, 'its probe stands on the list of a Pod that is gone': 10 });
  });
});

it('splits names at the first #', () => {
  expect(parseProbeName(formatProbeName({ marker: 'm', probe: 'p' }))).toEqual({ marker: 'm', probe: 'p' });
  expect(parseProbeName('#p')).toEqual({ marker: '', probe: 'p' });
  expect([parseProbeName('m#p#q'), parseProbeName('none')]).toEqual([{ marker: 'm', probe: 'p#q' }, undefined]);
});

it('a list without room for more of the namespace gets no more, and says what is missing', () => {
  const large = [{ name: 'a', containerName: 'main', probe: { exec: { command: ['x'.repeat(60_000)] } } }];
  const pods = Array.from({ length: 20 }, (_, i) => pod(`p${i}`));
  const { podProbes, refused } = planNodeProbes([], marker('way', large), pods);
  expect([podProbes.length, refused.length]).toEqual([8, 12]);
  const again = planNodeProbes(podProbes, marker('way', large), pods);
  expect([again.podProbes === podProbes, again.refused]).toEqual([true, refused]);
});
