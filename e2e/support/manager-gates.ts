/** The feature gates that the managers of the cluster run with. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from '@kruise/objects';
import { kubectl } from './programs.ts';

const system = 'kruise-system';
const deployment = 'deployment/kruise-controller-manager';
const flag = '--feature-gates=';

const longestWaitMs = 180_000;

/** A replica that is being deleted still answers, with the gates of before. */
async function untilOldOnesAreDeleted(): Promise<void> {
  const deadline = performance.now() + longestWaitMs;
  for (;;) {
    const text = await kubectl('-n', system, 'get', 'pods', '-l', 'control-plane=controller-manager', '-o', 'json');
    const { items } = JSON.parse(text) as { readonly items: readonly Pod[] };
    if (items.every(({ metadata }) => metadata.deletionTimestamp === undefined)) return;
    if (performance.now() > deadline) throw new Error('the former managers still exist');
    await sleep(200);
  }
}

async function argsNow(): Promise<readonly string[]> {
  const { spec } = JSON.parse(await kubectl('-n', system, 'get', deployment, '-o', 'json')) as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } } };
  };
  return spec.template.spec.containers[0]?.args ?? [];
}

/**
 * Restarts the managers unless they run with these gates. The last `--feature-gates` counts: the first one is the chart's.
 *
 * @param gates the value of the flag; empty for what the chart was installed with
 */
export async function ensureGates(gates: string): Promise<void> {
  const present = await argsNow();
  const own = present.find((arg) => arg.startsWith(flag));
  const args = [...present.filter((arg) => arg === own || !arg.startsWith(flag)), ...(gates === '' ? [] : [`${flag}${gates}`])];
  if (args.join('\n') === present.join('\n')) return;
  const change = [{ op: 'replace', path: '/spec/template/spec/containers/0/args', value: args }];
  await kubectl('-n', system, 'patch', deployment, '--type=json', '-p', JSON.stringify(change));
  await kubectl('-n', system, 'rollout', 'status', deployment, '--timeout=180s');
  await untilOldOnesAreDeleted();
}
