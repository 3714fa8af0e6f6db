/** Defaults of volumes and of claim templates. @see spec/podreadiness.md 7.4, 7.5 */
import { changeMember, withMembers, type JsonObject } from '@kruise/objects';
import { mapItems, mapMember } from '../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../members/fill.ts';
import { defaultFieldRef } from './container-defaults.ts';
import { roundMap, roundResources } from './quantities.ts';

/** 0644. */
const fileMode: JsonObject = { defaultMode: 420 };

/** Returns whether a volume has a source: any member besides the name counts, also an unknown one. */
const hasSource = (volume: JsonObject): boolean => Object.keys(volume).some((name) => name !== 'name' && volume[name] !== null);

const withMode = (source: JsonObject): JsonObject => fillAbsent(source, fileMode);
const defaultDownward = (source: JsonObject): JsonObject => mapItems(source, 'items', defaultFieldRef);
const defaultProjection = (source: JsonObject): JsonObject =>
  mapMember(mapMember(source, 'downwardAPI', defaultDownward), 'serviceAccountToken', (token) =>
    fillAbsent(token, { expirationSeconds: 3600 }),
  );

const sourceDefaults: readonly (readonly [string, (source: JsonObject) => JsonObject])[] = [
  ['secret', withMode],
  ['configMap', withMode],
  ['downwardAPI', (source) => defaultDownward(withMode(source))],
  ['projected', (source) => mapItems(withMode(source), 'sources', defaultProjection)],
  ['hostPath', (source) => fillAbsent(source, { type: '' })],
];

/** A volume without any source becomes an emptyDir. */
export function defaultVolume(volume: JsonObject): JsonObject {
  if (!hasSource(volume)) return withMembers(volume, { emptyDir: {} });
  return sourceDefaults.reduce((result, [name, change]) => mapMember(result, name, change), volume);
}

/** Defaults a claim template: phase Pending, quantities rounded up to thousandths; the API server defaults volumeMode. */
export function defaultVolumeClaimTemplate(claim: JsonObject): JsonObject {
  const spec = mapMember(claim, 'spec', (inner) => mapMember(inner, 'resources', roundResources));
  return changeMember(spec, 'status', (status) => roundMap(fillEmpty(status, { phase: 'Pending' }), 'capacity'));
}
