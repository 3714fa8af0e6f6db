/** Free TCP ports on this machine. */
import { createServer } from 'node:net';

/** Whether `port` of `host` can be listened on right now. */
export function isPortFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

const [lowest, count] = [17_000, 12_000];

/**
 * `wanted` different ports that are free on every address, below the range that the kernel hands to outgoing connections and below NodePorts,
 * starting at a random place so that callers at the same time hardly meet.
 */
export async function findFreePorts(wanted: number): Promise<readonly number[]> {
  const start = Math.floor(Math.random() * count);
  const found: number[] = [];
  for (let step = 0; step < count && found.length < wanted; step += 1) {
    const port = lowest + ((start + step) % count);
    if (await isPortFree(port, '0.0.0.0')) found.push(port);
  }
  if (found.length < wanted)
    throw new Error(`found only ${found.length} of ${wanted} free ports between ${lowest} and ${lowest + count - 1}`);
  return found;
}
