/** What has to be done about the object that bears the name in one namespace. Pure. @see spec/resourcedistribution.md 5.2 */
import { controllerOf, type KubeObject } from '@kruise/objects';
import type { Copy } from './copy.ts';
import type { Wanted } from './wanted.ts';

export type Verdict =
  | { readonly kind: 'InLine' }
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Differs'; readonly why: string }
  /** It is not ours: never adopted, never overwritten. */
  | { readonly kind: 'Foreign' };

/** By uid; by kind and name where there is none. The annotation that names the distribution plays no part. */
export function isOf({ metadata }: KubeObject, copy: KubeObject): boolean {
  const owner = controllerOf(copy);
  if (owner === undefined) return false;
  return metadata.uid === undefined || owner.uid === ''
    ? owner.kind === 'ResourceDistribution' && owner.name === metadata.name
    : owner.uid === metadata.uid;
}

/** The first key whose value differs on the copy; additional keys of the copy do not matter. */
const differing = (
  wanted: Readonly<Record<string, string>> | undefined,
  held: Readonly<Record<string, string>> | undefined,
): string | undefined => Object.entries(wanted ?? {}).find(([key, value]) => held?.[key] !== value)?.[0];

function difference({ resource, contents }: Wanted, copy: Copy): string | undefined {
  if (copy.contents !== contents) return 'its contents are not those of the resource';
  const label = differing(resource.metadata.labels, copy.metadata.labels);
  if (label !== undefined) return `its label ${label} is not that of the resource`;
  const annotation = differing(resource.metadata.annotations, copy.metadata.annotations);
  return annotation === undefined ? undefined : `its annotation ${annotation} is not that of the resource`;
}

/** @param copy what bears the name; undefined when nothing does */
export function judgeCopy(wanted: Wanted, copy: Copy | undefined): Verdict {
  if (copy === undefined) return { kind: 'Absent' };
  if (!isOf(wanted.distribution, copy)) return { kind: 'Foreign' };
  const why = difference(wanted, copy);
  return why === undefined ? { kind: 'InLine' } : { kind: 'Differs', why };
}
