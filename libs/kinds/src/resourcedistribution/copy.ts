/** Objects that bear the name of a distributed one, as they are held: what they contain is reduced to a digest at once. */
import { resourceDistributions, type DistributedKind } from '@kruise/api';
import { controllerOf, identityIn, refersToKind, type KubeObject } from '@kruise/objects';
import { contentsOf } from './contents.ts';

export interface Copy extends KubeObject {
  /** See `contentsOf`; '' for an object of another owner, whose contents do not matter here. */
  readonly contents: string;
}

/** Whether some ResourceDistribution made it, in any version. */
function isCopy(object: KubeObject): boolean {
  const owner = controllerOf(object);
  return owner !== undefined && refersToKind(owner, resourceDistributions);
}

/** What is held of a foreign object: that it is there, and whose it is. */
function foreign({ metadata }: KubeObject): Copy {
  const { ownerReferences } = metadata;
  return { metadata: { ...identityIn(metadata), ...(ownerReferences === undefined ? {} : { ownerReferences }) }, contents: '' };
}

/** For the stores. The parts that are written again with a copy (labels, annotations, finalizers) are kept. */
export const slimCopyOf =
  (of: DistributedKind) =>
  (object: KubeObject): Copy =>
    isCopy(object) ? { metadata: object.metadata, contents: contentsOf(of, object) } : foreign(object);
