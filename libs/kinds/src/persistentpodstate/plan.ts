/**
 * What a pass does. Its key names a PersistentPodState, whose record is kept, or a workload, for which a PersistentPodState is created, changed or
 * deleted. Pure. @see spec/persistentpodstate.md 5
 */
import type { PersistentPodState } from '@kruise/api';
import { unreachable, type Milliseconds } from '@kruise/objects';
import { planGenerate, type GenerateAction, type GenerateSnapshot } from './plan-generate.ts';
import { planRecord, type RecordSnapshot } from './plan-record.ts';

export type Snapshot =
  /** Of a kind that is not supported, or that was taken off the white list: what was remembered stays as it is. */
  | { readonly kind: 'Unsupported' }
  /** @param failure the last failure of a read of a node */
  | { readonly kind: 'Record'; readonly seen: RecordSnapshot; readonly failure: Error | undefined }
  | { readonly kind: 'Generate'; readonly seen: GenerateSnapshot };

export interface Plan {
  readonly actions: readonly GenerateAction[];
  readonly status?: NonNullable<PersistentPodState['status']>;
  readonly requeueAfter?: Milliseconds;
  readonly failure?: Error;
}

export function plan(snapshot: Snapshot): Plan {
  switch (snapshot.kind) {
    case 'Unsupported':
      return { actions: [] };
    case 'Record': {
      const { seen, failure } = snapshot;
      return { actions: [], status: planRecord(seen), ...(failure === undefined ? {} : { failure }) };
    }
    case 'Generate':
      return planGenerate(snapshot.seen);
    default:
      return unreachable(snapshot);
  }
}
