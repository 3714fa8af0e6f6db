/**
 * Conversion of generated objects: nothing is lost but what `agreed` says, and what it says is what the spec gives.
 * Each function of `agreed` is written against the spec, apart from the converter, and changes its argument.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allConverters, allKinds } from '../kinds/index.ts';
import { normalizeCloneSetTemplate } from '../kinds/cloneset/index.ts';
import { arbitraryKind, type GeneratedObject, type Hints, type MetadataValues } from '../schema/arbitrary.testing.ts';
import { conforms } from '../schema/conforms.ts';
import { objectSchema, type KindDeclaration, type VersionDeclaration } from '../schema/kind.ts';
import { annotations, labels } from '../well-known.ts';
import { convertObject } from './convert.ts';
import type { Members } from './converter.ts';
import { deepFreeze } from './round-trip.testing.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- these functions take any JSON apart
type Loose = any;
type Agree = (object: Loose) => void;

const number = fc.oneof(fc.integer().map(String), fc.constantFrom('', '007', '+5', '-0', '20%', '99999999999', 'x', '1 '));

const special: Readonly<Record<string, MetadataValues>> = {
  CloneSet: {
    labels: { [labels.cloneSetScalingExcludePreparingDelete]: fc.constantFrom('true', 'false', '') },
    annotations: {
      [annotations.preDownloadParallelism]: number,
      [annotations.preDownloadTimeoutSeconds]: number,
      [annotations.preDownloadMinUpdatedReadyPods]: number,
    },
  },
  DaemonSet: { annotations: { [annotations.daemonSetProgressiveCreatePod]: fc.constantFrom('true', 'false') } },
};

const updateTypes = ['RollingUpdate', 'OnDelete', 'ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const hints: Readonly<Record<string, Hints>> = {
  CloneSet: { type: updateTypes, podUpdatePolicy: ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'] },
  DaemonSet: { rollingUpdateType: ['Standard', 'InPlaceIfPossible', 'Surging'] },
  UnitedDeployment: { type: updateTypes, name: ['a', 'b'] },
};

const policies = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const preDownload = [
  ['imagePreDownloadParallelism', annotations.preDownloadParallelism],
  ['imagePreDownloadTimeoutSeconds', annotations.preDownloadTimeoutSeconds],
  ['imagePreDownloadMinUpdatedReadyPods', annotations.preDownloadMinUpdatedReadyPods],
] as const;

/** What a pre-download annotation means (spec/cloneset.md 1.1); undefined when nothing. */
function meaning(member: string, text: string | undefined): number | string | undefined {
  if (text === undefined || text === '') return undefined;
  const integer = /^[+-]?\d+$/.test(text) && Math.abs(Number(text)) < 2 ** 31 ? Number(text) + 0 : undefined;
  return member === 'imagePreDownloadParallelism' ? (/^\d+$/.test(text) ? (integer ?? text) : text) : integer;
}

/** A map of metadata, made when it is absent. */
const metadataMap = (object: Loose, name: string): Loose => (object.metadata[name] ??= {});

/** Empty maps of metadata are as good as none. */
const withoutEmptyMaps: Agree = (object) => {
  for (const name of ['labels', 'annotations']) {
    if (Object.keys(object.metadata[name] ?? {}).length === 0) delete object.metadata[name];
  }
};

const cloneSetHub: Agree = ({ spec, ...object }) => {
  const scale = (spec.scaleStrategy ??= {});
  scale.enablePVCReuse ??= false;
  const label = labels.cloneSetScalingExcludePreparingDelete;
  if (scale.excludePreparingDelete === true) metadataMap(object, 'labels')[label] = 'true';
  delete scale.excludePreparingDelete;
  if (object.metadata.labels?.[label] === 'true') scale.excludePreparingDelete = true;

  const strategy = (spec.updateStrategy ??= {});
  const inPlace = strategy.rollingUpdate?.inPlaceUpdateStrategy ?? {};
  for (const [member, annotation] of preDownload) {
    const said = meaning(member, object.metadata.annotations?.[annotation]);
    if (inPlace[member] !== undefined && inPlace[member] !== said) metadataMap(object, 'annotations')[annotation] = String(inPlace[member]);
    delete inPlace[member];
  }
  if (strategy.type === 'OnDelete') return void delete strategy.rollingUpdate;
  strategy.type = 'RollingUpdate';
  const rolling = (strategy.rollingUpdate ??= {});
  if (!policies.includes(rolling.podUpdatePolicy)) rolling.podUpdatePolicy = 'ReCreate';
  if (inPlace.gracePeriodSeconds === 0) delete inPlace.gracePeriodSeconds;
  let annotated = false;
  for (const [member, annotation] of preDownload) {
    const text = object.metadata.annotations?.[annotation];
    annotated ||= text !== undefined && text !== '';
    if (meaning(member, text) !== undefined) inPlace[member] = meaning(member, text);
  }
  delete rolling.inPlaceUpdateStrategy;
  if (annotated || Object.keys(inPlace).length > 0) rolling.inPlaceUpdateStrategy = inPlace;
};

