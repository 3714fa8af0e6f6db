import { describe, expect, it } from '@jest/globals';
import { allKinds, defaultGates, servedPaths, storedVersion, type GateName } from '@kruise/api';
import { Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { modules } from '../kinds/index.ts';
import { createHandlers, handlerPaths } from '../webhooks/handlers.ts';
import type { ControllerDependencies } from './controller-dependencies.ts';
import { admittedKinds, defineController, loadControllers, type KindModule } from './kind-module.ts';
import { Caches } from '../caches/caches.ts';

const everything = (): boolean => true;
const nothing = (): boolean => false;

describe('the modules', () => {
  it.each([
    { name: 'with every kind', installed: everything },
    { name: 'without any', installed: nothing },
  ])('serve the paths that they declare without creating a handler, $name', ({ installed }) => {
    const client = new FakeApi();
    const informers = new Informers({ client, clock: new FakeClock(), logger: silentLogger() });
    const dependencies = {
      client,
      caches: new Caches(informers, ''),
      gates: defaultGates,
      podNamespace: 'kruise-system',
      allowPrivileged: true,
    };
    const served = createHandlers(modules, dependencies, installed).flatMap(({ path, aliases = [] }) => [path, ...aliases]);
    expect([...served].sort()).toEqual([...handlerPaths(modules, defaultGates, installed)].sort());
  });

  it('have names of their own', async () => {
    const controllers = (await Promise.all(modules.map(async ({ controllers: load }) => (await load?.()) ?? [])))
      .flat()
      .map(({ name }) => name);
    expect(new Set(controllers).size).toBe(controllers.length);
  });

  it('answer every webhook that a kind of theirs declares', () => {
    const declaring = modules.filter(({ declaration }) => declaration?.admission !== undefined);
    expect(declaring.filter(({ admission }) => admission === undefined)).toEqual([]);
    expect(declaring.length).toBeGreaterThan(0);
  });
});

describe('controllers', () => {
  const [first, second] = allKinds;
  if (first === undefined || second === undefined) throw new Error('there are no kinds');
  const controller = (name: string, more: object = {}) => ({ name, workers: 1, define: () => ({}) as never, ...more });
  const list: readonly KindModule[] = [
    { declaration: first, controllers: () => Promise.resolve([controller('own'), controller('other', { needs: second })]) },
    {
      controllers: () =>
        Promise.resolve([
          controller('feature'),
          controller('gated', { gates: ['KruiseDaemon', 'SidecarTerminator'] satisfies GateName[] }),
        ]),
    },
  ];
  const only =
    (kind: string) =>
    (_group: string, _version: string, asked: string): boolean =>
      asked === kind;
  const gates = { ...defaultGates, KruiseDaemon: true, SidecarTerminator: true };

  it.each([
    { name: 'all of them', installed: everything, off: undefined, running: ['own', 'other', 'feature', 'gated'] },
    { name: 'those whose kind is there', installed: only(first.kind), off: undefined, running: ['own', 'feature', 'gated'] },
    { name: 'those whose other kind is there', installed: only(second.kind), off: undefined, running: ['other', 'feature', 'gated'] },
    { name: 'features alone where no kind is there', installed: nothing, off: undefined, running: ['feature', 'gated'] },
    { name: 'none whose gate is off', installed: everything, off: 'SidecarTerminator', running: ['own', 'other', 'feature'] },
  ])('run: $name', async ({ installed, off, running }) => {
    const set = off === undefined ? gates : { ...gates, [off]: false };
    expect((await loadControllers(list, set, installed)).map(({ name }) => name)).toEqual(running);
  });
});

describe('webhooks are served', () => {
  const [first] = allKinds;
  const handlers = () => [];
  const list: readonly KindModule[] = [
    { ...(first === undefined ? {} : { declaration: first }), admission: { handlers } },
    { ...(first === undefined ? {} : { declaration: first }), admission: { readsItsKind: true, handlers } },
    { ...(first === undefined ? {} : { declaration: first }) },
  ];

  it('of a kind that reads its objects only where it is installed', () => {
    expect(admittedKinds(list, everything)).toEqual(list.slice(0, 2));
    expect(admittedKinds(list, nothing)).toEqual(list.slice(0, 1));
  });
});

describe('a controller', () => {
  const dependencies = { flags: { 'cloneset-workers': 7 } } as unknown as ControllerDependencies;
  const work = { watches: [], reconcile: () => Promise.reject(new Error('not called')) };

  it.each([
    { workers: 4, then: 4 },
    { workers: 'cloneset-workers' as const, then: 7 },
  ])('has the workers that it names: $workers', ({ workers, then }) => {
    expect(defineController({ name: 'c', workers, define: () => work }, dependencies)).toEqual({ ...work, name: 'c', workers: then });
  });
});

it('the stored version is the one that declares it', () => {
  const version = (name: string, storage: boolean) => ({ name, storage });
  const kind = (...versions: readonly object[]) => ({ kind: 'K', versions }) as unknown as Parameters<typeof storedVersion>[0];
  expect(storedVersion(kind(version('v1alpha1', false), version('v1beta1', true)))).toBe('v1beta1');
  expect(() => storedVersion(kind(version('v1alpha1', false)))).toThrow('K has no stored version');
});

it('a module without controllers runs none', async () => {
  expect(await loadControllers([{}], defaultGates, everything)).toEqual([]);
});

it('a kind without webhooks has no paths', () => {
  const bare = allKinds.filter(({ admission }) => admission === undefined);
  expect(bare.map(({ kind }) => kind)).toEqual(['NodePodProbe']);
  expect(bare.flatMap(servedPaths)).toEqual([]);
});
