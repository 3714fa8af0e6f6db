/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access -- the normal forms take generated JSON apart and put it together, member by member */
import { describe } from '@jest/globals';
import fc from 'fast-check';
import { agreed, itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { daemonSetAnnotations } from './names.ts';
import { declaration } from './schema.ts';

/** JSON that is changed in place. */
type Loose = any;
type Agree = (object: Loose) => void;

/** Returns a map of metadata, which is created when it is absent. */
const metadataMap = (object: Loose, name: string): Loose => (object.metadata[name] ??= {});

const withoutSurging: Agree = ({ spec }) => {
  const rolling = spec.updateStrategy?.rollingUpdate;
  if (rolling?.rollingUpdateType === 'Surging') rolling.rollingUpdateType = 'Standard';
};

const daemonSetHub: Agree = ({ spec, ...object }) => {
  const annotation = daemonSetAnnotations.progressiveCreatePod;
  if (spec.scaleStrategy?.partitionedScaling === true) metadataMap(object, 'annotations')[annotation] = 'true';
  delete spec.scaleStrategy;
  if (object.metadata.annotations?.[annotation] === 'true') spec.scaleStrategy = { partitionedScaling: true };
  withoutSurging({ spec });
};

const special = { annotations: { [daemonSetAnnotations.progressiveCreatePod]: fc.constantFrom('true', 'false') } };

describe('conversion of DaemonSets', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    alpha: special,
    beta: special,
    hints: { rollingUpdateType: ['Standard', 'InPlaceIfPossible', 'Surging'] },
    equalAlpha: agreed(withoutSurging),
    equalBeta: agreed(daemonSetHub),
  });
});
