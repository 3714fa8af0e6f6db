/** What the end of the hold has to carry out, by what the source was and what it is. */
import { apiVersionOf, applyMergePatch, deepEqual, isJsonObject, memberAt, stringifyLossless, type JsonObject } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import type { Observed } from '../observed/observed.ts';
import { heldTarget, holdSettings } from '../held-target.ts';
import { annotationBytes, mostAnnotationBytes } from './annotation-room.ts';
import { adoptRelease, sourceNameOf, type ReleaseRecord } from './release-record.ts';
import { changesBetween, patchOf, type MemberChange } from './source-change.ts';
import { metadataChanges } from './source-record.ts';
import { finalTarget } from '../target-spec.ts';

const specOf = (object: Untyped): JsonObject => memberAt(object, 'spec') as JsonObject;
const inSpec = ['spec'];

/** Returns the changes of the target; `from` is what the target on hold has, with the template that it has when all Pods are handed over. */
function changesOfTarget(seen: Observed, started: Observed): readonly MemberChange[] {
  const final = finalTarget(started);
  const held = heldTarget(final, seen.direction.to, seen.source);
  const changes = changesBetween(specOf(final), specOf(finalTarget(seen)), inSpec).map((change) => {
    const { path, to } = change;
    if (path[1] === 'template') return change;
    const from = memberAt(held, ...path);
    return { path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  });
  return [...changes, ...metadataChanges(seen)];
}

/** Returns the changes of the source, each of which alone changes nothing of the target. */
function lostChanges(seen: Observed, started: Observed): readonly MemberChange[] {
  // Another run named the source in another version, whose members have other places.
  if ((started.source.apiVersion ?? '') !== (seen.source.apiVersion ?? '')) return [];
  const before = finalTarget(started);
  return changesBetween(specOf(started.source), specOf(seen.source), inSpec).filter((change) => {
    const source = applyMergePatch(started.source, patchOf([change])) as Untyped;
    return deepEqual(finalTarget({ ...started, source }), before);
  });
}

/** The content of the annotation as it is written, or how large it would make all annotations of the target. */
export type Recording =
  | { readonly kind: 'Fits'; readonly record: ReleaseRecord; readonly text: string }
  | { readonly kind: 'TooLarge'; readonly bytes: number; readonly withoutTemplate: number };

/** Returns whether the object with the template is deleted before the source: a ReplicaSet, or a revision that a Deployment does not read. */
const needsTemplate = ({ direction }: Observed): boolean => direction.from === 'Deployment' || direction.to === 'Deployment';

/**
 * Returns what to record.
 *
 * @param started with the source as it was when the move began
 * @param target that gets the annotation
 */
export function releaseRecordOf(seen: Observed, started: Observed, target: Untyped): Recording {
  const record = recordWithoutTemplate(seen, started);
  const template = memberAt(started.source, 'spec', 'template');
  const recorded = (content: ReleaseRecord): { readonly text: string; readonly bytes: number } => {
    const text = stringifyLossless(content);
    return { text, bytes: annotationBytes({ ...target.metadata.annotations, [adoptRelease]: text }) };
  };
  const whole = isJsonObject(template) ? { ...record, template } : record;
  const full = recorded(whole);
  if (full.bytes <= mostAnnotationBytes) return { kind: 'Fits', record: whole, text: full.text };
  const short = recorded(record);
  return short.bytes <= mostAnnotationBytes && !needsTemplate(seen)
    ? { kind: 'Fits', record, text: short.text }
    : { kind: 'TooLarge', bytes: full.bytes, withoutTemplate: short.bytes };
}

function recordWithoutTemplate(seen: Observed, started: Observed): ReleaseRecord {
  const { direction, source, targetType } = seen;
  return {
    source: sourceNameOf(direction, source.metadata.name),
    apiVersion: apiVersionOf(targetType),
    settings: holdSettings(finalTarget(started), direction.to, source),
    changes: changesOfTarget(seen, started),
    lost: lostChanges(seen, started),
  };
}
