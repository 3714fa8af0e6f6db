/** Admission accepts the examples on the page of this kind unchanged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { validateWorkloadSpread, workloadSpreadWhiteListKey, type WorkloadSpread } from '@kruise/api';
import type { ConfigMap, JsonObject, KubeObject } from '@kruise/objects';
import { parse } from 'yaml';
import { readWhiteList } from '@kruise/workloads';
import { SpreadCluster } from './cluster.testing.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/workload-spread.md'), 'utf8');
const [spread, config] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text) as KubeObject);

describe('the examples of the page', () => {
  it('are a WorkloadSpread that is let in, and spreads as the picture shows', async () => {
    const { spec } = spread as WorkloadSpread;
    const unlisted = { kind: 'Unsupported' } as const;
    const faults = validateWorkloadSpread(spread as KubeObject & JsonObject, {
      listed: () => unlisted,
      oldObject: undefined,
      others: [],
      template: undefined,
    });
    expect(faults).toEqual([]);
    const cluster = new SpreadCluster(spec.subsets);
    for (let index = 0; index < 8; index += 1) await cluster.create(cluster.newPod());
    expect(cluster.placed).toEqual({ 'zone-a': 5, 'zone-b': 3 });
    await cluster.stop();
  });

  it('are a white list that is understood', () => {
    expect(readWhiteList(config as ConfigMap, workloadSpreadWhiteListKey)).toMatchObject({
      kind: 'Read',
      kinds: [{ kind: 'GameServerSet', replicasPath: 'spec.replicas', subResources: [{ kind: 'GameServer' }] }],
    });
  });
});
