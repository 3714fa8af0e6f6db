/** What one pass over a job looks at: plain data, read once, in a stated order. */
import type { ImagePullJob, ImageSpec, NodeImage } from '@kruise/api';
import type { Instant, Milliseconds } from '@kruise/objects';
import type { NodeShares } from '../images/node-share.ts';
import type { Terms } from './terms.ts';

export type PullSecretReference = NonNullable<ImageSpec['pullSecrets']>[number];

export interface Snapshot {
  readonly job: ImagePullJob;
  readonly terms: Terms;
  /** Those of the nodes that the job is for, in the order in which they get work. */
  readonly nodeImages: readonly NodeImage[];
  /** NodeImages, of these nodes or others, with any task that this job wants. */
  readonly owned: readonly NodeImage[];
  /** Nodes that did not take a task a short while ago. */
  readonly refused: ReadonlySet<string>;
  /** How long until the first of them is asked again; a minute when absent. */
  readonly refusedFor?: Milliseconds | undefined;
  /** The pull secrets that every node gets. */
  readonly references: readonly PullSecretReference[];
  /** What each namespace holds of the NodeImages. */
  readonly shares: NodeShares;
}

export interface Context {
  readonly now: Instant;
  /** `--default-ttlseconds-for-always-nodeimage`. */
  readonly alwaysTtlSeconds: number;
}
