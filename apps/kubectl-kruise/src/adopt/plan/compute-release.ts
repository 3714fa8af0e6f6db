/** What the end of the hold has to carry out, by what the source was and what it is. */
import { apiVersionOf, applyMergePatch, deepEqual, isJsonObject, memberAt, stringifyLossless, type JsonObject } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import type { Observed } from '../observed/observed.ts';
import { heldTarget, holdSettings } from '../held-target.ts';
import { sourceNameOf, type ReleaseRecord } from './release-record.ts';
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

/** In characters: the annotations of an object have 256 KiB at most, and the changes may be as large as the template. */
const largestTemplate = 64 * 1024;

/** Returns the content of the annotation. @param started with the source as it was when the move began */
export function releaseRecordOf(seen: Observed, started: Observed): ReleaseRecord {
  const { direction, source, targetType } = seen;
  const template = memberAt(started.source, 'spec', 'template');
  return {
    source: sourceNameOf(direction, source.metadata.name),
    apiVersion: apiVersionOf(targetType),
    settings: holdSettings(finalTarget(started), direction.to, source),
    changes: changesOfTarget(seen, started),
    lost: lostChanges(seen, started),
    ...(isJsonObject(template) && stringifyLossless(template).length <= largestTemplate ? { template } : {}),
  };
}
