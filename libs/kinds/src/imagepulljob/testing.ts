/** Snapshots for the tests of this folder. */
import type { ImagePullJob, NodeImage } from '@kruise/api';
import { instant } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { NodeShares } from '../images/node-share.ts';
import type { Context, PullSecretReference, Snapshot } from './snapshot.ts';
import { readTerms, type Terms } from './terms.ts';

export const contextAt = (second: number): Context => ({ now: instant(epoch + second * 1000), alwaysTtlSeconds: 300 });

export function termsOf(job: ImagePullJob): Terms {
  const read = readTerms(job);
  if (read.kind === 'Faulty') throw new Error(read.why);
  return read.terms;
}

/** Of NodeImages whose secrets have no known source. */
export const shares = new NodeShares(() => undefined);

/** A job on these nodes. */
export const snapshot = (
  job: ImagePullJob,
  nodeImages: readonly NodeImage[],
  references: readonly PullSecretReference[] = [],
): Snapshot => ({
  job,
  terms: termsOf(job),
  nodeImages,
  owned: nodeImages,
  refused: new Set(),
  references,
  shares,
});
