import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { findFreePorts, isPortFree } from './free-port.ts';

/** Returns the ports that another process finds while it may only use `from` and those after it. */
async function foundElsewhere(random: number): Promise<readonly number[]> {
  const module = new URL('./free-port.ts', import.meta.url).href;
  const script = `Math.random = () => ${random}; const { findFreePorts } = await import(${JSON.stringify(module)}); console.log(JSON.stringify(await findFreePorts(3)));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return JSON.parse(Buffer.concat(chunks).toString()) as readonly number[];
}

describe('free ports', () => {
  it('are different, unused, and not found by any other call in any process', async () => {
    const mine = await findFreePorts(3);
    expect(new Set(mine).size).toBe(3);
    expect(await Promise.all(mine.map((port) => isPortFree(port, '127.0.0.1')))).toEqual([true, true, true]);
    const [first = 0] = mine;
    const others = await foundElsewhere((first - 17_000) / 12_000);
    expect(others).toHaveLength(3);
    expect(others.filter((port) => mine.includes(port))).toEqual([]);
  });

  it('a port is not free while a server listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    expect(await isPortFree(port, '127.0.0.1')).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await isPortFree(port, '127.0.0.1')).toBe(true);
  });
});
