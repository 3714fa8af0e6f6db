/** The feature gates that the managers of the cluster run with. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from '@kruise/objects';
import { kubectl } from './programs.ts';

const system = 'kruise-system';
const deployment = 'deployment/kruise-controller-manager';
const flag = '--feature-gates=';

const longestWaitMs = 180_000;

/** A replica on its way out still answers, with the gates of before. */
async function untilOldOnesAreGone(): Promise<void> {
  const deadline = performance.now() + longestWaitMs;
  for (;;) {
    const text = await kubectl('-n', system, 'get', 'pods', '-l', 'control-plane=controller-manager', '-o', 'json');
    const { items } = JSON.parse(text) as { readonly items: readonly Pod[] };
    if (items.every(({ metadata }) => metadata.deletionTimestamp === undefined)) return;
    if (performance.now() > deadline) throw new Error('the managers of before are still there');
    await sleep(200);
  }
}

/** Replaces the arguments of the managers and waits until they alone answer. */
async function setArgs(args: readonly string[]): Promise<void> {
  const change = [{ op: 'replace', path: '/spec/template/spec/containers/0/args', value: args }];
  await kubectl('-n', system, 'patch', deployment, '--type=json', '-p', JSON.stringify(change));
  await kubectl('-n', system, 'rollout', 'status', deployment, '--timeout=180s');
  await untilOldOnesAreGone();
}

/**
 * Restarts the managers with these gates, whatever they ran with before.
 *
 * @returns what restarts them as they were
 */
export async function withGates(gates: Readonly<Record<string, boolean>>): Promise<() => Promise<void>> {
  const { spec } = JSON.parse(await kubectl('-n', system, 'get', deployment, '-o', 'json')) as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } } };
  };
  const original = spec.template.spec.containers[0]?.args ?? [];
  const held = original.find((arg) => arg.startsWith(flag))?.slice(flag.length) ?? '';
  const kept = held.split(',').filter((gate) => gate !== '' && !(gate.split('=')[0]!.trim() in gates));
  const all = [...kept, ...Object.entries(gates).map(([name, isOn]) => `${name}=${isOn}`)];
  await setArgs([...original.filter((arg) => !arg.startsWith(flag)), `${flag}${all.join(',')}`]);
  return () => setArgs(original);
}
