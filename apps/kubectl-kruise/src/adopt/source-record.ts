/**
 * What the source was when the move began, in an annotation on it. Clients can change the template and the replicas of a source that is being deleted;
 * the target is created as the source was, and gets the changes when its hold ends.
 */
import {
  canonicalJson,
  createMergePatch,
  fnv1a,
  isJsonObject,
  memberAt,
  numberAt,
  parseJsonText,
  safeEncode,
  stringAt,
  stringifyLossless,
  type JsonObject,
} from '@kruise/objects';
import { withMember, type Untyped } from '../objects/untyped.ts';
import { recordedTemplate, withoutHash } from '../rollout/revisions.ts';
import { givenLabelOf, isActive, sourcePods, type Observed } from './observed/observed.ts';
import { finalTarget } from './target-spec.ts';

/** The annotation, as JSON. */
export const adoptRecord = 'kubectl-kruise/adopt-record';

const hashOf = (source: Untyped): string => safeEncode(String(fnv1a(canonicalJson(memberAt(source, 'spec', 'template') ?? null))));

/** Returns the record of a source that is not deleted: all of its Pods have the same revision. */
export function recordOf(seen: Observed): string {
  const { source, direction } = seen;
  const [pod] = sourcePods(seen).filter(isActive);
  return stringifyLossless({
    template: hashOf(source),
    revision: pod?.metadata.labels?.[givenLabelOf[direction.from]] ?? '',
    ...(numberAt(source, 'spec', 'replicas') === undefined ? {} : { replicas: numberAt(source, 'spec', 'replicas') }),
  });
}

function parse(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

/** The template that Pods with this value of the given label run. */
function templateOf({ direction, replicaSets, revisions }: Observed, revision: string): JsonObject | undefined {
  const isOf = ({ metadata }: Untyped): boolean => metadata.name === revision || metadata.name.endsWith(`-${revision}`);
  if (direction.from !== 'Deployment') {
    const found = revisions.find(isOf);
    return found === undefined ? undefined : recordedTemplate(found);
  }
  const template = memberAt(replicaSets.find(isOf), 'spec', 'template');
  return isJsonObject(template) ? withoutHash(template) : undefined;
}

/** The move as if no client had changed the source; `Lost` when no object has the template that the Pods run. */
export type Started = { readonly kind: 'Known'; readonly seen: Observed } | { readonly kind: 'Lost'; readonly revision: string };

/** Returns the same state with the source as it was when it was marked. */
export function asStarted(seen: Observed): Started {
  const { source, direction } = seen;
  const record = parse(source.metadata.annotations?.[adoptRecord] ?? '');
  if (!isJsonObject(record)) return { kind: 'Known', seen };
  const revision = stringAt(record, 'revision') ?? '';
  const isChanged = record['template'] !== hashOf(source) && revision !== '';
  const template = isChanged ? templateOf(seen, revision) : memberAt(source, 'spec', 'template');
  if (template === undefined) return { kind: 'Lost', revision };
  const withTemplate = withMember(source, ['spec', 'template'], template);
  const withReplicas = record['replicas'] === undefined ? withTemplate : withMember(withTemplate, ['spec', 'replicas'], record['replicas']);
  // A controller may compute the revision of a changed template although the object is being deleted.
  const before =
    direction.from === 'CloneSet' && isChanged ? withMember(withReplicas, ['status', 'updateRevision'], revision) : withReplicas;
  return { kind: 'Known', seen: { ...seen, source: before as Untyped } };
}

/** Returns the merge patch of the target's spec with what clients have changed since the move began. @param started as it was then */
export const carriedOver = (seen: Observed, started: Observed): JsonObject =>
  createMergePatch(memberAt(finalTarget(started), 'spec') as JsonObject, memberAt(finalTarget(seen), 'spec') as JsonObject);
