/** Which resource a kind is served as, asked of the API server. */
import { discoverGroupVersion, type Client, type Clock } from '@kruise/kube';
import { groupOf, type ResourceType } from '@kruise/objects';

/** No resource of this kind is served: whoever named it will learn, and it is asked again later. */
export class UnknownKind extends Error {
  override readonly name = 'UnknownKind';
}

export interface MappedKind {
  readonly type: ResourceType;
  /** Whether it has the subresource `scale`. */
  readonly isScaled: boolean;
}

/** What was found is believed for so long; an entry is replaced by the next, so there are as many as kinds that were asked for. */
const believedMs = 60_000;

const parsedApiVersion = (apiVersion: string): { readonly group: string; readonly version: string } => ({
  group: groupOf(apiVersion),
  version: apiVersion.slice(apiVersion.indexOf('/') + 1),
});

export class KindMapper {
  readonly #client: Pick<Client, 'raw'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #known = new Map<string, { readonly kind: MappedKind; readonly until: number }>();

  constructor(client: Pick<Client, 'raw'>, clock: Pick<Clock, 'monotonic'>) {
    this.#client = client;
    this.#clock = clock;
  }

  /** @throws UnknownKind when it is not served, ApiError when that cannot be known */
  async map(apiVersion: string, kind: string, signal: AbortSignal): Promise<MappedKind> {
    const key = `${apiVersion}|${kind}`;
    const known = this.#known.get(key);
    if (known !== undefined && this.#clock.monotonic() < known.until) return known.kind;
    this.#known.delete(key);
    const groupVersion = parsedApiVersion(apiVersion);
    const resources = (await discoverGroupVersion(this.#client, groupVersion, { signal })) ?? [];
    const resource = resources.find((one) => one.kind === kind && !one.name.includes('/'));
    if (resource === undefined) throw new UnknownKind(`kind ${kind} of ${apiVersion} is not served`);
    const { name: plural, namespaced } = resource;
    const type = { ...groupVersion, kind, plural, namespaced };
    const mapped = { type, isScaled: resources.some(({ name }) => name === `${plural}/scale`) };
    this.#known.set(key, { kind: mapped, until: this.#clock.monotonic() + believedMs });
    return mapped;
  }
}
