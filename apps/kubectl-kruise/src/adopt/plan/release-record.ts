/**
 * How the hold of the target ends, in an annotation on it. The plugin writes it while the source exists, and releases the source only in the version
 * that the annotation is of. A change of the source is therefore in the annotation, or its client learns that the source does not exist.
 */
import { isJsonObject, memberAt, parseJsonText, stringAt, type JsonObject } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import { wordOf, type Direction } from '../observed/directions.ts';
import type { MemberChange } from './source-change.ts';

/** The annotation, as JSON. */
export const adoptRelease = 'kubectl-kruise/adopt-release';

/** The content of the annotation. */
export interface ReleaseRecord {
  /** `deployments.apps/web`. */
  readonly source: string;
  /** In which the members of the target are written. */
  readonly apiVersion: string;
  /** Merge patch of the target's spec: what the hold has changed. */
  readonly settings: JsonObject;
  /** What the target gets because the source was changed during the move; `from` is its value on hold. */
  readonly changes: readonly MemberChange[];
  /** Changes of the source for which the target has no field. */
  readonly lost: readonly MemberChange[];
  /** That of the source when the move began: the object with it may be deleted before the source. Absent if it does not fit and no object is. */
  readonly template?: JsonObject;
}

/** Returns how a record names its source. */
export const sourceNameOf = ({ from }: Direction, name: string): string => `${wordOf[from]}/${name}`;

const isChange = (value: unknown): value is MemberChange => Array.isArray(memberAt(value, 'path'));
const changesAt = (record: JsonObject, name: string): readonly MemberChange[] => {
  const list = record[name];
  return Array.isArray(list) ? list.filter(isChange) : [];
};

/** Returns the record of a target on hold; undefined when it has none that is readable. */
export function releaseRecordIn(target: Untyped): ReleaseRecord | undefined {
  let record: unknown;
  try {
    record = parseJsonText(target.metadata.annotations?.[adoptRelease] ?? '');
  } catch {
    return undefined;
  }
  const [source, apiVersion, settings] = [stringAt(record, 'source'), stringAt(record, 'apiVersion'), memberAt(record, 'settings')];
  if (!isJsonObject(record) || source === undefined || apiVersion === undefined || !isJsonObject(settings)) return undefined;
  const template = record['template'];
  return {
    source,
    apiVersion,
    settings,
    changes: changesAt(record, 'changes'),
    lost: changesAt(record, 'lost'),
    ...(isJsonObject(template) ? { template } : {}),
  };
}
