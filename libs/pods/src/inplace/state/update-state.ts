/**
 * The progress of a Pod's in-place update, and its text in the state annotation.
 *
 * @see spec/inplace-update.md 2.2
 */
import { annotations } from '@kruise/api';
import { canonicalJson, goString, isJsonObject, memoized, textAt, type Pod, type ResourceRequirements } from '@kruise/objects';
import {
  type Parsed,
  type RefMetadata,
  type UpdateSpec,
  mapJson,
  omitUndefined,
  parseObject,
  parseUpdateSpec,
  recordMember,
  refMetadataJson,
  refMetadataMember,
  structJson,
} from '../spec/update-spec.ts';

/** One batch of an update: when it was written, and which containers it changed. */
interface ContainerBatch {
  /** RFC 3339, whole seconds. */
  readonly timestamp: string;
  /** Sorted names; empty for a batch that changed metadata only. */
  readonly containers: readonly string[];
}

/** Maps are keyed by container name; times are RFC 3339 in whole seconds. */
export interface InPlaceUpdateState {
  readonly revision: string;
  readonly updateTimestamp: string;
  /** Image ids from before the update of every container whose image was changed so far; null when there is none. */
  readonly lastContainerStatuses: Readonly<Record<string, { readonly imageID: string }>> | null;
  readonly updateEnvFromMetadata?: boolean;
  readonly updateResources?: boolean;
  readonly updateImages?: boolean;
  readonly nextContainerImages?: Readonly<Record<string, string>>;
  readonly nextContainerRefMetadata?: Readonly<Record<string, RefMetadata>>;
  readonly nextContainerResources?: Readonly<Record<string, ResourceRequirements>>;
  /** Sorted names of the containers that must be ready before the next batch. */
  readonly preCheckBeforeNext?: { readonly containersRequiredReady: readonly string[] };
  readonly containerBatchesRecord?: readonly ContainerBatch[];
}

const flagJson = (flag: boolean | undefined): string | undefined => (flag === true ? 'true' : undefined);

const batchJson = ({ timestamp, containers }: ContainerBatch): string =>
  structJson([
    ['timestamp', goString(timestamp)],
    ['containers', canonicalJson(containers)],
  ]);

const imageJson = ({ imageID }: { readonly imageID: string }): string =>
  imageID === '' ? '{}' : structJson([['imageID', goString(imageID)]]);

/** Returns the value of the state annotation, byte for byte as the original writes it. */
export function formatUpdateState(state: InPlaceUpdateState): string {
  const batches = state.containerBatchesRecord ?? [];
  const preCheck = state.preCheckBeforeNext;
  return structJson([
    ['revision', goString(state.revision)],
    ['updateTimestamp', goString(state.updateTimestamp)],
    [
      'lastContainerStatuses',
      mapJson(state.lastContainerStatuses ?? undefined, imageJson) ?? (state.lastContainerStatuses === null ? 'null' : '{}'),
    ],
    ['updateEnvFromMetadata', flagJson(state.updateEnvFromMetadata)],
    ['updateResources', flagJson(state.updateResources)],
    ['updateImages', flagJson(state.updateImages)],
    ['nextContainerImages', mapJson(state.nextContainerImages)],
    ['nextContainerRefMetadata', mapJson(state.nextContainerRefMetadata, refMetadataJson)],
    ['nextContainerResources', mapJson(state.nextContainerResources)],
    ['preCheckBeforeNext', preCheck === undefined ? undefined : canonicalJson(preCheck)],
    ['containerBatchesRecord', batches.length === 0 ? undefined : `[${batches.map(batchJson).join(',')}]`],
  ]);
}

const namesOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []);
const trueOr = (value: unknown): true | undefined => (value === true ? true : undefined);

function batchesOf(value: unknown): readonly ContainerBatch[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.filter(isJsonObject).map((batch) => ({ timestamp: textAt(batch, 'timestamp'), containers: namesOf(batch['containers']) }));
}

