/** What sidecars take over from the containers that a Pod came with. Worked out when it is first requested, once for all sidecars. */
import { sidecarSetEnvNames, type SidecarTransferEnv } from '@kruise/api';
import { parseMetadataFieldPath, sortUtf8, type Container, type EnvVar, type Pod } from '@kruise/objects';

type Mount = NonNullable<Container['volumeMounts']>[number];
type Device = NonNullable<Container['volumeDevices']>[number];

export interface SharedParts {
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  /** What the sub paths of the mounts name. */
  readonly env: readonly EnvVar[];
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Letters, digits, `-`, `.` and `_`. */
const isNameCharacter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isDigit(code) || code === 0x2d || code === 0x2e || code === 0x5f;

/** The names of all `$(NAME)` in a sub path. No pattern: each match would cost as much as everything else that is done with the name. */
function* namesIn(subPath: string): Generator<string> {
  for (let at = subPath.indexOf('$('); at !== -1; at = subPath.indexOf('$(', at)) {
    const begin = at + 2;
    at = begin;
    while (isNameCharacter(subPath.charCodeAt(at))) at++;
    if (at > begin && subPath[at] === ')' && !isDigit(subPath.charCodeAt(begin))) yield subPath.slice(begin, at);
  }
}

const isInjected = ({ env }: Container): boolean =>
  env?.some(({ name, value }) => name === sidecarSetEnvNames.isInjected && value === 'true') === true;

/** In the order in which the sub paths name them; of several variables of a name the first. */
function namedEnv({ env, volumeMounts }: Container): readonly EnvVar[] {
  const found = new Map<string, EnvVar | undefined>();
  for (const { subPathExpr } of volumeMounts ?? []) for (const name of namesIn(subPathExpr ?? '')) found.set(name, undefined);
  if (found.size === 0) return [];
  for (const variable of env ?? [])
    if (found.get(variable.name) === undefined && found.has(variable.name)) found.set(variable.name, variable);
  return [...found.values()].filter((variable) => variable !== undefined);
}

export class PodSources {
  readonly #pod: Pod;
  readonly #containers: readonly Container[];
  #shared: SharedParts | undefined;
  /** By the name of the container. */
  #env: ReadonlyMap<string, ReadonlyMap<string, EnvVar>> | undefined;
  /** `container/variable` of what sidecars wanted to take over and the Pod has not. */
  readonly missing: string[] = [];

  /** @param pod with the annotations that the SidecarSets patch, and none of their containers yet */
  constructor(pod: Pod) {
    this.#pod = pod;
    this.#containers = pod.spec.containers ?? [];
  }

  /** Of all containers but injected ones, in their order; init containers share nothing. */
  get shared(): SharedParts {
    this.#shared ??= this.#collect();
    return this.#shared;
  }

  /** The variables that a sidecar takes over; those that are not there are omitted and noted. */
  transferred(transfers: readonly SidecarTransferEnv[]): readonly EnvVar[] {
    return transfers.flatMap((transfer) => {
      const source = this.#sourceOf(transfer);
      if (source === undefined) return [];
      const names = sortUtf8([...new Set([...(transfer.envName ? [transfer.envName] : []), ...(transfer.envNames ?? [])])]);
      return names.flatMap((name) => this.#variable(source, name));
    });
  }

  #variable(source: string, name: string): readonly EnvVar[] {
    const found = this.#variables.get(source)?.get(name);
    if (found !== undefined) return [found];
    this.missing.push(`${source}/${name}`);
    return [];
  }

  /** Name of the container to take from; undefined when the reference cannot be followed. */
  #sourceOf({ sourceContainerName = '', sourceContainerNameFrom }: SidecarTransferEnv): string | undefined {
    const fieldPath = sourceContainerNameFrom?.fieldRef?.fieldPath;
    if (fieldPath === undefined) return sourceContainerName;
    const parsed = parseMetadataFieldPath(fieldPath);
    return parsed === undefined ? undefined : (this.#pod.metadata[parsed.from]?.[parsed.key] ?? '');
  }

  /** Of several of a name the last. */
  get #variables(): ReadonlyMap<string, ReadonlyMap<string, EnvVar>> {
    if (this.#env !== undefined) return this.#env;
    const all = new Map<string, Map<string, EnvVar>>();
    for (const { name, env } of this.#containers) {
      const variables = all.get(name) ?? new Map<string, EnvVar>();
      all.set(name, variables);
      for (const variable of env ?? []) variables.set(variable.name, variable);
    }
    return (this.#env = all);
  }

  #collect(): SharedParts {
    const sharing = this.#containers.filter((container) => !isInjected(container));
    return {
      mounts: sharing.flatMap(({ volumeMounts }) => volumeMounts ?? []),
      devices: sharing.flatMap(({ volumeDevices }) => volumeDevices ?? []),
      env: sharing.flatMap(namedEnv),
    };
  }
}
