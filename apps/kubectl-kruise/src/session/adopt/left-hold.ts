/** What a run leaves that ended between its last two writes: the source no longer exists, and the target is on hold. */
import { adoptMark, uidOf, type Observed } from '../../adopt/observed/observed.ts';
import { releaseRecordIn, sourceNameOf } from '../../adopt/plan/release-record.ts';
import type { Session } from '../../session.ts';
import { readIfPresent, type Ends } from './observe.ts';

/** The end of an earlier move. */
export interface LeftHold {
  /** With the target in the version of its record. */
  readonly ends: Ends;
  readonly sourceUid: string;
}

/** Returns undefined when the source of the hold exists, and when no hold is left. @param seen undefined when no object has the name of the source */
export async function leftHoldOf(session: Session, ends: Ends, seen: Observed | undefined): Promise<LeftHold | undefined> {
  const { direction, source, target } = ends;
  const held = seen === undefined ? await readIfPresent(session, target) : seen.target;
  const sourceUid = held?.metadata.annotations?.[adoptMark];
  if (held === undefined || sourceUid === undefined || (seen !== undefined && uidOf(seen.source) === sourceUid)) return undefined;
  const record = releaseRecordIn(held);
  if (record?.source !== sourceNameOf(direction, source.name)) return undefined;
  const version = record.apiVersion.split('/').at(-1) ?? target.type.version;
  return { sourceUid, ends: { ...ends, target: { ...target, type: { ...target.type, version } } } };
}
