/** What the rules for containers must know of the Pod around them; read before they run. */
import { isJsonObject, type JsonObject } from '@kruise/objects';

export interface PodFacts {
  /** Sources of the volumes by the volumes' names: `emptyDir`, `persistentVolumeClaim`, ...; '' when unknown. */
  readonly volumes: ReadonlyMap<string, string>;
  readonly hostNetwork: boolean;
  readonly hostUsers: boolean;
  /** Names in `spec.resourceClaims`. */
  readonly resourceClaims: ReadonlySet<string>;
  /** Grace for stopping, in seconds. */
  readonly terminationGraceSeconds: number | undefined;
}

const objects = (spec: JsonObject, name: string): readonly JsonObject[] => {
  const list = spec[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
};

const named = (items: readonly JsonObject[]): readonly (readonly [string, JsonObject])[] =>
  items.flatMap((item) => (typeof item['name'] === 'string' ? [[item['name'], item] as const] : []));

const sourceOf = (volume: JsonObject): string =>
  Object.keys(volume).find((member) => member !== 'name' && volume[member] !== undefined && volume[member] !== null) ?? '';

/** @param claimVolumes names of the volumes that claim templates add */
export function podFactsOf(spec: JsonObject, claimVolumes: readonly string[]): PodFacts {
  const volumes = new Map(named(objects(spec, 'volumes')).map(([name, volume]) => [name, sourceOf(volume)]));
  for (const name of claimVolumes) volumes.set(name, 'persistentVolumeClaim');
  const grace = spec['terminationGracePeriodSeconds'];
  return {
    volumes,
    hostNetwork: spec['hostNetwork'] === true,
    hostUsers: spec['hostUsers'] !== false,
    resourceClaims: new Set(named(objects(spec, 'resourceClaims')).map(([name]) => name)),
    terminationGraceSeconds: typeof grace === 'number' ? grace : undefined,
  };
}
