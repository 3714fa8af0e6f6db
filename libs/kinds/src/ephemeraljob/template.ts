/** The containers that a job puts into Pods. @see spec/ephemeraljob.md 2, 3 */
import { ephemeralJobEnvNames, type EphemeralContainer, type EphemeralJob, type EphemeralJobSpec } from '@kruise/api';
import { isJsonObject, type JsonObject, type Pod } from '@kruise/objects';

/** The spec, which the schema lets users omit. */
export const specOf = ({ spec }: Pick<EphemeralJob, 'spec'>): Partial<EphemeralJobSpec> => spec ?? {};

/**
 * The containers of the template.
 *
 * @returns none for a template that is empty or holds what is no container: the template has no schema, so objects from before this admission
 *   may hold anything
 */
export function containersOf(job: EphemeralJob): readonly EphemeralContainer[] {
  const given: unknown = specOf(job).template?.ephemeralContainers;
  if (!Array.isArray(given)) return [];
  const hasEnv = ({ env }: JsonObject): boolean => env === undefined || env === null || (Array.isArray(env) && env.every(isJsonObject));
  const isContainer = (value: unknown): boolean =>
    isJsonObject(value) && typeof value['name'] === 'string' && value['name'] !== '' && hasEnv(value);
  return given.every(isContainer) ? (given as readonly EphemeralContainer[]) : [];
}

/** The containers with what every Pod is compared with: a job may have hundreds of them, and its namespace thousands of Pods. */
export interface Template {
  readonly containers: readonly EphemeralContainer[];
  readonly names: ReadonlySet<string>;
  /** Containers of a Pod that the containers look into. */
  readonly targets: ReadonlySet<string>;
}

export const templateOf = (containers: readonly EphemeralContainer[]): Template => ({
  containers,
  names: new Set(containers.map(({ name }) => name)),
  targets: new Set(containers.flatMap(({ targetContainerName: target = '' }) => (target === '' ? [] : [target]))),
});

/** The container with the mark of its job. */
export function marked(container: EphemeralContainer, job: EphemeralJob): EphemeralContainer {
  const mark = { name: ephemeralJobEnvNames.id, value: job.metadata.uid ?? '' };
  const others = (container.env ?? []).filter(({ name }) => name !== mark.name);
  return { ...container, env: [...others, mark] };
}

const isMarked = ({ env }: Pick<EphemeralContainer, 'env'>, job: EphemeralJob): boolean =>
  env?.some(({ name, value }) => name === ephemeralJobEnvNames.id && value === job.metadata.uid) === true;

export interface Presence {
  /** The Pod has a container of this job. */
  readonly own: boolean;
  /** The Pod has a container of a name of the template that is not of this job: it can never be a target. */
  readonly foreign: boolean;
}

export function presenceIn(pod: Pod, job: EphemeralJob, { names }: Template): Presence {
  const same = (pod.spec.ephemeralContainers ?? []).filter(({ name }) => names.has(name));
  return { own: same.some((one) => isMarked(one, job)), foreign: same.some((one) => !isMarked(one, job)) };
}

/**
 * Whether the API server can add the containers to the Pod, judged by its own containers: none of them has one of the names, and
 * the target containers exist.
 */
export function hasRoomFor({ spec }: Pod, { names, targets }: Template): boolean {
  const held = new Set([...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name));
  return ![...held].some((name) => names.has(name)) && [...targets].every((name) => held.has(name));
}
