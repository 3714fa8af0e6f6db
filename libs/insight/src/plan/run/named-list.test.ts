import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withNamed, withoutNamed } from './named-list.ts';

const named = (name: string, version: number) => ({ metadata: { name }, version });

it('keeps one object of each name, in the order of names', () => {
  const changes = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'b-1', 'b-10', 'b-2', 'ä'), isGiven: fc.boolean() }));
  fc.assert(
    fc.property(changes, (all) => {
      let list: readonly ReturnType<typeof named>[] = [];
      const expected = new Map<string, number>();
      for (const [version, { name, isGiven }] of all.entries()) {
        list = isGiven ? withNamed(list, named(name, version)) : withoutNamed(list, name);
        if (isGiven) expected.set(name, version);
        else expected.delete(name);
      }
      expect(list.map(({ metadata, version }) => [metadata.name, version])).toEqual(
        ['a', 'b', 'b-1', 'b-10', 'b-2', 'ä'].flatMap((name) => (expected.has(name) ? [[name, expected.get(name)]] : [])),
      );
    }),
  );
});
