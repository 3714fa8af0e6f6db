/** A former version out of a revision. @see spec/sidecarset.md 5.1 "Restoring" */
import { describe, expect, it } from '@jest/globals';
import { annotations, sidecarSetAnnotations } from '@kruise/api';
import type { ControllerRevision } from '@kruise/objects';
import { sidecarSetHashes } from '../revisions/hash.ts';
import { versionOfRevision } from './version.ts';

const containers = [{ name: 'a', image: 'a:1' }];
const computed = sidecarSetHashes({ containers });
const revision = (held: Readonly<Record<string, string>> | undefined, data: unknown = { spec: { containers } }): ControllerRevision => ({
  metadata: { name: 'set-1', ...(held === undefined ? {} : { annotations: held }) },
  data,
  revision: 1,
});

describe('a version out of a revision', () => {
  it.each<{ name: string; held: Readonly<Record<string, string>> | undefined; then: object }>([
    {
      name: 'those that the revision holds',
      held: { [annotations.sidecarSetHash]: 'h', [sidecarSetAnnotations.hashWithoutImage]: 'w' },
      then: { hash: 'h', hashWithoutImage: 'w' },
    },
    { name: 'computed where the revision has none', held: undefined, then: computed },
    { name: 'computed where it has only one', held: { [annotations.sidecarSetHash]: 'h' }, then: { ...computed, hash: 'h' } },
    {
      name: 'computed where it has only the other',
      held: { [sidecarSetAnnotations.hashWithoutImage]: 'w' },
      then: { ...computed, hashWithoutImage: 'w' },
    },
  ])('has the hashes $name', ({ held, then }) => {
    expect(versionOfRevision('set', revision(held))).toEqual({ name: 'set', revision: 'set-1', hashes: then, spec: { containers } });
  });

  it.each([[null], [{}], [{ spec: 'text' }]])('is none in %j', (data) => {
    expect(versionOfRevision('set', revision(undefined, data))).toBeUndefined();
  });
});
