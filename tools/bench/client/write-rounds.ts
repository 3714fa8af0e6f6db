/**
 * A program that measures the CPU of a write: it reads `{"verb","count"}` a line, makes that many calls, and answers with the CPU they
 * took. One program stays for all rounds, so that start and warm-up are not counted.
 */
import { createInterface } from 'node:readline';

export const verbs = ['create', 'patch', 'status', 'delete'] as const;
export type Verb = (typeof verbs)[number];

export interface Order {
  readonly verb: Verb;
  readonly count: number;
}

export interface Answer {
  readonly cpuMicrosPerCall: number;
}

/** One call for the pod with this number. */
export type Write = (at: number) => Promise<unknown>;

const parallel = 16;

async function inParallel(count: number, write: Write): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await write(at);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

/** Serves orders until the input ends. */
export async function serveOrders(writes: Readonly<Record<Verb, Write>>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { verb, count } = JSON.parse(line) as Order;
    const before = process.cpuUsage();
    await inParallel(count, writes[verb]);
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(`${JSON.stringify({ cpuMicrosPerCall: (user + system) / count } satisfies Answer)}\n`);
  }
}
