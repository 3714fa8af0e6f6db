import { describe, expect, it } from '@jest/globals';
import type { Container, EnvVar, Pod } from '@kruise/objects';
import { PodSources } from './pod-sources.ts';

const podOf = (...containers: readonly Partial<Container>[]): Pod => ({
  metadata: { name: 'p' },
  spec: { containers: containers.map((container) => ({ name: 'main', image: 'a:1', ...container })) },
});
const mount = (subPathExpr: string): NonNullable<Container['volumeMounts']>[number] => ({ name: 'work', mountPath: '/m', subPathExpr });
const variable = (name: string, value = 'x'): EnvVar => ({ name, value });

/** The variables that go along with mounts of these sub paths. */
const sharedWith = (env: readonly EnvVar[], ...subPaths: readonly string[]): readonly EnvVar[] =>
  new PodSources(podOf({ env, volumeMounts: subPaths.map(mount) })).shared.env;
const namesSharedWith = (names: readonly string[], ...subPaths: readonly string[]): readonly string[] =>
  sharedWith(
    names.map((name) => variable(name)),
    ...subPaths,
  ).map(({ name }) => name);

const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

describe('the variables that shared mounts name', () => {
  it.each<{ subPaths: readonly string[]; then: readonly string[] }>([
    { subPaths: ['$(A)'], then: ['A'] },
    { subPaths: ['$(B)/x/$(A)', '$(C)$(B)'], then: ['B', 'A', 'C'] },
    { subPaths: ['$(OTHER)/$(A)'], then: ['A'] },
    { subPaths: ['$(A', '$A)', '(A)', '$()', '$( A)', '$(A )'], then: [] },
    { subPaths: ['$(A$(B)'], then: ['B'] },
    { subPaths: ['$($(A))'], then: ['A'] },
    { subPaths: ['$$(A)'], then: ['A'] },
    { subPaths: [''], then: [] },
  ])('of $subPaths are $then', ({ subPaths, then }) => {
    expect(namesSharedWith(['A', 'B', 'C'], ...subPaths)).toEqual(then);
  });

  it('have the characters of names of variables', () => {
    const inside = characters.filter((character) => namesSharedWith([`A${character}B`], `$(A${character}B)`).length === 1);
    expect(inside.join('')).toBe('-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
    const first = characters.filter((character) => namesSharedWith([`${character}B`], `$(${character}B)`).length === 1);
    expect(first.join('')).toBe('-.ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
  });

  it('are the first of their name', () => {
    const env = [variable('A', 'first'), variable('B'), variable('A', 'second')];
    expect(sharedWith(env, '$(A)')).toEqual([variable('A', 'first')]);
  });

  it('are those of each container, but for injected ones', () => {
    const injected = [variable('A', 'injected'), variable('IS_INJECTED', 'true')];
    const sources = new PodSources(
      podOf(
        { env: [variable('A', 'one')], volumeMounts: [mount('$(A)')] },
        { env: injected, volumeMounts: [mount('$(A)')] },
        { env: [variable('A', 'two')], volumeMounts: [mount('$(A)')] },
        { volumeMounts: [mount('$(A)'), { name: 'plain', mountPath: '/p' }] },
        { env: [variable('A', 'unmounted')] },
      ),
    );
    expect(sources.shared.env).toEqual([variable('A', 'one'), variable('A', 'two')]);
    expect(sources.shared.mounts).toHaveLength(4);
  });
});

describe('the variables that a sidecar takes over', () => {
  const take = (sources: PodSources, container: string, ...envNames: readonly string[]): readonly EnvVar[] =>
    sources.transferred([{ sourceContainerName: container, envNames: [...envNames] }]);

  it('are those of the container that it names, of several of a name the last, and those that are not there are noted', () => {
    const sources = new PodSources(
      podOf(
        { name: 'a', env: [variable('A', '1'), variable('A', '2')] },
        { name: 'b', env: [variable('A', '3'), variable('B', '4')] },
        { name: 'a', env: [variable('C', '5')] },
        { name: 'bare' },
      ),
    );
    expect(take(sources, 'a', 'A', 'C')).toEqual([variable('A', '2'), variable('C', '5')]);
    expect(take(sources, 'b', 'B', 'C')).toEqual([variable('B', '4')]);
    expect([take(sources, 'none', 'A'), take(sources, 'bare', 'A')]).toEqual([[], []]);
    expect(sources.missing).toEqual(['b/C', 'none/A', 'bare/A']);
  });
});
