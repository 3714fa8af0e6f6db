/** What one pass over a SidecarSet reads: whether writes are in doubt, then the stores. @see spec/sidecarset.md 5.5 step 4 */
import type { SidecarSet } from '@kruise/api';
import { asError, isPanic } from '@kruise/kube';
import type { Seen } from '@kruise/kinds/sidecarset';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import type { InDoubt } from '../../workloads/refusals/in-doubt.ts';
import { observe, type Stores } from './observe.ts';

/** What a pass reads. */
export interface Sources {
  readonly stores: Stores;
  readonly revisionNamespace: string;
  readonly doubts: Pick<InDoubt, 'remains'>;
}

async function observeDoubt(doubts: Sources['doubts'], uid: string, { client, clock, signal }: PassView): Promise<Seen['doubt']> {
  try {
    return (await doubts.remains(uid, client, clock.now(), signal)) ? {} : undefined;
  } catch (thrown) {
    if (isPanic(thrown)) throw thrown;
    return { failure: asError(thrown) };
  }
}

/** Reads the Pods after the doubts: a write that is no longer in doubt is in the snapshot. */
export async function observePass({ stores, revisionNamespace, doubts }: Sources, sidecarSet: SidecarSet, view: PassView): Promise<Seen> {
  const { uid = '' } = sidecarSet.metadata;
  const doubt = await observeDoubt(doubts, uid, view);
  const remembered = { refusals: view.refusals, resting: view.refusals.waitingObjects(uid) };
  return { snapshot: observe(stores, sidecarSet, revisionNamespace, remembered), ...(doubt === undefined ? {} : { doubt }) };
}
