/** The usual families, of which the tables of the kinds consist. */
import { listAt, scaleIntOrPercent, textAt, type KubeObject, type Rounding } from '@kruise/objects';
import type { Family, Path, Sample } from './family.ts';
import { mapLabels } from './map-labels.ts';
import { intOrStringAt, gaugeAt, secondsAt, textsAt, valueAt } from './read.ts';

const metadata = (name: string): Path => ['metadata', name];
const one = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ value }]);

/** A number that the API omits when it is 0. */
export const counter = (name: string, help: string, path: Path): Family => ({
  name,
  help,
  samples: (object) => one(gaugeAt(object, path) ?? 0),
  configured: { kind: 'Number', path, nilIsZero: true },
});

/** A number that may be absent; then there is no sample. */
export const optionalNumber = (name: string, help: string, path: Path): Family => ({
  name,
  help,
  samples: (object) => one(gaugeAt(object, path)),
  configured: { kind: 'Number', path, nilIsZero: false },
});

/** 1 for true, 0 for false and for a member that is absent. */
const flag = (name: string, help: string, paths: readonly Path[]): Family => ({
  name,
  help,
  samples: (object) => one(paths.some((path) => valueAt(object, path) === true) ? 1 : 0),
  ...(paths[0] === undefined ? {} : { configured: { kind: 'Number', path: paths[0], nilIsZero: true } as const }),
});

/** @param paths where versions have `paused` */
export const paused = (paths: readonly Path[]): Family => flag('spec_strategy_paused', '1 while the update is paused, else 0.', paths);

/** A time in seconds since the epoch; no sample when there is none. */
export const timestamp = (name: string, help: string, path: Path): Family => ({
  name,
  help,
  samples: (object) => one(secondsAt(object, path)),
  configured: { kind: 'Number', path, nilIsZero: false },
});

/** A number that is computed; no sample when the function returns undefined. */
export const computed = (name: string, help: string, valueOf: (object: KubeObject) => number | undefined): Family => ({
  name,
  help,
  samples: (object) => one(valueOf(object)),
});

export const created: Family = timestamp('created', 'Time of creation in seconds since the epoch.', metadata('creationTimestamp'));

/** @param name SidecarSets have another one */
export const generation = (name = 'metadata_generation'): Family =>
  counter(name, 'Generation of the object: how often its spec was changed.', metadata('generation'));

export const observedGeneration: Family = counter('status_observed_generation', 'Generation that the controller has seen.', [
  'status',
  'observedGeneration',
]);

/** Labels and annotations that the flags allow. */
export const annotationLabels: Family = {
  name: 'annotations',
  help: 'Annotations of the object that --metric-annotations-allowlist names, as labels.',
  samples: (object, { annotations }) => [
    { value: 1, labels: mapLabels('annotation', textsAt(object, metadata('annotations')), annotations) },
  ],
};

export const labelLabels: Family = {
  name: 'labels',
  help: 'Labels of the object that --metric-labels-allowlist names, as labels.',
  samples: (object, { labels }) => [{ value: 1, labels: mapLabels('label', textsAt(object, metadata('labels')), labels) }],
};

const conditionStatuses = ['True', 'False', 'Unknown'] as const;
const conditionsPath: Path = ['status', 'conditions'];

/** Three samples for each condition, of which that of the current status has the value 1. */
export const conditions: Family = {
  name: 'status_condition',
  help: 'Conditions of the object: 1 for the current status of each.',
  samples: (object) =>
    listAt(object, ...conditionsPath).flatMap((condition) =>
      conditionStatuses.map((status) => ({
        value: textAt(condition, 'status') === status ? 1 : 0,
        labels: [
          ['condition', textAt(condition, 'type')],
          ['status', status.toLowerCase()],
        ] as const,
      })),
    ),
  configured: { kind: 'Conditions', path: conditionsPath },
};

/** A text as the value of a label; an absent one is ''. */
export const textLabel = (
  name: string,
  help: string,
  { label, path, value = 0 }: { label: string; path: Path; value?: number },
): Family => ({
  name,
  help,
  samples: (object) => [{ value, labels: [[label, textAt(object, ...path)]] }],
  configured: { kind: 'Text', label, path },
});

/** The first of several paths at which there is a value: versions have the same member at different places. */
export const firstPath = (object: KubeObject, paths: readonly Path[]): Path | undefined =>
  paths.find((path) => valueAt(object, path) !== undefined);

/** `partition` as text; no sample when there is none. */
export const partitionLabel = (paths: readonly Path[]): Family => ({
  name: 'spec_strategy_partition',
  help: 'Number or percentage of Pods that stay at older revisions.',
  samples: (object) => {
    const path = firstPath(object, paths);
    const partition = path === undefined ? undefined : intOrStringAt(object, path);
    return partition === undefined ? [] : [{ value: 0, labels: [['partition', partition]] }];
  },
  ...(paths[0] === undefined ? {} : { configured: { kind: 'Text', label: 'partition', path: paths[0] } as const }),
});

export interface Share {
  /** Where versions have the number or percentage. */
  readonly paths: readonly Path[];
  /** What a percentage is a part of. A number that is omitted when it is 0 is 0. */
  readonly total: Path;
  readonly absentTotal?: 0;
  readonly rounding: Rounding;
  /** The value when there is neither a number nor a percentage; no sample when absent. */
  readonly absent?: 0;
}

/** A number or percentage as a number of Pods; no sample for one that cannot be read, or for a percentage of an unknown number. */
export const share = (name: string, help: string, { paths, total, absentTotal, rounding, absent }: Share): Family =>
  computed(name, help, (object) => {
    const path = firstPath(object, paths);
    if (path === undefined) return absent;
    const value = valueAt(object, path);
    const whole = gaugeAt(object, total) ?? absentTotal;
    if (typeof value === 'string' && whole === undefined) return undefined;
    const scaled = scaleIntOrPercent(value, whole ?? 0, rounding, { fractions: false });
    return scaled.kind === 'Scaled' && Number.isFinite(scaled.value) ? scaled.value : undefined;
  });
