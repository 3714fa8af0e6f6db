import { describe, expect, it } from '@jest/globals';
import type { PodProbe } from '@kruise/api';
import { agentLimits } from '@kruise/objects';
import { withinShare } from './plan-list-share.ts';

const bound = agentLimits.nodeProbeBytes.value;
const bytesOf = (list: readonly PodProbe[]): number => Buffer.byteLength(JSON.stringify(list));
/** A Pod with as many probes of a marker, whose commands have so many characters. */
const entry = (namespace: string, name: string, probes: number, size: number, marker = 'way'): PodProbe => ({
  name,
  namespace,
  uid: `${namespace}-${name}`,
  IP: '10.0.0.1',
  probes: Array.from({ length: probes }, (_, i) => ({
    name: `${marker}#${i}`,
    containerName: 'main',
    probe: { exec: { command: ['x'.repeat(size)] } },
  })),
});
const marker = { namespace: 'many', name: 'way' };
const mine = (list: readonly PodProbe[]): readonly PodProbe[] => list.filter(({ namespace }) => namespace === 'many');

describe('the share of a namespace in the list of a node', () => {
  it('is all that it wants in a node that has room: 250 Pods with 4 probes', () => {
    const wanted = Array.from({ length: 250 }, (_, i) => entry('many', `p${i}`, 4, 200));
    expect(withinShare(wanted, [], marker)).toEqual({ podProbes: wanted, refused: [] });
  });

  it('is four times what it leaves for others, in the order of the list', () => {
    const wanted = Array.from({ length: 30 }, (_, i) => entry('many', `p${i}`, 32, 1000));
    const { podProbes, refused } = withinShare(wanted, [], marker);
    const used = bytesOf(podProbes);
    expect([used <= bound * 0.8, used > bound * 0.79]).toEqual([true, true]);
    const kept = podProbes.flatMap(({ name, probes = [] }) => probes.map((probe) => [name, probe.name]));
    const all = wanted.flatMap(({ name, probes = [] }) => probes.map((probe) => [name, probe.name]));
    expect(kept).toEqual(all.slice(0, kept.length));
    expect(refused.map(({ pod, probe }) => [pod, probe])).toEqual(all.slice(kept.length));
  });

  it('leaves room for the next namespace, whose probes are placed', () => {
    const full = withinShare(
      Array.from({ length: 30 }, (_, i) => entry('many', `p${i}`, 32, 1000)),
      [],
      marker,
    ).podProbes;
    const other = entry('other', 'web', 4, 500);
    expect(withinShare([...full, other], full, { namespace: 'other', name: 'way' })).toEqual({ podProbes: [...full, other], refused: [] });
  });

  it('keeps what is there already, and takes nothing from other markers of the namespace', () => {
    const held = [entry('many', 'a', 32, 30_000), entry('many', 'b', 1, 10, 'other')];
    expect(bytesOf(held)).toBeGreaterThan(bound);
    const { podProbes, refused } = withinShare([...held, entry('many', 'c', 1, 10)], held, marker);
    expect([podProbes, refused]).toEqual([held, [{ pod: 'c', probe: 'way#0' }]]);
  });

  it('is 4 KiB in any case', () => {
    const full = [entry('many', 'a', 32, 30_000)];
    const small = entry('other', 'web', 4, 500);
    const other = { namespace: 'other', name: 'way' };
    expect(withinShare([...full, small], full, other)).toEqual({ podProbes: [...full, small], refused: [] });
    expect(withinShare([...full, entry('other', 'web', 4, 2000)], full, other).refused.map(({ probe }) => probe)).toEqual([
      'way#1',
      'way#2',
      'way#3',
    ]);
  });

  it('counts a probe that grows as a new one', () => {
    const held = [entry('many', 'a', 32, 10), entry('other', 'b', 1, 10)];
    const { podProbes, refused } = withinShare([entry('many', 'a', 32, 30_000), entry('other', 'b', 1, 10)], held, marker);
    expect(bytesOf(mine(podProbes))).toBeLessThan(bound);
    expect([podProbes.at(-1), refused.length > 10]).toEqual([held[1], true]);
  });

  it('counts bytes, not characters', () => {
    const wide = {
      ...entry('many', 'a', 1, 0),
      probes: [{ name: 'way#0', containerName: 'main', probe: { exec: { command: ['€'.repeat(bound / 3)] } } }],
    };
    expect(withinShare([wide], [], marker).podProbes).toEqual([]);
  });
});
