/** What the rules for containers must know of the Pod around them; read before they run. */
import { isJsonObject, type JsonObject } from '@kruise/objects';

export interface PodFacts {
  /** Sources of the volumes by the volumes' names: `emptyDir`, `persistentVolumeClaim`, ...; '' when unknown. */
  readonly volumes: ReadonlyMap<string, string>;
  readonly hostNetwork: boolean;
  readonly hostUsers: boolean;
  /** Names in `spec.resourceClaims`. */
  readonly resourceClaims: ReadonlySet<string>;
  /** Grace period for stopping, in seconds. */
  readonly terminationGraceSeconds: number | undefined;
}

const objects = (spec: JsonObject, name: string): readonly JsonObject[] => {
  const list = spec[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
};

const eachNamed = (spec: JsonObject, list: string, visit: (name: string, item: JsonObject) => void): void => {
  for (const item of objects(spec, list)) if (typeof item['name'] === 'string') visit(item['name'], item);
};

const sourceOf = (volume: JsonObject): string =>
  Object.keys(volume).find((member) => member !== 'name' && volume[member] !== undefined && volume[member] !== null) ?? '';

/** Returns the facts of a Pod. @param claimVolumes names of the volumes that claim templates add */
export function podFactsOf(spec: JsonObject, claimVolumes: readonly string[]): PodFacts {
  const volumes = new Map<string, string>();
  eachNamed(spec, 'volumes', (name, volume) => volumes.set(name, sourceOf(volume)));
  for (const name of claimVolumes) volumes.set(name, 'persistentVolumeClaim');
  const resourceClaims = new Set<string>();
  eachNamed(spec, 'resourceClaims', (name) => resourceClaims.add(name));
  const grace = spec['terminationGracePeriodSeconds'];
  return {
    volumes,
    hostNetwork: spec['hostNetwork'] === true,
    hostUsers: spec['hostUsers'] !== false,
    resourceClaims,
    terminationGraceSeconds: typeof grace === 'number' ? grace : undefined,
  };
}
