/** Secrets as the controllers of this process hold those that they only look for: a cluster has many, and most concern no controller. */
import type { Secret } from '@kruise/objects';

/**
 * Which Secret it is, and in which version; its type and contents are read when they are needed. The annotation `last-applied-configuration` holds the
 * contents as well. Such Secrets are never written back.
 */
export function slimSecret({ apiVersion, kind, metadata }: Secret): Secret {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  };
}
