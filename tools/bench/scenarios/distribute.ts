/** A ResourceDistribution to many namespaces: what it costs, that it rests, and how soon a new namespace has its copy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { resourceDistributions, type ResourceDistribution } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { configMaps, namespaces } from '@kruise/objects';
import { each } from '../each.ts';
import { LiveObjects } from '../live-objects.ts';
import { requestsOf, verbs } from '../manager/api-server-requests.ts';
import { cpu, ownWork, rowsOf, wallTime } from '../manager/measures.ts';
import { phaseOf } from '../manager/object-phases.ts';
import { onStage } from '../manager/stage.ts';
import { manifest } from '../objects/manifest.ts';
import { replace } from '../objects/workloads.ts';
import { quantile } from '../statistics.ts';
import { rowsAbout } from '../table.ts';

const name = 'settings';
const idleSeconds = 30;
const settleMs = 5_000;
const later = 50;
const flags = ['--feature-gates=ResourceDistributionGate=true'];
const labels = { bench: 'yes' };

/** What the controller reads or writes, events included. */
const concerned = { resource: /^(configmaps|secrets|namespaces|resourcedistributions|events)$/, verb: verbs.allButWatch };

const distribution = manifest<ResourceDistribution>('resource-distribution.yaml')({ name, text: 'color: blue '.repeat(85) });

/** One namespace after the other. @returns milliseconds until each has its copy */
async function measureNewNamespaces(client: Client): Promise<readonly number[]> {
  await using copies = await LiveObjects.watch(client, configMaps, { fieldSelector: `metadata.name=${name}` });
  const delays: number[] = [];
  for (let at = 0; at < later; at++) {
    const copied = copies.first(({ metadata }) => metadata.namespace === `later-${at}`);
    const began = performance.now();
    await client.create(namespaces, { metadata: { name: `later-${at}`, labels } });
    delays.push((await copied).at - began);
  }
  return delays;
}

export const measure = onStage(
  () => ({ pods: 0, simulatedNodes: 0, controllers: false, flags }),
  async ({ client, phases: runPhases, progress, record, sizes: { namespaces: count } }) => {
    progress(`${count} namespaces`);
    await each(count, (at) => client.create(namespaces, { metadata: { name: `target-${at}`, labels } }));
    await sleep(settleMs);
    const isDone = ({ succeeded }: NonNullable<ResourceDistribution['status']>): boolean => succeeded === count;
    const changes = [
      { name: 'create', isDone },
      { name: 'new contents', patch: [replace('/spec/resource/data', { color: 'green' })], isDone },
    ];
    const phases = await runPhases(changes.map((change) => phaseOf(resourceDistributions, distribution, count, change)));
    await sleep(settleMs);
    progress(`${idleSeconds} s in which nothing changes`);
    const before = await requestsOf(client, concerned);
    await sleep(idleSeconds * 1000);
    const idleRequests = (await requestsOf(client, concerned)) - before;
    progress(`${later} namespaces more, one after the other`);
    const delays = await measureNewNamespaces(client);
    record({ idleRequests, delays });
    const title = `ResourceDistribution, ${count.toLocaleString('en-US')} namespaces:`;
    const writes = { what: 'writes a namespace', ours: (phase: { readonly writes: number }) => phase.writes / count, limit: 1.2 };
    const afterwards = rowsAbout(title, {
      [`requests in ${idleSeconds} s in which nothing changes`]: { ours: idleRequests, limit: 0 },
      'from the creation of one more to its copy, median (ms)': quantile(delays, 0.5),
      'from the creation of one more to its copy, p99 (ms)': { ours: quantile(delays, 0.99), limit: 1000 },
    });
    return [...rowsOf(phases, [writes, wallTime, cpu, ownWork], `${title} `), ...afterwards];
  },
);