const cloneSetAlpha: Agree = ({ spec, ...object }) => {
  if (spec.scaleStrategy?.disablePVCReuse === false) delete spec.scaleStrategy.disablePVCReuse;
  if (Object.keys(spec.scaleStrategy ?? {}).length === 0) delete spec.scaleStrategy;
  const strategy = spec.updateStrategy ?? {};
  if (strategy.type === 'OnDelete') return void (spec.updateStrategy = { type: 'OnDelete' });
  spec.updateStrategy = strategy;
  if (!policies.includes(strategy.type)) strategy.type = 'ReCreate';
  let set = false;
  for (const [member, annotation] of preDownload) {
    const value = meaning(member, object.metadata.annotations?.[annotation]);
    set ||= value !== undefined;
    delete strategy.inPlaceUpdateStrategy?.[member];
  }
  const grace = strategy.inPlaceUpdateStrategy?.gracePeriodSeconds;
  delete strategy.inPlaceUpdateStrategy;
  if (grace !== undefined && grace !== 0) strategy.inPlaceUpdateStrategy = { gracePeriodSeconds: grace };
  else if (set) strategy.inPlaceUpdateStrategy = {};
};

const daemonSetHub: Agree = ({ spec, ...object }) => {
  const annotation = annotations.daemonSetProgressiveCreatePod;
  if (spec.scaleStrategy?.partitionedScaling === true) metadataMap(object, 'annotations')[annotation] = 'true';
  delete spec.scaleStrategy;
  if (object.metadata.annotations?.[annotation] === 'true') spec.scaleStrategy = { partitionedScaling: true };
  withoutSurging({ spec });
};

const withoutSurging: Agree = ({ spec }) => {
  const rolling = spec.updateStrategy?.rollingUpdate;
  if (rolling?.rollingUpdateType === 'Surging') rolling.rollingUpdateType = 'Standard';
};

/** A CloneSet template in the form of v1alpha1 comes back in that of v1beta1; the form itself is tested by example. */
const normalizeTemplate: Agree = ({ template }) => {
  if (template?.cloneSetTemplate !== undefined) template.cloneSetTemplate = normalizeCloneSetTemplate(template.cloneSetTemplate as Members);
};

const unitedDeploymentHub: Agree = ({ spec, status }) => {
  normalizeTemplate(spec);
  if (status?.updatedRevision === '' && (status.subsetStatuses ?? []).length === 0) delete status.updatedRevision;
};

/** The maps by subset and the list of subsets say the same, the maps being right. */
const unitedDeploymentAlpha: Agree = ({ spec, status }) => {
  normalizeTemplate(spec);
  if (status === undefined) return;
  const { subsetReplicas = {}, updateStatus = {} } = status;
  const { currentPartitions = {} } = updateStatus;
  const list: Loose[] = status.subsetStatuses ?? [];
  for (const [member, values] of [
    ['replicas', subsetReplicas],
    ['partition', currentPartitions],
  ]) {
    for (const name of Object.keys(values).sort()) {
      let entry = list.findLast((candidate) => candidate.name === name);
      if (entry === undefined) list.push((entry = { name, [member]: values[name] }));
      if ((entry[member] ?? 0) !== values[name]) entry[member] = values[name];
    }
  }
  if (list.length > 0) status.subsetStatuses = list;
  delete status.subsetReplicas;
  delete updateStatus.currentPartitions;
  const named = list.filter(({ name }) => name !== undefined && name !== '');
  if (named.length > 0) {
    status.subsetReplicas = Object.fromEntries(named.map(({ name, replicas }) => [name, replicas ?? 0]));
    updateStatus.currentPartitions = Object.fromEntries(named.map(({ name, partition }) => [name, partition ?? 0]));
  }
  delete status.updateStatus;
  if (list.length > 0 || (updateStatus.updatedRevision ?? '') !== '') status.updateStatus = updateStatus;
};

