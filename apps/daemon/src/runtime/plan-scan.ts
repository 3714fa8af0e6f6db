/** Decides what follows from one scan of all candidates: which runtimes are used from now on. @see spec/daemon.md 3 */

export type Finding<Connection> =
  | { readonly kind: 'Usable'; readonly socket: string; readonly name: string; readonly version: string; readonly connection: Connection }
  | { readonly kind: 'Unusable'; readonly socket: string; readonly why: string };

export interface Runtime<Connection> {
  /** For example `containerd`: the scheme of its container ids. */
  readonly name: string;
  readonly version: string;
  readonly socket: string;
  readonly connection: Connection;
}

export interface Scan<Connection> {
  /** One for each name, in the order of the candidates. */
  readonly runtimes: readonly Runtime<Connection>[];
  /** Connections that are no longer used. */
  readonly unused: readonly Connection[];
  /** One line for every scanned path. */
  readonly summary: string;
}

/**
 * Plans after a scan.
 *
 * @param known runtimes in use so far: one that does not answer now stays until another socket has its name, because it may be restarting
 * @param findings in the order of the candidates; of one name the first counts
 */
export function planScan<Connection>(known: readonly Runtime<Connection>[], findings: readonly Finding<Connection>[]): Scan<Connection> {
  const byName = new Map<string, Runtime<Connection>>();
  const offered = new Set<Connection>(known.map(({ connection }) => connection));
  for (const finding of findings) {
    if (finding.kind !== 'Usable') continue;
    offered.add(finding.connection);
    const { name, version, socket, connection } = finding;
    if (!byName.has(name)) byName.set(name, { name, version, socket, connection });
  }
  const answering = new Set([...byName.values()].map(({ socket }) => socket));
  for (const runtime of known) if (!byName.has(runtime.name) && !answering.has(runtime.socket)) byName.set(runtime.name, runtime);
  const places = new Map(findings.map(({ socket }, place) => [socket, place]));
  const placeOf = ({ socket }: Runtime<Connection>): number => places.get(socket) ?? findings.length;
  const runtimes = [...byName.values()].toSorted((a, b) => placeOf(a) - placeOf(b));
  for (const { connection } of runtimes) offered.delete(connection);
  return { runtimes, unused: [...offered], summary: findings.map(describe).join('; ') };
}

const describe = <C>(finding: Finding<C>): string =>
  finding.kind === 'Usable' ? `${finding.socket}: ${finding.name} ${finding.version}` : `${finding.socket}: ${finding.why}`;
