/** Situations in which two limits could wait for each other indefinitely, and deletions that could leave too few Pods in service. */
import { describe, expect, it } from '@jest/globals';
import { labels, type CloneSet } from '@kruise/api';
import type { ControllerRevision, Pod } from '@kruise/objects';
import type { PodShape } from '@kruise/testing';
import { plan, type Plan } from './plan.ts';
import { aCloneSet, aMember, aRevision, aSnapshot, aContext, type CloneSetShape } from './testing.ts';

const hold = { hold: 'yes' };
const state = (name: string): Readonly<Record<string, string>> => ({ [labels.lifecycleState]: name });
const marked = { [labels.specifiedDelete]: 'true' };

const names = (next: Plan, kind: string): readonly string[] =>
  [...next.scale, ...next.update].flatMap((action) => (action.kind === kind && 'pod' in action ? [action.pod.metadata.name] : []));

interface Given {
  readonly shape: CloneSetShape;
  readonly old?: readonly PodShape[];
  readonly updated?: readonly PodShape[];
}

/** The CloneSet's template has image 2; `old` Pods have image 1. */
function planOf({ shape, old = [], updated = [] }: Given): {
  readonly next: Plan;
  readonly old: readonly Pod[];
  readonly updated: readonly Pod[];
} {
  const cloneSet: CloneSet = aCloneSet({ image: 'app:2', ...shape });
  const [first, second]: ControllerRevision[] = [aRevision(cloneSet, 'app:1', 1), aRevision(cloneSet, 'app:2', 2)];
  const status = { ...cloneSet.status, currentRevision: first?.metadata.name } as CloneSet['status'];
  const members = (revision: ControllerRevision | undefined, shapes: readonly PodShape[]): readonly Pod[] =>
    shapes.map((one) => aMember(cloneSet, revision as ControllerRevision, one));
  const [olds, news] = [members(first, old), members(second, updated)];
  const seen = aSnapshot({ ...cloneSet, status } as CloneSet, [...olds, ...news], [first, second] as ControllerRevision[]);
  return { next: plan(seen, aContext()), old: olds, updated: news };
}

describe('a Pod whose preDelete hook has let go', () => {
  const shape: CloneSetShape = {
    replicas: 3,
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    spec: { scaleStrategy: { maxUnavailable: 1 }, lifecycle: { preDelete: { labelsHandler: hold } } },
  };

  it('is deleted although Pods are missing, when it is what lets none be created', () => {
    const { next, updated } = planOf({ shape, updated: [{ labels: { ...state('PreparingDelete'), ...marked } }, {}] });
    expect(next.notes).toEqual([{ kind: 'ScaleUpLimited', limit: 0 }]);
    expect(names(next, 'CreatePod')).toEqual([]);
    expect(names(next, 'DeletePod')).toEqual([updated[0]?.metadata.name]);
  });

  it('stays as long as Pods may be created first', () => {
    const room = { ...shape, spec: { ...shape.spec, scaleStrategy: { maxUnavailable: 2 } } };
    const { next } = planOf({ shape: room, updated: [{ labels: { ...state('PreparingDelete'), ...marked } }, {}] });
    expect(names(next, 'CreatePod')).toHaveLength(1);
    expect(names(next, 'DeletePod')).toEqual([]);
  });

  it('stays while the hook holds it', () => {
    const { next } = planOf({ shape, updated: [{ labels: { ...state('PreparingDelete'), ...marked, ...hold } }, {}] });
    expect(next.scale).toEqual([]);
  });
});

describe('a Pod that waits in PreparingUpdate', () => {
  const shape: CloneSetShape = {
    replicas: 2,
    rollingUpdate: { maxUnavailable: 1 },
    spec: { scaleStrategy: { maxUnavailable: 1 }, lifecycle: { inPlaceUpdate: { labelsHandler: hold } } },
  };
  const prepared = { labels: state('PreparingUpdate') };

  it('is updated once its hook lets go, although the Pod that is missing may not be created because of it', () => {
    const { next, old } = planOf({ shape, old: [prepared] });
    expect(next.notes).toEqual([{ kind: 'ScaleUpLimited', limit: 0 }]);
    expect(names(next, 'UpdatePodInPlace')).toEqual([old[0]?.metadata.name]);
  });

  it('continues alone: others wait for the limit', () => {
    const { next } = planOf({ shape: { ...shape, replicas: 4 }, old: [prepared, prepared, {}] });
    expect(names(next, 'UpdatePodInPlace')).toHaveLength(1);
  });

  it('does not follow one that broke', () => {
    const { next } = planOf({ shape: { ...shape, replicas: 3 }, old: [prepared], updated: [{ ready: false }] });
    expect(names(next, 'UpdatePodInPlace')).toEqual([]);
  });
});

describe('Pods that are to go by label', () => {
  const deletedIndexes = (given: readonly PodShape[], rollingUpdate = { maxUnavailable: 1 }): readonly number[] => {
    const { next, updated } = planOf({ shape: { replicas: given.length, rollingUpdate }, updated: given });
    const deleted = names(next, 'DeletePod');
    return updated.flatMap((pod, index) => (deleted.includes(pod.metadata.name) ? [index] : []));
  };
  const broken = { labels: marked, ready: false };
  const serving = { labels: marked };

  it.each<[string, readonly PodShape[], readonly number[]]>([
    ['one that serves, within the limit', [serving, {}, {}], [0]],
    ['one that does not serve, always', [broken, { ready: false }, {}], [0]],
    ['the broken one first: the one that serves waits for its replacement', [serving, broken, {}], [1]],
    ['one that serves, but not when another is broken', [serving, { ready: false }, {}], []],
    ['all that do not serve, whatever the limit', [broken, broken, {}], [0, 1]],
  ])('%s', (_name, given, then) => {
    expect(deletedIndexes(given)).toEqual(then);
  });

  it('take room of the limit when they are broken', () => {
    expect(deletedIndexes([serving, broken, {}, {}], { maxUnavailable: 2 })).toEqual([0, 1]);
  });
});
