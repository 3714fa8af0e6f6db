import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { ObjectSharing } from './object-sharing.ts';

interface Loose extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const parsed = (value: unknown): Loose => JSON.parse(JSON.stringify(value)) as Loose;

const aPod = (name: string, extra: object = {}) =>
  parsed({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      labels: { app: 'web', tier: 'front' },
      ownerReferences: [{ kind: 'ReplicaSet', uid: 'owner' }],
    },
    spec: {
      containers: [{ name: 'main', image: 'registry/web:1', ports: [{ containerPort: 80 }], env: [{ name: 'POD', value: name }] }],
      tolerations: [{ key: 'x', operator: 'Exists' }],
    },
    status: {
      containerStatuses: [{ name: 'main', containerID: `containerd://${name}`, state: { running: { startedAt: '2025-01-01T00:00:00Z' } } }],
    },
    ...extra,
  });

type Parts = { containers: { ports: unknown; env: unknown }[]; tolerations: unknown };
const spec = (object: Loose): Parts => object.spec as Parts;

describe('adopt', () => {
  it('keeps the value as it was', () => {
    const sharing = new ObjectSharing(16);
    for (const value of [aPod('a'), aPod('b'), parsed({ metadata: { name: 'x', a: [1, -1, 1.5, true, false, null, '', 'é', [], {}] } })]) {
      const copy = structuredClone(value);
      expect(sharing.adopt(value)).toEqual(copy);
    }
  });

  it('makes equal parts of different objects one', () => {
    const sharing = new ObjectSharing();
    const [a, b] = [sharing.adopt(aPod('a')), sharing.adopt(aPod('b'))];
    expect(a.metadata.labels).toBe(b.metadata.labels);
    expect(a.metadata.ownerReferences).toBe(b.metadata.ownerReferences);
    expect(spec(a).containers[0]?.ports).toBe(spec(b).containers[0]?.ports);
    expect(spec(a).tolerations).toBe(spec(b).tolerations);
    expect(spec(a).containers[0]?.env).not.toBe(spec(b).containers[0]?.env);
  });

  it('shares whole specs that are equal', () => {
    const sharing = new ObjectSharing();
    const [a, b] = ['a', 'b'].map((name) => sharing.adopt(aPod(name, { spec: { x: [{ y: 1 }] } })));
    expect(a?.spec).toBe(b?.spec);
  });

  it('freezes everything', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(new ObjectSharing().adopt(aPod('a')))).toBe(true);
  });

  it.each<{ name: string; a: unknown; b: unknown }>([
    { name: 'another value', a: { k: 'v' }, b: { k: 'w' } },
    { name: 'another key', a: { k: 'v' }, b: { l: 'v' } },
    { name: 'one member more', a: { k: 'v' }, b: { k: 'v', l: 'w' } },
    { name: 'a number for a text', a: { k: 1 }, b: { k: '1' } },
    { name: 'false for null', a: { k: false }, b: { k: null } },
    { name: 'a list for a record', a: [], b: {} },
    { name: 'another order of a list', a: ['a', 'b'], b: ['b', 'a'] },
    { name: 'an inherited name', a: {}, b: { toString: 'x' } },
  ])('does not confuse $name', ({ a, b }) => {
    const sharing = new ObjectSharing(4);
    const first = sharing.adopt(parsed({ metadata: { name: 'a' }, spec: a }));
    const second = sharing.adopt(parsed({ metadata: { name: 'b' }, spec: b }));
    expect(first.spec).toEqual(a);
    expect(second.spec).toEqual(b);
  });

  it('keeps a member called __proto__ a member', () => {
    const text = '{"metadata":{"name":"a"},"spec":{"__proto__":{"deep":["x","y"]}}}';
    const sharing = new ObjectSharing();
    sharing.adopt(JSON.parse(text) as Loose);
    const second = sharing.adopt(JSON.parse(text) as Loose);
    expect(JSON.stringify(second)).toBe(text);
    expect(Object.getPrototypeOf(second.spec)).toBe(Object.prototype);
  });

  it('survives hostile nesting', () => {
    let deep = '0';
    for (let depth = 0; depth < 5000; depth++) deep = `[${deep}]`;
    const object = JSON.parse(`{"metadata":{"name":"a"},"spec":${deep}}`) as Loose;
    let levels = 0;
    for (let part = new ObjectSharing().adopt(object).spec; Array.isArray(part); part = part[0] as unknown) levels++;
    expect(levels).toBe(5000);
  });

  it('takes objects that are frozen already, as they are', () => {
    const sharing = new ObjectSharing();
    sharing.adopt(aPod('a'));
    const own = Object.freeze({
      metadata: Object.freeze({ name: 'b', labels: Object.freeze({ app: 'web', tier: 'front' }) }),
      spec: { open: ['x'] },
    });
    const adopted = sharing.adopt(own);
    expect(adopted).toBe(own);
    expect(Object.isFrozen(adopted.spec.open)).toBe(true);
  });

  it('goes on sharing what repeats while much passes that does not', () => {
    const sharing = new ObjectSharing(1 << 10);
    const first = sharing.adopt(aPod('first'));
    sharing.adopt(aPod('second'));
    for (let at = 0; at < 20_000; at++) sharing.adopt(aPod(`pod-${at}`, { spec: { unique: [at, { at }], other: `text ${at}` } }));
    expect(sharing.adopt(aPod('last')).metadata.labels).toBe(first.metadata.labels);
  });

  it('refuses a number of slots that is no power of two', () => {
    expect(() => new ObjectSharing(1000)).toThrow(RangeError);
  });
});
