/** Whose pull secrets a tag may be pulled with. Pure. @see spec/daemon.md 5.3 */
import { imagePullJobAnnotations } from '@kruise/api';
import type { Secret } from '@kruise/objects';

/** Namespace of the Secret that this one is a copy of; undefined when it is no copy. */
function sourceNamespaceOf({ metadata }: Secret): string | undefined {
  const source = metadata.annotations?.[imagePullJobAnnotations.pullSecretSourceKey];
  return source?.includes('/') === true ? source.split('/')[0] : undefined;
}

/**
 * A NodeImage names the secrets of all jobs for an image together. A copy serves the tags that a job of the namespace of its source asks for,
 * no others: another namespace gets neither the rights nor the faults that come with it. A Secret that is no copy serves every tag.
 *
 * @param tenants namespaces of the jobs that ask for the tag
 * @returns in the order given
 */
export function secretsFor(tenants: readonly string[], secrets: readonly Secret[]): readonly Secret[] {
  return secrets.filter((secret) => {
    const namespace = sourceNamespaceOf(secret);
    return namespace === undefined || tenants.includes(namespace);
  });
}
