/**
 * Looks up the address of a host without libuv's thread pool: the agent has one thread there, and `getaddrinfo` occupies it until a name server that
 * does not answer is given up. c-ares uses sockets of its own, and the look-up ends when its signal aborts.
 */
import { readFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { orAborted, SystemClock, type Clock } from '@kruise/kube';
import { seconds } from '@kruise/objects';
import { listedAddresses, namesToAsk, parseSearchRules } from './plan-names.ts';

/** Where names are looked up; those of the machine when absent. */
export interface NameSources {
  readonly hostsFile?: string;
  readonly resolvConf?: string;
  /** `address` or `address:port`; those of /etc/resolv.conf when absent. */
  readonly servers?: readonly string[];
  /** Measures the wait for the second family of addresses; the system's clock when absent. */
  readonly clock?: Clock;
}

/** `timeout` is in milliseconds and applies to the first try. With the defaults of c-ares, a dropped query takes more than 20 s of the grace period. */
const patience = { timeout: 2000, tries: 2 } as const;
/** How long addresses of one family wait for those of the other. */
const familyPatience = seconds(1);

/** No address was found; `code` is that of the name server's answer. */
class HostUnknown extends Error {
  override readonly name = 'HostUnknown';
  readonly code: string;

  constructor(host: string, code: string) {
    super(`host ${JSON.stringify(host)} cannot be resolved: ${code}`);
    this.code = code;
  }
}

/** Returns the text of a file. Both are small files in memory or on the node's disk, read in microseconds. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'ESERVFAIL';
/** Returns whether the name has no address of this family, or does not exist. */
const isNoAddress = (code: string): boolean => code === 'ENOTFOUND' || code === 'ENODATA';

/** Looks up a name. @returns addresses of both families, as far as the second answers in time, or why there are none */
async function ask(resolver: Resolver, name: string, clock: Clock): Promise<readonly string[] | { readonly code: string }> {
  const families = [resolver.resolve4(name), resolver.resolve6(name)];
  const isFound = await Promise.any(families).then(
    () => true,
    () => false,
  );
  const late = isFound ? clock.schedule(familyPatience, () => resolver.cancel()) : undefined;
  const answers = await Promise.allSettled(families);
  late?.cancel();
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [codeOf(answer.reason)] : []));
  return { code: codes.find((code) => !isNoAddress(code)) ?? 'ENOTFOUND' };
}

/**
 * Looks up a host.
 *
 * @returns at least one address
 * @throws HostUnknown, and the reason of `signal` when that aborts before
 */
export async function resolveHost(host: string, signal: AbortSignal, sources: NameSources = {}): Promise<readonly string[]> {
  signal.throwIfAborted();
  const { hostsFile = '/etc/hosts', resolvConf = '/etc/resolv.conf', servers, clock = new SystemClock() } = sources;
  if (isIP(host) !== 0) return [host];
  const known = listedAddresses(host, textOf(hostsFile)).filter((address) => isIP(address) !== 0);
  if (known.length > 0) return known;
  const resolver = new Resolver(patience);
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    let failure = 'ENOTFOUND';
    for (const name of namesToAsk(host, parseSearchRules(textOf(resolvConf)))) {
      const answer = await orAborted(ask(resolver, name, clock), signal);
      if (!('code' in answer)) return answer;
      if (!isNoAddress(answer.code)) failure = answer.code;
    }
    throw new HostUnknown(host, failure);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Returns {@link resolveHost} for a socket: looks up until `signal` aborts. */
export const lookupUntil =
  (signal: AbortSignal, sources?: NameSources): LookupFunction =>
  (host, options, callback) => {
    const isWanted = (address: string): boolean =>
      options.family === undefined || options.family === 0 || isIPv6(address) === (options.family === 6 || options.family === 'IPv6');
    void resolveHost(host, signal, sources).then(
      (all) => {
        const addresses = all.filter(isWanted).map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = addresses;
        if (first === undefined) callback(new HostUnknown(host, 'ENOTFOUND'), '');
        else if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, ''),
    );
  };
