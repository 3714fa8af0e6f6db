/** What was observed of a move, after an event of a watch. */
import type { Untyped } from '../../objects/untyped.ts';
import type { Observed } from './observed.ts';

/** A part of {@link Observed} that controllers change. */
export type FollowedMember = 'source' | 'target' | 'replicaSets' | 'pods' | 'revisions';

/** A change of one object. */
export interface ObservedEvent {
  /** `DELETED` also when the selector no longer matches. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Untyped;
}

/** Returns undefined once the source no longer exists. */
export function withEvent(seen: Observed, member: FollowedMember, { type, object }: ObservedEvent): Observed | undefined {
  const isDeleted = type === 'DELETED';
  switch (member) {
    case 'source':
      return isDeleted ? undefined : { ...seen, source: object };
    case 'target':
      return { ...seen, target: isDeleted ? undefined : object };
    case 'replicaSets':
    case 'pods':
    case 'revisions': {
      const others = seen[member].filter(({ metadata }) => metadata.name !== object.metadata.name);
      return { ...seen, [member]: isDeleted ? others : [...others, object] };
    }
  }
}
