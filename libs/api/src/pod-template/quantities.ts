/** Quantities in templates: rounded as defaulting does it, and printed in the one canonical form. @see spec/podreadiness.md 7.3 */
import {
  compareQuantities,
  formatQuantity,
  formatQuantityText,
  parseQuantity,
  roundUpToMilli,
  setOwnMember,
  withMembers,
  type JsonObject,
} from '@kruise/objects';
import { mapItems, mapMember } from '../members/nested-members.ts';

type Change = (quantity: unknown) => unknown;

/** Rounds up to thousandths when the value is finer; any other value, and one that is no quantity, is unchanged. */
function roundQuantity(value: unknown): unknown {
  // A text of plain digits, with or without a binary suffix or `m`, has nothing below a thousandth.
  if (typeof value === 'string' && /^\d{1,18}(m|[kMGTPE]i?|Ki)?$/.test(value)) return value;
  const quantity = parseQuantity(value);
  if (quantity === undefined) return value;
  const rounded = roundUpToMilli(quantity);
  return compareQuantities(rounded, quantity) === 0 ? value : formatQuantity(rounded);
}

const canonical: Change = (value) => formatQuantityText(value) ?? value;

/** Changes every value of the maps `names`. */
const mapQuantities = (members: JsonObject, names: readonly string[], change: Change): JsonObject =>
  names.reduce((result, name) => mapMember(result, name, (map) => mapValues(map, change)), members);

function mapValues(map: JsonObject, change: Change): JsonObject {
  const changes: Record<string, unknown> = {};
  for (const name of Object.keys(map)) {
    const value = change(map[name]);
    if (value !== map[name]) setOwnMember(changes, name, value);
  }
  return withMembers(map, changes);
}

/** Rounds limits and requests, of a container or a claim. */
export const roundResources = (resources: JsonObject): JsonObject => mapQuantities(resources, ['limits', 'requests'], roundQuantity);

export const roundMap = (members: JsonObject, name: string): JsonObject => mapQuantities(members, [name], roundQuantity);

const withCanonicalResources = (holder: JsonObject): JsonObject =>
  mapMember(holder, 'resources', (resources) => mapQuantities(resources, ['limits', 'requests'], canonical));

/** Returns a volume with a canonical size limit. */
const withCanonicalSize = (volume: JsonObject): JsonObject =>
  mapMember(volume, 'emptyDir', (source) => withMembers(source, { sizeLimit: canonical(source['sizeLimit']) }));

/**
 * Returns a Pod template with the quantities of containers, volumes and overhead in canonical form (`1000m` is `1`); the input itself if they are.
 */
export const withCanonicalQuantities = (template: JsonObject): JsonObject =>
  mapMember(template, 'spec', (spec) => {
    const containers = ['containers', 'initContainers', 'ephemeralContainers'].reduce(
      (result, list) => mapItems(result, list, withCanonicalResources),
      withCanonicalResources(spec),
    );
    return mapQuantities(mapItems(containers, 'volumes', withCanonicalSize), ['overhead'], canonical);
  });

/** Returns a claim template with canonical quantities. */
export const withCanonicalClaimQuantities = (claim: JsonObject): JsonObject =>
  mapMember(mapMember(claim, 'spec', withCanonicalResources), 'status', (status) => mapQuantities(status, ['capacity'], canonical));
