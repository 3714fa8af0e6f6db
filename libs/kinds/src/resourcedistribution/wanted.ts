/** What a ResourceDistribution requests, taken apart. */
import {
  readDistributedResource,
  resourceNameFaults,
  type DistributedKind,
  type DistributedResource,
  type ResourceDistribution,
} from '@kruise/api';
import { configMaps, secrets, unreachable, type ResourceType } from '@kruise/objects';
import { contentsOf, hashOf } from './contents.ts';

/** Something that can be distributed. */
export interface Wanted {
  readonly distribution: ResourceDistribution;
  readonly resource: DistributedResource;
  readonly of: DistributedKind;
  readonly contents: string;
  readonly hash: string;
}

/** Which objects are meant, in all namespaces. */
export interface CopyName {
  readonly of: DistributedKind;
  readonly name: string;
}

export const typeOf = (of: DistributedKind): ResourceType => (of === 'Secret' ? secrets : configMaps);

type NameReading =
  | { readonly kind: 'Named'; readonly copyName: CopyName; readonly resource: DistributedResource }
  | { readonly kind: 'Faulty'; readonly why: string };

/** Of an object that came past admission, too: what would do harm as part of a path or selector is no name. */
function readName(distribution: ResourceDistribution): NameReading {
  const reading = readDistributedResource((distribution as Partial<ResourceDistribution>).spec?.resource);
  switch (reading.kind) {
    case 'Empty':
      return { kind: 'Faulty', why: 'spec.resource is empty' };
    case 'Undecodable':
      return { kind: 'Faulty', why: `spec.resource cannot be read: ${reading.why}` };
    case 'Unsupported':
      return { kind: 'Faulty', why: 'spec.resource is neither a ConfigMap nor a Secret' };
    case 'Read': {
      const { of, version, resource } = reading;
      if (version !== 'v1') return { kind: 'Faulty', why: `spec.resource: apiVersion ${version} is not served, write v1` };
      const [fault] = resourceNameFaults(resource);
      if (fault !== undefined) return { kind: 'Faulty', why: `spec.resource: ${fault}` };
      return { kind: 'Named', copyName: { of, name: resource.metadata.name }, resource };
    }
    default:
      return unreachable(reading);
  }
}

/** Undefined for one that nothing can be made of. */
export function copyNameOf(distribution: ResourceDistribution): CopyName | undefined {
  const reading = readName(distribution);
  return reading.kind === 'Named' ? reading.copyName : undefined;
}

export type WantedReading = { readonly kind: 'Wanted'; readonly wanted: Wanted } | { readonly kind: 'Faulty'; readonly why: string };

export function readWanted(distribution: ResourceDistribution): WantedReading {
  const reading = readName(distribution);
  if (reading.kind === 'Faulty') return reading;
  const { resource, copyName } = reading;
  const wanted = { distribution, resource, of: copyName.of, contents: contentsOf(copyName.of, resource), hash: hashOf(resource) };
  return { kind: 'Wanted', wanted };
}