/** Returns the images. Go omits an empty image id, so an entry without one has ''. */
const imagesOf = (value: unknown): InPlaceUpdateState['lastContainerStatuses'] =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, { imageID: textAt(entry, 'imageID') }]] : [])),
      )
    : null;

/** Returns the state in a JSON object. Members of wrong types count as absent. */
export function updateStateFrom(held: Readonly<Record<string, unknown>>): InPlaceUpdateState {
  const preCheck = held['preCheckBeforeNext'];
  return omitUndefined<InPlaceUpdateState>({
    revision: textAt(held, 'revision'),
    updateTimestamp: textAt(held, 'updateTimestamp'),
    lastContainerStatuses: imagesOf(held['lastContainerStatuses']),
    updateEnvFromMetadata: trueOr(held['updateEnvFromMetadata']),
    updateResources: trueOr(held['updateResources']),
    updateImages: trueOr(held['updateImages']),
    nextContainerImages: recordMember<string>(held['nextContainerImages']),
    nextContainerRefMetadata: refMetadataMember(held['nextContainerRefMetadata']),
    nextContainerResources: recordMember<ResourceRequirements>(held['nextContainerResources']),
    preCheckBeforeNext: isJsonObject(preCheck) ? { containersRequiredReady: namesOf(preCheck['containersRequiredReady']) } : undefined,
    containerBatchesRecord: batchesOf(held['containerBatchesRecord']),
  });
}

/** Inverse of {@link formatUpdateState}. */
export function parseUpdateState(text: string): Parsed<InPlaceUpdateState> {
  const parsed = parseObject(text);
  return parsed.kind === 'Malformed' ? parsed : { kind: 'Parsed', value: updateStateFrom(parsed.value) };
}

type Annotations = Readonly<Record<string, string>>;

/** As {@link Parsed}, for an optional annotation. */
export type Stored<T> = { readonly kind: 'Absent' } | Parsed<T>;

function stored<T>(held: Annotations, keys: readonly [string, string], parse: (text: string) => Parsed<T>): Stored<T> {
  const text = held[keys[0]] ?? held[keys[1]];
  return text === undefined ? { kind: 'Absent' } : parse(text);
}

/**
 * Returns the state of the Pod's last in-place update. The legacy key is read when the new one is absent. Parsed once for each object.
 *
 * @param pod its annotations must not be changed
 */
export function updateStateOf(pod: Pod): Stored<InPlaceUpdateState> {
  const held = pod.metadata.annotations;
  return held === undefined ? { kind: 'Absent' } : stateOnce(held);
}

/** Parsed once: rules read the state several times in a pass, and in every pass while an update is in progress. */
const stateOnce = memoized((held: Annotations): Stored<InPlaceUpdateState> =>
  stored(held, [annotations.inPlaceUpdateState, annotations.legacyInPlaceUpdateState], parseUpdateState),
);

/** Returns the update that waits for the Pod's grace period to end. */
export const graceSpecOf = (pod: Pod): Stored<UpdateSpec> =>
  stored(pod.metadata.annotations ?? {}, [annotations.inPlaceUpdateGrace, annotations.legacyInPlaceUpdateGrace], parseUpdateSpec);

/** Returns whether the Pod's annotations of its in-place update cannot be read. */
export const hasUnreadableUpdate = (pod: Pod): boolean => updateStateOf(pod).kind === 'Malformed' || graceSpecOf(pod).kind === 'Malformed';

/** Returns whether containers of the Pod wait for a later batch. */
export const hasNextBatch = (state: InPlaceUpdateState): boolean =>
  [state.nextContainerImages, state.nextContainerRefMetadata, state.nextContainerResources].some(
    (next) => Object.keys(next ?? {}).length > 0,
  );

/** Checks the text cheaply: false only when {@link hasNextBatch} would be false too. */
export function mayHaveNextBatch(pod: Pod): boolean {
  const held = pod.metadata.annotations ?? {};
  const text = held[annotations.inPlaceUpdateState] ?? held[annotations.legacyInPlaceUpdateState];
  return text?.includes('"nextContainer') === true;
}
