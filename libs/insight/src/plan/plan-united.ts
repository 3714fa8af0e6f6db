/** Predicts what a UnitedDeployment does to its children, and what these do to their Pods. */
import { inHub, type UnitedDeployment } from '@kruise/api';
import {
  byName,
  controllerOf,
  isControlledBy,
  labelMatcherOrNothing,
  type ControllerRevision,
  type LabelMatcher,
  type Pod,
} from '@kruise/objects';
import {
  childKinds,
  claimChildren,
  examine,
  plan,
  renderChild,
  subsetOf,
  type Action,
  type Child,
  type ChildKind,
  type ChildObject,
  type Snapshot,
} from '@kruise/kinds/uniteddeployment';
import { listRevisions } from '@kruise/pods';
import { Seen, type AnyObject } from '../seen.ts';
import type { PlanFacts } from './change-plan.ts';
import { withDefaults } from './with-defaults.ts';

/** What a plan does to one child; `after` is undefined when the child is deleted. */
interface ChildChange {
  readonly subset: string;
  readonly before: AnyObject | undefined;
  readonly after: AnyObject | undefined;
}

/** What becomes of the children, or why nothing does. */
export type ChildChanges =
  { readonly kind: 'Children'; readonly children: readonly ChildChange[] } | { readonly kind: 'Impossible'; readonly why: string };

const kindText = ({ type }: ChildKind): string => `${type.group}/${type.kind}`;
const asObject = (child: ChildObject): AnyObject => child as unknown as AnyObject;
const asChild = (object: AnyObject): ChildObject => object;

function snapshotOf(united: UnitedDeployment, kind: ChildKind, selector: LabelMatcher, seen: Seen): Snapshot {
  const { uid = '' } = united.metadata;
  const selects = ({ metadata }: { readonly metadata: AnyObject['metadata'] }): boolean => selector.matches(metadata.labels);
  const all = seen.all(kindText(kind)).map((object) => inHub(object));
  const own = all.filter((object) => isControlledBy(object, uid) || controllerOf(object) === undefined).map(asChild);
  const { kept, nameless: _nameless, ...ownership } = claimChildren(own, { uid, isBeingDeleted: false, selects });
  const revisions = seen.all('apps/ControllerRevision') as unknown as readonly ControllerRevision[];
  const podsOf = (child: ChildObject): readonly Pod[] => {
    const matcher = labelMatcherOrNothing(child.spec?.selector ?? undefined);
    return seen
      .podsBelow(child)
      .filter(({ metadata }) => matcher.matches(metadata.labels))
      .toSorted(byName);
  };
  return {
    united,
    selector,
    kind,
    children: kept.map((object): Child => ({ subset: subsetOf(object), object, pods: podsOf(object) })),
    ...ownership,
    strays: childKinds
      .filter((one) => one !== kind)
      .flatMap((one) =>
        seen.all(kindText(one)).flatMap((object) => (isControlledBy(object, uid) ? { kind: one, object: asChild(object) } : [])),
      ),
    revisions: listRevisions(
      revisions.filter((one) => selects(one) || isControlledBy(one, uid)),
      { uid, selects: () => true },
    ),
    heldRevisions: { get: (name) => revisions.find(({ metadata }) => metadata.name === name) },
    takenNames: { has: (name) => all.some(({ metadata }) => metadata.name === name) },
  };
}

/** Returns the actions on children once the revision of the change exists. */
function actionsOn(seen: Snapshot, facts: PlanFacts): readonly Action[] | { readonly why: string } {
  let snapshot = seen;
  for (let pass = 0; pass < 3; pass++) {
    const next = plan(snapshot, { now: facts.now });
    if (next.allocationFault !== undefined) return { why: next.allocationFault };
    const made = next.revisions.flatMap((action) =>
      action.kind === 'CreateRevision' ? [action.attempt.revision] : action.kind === 'BumpRevision' ? [action.revision] : [],
    );
    if (made.length === 0) {
      const { updates, deletions } = next.giving(new Set());
      return [...next.creations, ...updates, ...deletions, ...next.strays];
    }
    const names = new Set(made.map(({ metadata }) => metadata.name));
    const revisions = [...snapshot.revisions.filter(({ metadata }) => !names.has(metadata.name)), ...made];
    snapshot = { ...snapshot, revisions };
  }
  return [];
}

function changeOf(action: Action, facts: PlanFacts): readonly ChildChange[] {
  switch (action.kind) {
    case 'CreateChild': {
      const after = asObject(renderChild(action.wish, { name: action.name }));
      return [{ subset: action.wish.subset.name, before: undefined, after: withDefaults(after, undefined, facts.gates) }];
    }
    case 'UpdateChild': {
      const before = asObject(action.child);
      return [
        {
          subset: action.wish.subset.name,
          before,
          after: withDefaults(asObject(renderChild(action.wish, action.child)), before, facts.gates),
        },
      ];
    }
    case 'DeleteChild':
    case 'DeleteStray':
      return [{ subset: subsetOf(action.child), before: asObject(action.child), after: undefined }];
    default:
      return [];
  }
}

/** Returns what a UnitedDeployment does to its children. @param after as in `planWorkload` */
export function planChildren(after: AnyObject, facts: PlanFacts): ChildChanges {
  const united = after as unknown as UnitedDeployment;
  const examined = examine(united);
  if (examined.kind === 'Malformed') return { kind: 'Impossible', why: examined.why };
  const seen = new Seen({ root: after, objects: facts.objects, now: facts.now });
  const actions = actionsOn(snapshotOf(united, examined.childKind, examined.selector, seen), facts);
  if ('why' in actions) return { kind: 'Impossible', why: actions.why };
  return { kind: 'Children', children: actions.flatMap((action) => changeOf(action, facts)) };
}
