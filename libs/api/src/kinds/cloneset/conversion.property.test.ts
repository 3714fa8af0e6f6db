/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument -- the normal forms take generated JSON apart and put it together, member by member */
import { describe } from '@jest/globals';
import fc from 'fast-check';
import { agreed, itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { annotations } from '../../well-known.ts';
import { converter } from './conversion.ts';
import { cloneSetLabels } from './names.ts';
import { declaration } from './schema.ts';

/** JSON that is changed in place. */
type Loose = any;
type Agree = (object: Loose) => void;

const number = fc.oneof(fc.integer().map(String), fc.constantFrom('', '007', '+5', '-0', '20%', '99999999999', 'x', '1 '));

const policies = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const preDownload = [
  ['imagePreDownloadParallelism', annotations.preDownloadParallelism],
  ['imagePreDownloadTimeoutSeconds', annotations.preDownloadTimeoutSeconds],
  ['imagePreDownloadMinUpdatedReadyPods', annotations.preDownloadMinUpdatedReadyPods],
] as const;

/** Returns the meaning of a pre-download annotation (spec/cloneset.md 1.1); undefined when it has none. */
function meaning(member: string, text: string | undefined): number | string | undefined {
  if (text === undefined || text === '') return undefined;
  const integer = /^[+-]?\d+$/.test(text) && Math.abs(Number(text)) < 2 ** 31 ? Number(text) + 0 : undefined;
  return member === 'imagePreDownloadParallelism' ? (/^\d+$/.test(text) ? (integer ?? text) : text) : integer;
}

/** Returns a map of metadata, which is created when it is absent. */
const metadataMap = (object: Loose, name: string): Loose => (object.metadata[name] ??= {});

const cloneSetHub: Agree = ({ spec, ...object }) => {
  const scale = (spec.scaleStrategy ??= {});
  scale.enablePVCReuse ??= false;
  const label = cloneSetLabels.scalingExcludePreparingDelete;
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

const special = {
  labels: { [cloneSetLabels.scalingExcludePreparingDelete]: fc.constantFrom('true', 'false', '') },
  annotations: {
    [annotations.preDownloadParallelism]: number,
    [annotations.preDownloadTimeoutSeconds]: number,
    [annotations.preDownloadMinUpdatedReadyPods]: number,
  },
};

describe('conversion of CloneSets', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    alpha: special,
    beta: special,
    hints: { type: ['RollingUpdate', 'OnDelete', ...policies], podUpdatePolicy: policies },
    equalAlpha: agreed(cloneSetAlpha),
    equalBeta: agreed(cloneSetHub),
  });
});