/** What a round trip changes: two spellings of the same become one, and what one version cannot say is dropped where the spec says so. */
const agreed: Readonly<Record<string, { readonly hub?: Agree; readonly alpha?: Agree }>> = {
  CloneSet: { hub: cloneSetHub, alpha: cloneSetAlpha },
  DaemonSet: { hub: daemonSetHub, alpha: withoutSurging },
  UnitedDeployment: { hub: unitedDeploymentHub, alpha: unitedDeploymentAlpha },
  StatefulSet: {},
  BroadcastJob: {},
  AdvancedCronJob: {},
};

const convertible = allConverters
  .filter(({ kind }) => kind in agreed)
  .map(({ group, kind }) => {
    const declaration = allKinds.find((candidate) => candidate.group === group && candidate.kind === kind) as KindDeclaration;
    const [alpha, hub] = declaration.versions as readonly [VersionDeclaration, VersionDeclaration];
    return { kind, declaration, alpha, hub };
  });

const directions = convertible.flatMap(({ kind, declaration, alpha, hub }) => [
  { name: `${kind} v1alpha1 to v1beta1`, declaration, from: alpha, to: hub, agree: agreed[kind]?.alpha },
  { name: `${kind} v1beta1 to v1alpha1`, declaration, from: hub, to: alpha, agree: agreed[kind]?.hub },
]);
type Direction = (typeof directions)[number];

const objects = ({ declaration, from }: Direction): fc.Arbitrary<GeneratedObject> =>
  arbitraryKind(declaration, from, special[declaration.kind], hints[declaration.kind]);

const apiVersion = (declaration: KindDeclaration, version: VersionDeclaration): string => `${declaration.group}/${version.name}`;

/** Undefined where v1alpha1 cannot say the object at all, which the converter refuses (AdvancedCronJob with a list of images). */
function convert(object: Members, { declaration, to }: Pick<Direction, 'declaration' | 'to'>): Members | undefined {
  const result = convertObject(object, apiVersion(declaration, to));
  if (result.kind === 'Converted') return result.object;
  expect(result.message).toMatch(/not supported in v1alpha1/);
  return undefined;
}

const there = (direction: Direction): Pick<Direction, 'declaration' | 'to'> => direction;
const back = ({ declaration, from }: Direction): Pick<Direction, 'declaration' | 'to'> => ({ declaration, to: from });

const check = (direction: Direction, property: (object: Readonly<GeneratedObject>) => void): void =>
  fc.assert(
    fc.property(objects(direction), (object) => property(deepFreeze(object))),
    { numRuns: 150 },
  );

describe('converting generated objects', () => {
  it.each(directions)('$name gives what the schema of the target allows', (direction) => {
    const schema = objectSchema(direction.declaration, direction.to);
    check(direction, (object) => {
      const result = convert({ ...object }, there(direction));
      if (result === undefined) return;
      expect({ conforms: conforms(schema, result), result }).toEqual({ conforms: true, result });
      expect(result['apiVersion']).toBe(apiVersion(direction.declaration, direction.to));
    });
  });

  it.each(directions)('$name changes labels and annotations at most in metadata', (direction) => {
    check(direction, (object) => {
      const {
        labels: _labels,
        annotations: _annotations,
        ...rest
      } = (convert({ ...object }, there(direction)) ?? object)['metadata'] as Members;
      const { labels: _before, annotations: _too, ...metadata } = object.metadata;
      expect(rest).toEqual(metadata);
    });
  });

  it.each(directions)('$name keeps members that it does not know', (direction) => {
    check(direction, ({ spec, status = {}, ...object }) => {
      const strange = { deep: [{ number: 1, nothing: null }] };
      const result = convert({ ...object, other: strange, spec: { ...spec, strange }, status: { ...status, strange } }, there(direction));
      if (result === undefined) return;
      expect(result).toMatchObject({ other: strange, spec: { strange }, status: { strange } });
    });
  });

  it.each(directions)('$name and back twice gives what once gave', (direction) => {
    check(direction, (object) => {
      const roundTrip = (members: Members): Members | undefined => {
        const other = convert(members, there(direction));
        return other && convert(other, back(direction));
      };
      const once = roundTrip({ ...object });
      if (once !== undefined) expect(roundTrip(once)).toEqual(once);
    });
  });

  it.each(directions)('$name and back loses nothing but what is agreed', (direction) => {
    check(direction, (object) => {
      const other = convert({ ...object }, there(direction));
      if (other === undefined) return;
      const expected = structuredClone(object) as Loose;
      direction.agree?.(expected);
      withoutEmptyMaps(expected);
      const actual = structuredClone(convert(other, back(direction))) as Loose;
      withoutEmptyMaps(actual);
      expect(actual).toEqual(expected);
    });
  });
});
