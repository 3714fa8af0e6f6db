/** The settings of a source for which the other kind has no field. */
import { deepEqual, memberAt } from '@kruise/objects';
import type { Untyped } from '../objects/untyped.ts';
import type { AdoptableKind } from './observed/directions.ts';

const cloneSetUpdates = ['podUpdatePolicy', 'partition', 'priorityStrategy', 'scatterStrategy', 'inPlaceUpdateStrategy'];
const advancedUpdates = ['podUpdatePolicy', 'paused', 'unorderedUpdate', 'inPlaceUpdateStrategy'];
const daemonUpdates = ['rollingUpdateType', 'selector', 'partition', 'paused'];

const inRollingUpdate = (names: readonly string[]): readonly string[] => names.map((name) => `updateStrategy.rollingUpdate.${name}`);

/** Paths in the spec. */
const fields: Readonly<Record<AdoptableKind, readonly string[]>> = {
  Deployment: [],
  StatefulSet: [],
  DaemonSet: [],
  CloneSet: [
    'scaleStrategy',
    'lifecycle',
    'updateStrategy.type',
    ...inRollingUpdate(cloneSetUpdates),
    ...cloneSetUpdates.slice(1).map((name) => `updateStrategy.${name}`),
  ],
  AdvancedStatefulSet: [
    'scaleStrategy',
    'lifecycle',
    'volumeClaimUpdateStrategy',
    ...inRollingUpdate([...advancedUpdates, 'maxUnavailable']),
  ],
  AdvancedDaemonSet: ['scaleStrategy', 'lifecycle', 'burstReplicas', ...inRollingUpdate(daemonUpdates)],
};

/** Values that a webhook fills in, or that set nothing. */
const defaults: readonly unknown[] = [
  undefined,
  0,
  false,
  '',
  {},
  { enablePVCReuse: false },
  { type: 'OnDelete' },
  'ReCreate',
  'RollingUpdate',
  'Standard',
  250,
];

const isDefault = (path: string, value: unknown): boolean =>
  defaults.some((one) => deepEqual(one, value)) || (path.endsWith('maxUnavailable') && value === 1);

/** Returns the paths of settings that the target cannot have, such as `spec.lifecycle`; those with a default value are omitted. */
export const droppedFields = (source: Untyped, from: AdoptableKind): readonly string[] =>
  fields[from].filter((path) => !isDefault(path, memberAt(source, 'spec', ...path.split('.')))).map((path) => `spec.${path}`);
