/** Which resource a kind is served as, asked of the API server. */
import { discoverGroupVersion, type Client, type Clock } from '@kruise/kube';
import { groupOf, isApiVersion, referenceLimits, type ResourceType } from '@kruise/objects';

/** No resource of this kind is served. The API server is asked again later. */
export class UnknownKind extends Error {
  override readonly name = 'UnknownKind';
}

export interface MappedKind {
  readonly type: ResourceType;
  /** Whether it has the subresource `scale`. */
  readonly isScaled: boolean;
}

/** What was found is believed for so long. That nothing was is believed for `first` at first, and twice as long each time, up to `believedMs`. */
const believedMs = 60_000;
const first = 1000;

const parsedApiVersion = (apiVersion: string): { readonly group: string; readonly version: string } => ({
  group: groupOf(apiVersion),
  version: apiVersion.slice(apiVersion.indexOf('/') + 1),
});

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`;

interface Believed {
  /** Undefined when it is not served. */
  readonly mapped: MappedKind | undefined;
  readonly forMs: number;
  readonly until: number;
}

/** @param before what was believed until now */
const notServedFor = (before: Believed | undefined): number =>
  before === undefined || before.mapped !== undefined ? first : Math.min(2 * before.forMs, believedMs);

export class KindMapper {
  readonly #client: Pick<Client, 'raw'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By apiVersion and kind, oldest first; the oldest leaves when there are more than `referenceLimits.rememberedKinds`. */
  readonly #known = new Map<string, Believed>();

  constructor(client: Pick<Client, 'raw'>, clock: Pick<Clock, 'monotonic'>) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Nothing is sent for an apiVersion that no server can serve.
   *
   * @param options.afresh asks also for a kind that was not served a moment ago
   * @throws UnknownKind when it is not served, ApiError when that cannot be known
   */
  async map(apiVersion: string, kind: string, signal: AbortSignal, { afresh = false } = {}): Promise<MappedKind> {
    const mapped = isApiVersion(apiVersion) ? await this.#believed(apiVersion, kind, { afresh, signal }) : undefined;
    if (mapped === undefined) throw new UnknownKind(`kind ${kind} of ${apiVersion} is not served`);
    return mapped;
  }

  /** The API server is asked again for this kind. */
  forget(apiVersion: string, kind: string): void {
    this.#known.delete(keyOf(apiVersion, kind));
  }

  async #believed(
    apiVersion: string,
    kind: string,
    { afresh, signal }: { readonly afresh: boolean; readonly signal: AbortSignal },
  ): Promise<MappedKind | undefined> {
    const key = keyOf(apiVersion, kind);
    const known = this.#known.get(key);
    const isBelieved = known !== undefined && this.#clock.monotonic() < known.until;
    if (isBelieved && !(afresh && known.mapped === undefined)) return known.mapped;
    const mapped = await this.#ask(parsedApiVersion(apiVersion), kind, signal);
    this.#known.delete(key);
    const forMs = mapped === undefined ? notServedFor(known) : believedMs;
    this.#known.set(key, { mapped, forMs, until: this.#clock.monotonic() + forMs });
    const [oldest] = this.#known.keys();
    if (this.#known.size > referenceLimits.rememberedKinds.value && oldest !== undefined) this.#known.delete(oldest);
    return mapped;
  }

  async #ask(groupVersion: ReturnType<typeof parsedApiVersion>, kind: string, signal: AbortSignal): Promise<MappedKind | undefined> {
    const resources = (await discoverGroupVersion(this.#client, groupVersion, { signal })) ?? [];
    const resource = resources.find((one) => one.kind === kind && !one.name.includes('/'));
    if (resource === undefined) return undefined;
    const { name: plural, namespaced } = resource;
    return { type: { ...groupVersion, kind, plural, namespaced }, isScaled: resources.some(({ name }) => name === `${plural}/scale`) };
  }
}
