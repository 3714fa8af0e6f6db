/** Refuses moves whose records do not fit into the annotations of both workloads, before the first write. */
import { heldTarget } from '../held-target.ts';
import type { Observed } from '../observed/observed.ts';
import type { Refusal } from '../refusal.ts';
import { finalTarget } from '../target-spec.ts';
import { annotationBytes, largestAnnotations, mostAnnotationBytes } from './annotation-room.ts';
import { releaseRecordOf } from './compute-release.ts';
import { adoptRecord, recordOf } from './source-record.ts';

const sizes = (bytes: number): string => `which makes ${bytes} bytes; an object may have ${largestAnnotations}`;

function onSource(seen: Observed): readonly Refusal[] {
  const bytes = annotationBytes({ ...seen.source.metadata.annotations, [adoptRecord]: recordOf(seen) });
  if (bytes <= mostAnnotationBytes) return [];
  return [{ field: 'metadata.annotations', message: `the move adds its record to them, ${sizes(bytes)}` }];
}

function onTarget(seen: Observed): readonly Refusal[] {
  const { direction, source, targetType, targetName } = seen;
  const target = heldTarget(finalTarget(seen), direction.to, source);
  const recording = releaseRecordOf(seen, seen, target);
  if (recording.kind === 'Fits') return [];
  return recording.withoutTemplate <= mostAnnotationBytes
    ? [{ field: 'spec.template', message: `the move records it in an annotation of the target, ${sizes(recording.bytes)}` }]
    : [
        {
          of: `${targetType.kind}/${targetName}`,
          field: 'metadata.annotations',
          message: `the move adds its record to them, ${sizes(recording.bytes)}`,
        },
      ];
}

/** Returns why the records do not fit. */
export const roomRefusals = (seen: Observed): readonly Refusal[] => [...onSource(seen), ...onTarget(seen)];
