/** The Pods of a workload, by its selector. */
import { formatLabelMatcher, labelMatcherOf, memberAt, pods, type LabelSelector } from '@kruise/objects';
import { cloneSetRevisions, isOfRevision } from '@kruise/pods';
import type { Untyped } from '../objects/untyped.ts';
import type { Target } from './select-objects.ts';
import type { Session } from '../session.ts';

/** `spec.selector` of a workload as the API server reads it; undefined when it selects nothing or is no selector. */
export function selectorText(object: Untyped): string | undefined {
  const parsed = labelMatcherOf(memberAt(object, 'spec', 'selector') as LabelSelector | undefined);
  if (parsed.kind !== 'Matcher' || parsed.matcher.selectsNothing) return undefined;
  const text = formatLabelMatcher(parsed.matcher);
  return text === '' ? undefined : text;
}

/** @param revision only Pods of this revision, by its name or hash; '' for all */
export async function podsOf(session: Session, target: Target, object: Untyped, revision = ''): Promise<readonly Untyped[]> {
  const labelSelector = selectorText(object);
  if (labelSelector === undefined) return [];
  const { items } = await session.client().list(pods, { namespace: target.namespace, labelSelector, signal: session.signal });
  const chosen = revision === '' ? items : items.filter((pod) => isOfRevision(cloneSetRevisions(false), pod, revision));
  return chosen as unknown as readonly Untyped[];
}
