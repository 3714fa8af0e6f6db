/** Defaults of volumes and of claim templates. @see spec/podreadiness.md 7.4, 7.5 */
import { changeMember, withMembers, type Members } from '../conversion/converter.ts';
import { mapItems, mapMember } from '../conversion/nested-members.ts';
import { fillAbsent, fillEmpty } from '../defaults/fill.ts';
import { defaultFieldRef } from './container-defaults.ts';
import { roundMap, roundResources } from './quantities.ts';

/** 0644. */
const fileMode: Members = { defaultMode: 420 };

/** Returns whether a volume has a source: any member besides the name counts, also an unknown one. */
const hasSource = (volume: Members): boolean => Object.keys(volume).some((name) => name !== 'name' && volume[name] !== null);

const withMode = (source: Members): Members => fillAbsent(source, fileMode);
const defaultDownward = (source: Members): Members => mapItems(source, 'items', defaultFieldRef);
const defaultProjection = (source: Members): Members =>
  mapMember(mapMember(source, 'downwardAPI', defaultDownward), 'serviceAccountToken', (token) =>
    fillAbsent(token, { expirationSeconds: 3600 }),
  );

const sourceDefaults: readonly (readonly [string, (source: Members) => Members])[] = [
  ['secret', withMode],
  ['configMap', withMode],
  ['downwardAPI', (source) => defaultDownward(withMode(source))],
  ['projected', (source) => mapItems(withMode(source), 'sources', defaultProjection)],
  ['hostPath', (source) => fillAbsent(source, { type: '' })],
];

/** A volume without any source becomes an emptyDir. */
export function defaultVolume(volume: Members): Members {
  if (!hasSource(volume)) return withMembers(volume, { emptyDir: {} });
  return sourceDefaults.reduce((result, [name, change]) => mapMember(result, name, change), volume);
}

/** Defaults a claim template: phase Pending, quantities rounded up to thousandths; the API server defaults volumeMode. */
export function defaultVolumeClaimTemplate(claim: Members): Members {
  const spec = mapMember(claim, 'spec', (inner) => mapMember(inner, 'resources', roundResources));
  return changeMember(spec, 'status', (status) => roundMap(fillEmpty(status, { phase: 'Pending' }), 'capacity'));
}
