/**
 * Which of our kinds this cluster has. A kind that is not installed is omitted; its controller does not run.
 * @see spec/manager.md 5.2
 */
import { allKinds, groups } from '@kruise/api';
import { discoverGroupVersion, type Client, type Clock, type Logger } from '@kruise/kube';
import { milliseconds, type Milliseconds } from '@kruise/objects';

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const groupVersions: readonly GroupVersion[] = [
  { group: groups.apps, version: 'v1beta1' },
  { group: groups.apps, version: 'v1alpha1' },
  { group: groups.policy, version: 'v1beta1' },
];

const retryDelays = [500, 2500, 12_500].map(milliseconds);

/** Answers whether `version` of a kind is served. */
export type Installed = (group: string, version: string, kind: string) => boolean;

/** What discovery found, each as `group/version/kind`: plain data, which the webhook thread gets too. */
export type InstalledKinds = readonly string[];

export function isAmong(kinds: InstalledKinds): Installed {
  const known = new Set(kinds);
  return (group, version, kind) => known.has(`${group}/${version}/${kind}`);
}

const isOurs = (group: string, kind: string): boolean => allKinds.some((ours) => ours.group === group && ours.kind === kind);

async function kindsOf(client: Client, { group, version }: GroupVersion, signal: AbortSignal): Promise<readonly string[]> {
  const resources = await discoverGroupVersion(client, { group, version }, { signal });
  const kinds = (resources ?? []).filter(({ kind }) => isOurs(group, kind)).map(({ kind }) => `${group}/${version}/${kind}`);
  return [...new Set(kinds)];
}

/** One discovery read for each group version, in parallel. */
const readKinds = async (client: Client, signal: AbortSignal): Promise<InstalledKinds> =>
  (await Promise.all(groupVersions.map((groupVersion) => kindsOf(client, groupVersion, signal)))).flat();

/** Failures other than "not there" are tried again three times, then thrown. */
export async function discoverKinds(client: Client, clock: Clock, signal: AbortSignal): Promise<InstalledKinds> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await readKinds(client, signal);
    } catch (error) {
      const delay = retryDelays[attempt];
      if (delay === undefined || signal.aborted) throw error;
      await clock.sleep(delay, signal);
    }
  }
}

/** How long discovery waits after a change of a CRD, so that CRDs that are installed together are established and found together. */
const settleDelay = milliseconds(3000);
const betweenLooks = milliseconds(60_000);

/**
 * The kinds that the API server serves. Discovery runs every minute, and soon after a CRD has changed. A kind that was served once stays known:
 * an API server that is starting lists its kinds one by one, and controllers must not stop because of that.
 */
export class KnownKinds {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #kinds: InstalledKinds;
  #more = new AbortController();
  #asked = new AbortController();

  constructor(kinds: InstalledKinds, parts: { readonly client: Client; readonly clock: Clock; readonly logger: Logger }) {
    this.#kinds = kinds;
    this.#client = parts.client;
    this.#clock = parts.clock;
    this.#logger = parts.logger.child({ logger: 'discovery' });
  }

  /** The kinds known now, and a signal that aborts when there are more. */
  get now(): { readonly kinds: InstalledKinds; readonly outdated: AbortSignal } {
    return { kinds: this.#kinds, outdated: this.#more.signal };
  }

  /** A CRD has changed. */
  lookSoon(): void {
    this.#asked.abort();
  }

  /** Runs discovery until `signal` aborts, and calls `onMore` with all kinds whenever there are more; never rejects. */
  async run(onMore: (kinds: InstalledKinds) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#sleep(betweenLooks, AbortSignal.any([signal, this.#asked.signal]));
      if (this.#asked.signal.aborted) await this.#sleep(settleDelay, signal);
      this.#asked = new AbortController();
      if (signal.aborted) return;
      const come = await this.#newKinds(signal);
      if (come.length === 0) continue;
      this.#logger.info({ kinds: come }, 'Starting the controllers of newly installed kinds');
      this.#kinds = [...this.#kinds, ...come];
      const outdated = this.#more;
      this.#more = new AbortController();
      onMore(this.#kinds);
      outdated.abort();
    }
  }

  async #newKinds(signal: AbortSignal): Promise<InstalledKinds> {
    try {
      const known = new Set(this.#kinds);
      return (await readKinds(this.#client, signal)).filter((kind) => !known.has(kind));
    } catch (error) {
      if (!signal.aborted) this.#logger.debug({ error }, 'Failed to read the installed kinds');
      return [];
    }
  }

  /** Returns at once when `signal` aborts. */
  async #sleep(length: Milliseconds, signal: AbortSignal): Promise<void> {
    await this.#clock.sleep(length, signal).catch(() => undefined);
  }
}
