/** What sidecars take over from the containers that a Pod came with. Worked out when it is first asked for, once for all sidecars. */
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

/** `$(NAME)` in a sub path. */
const reference = /\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)/g;

const isInjected = ({ env }: Container): boolean =>
  env?.some(({ name, value }) => name === sidecarSetEnvNames.isInjected && value === 'true') === true;

function namedEnv({ env, volumeMounts }: Container): readonly EnvVar[] {
  const names = new Set(
    (volumeMounts ?? []).flatMap(({ subPathExpr }) => Array.from((subPathExpr ?? '').matchAll(reference), ([, name]) => name)),
  );
  if (names.size === 0) return [];
  // The first of a name, as in a search from the front: entries from the back overwrite each other.
  const variables = new Map((env ?? []).toReversed().map((variable) => [variable.name, variable]));
  return [...names].flatMap((name) => variables.get(name as string) ?? []);
}

export class PodSources {
  readonly #pod: Pod;
  readonly #containers: readonly Container[];
  #shared: SharedParts | undefined;
  #env: ReadonlyMap<string, EnvVar> | undefined;
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

  /** The variables that a sidecar takes over; those that are not there are left out and noted. */
  transferred(transfers: readonly SidecarTransferEnv[]): readonly EnvVar[] {
    return transfers.flatMap((transfer) => {
      const source = this.#sourceOf(transfer);
      if (source === undefined) return [];
      const names = sortUtf8([...new Set([...(transfer.envName ? [transfer.envName] : []), ...(transfer.envNames ?? [])])]);
      return names.flatMap((name) => this.#variable(`${source}/${name}`));
    });
  }

  #variable(place: string): readonly EnvVar[] {
    const found = this.#variables.get(place);
    if (found !== undefined) return [found];
    this.missing.push(place);
    return [];
  }

  /** Name of the container to take from; undefined when the reference cannot be followed. */
  #sourceOf({ sourceContainerName = '', sourceContainerNameFrom }: SidecarTransferEnv): string | undefined {
    const fieldPath = sourceContainerNameFrom?.fieldRef?.fieldPath;
    if (fieldPath === undefined) return sourceContainerName;
    const parsed = parseMetadataFieldPath(fieldPath);
    return parsed === undefined ? undefined : (this.#pod.metadata[parsed.from]?.[parsed.key] ?? '');
  }

  get #variables(): ReadonlyMap<string, EnvVar> {
    this.#env ??= new Map(
      this.#containers.flatMap((container) =>
        (container.env ?? []).map((variable) => [`${container.name}/${variable.name}`, variable] as const),
      ),
    );
    return this.#env;
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
