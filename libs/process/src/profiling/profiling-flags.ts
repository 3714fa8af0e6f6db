/** The flags of the profiling server, the same in every program except for the port. @see spec/operations.md 3.1 */
import { boolFlag, stringFlag, type Flag } from '../flags/flag-set.ts';
import { parseListenAddress } from '../listen.ts';
import { isLoopback } from '../loopback.ts';

/** The values of the flags. */
export interface ProfilingFlags {
  readonly 'enable-pprof': boolean;
  readonly 'pprof-addr': string;
  readonly 'enable-heap-snapshots': boolean;
}

type OfKind<K extends Flag['kind']> = Extract<Flag, { kind: K }>;

/**
 * Returns the flags.
 *
 * @param port of the default address, which is on localhost: an agent uses the network of its host
 */
export const profilingFlags = (
  port: number,
): {
  readonly 'enable-pprof': OfKind<'bool'>;
  readonly 'pprof-addr': OfKind<'string'>;
  readonly 'enable-heap-snapshots': OfKind<'bool'>;
} => ({
  'enable-pprof': boolFlag(true, 'Serve profiles on demand.'),
  'pprof-addr': stringFlag(`localhost:${port}`, 'Address of /debug/pprof/.'),
  'enable-heap-snapshots': boolFlag(false, 'Serve heap snapshots, which hold every secret in memory; needs --pprof-addr on localhost.'),
});

/** Returns one line for each faulty value. An unused address is not checked. */
export function profilingFaults(flags: ProfilingFlags): readonly string[] {
  if (!flags['enable-pprof']) return [];
  const text = flags['pprof-addr'];
  const address = parseListenAddress(text);
  if (address === undefined) return [`--pprof-addr must be host:port or :port, not "${text}"`];
  return flags['enable-heap-snapshots'] && !isLoopback(address.host)
    ? [`--pprof-addr must be of localhost, 127.0.0.1 or [::1] with --enable-heap-snapshots, not "${text}"`]
    : [];
}
