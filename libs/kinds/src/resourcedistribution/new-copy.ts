/** Copies as they are written. Pure. @see spec/resourcedistribution.md 5.2 */
import { resourceDistributionAnnotations, resourceDistributions } from '@kruise/api';
import { newControllerRef, withOwner, type KubeObject, type ObjectMeta } from '@kruise/objects';
import type { Copy } from './copy.ts';
import type { Wanted } from './wanted.ts';

function ownMarks({ distribution, resource, hash }: Wanted): Pick<ObjectMeta, 'annotations' | 'ownerReferences'> {
  const { annotations, ownerReferences } = resource.metadata;
  return {
    annotations: {
      ...annotations,
      [resourceDistributionAnnotations.from]: distribution.metadata.name,
      [resourceDistributionAnnotations.hash]: hash,
    },
    ownerReferences: withOwner(ownerReferences, newControllerRef(distribution, resourceDistributions)),
  };
}

/** The resource as it was given, for one namespace; what an API server gave to another object is none of it. */
export function newCopy(wanted: Wanted, namespace: string): KubeObject {
  const { uid: _uid, resourceVersion: _resourceVersion, ...metadata } = wanted.resource.metadata;
  return { ...wanted.resource, metadata: { ...metadata, namespace, ...ownMarks(wanted) } };
}

/**
 * The same in the place of a copy: what others have put onto the copy (labels, annotations, finalizers) stays.
 *
 * @returns with uid and version of what was seen, so that nothing else is overwritten
 */
export function changedCopy(wanted: Wanted, copy: Copy): KubeObject {
  const { metadata } = wanted.resource;
  const { namespace = '', uid, resourceVersion } = copy.metadata;
  const made = newCopy(wanted, namespace);
  const finalizers = [...new Set([...(metadata.finalizers ?? []), ...(copy.metadata.finalizers ?? [])])].sort();
  const labels = { ...copy.metadata.labels, ...metadata.labels };
  return {
    ...made,
    metadata: {
      ...made.metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      annotations: { ...copy.metadata.annotations, ...made.metadata.annotations },
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(finalizers.length === 0 ? {} : { finalizers }),
    },
  };
}
