/**
 * What the source was when the move began, in an annotation on it. Clients can change a source that is being deleted; the target is created as the
 * source was, and gets the changes when its hold ends.
 */
import {
  canonicalJson,
  fnv1a,
  isJsonObject,
  memberAt,
  ownMember,
  parseJsonText,
  safeEncode,
  stringAt,
  stringifyLossless,
  type JsonObject,
} from '@kruise/objects';
import { withMember, type Untyped } from '../../objects/untyped.ts';
import { recordedTemplate, withoutHash } from '../../rollout/revisions.ts';
import { keptAnnotations } from '../../objects/kept-annotations.ts';
import { givenLabelOf, isActive, sourcePods, type Observed } from '../observed/observed.ts';
import { settingsOf } from '../held-target.ts';
import { releaseRecordIn } from './release-record.ts';
import type { MemberChange } from './source-change.ts';

/** The annotation, as JSON. */
export const adoptRecord = 'kubectl-kruise/adopt-record';

const hashOf = (text: string): string => safeEncode(String(fnv1a(text)));
const templateHash = (source: Untyped): string => hashOf(canonicalJson(memberAt(source, 'spec', 'template') ?? null));

/** A map of metadata that the target gets. */
type MetadataMap = 'labels' | 'annotations';
const metadataMaps: readonly MetadataMap[] = ['labels', 'annotations'];
const mapOf = (source: Untyped, map: MetadataMap): Readonly<Record<string, string>> =>
  (map === 'labels' ? source.metadata.labels : keptAnnotations(source)) ?? {};

/** Annotations may be as large as an object allows, so only their hashes are recorded. */
const hashesOf = (source: Untyped, map: MetadataMap): JsonObject =>
  Object.fromEntries(Object.entries(mapOf(source, map)).map(([name, value]) => [name, hashOf(value)]));

/** Returns the record of a source that is not deleted: all of its Pods have the same revision. */
export function recordOf(seen: Observed): string {
  const { source, direction } = seen;
  const [pod] = sourcePods(seen).filter(isActive);
  return stringifyLossless({
    template: templateHash(source),
    revision: pod?.metadata.labels?.[givenLabelOf[direction.from]] ?? '',
    apiVersion: source.apiVersion ?? '',
    spec: settingsOf(source),
    labels: hashesOf(source, 'labels'),
    annotations: hashesOf(source, 'annotations'),
  });
}

function recordIn({ metadata }: Untyped): JsonObject | undefined {
  try {
    const record = parseJsonText(metadata.annotations?.[adoptRecord] ?? '');
    return isJsonObject(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** The template that Pods with this value of the given label run. The record of the target has it when the revision is deleted. */
const templateOf = (seen: Observed, revision: string): JsonObject | undefined =>
  recordedRevision(seen, revision) ?? (seen.target === undefined ? undefined : releaseRecordIn(seen.target)?.template);

function recordedRevision({ direction, replicaSets, revisions }: Observed, revision: string): JsonObject | undefined {
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
  const record = recordIn(source);
  const settings = memberAt(record, 'spec');
  if (record === undefined || !isJsonObject(settings)) return { kind: 'Known', seen };
  const revision = stringAt(record, 'revision') ?? '';
  const isChanged = record['template'] !== templateHash(source) && revision !== '';
  const template = isChanged ? templateOf(seen, revision) : memberAt(source, 'spec', 'template');
  if (template === undefined) return { kind: 'Lost', revision };
  const asMarked = { ...source, apiVersion: stringAt(record, 'apiVersion') ?? '', spec: { ...settings, template } };
  // A controller may compute the revision of a changed template although the object is being deleted.
  const before = direction.from === 'CloneSet' && isChanged ? withMember(asMarked, ['status', 'updateRevision'], revision) : asMarked;
  return { kind: 'Known', seen: { ...seen, source: before as Untyped } };
}

/** Returns the labels and annotations of the target that clients have changed on the source since the move began. */
export function metadataChanges({ source }: Observed): readonly MemberChange[] {
  const record = recordIn(source);
  return metadataMaps.flatMap((map) => {
    const hashes = memberAt(record, map);
    if (!isJsonObject(hashes)) return [];
    const values = mapOf(source, map);
    const names = new Set([...Object.keys(hashes), ...Object.keys(values)]);
    return [...names].flatMap((name) => {
      const to = Object.hasOwn(values, name) ? values[name] : undefined;
      if (ownMember(hashes, name) === (to === undefined ? undefined : hashOf(to))) return [];
      return [{ path: ['metadata', map, name], ...(to === undefined ? {} : { to }) }];
    });
  });
}
