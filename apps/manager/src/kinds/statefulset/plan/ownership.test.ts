/** Which Pods and revisions belong to the StatefulSet, and which are adopted or released. @see spec/statefulset.md 5.3 */
import { describe, expect, it } from '@jest/globals';
import type { StatefulSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { plan } from '@kruise/kinds/statefulset';
import { all, doing, momentOf, parallel, planned, type Planned, rolling, type Row } from './situation.testing.ts';

const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);

describe('whose Pods and revisions they are', () => {
  const renamed =
    (name: string) =>
    (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, name } });
  const alone = (pod: Pod): Pod => {
    const { ownerReferences: _gone, ...metadata } = pod.metadata;
    return { ...pod, metadata };
  };
  it.each<Row>([
    {
      name: 'a member without a controller is adopted',
      given: { set: { replicas: 1 }, pods: { 0: { with: alone } } },
      then: doing('AdoptPod web-0'),
    },
    {
      name: 'one that is being deleted is not, and its slot waits',
      given: { set: { replicas: 1, ...parallel }, pods: { 0: { with: alone, terminating: true } } },
      then: { does: [], blocked: 'WaitingForNames: Pods that are being deleted hold the names that new Pods need: web-0' },
    },
    {
      name: 'one that is selected no more is let go',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { labels: { app: 'other' } } } },
      then: doing('ReleasePod web-1'),
    },
    {
      name: 'one whose name is no ordinal as it is written is let go',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { with: renamed('web-01') } } },
      then: doing('ReleasePod web-01'),
    },
    {
      name: 'one whose name is that of another is let go',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { with: renamed('other-1') } } },
      then: doing('ReleasePod other-1'),
    },
    {
      name: 'revisions that are not in use go, but for as many as the limit says',
      given: { revisions: 4, set: { replicas: 1, spec: { revisionHistoryLimit: 1 } }, pods: { 0: {} } },
      then: doing('DeleteRevision', 'DeleteRevision'),
    },
    {
      name: 'ten of them stay unless something else is said',
      given: { revisions: 12, set: { replicas: 1 }, pods: { 0: {} }, as: withoutLimit },
      then: doing('DeleteRevision'),
    },
    {
      name: 'those of Pods and of the current revision stay',
      given: {
        revisions: 3,
        current: 1,
        set: { replicas: 2, type: 'OnDelete', spec: { revisionHistoryLimit: 0 } },
        pods: { 0: { of: 2 }, 1: { of: 3 } },
      },
      then: expect.objectContaining({ does: [] }) as unknown as Planned,
    },
  ])('$name', check);

  it('a current revision of another owner is still the one of Pods that the partition keeps back, and updates from it are in place', () => {
    const set = { replicas: 3, ...rolling({ partition: 2 }) };
    const { seen, context, revisions } = momentOf({ revisions: 3, current: 2, set, pods: { 0: { of: 2 }, 2: { of: 2 } } });
    const [first, second, third] = revisions;
    if (first === undefined || second === undefined || third === undefined) throw new Error('there are three');
    const borrowed = { ...seen, revisions: [first, third], heldRevisions: new Map([[second.metadata.name, second]]) };
    const { slots } = plan(borrowed, context);
    expect(slots.map(({ kind, pod }: { kind: string; pod?: Pod }) => [kind, pod?.metadata.labels?.['controller-revision-hash']])).toEqual([
      ['CreatePod', second.metadata.name],
    ]);
    const filled = { ...borrowed, pods: momentOf({ revisions: 3, current: 2, set, pods: all(3, { of: 2 }) }).seen.pods };
    expect(plan(filled, context).update.map(({ kind }) => kind)).toEqual(['UpdatePodInPlace']);
  });

  it('revisions without a controller are adopted, unless they are being deleted', () => {
    const { seen, context, revisions } = momentOf({ revisions: 2, set: { replicas: 0 } });
    const [first, second] = revisions.map((revision) => {
      const { ownerReferences: _gone, ...metadata } = revision.metadata;
      return { ...revision, metadata };
    });
    if (first === undefined || second === undefined) throw new Error('there are two');
    const going = { ...first, metadata: { ...first.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(plan({ ...seen, revisions: [going, second] }, context).groundwork).toEqual([
      { kind: 'AdoptRevision', revision: second, because: 'its labels are those of the StatefulSet, and it has no controller' },
    ]);
  });
});

function withoutLimit(set: StatefulSet): StatefulSet {
  const { revisionHistoryLimit: _gone, ...spec } = set.spec;
  return { ...set, spec };
}
