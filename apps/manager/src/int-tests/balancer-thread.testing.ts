/**
 * The thread of `webhook-balancer.testing.ts`: between an API server and the replicas it must pass on what one end does at once, whatever the test is
 * doing meanwhile, as a kernel does.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';

/** Where a replica is reached. */
export interface ReplicaPorts {
  readonly webhook: number;
  readonly health: number;
}

/** What the thread tells: where it listens, once, then how many replicas new connections go to, and how many each has got. */
export type Told = { readonly port: number } | { readonly ready: number; readonly connections: readonly number[] };

/** About what a node takes to learn of an endpoint. */
const pollMs = 200;

const replicas = new Map<number, ReplicaPorts>();
const ready = new Set<number>();
/** By port, in the order in which the replicas were added. */
const connections = new Map<number, number>();
let turn = 0;

const tell = (told: Told): void => parentPort?.postMessage(told);

async function isReady({ health }: ReplicaPorts): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${health}/readyz`, { signal: AbortSignal.timeout(5_000) })).status === 200;
  } catch {
    return false; // not listening (yet, any more)
  }
}

function poll(): void {
  for (const ports of replicas.values())
    void isReady(ports).then((is) => {
      if (is) ready.add(ports.webhook);
      else ready.delete(ports.webhook);
      tell({ ready: ready.size, connections: [...connections.values()] });
    });
}

function join(client: Socket): void {
  const port = [...ready][turn++ % Math.max(ready.size, 1)];
  if (port === undefined) {
    client.destroy();
    return;
  }
  connections.set(port, (connections.get(port) ?? 0) + 1);
  const upstream = connect(port, '127.0.0.1');
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.setNoDelay(true);
    // A reset is passed on as one: who sent something learns at once that it was not taken.
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}

const server = createServer(join);
parentPort?.on('message', (ports: ReplicaPorts) => {
  replicas.set(ports.webhook, ports);
  connections.set(ports.webhook, 0);
});
server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }));
setInterval(poll, pollMs);
