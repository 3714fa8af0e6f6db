/** What a controller finds out about an object before anything else: whether its rules can work with it. */
import { labelMatcherOrNothing, type LabelMatcher, type LabelSelector } from '@kruise/objects';

/** Whether the rules can handle an object, or the first fault that prevents it. */
export type Examined =
  { readonly kind: 'WellFormed'; readonly selector: LabelMatcher } | { readonly kind: 'Malformed'; readonly why: string };

interface Selecting {
  readonly spec: { readonly selector: LabelSelector };
}

/**
 * Returns the examination of a kind with a selector.
 *
 * @param obstacle the `cannotWork` rules of the kind, which check the selector as well; undefined when the rules can work with the object
 */
export const examineBy =
  (obstacle: (object: Selecting) => string | undefined) =>
  (object: Selecting): Examined => {
    const why = obstacle(object);
    return why === undefined ? { kind: 'WellFormed', selector: labelMatcherOrNothing(object.spec.selector) } : { kind: 'Malformed', why };
  };
