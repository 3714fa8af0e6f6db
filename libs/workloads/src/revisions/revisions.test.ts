/** Which revisions a pass uses, also those that are not part of the history. @see spec/inplace-update.md 3.3 */
import { describe, expect, it } from '@jest/globals';
import type { ControllerRevision, PodTemplateSpec } from '@kruise/objects';
import { planWorkloadRevisions, templateRevision } from './revisions.ts';
import { next, old, owner, revisionWith } from '../workload.testing.ts';

const third = revisionWith('app:3', 3);
const byName = (...revisions: readonly ControllerRevision[]): ReadonlyMap<string, ControllerRevision> =>
  new Map(revisions.map((revision) => [revision.metadata.name, revision]));
const nameOf = ({ metadata }: ControllerRevision): string => metadata.name;
const templateOf = ({ data }: ControllerRevision): PodTemplateSpec =>
  (data as { readonly spec: { readonly template: PodTemplateSpec } }).spec.template;

/** The template is that of `wanted`; the history is `listed`, and `held` are all revisions of the namespace. */
const planned = (
  wanted: ControllerRevision,
  {
    listed,
    held,
    currentName,
  }: { readonly listed: readonly ControllerRevision[]; readonly held: ControllerRevision[]; readonly currentName: string },
) => {
  const { $patch: _replace, ...template } = templateOf(wanted) as PodTemplateSpec & { readonly $patch?: string };
  const source = { namespace: 'default', parent: 'web', owner, template, annotations: {} };
  return planWorkloadRevisions({ listed, source, currentName, collisionCount: 0 }, byName(...held));
};

describe('a revision that is not part of the history', () => {
  it('is the update revision when it has the name and the template of the one that would be created', () => {
    const { update, current, actions, isBorrowed } = planned(next, { listed: [old], held: [old, next], currentName: nameOf(old) });
    expect([update, current, actions, isBorrowed]).toEqual([next, old, [], true]);
  });

  it('is both revisions of a workload that has no other', () => {
    const { update, current, isBorrowed } = planned(next, { listed: [], held: [next], currentName: '' });
    expect([update, current, isBorrowed]).toEqual([next, next, true]);
  });

  it('stays the current revision when the template changes', () => {
    const { update, current, actions } = planned(third, { listed: [old], held: [old, next], currentName: nameOf(next) });
    expect([nameOf(update), nameOf(current), actions.map(({ kind }) => kind)]).toEqual([nameOf(third), nameOf(next), ['CreateRevision']]);
  });

  it('stays the current revision once the next one is in the history', () => {
    const { current, actions } = planned(third, { listed: [old, third], held: [old, next, third], currentName: nameOf(next) });
    expect([nameOf(current), actions]).toEqual([nameOf(next), []]);
  });

  it('stays the current revision when the next one is borrowed, too', () => {
    const { update, current, isBorrowed } = planned(third, { listed: [old], held: [old, next, third], currentName: nameOf(next) });
    expect([nameOf(update), nameOf(current), isBorrowed]).toEqual([nameOf(third), nameOf(next), true]);
  });

  it('is not the current one when there is none with that name', () => {
    const { update, current } = planned(third, { listed: [old, third], held: [old, third], currentName: 'gone' });
    expect([nameOf(update), nameOf(current)]).toEqual([nameOf(third), nameOf(third)]);
  });
});

describe('a revision of a workload', () => {
  it('holds its template and annotations under its name', () => {
    const template = templateOf(third);
    const metadata = { namespace: 'apps', name: 'web', annotations: { team: 'a' } };
    const parts = { namespace: 'apps', parent: 'web', owner, template };
    expect(templateRevision({ metadata, spec: { template } }, owner)).toEqual({ ...parts, annotations: { team: 'a' } });
    const bare = { metadata: { namespace: 'apps', name: 'web' }, spec: { template } };
    expect(templateRevision(bare, owner)).toEqual({ ...parts, annotations: {} });
  });
});
