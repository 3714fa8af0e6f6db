/** Pods that need the Pod webhook, created at a steady rate while something happens to those who answer it. */
import { urlPath } from '@kruise/kube';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@kruise/kube';
import { pods, type Pod } from '@kruise/objects';

/** Whose Pods need the webhook. */
export const workload = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: '0', controller: true };

export interface Storm {
  readonly created: number;
  /** How often each refusal was heard. */
  readonly refused: Readonly<Record<string, number>>;
  /** When the creation of the last Pod began that was refused, by `performance.now()`; -Infinity when none was. */
  readonly lastRefusedBegan: number;
  readonly slowestMs: number;
}

export interface StormSettings {
  readonly client: Client;
  readonly namespace: string;
  readonly perSecond: number;
}

/** When both calls about a Pod were lost: nothing else may refuse one, and none may come without what it needs. */
const lostCalls = /failed calling webhook "kruise-workload\.mpod\.kb\.io"/;

/** What was heard for any other reason than that both calls were lost. */
export const otherRefusals = ({ refused }: Storm): readonly string[] => Object.keys(refused).filter((why) => !lostCalls.test(why));

export const refusals = ({ refused }: Storm): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

export const stormPod = (namespace: string, name: string, ownerReferences: readonly object[] = [workload]): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ownerReferences },
    spec: { containers: [{ name: 'main', image: 'x' }] },
  }) as unknown as Pod;

/** How many first calls about Pods the API server has lost so far. */
export async function lostFirstCalls(client: Client): Promise<number> {
  const text = String(await client.raw(urlPath`/metrics`, { mostBytes: 256 * 1024 * 1024 }));
  const counts = text.matchAll(/^apiserver_admission_webhook_fail_open_count\{[^}]*name="first[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/**
 * Creates Pods, as dry runs, until the work is done, and for half a second before and after. With half a second's worth of calls under way it waits for
 * one of them, as a machine that cannot follow would only pile them up.
 *
 * @param work is given how many Pods have been created so far
 */
export async function stormDuring(
  { client, namespace, perSecond }: StormSettings,
  work: (created: () => number) => Promise<unknown>,
): Promise<Storm> {
  const done = new AbortController();
  const underWay = new Set<Promise<void>>();
  const mostAtOnce = Math.ceil(perSecond / 2);
  let [calls, created] = [0, 0];
  const refused: Record<string, number> = {};
  let [slowestMs, lastRefusedBegan] = [0, -Infinity];
  const note = (why: string, began: number): void => {
    refused[why] = (refused[why] ?? 0) + 1;
    lastRefusedBegan = Math.max(lastRefusedBegan, began);
  };
  const one = async (index: number): Promise<void> => {
    const began = performance.now();
    try {
      const pod = await client.create(pods, stormPod(namespace, `p-${index}`), { dryRun: true });
      if (!JSON.stringify(pod.spec.readinessGates ?? []).includes('KruisePodReady')) note('came without the readiness gate', began);
      else created++;
    } catch (error) {
      note(String(error), began);
    }
    slowestMs = Math.max(slowestMs, performance.now() - began);
  };
  const loop = async (): Promise<void> => {
    for (let next = performance.now(); !done.signal.aborted; next += 1000 / perSecond) {
      const wait = next - performance.now();
      if (wait > 0) await sleep(wait);
      if (underWay.size >= mostAtOnce) await Promise.race(underWay);
      const call = one(calls++).finally(() => underWay.delete(call));
      underWay.add(call);
    }
  };
  const storm = loop();
  await sleep(500);
  try {
    await work(() => created);
    await sleep(500);
  } finally {
    done.abort();
    await storm;
    await Promise.all(underWay);
  }
  return { created, refused, lastRefusedBegan, slowestMs: Math.round(slowestMs) };
}

/** Prints figures for the page on webhook safety if KRUISE_STORM_REPORT is set. */
export function report(what: string, storm: Storm): void {
  if (process.env['KRUISE_STORM_REPORT'] === undefined) return;
  process.stderr.write(`${what}: ${storm.created} created, ${refusals(storm)} refused, slowest ${storm.slowestMs} ms\n`);
  for (const [why, times] of Object.entries(storm.refused)) process.stderr.write(`  ${times} times ${why}\n`);
}
