/** The ConfigMap or Secret inside a ResourceDistribution, of any shape. */
import { checkDns1123Subdomain, groupOf, isJsonObject, memberAt, ownMember } from '@kruise/objects';
import type { DistributedResource } from './schema.ts';

/** Kinds that can be distributed, in the order in which messages name them. */
export const distributedKinds = ['Secret', 'ConfigMap'] as const;
export type DistributedKind = (typeof distributedKinds)[number];

/** A resource that can be distributed, or why it cannot. */
export type DistributedResourceReading =
  | { readonly kind: 'Read'; readonly resource: DistributedResource; readonly of: DistributedKind; readonly version: string }
  | { readonly kind: 'Empty' }
  /** `why` never contains the resource's data. */
  | { readonly kind: 'Undecodable'; readonly why: string }
  | { readonly kind: 'Unsupported'; readonly group: string; readonly given: string };

const text = (object: unknown, ...path: readonly string[]): string => {
  const value = memberAt(object, ...path);
  return typeof value === 'string' ? value : '';
};

const isDistributed = (kind: string): kind is DistributedKind => (distributedKinds as readonly string[]).includes(kind);

/** Returns why the object cannot be one of the API server. */
function fault(resource: unknown): string | undefined {
  if (!isJsonObject(resource)) return 'it is not an object';
  if (text(resource, 'kind') === '') return "Object 'Kind' is missing";
  if (text(resource, 'apiVersion') === '') return "Object 'apiVersion' is missing";
  return isJsonObject(ownMember(resource, 'metadata')) ? undefined : 'metadata must be an object';
}

/**
 * Reads the resource.
 *
 * @param resource `spec.resource`, of any shape
 * @see spec/resourcedistribution.md 4
 */
export function readDistributedResource(resource: unknown): DistributedResourceReading {
  if (resource === undefined || resource === null || (isJsonObject(resource) && Object.keys(resource).length === 0))
    return { kind: 'Empty' };
  const why = fault(resource);
  if (why !== undefined) return { kind: 'Undecodable', why };
  const [apiVersion, kind] = [text(resource, 'apiVersion'), text(resource, 'kind')];
  const group = groupOf(apiVersion);
  if (group !== '' || !isDistributed(kind)) return { kind: 'Unsupported', group, given: kind };
  return { kind: 'Read', resource: resource as DistributedResource, of: kind, version: apiVersion };
}

/** Returns the faults of the resource's name; none when it is valid. */
export const resourceNameFaults = (resource: Pick<DistributedResource, 'metadata'>): readonly string[] => {
  const name = text(resource, 'metadata', 'name');
  return name === '' ? ['metadata.name must be given'] : checkDns1123Subdomain(name);
};
