/**
 * A program that measures the CPU of a write: it reads a verb a line, makes a round of such calls, and answers with the CPU of one of them in
 * microseconds. One program stays for all rounds, so that start and warm-up are not counted.
 */
import { createInterface } from 'node:readline';
import type { Pod } from '@kruise/objects';
import { each } from '../each.ts';
import { unboundPod } from '../objects/realistic-pod.ts';

export const verbs = ['create', 'patch', 'status', 'delete'] as const;
export type Verb = (typeof verbs)[number];

const callsPerRound = 300;
const parallelCalls = 16;

export interface Written {
  readonly pod: Pod;
  readonly status: NonNullable<Pod['status']>;
  readonly key: { readonly name: string; readonly namespace: string };
  /** What a patch changes: an annotation, as most writes of controllers do. */
  readonly patch: () => object;
}

/** Serves rounds until the input ends. @param writer goes into the names of the Pods */
export async function serveRounds(
  writer: string,
  namespace: string,
  writes: Readonly<Record<Verb, (pod: Written) => Promise<unknown>>>,
): Promise<void> {
  const pods = Array.from({ length: callsPerRound }, (_, at): Written => {
    const { pod, status } = unboundPod(at, writer, namespace);
    const patch = (): object => ({ metadata: { annotations: { 'bench/mark': `${process.hrtime.bigint()}-${at}` } } });
    return { pod, status, key: { name: pod.metadata.name, namespace }, patch };
  });
  for await (const verb of createInterface({ input: process.stdin })) {
    const before = process.cpuUsage();
    await each(callsPerRound, (at) => writes[verb as Verb](pods[at] as Written), parallelCalls);
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(`${(user + system) / callsPerRound}\n`);
  }
}
