import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { ProtectionRecord } from '../process/protection-log.ts';
import { createProtectionRecorder } from './protection-metrics.ts';

describe('refused deletions', () => {
  it('and operations are counted under the metric of their kind and recorded', async () => {
    const registry = new Registry();
    const recorded: ProtectionRecord[] = [];
    const record = createProtectionRecorder(registry, { record: (entry) => recorded.push(entry) });
    const entry = (Kind: string): ProtectionRecord => ({ Event: 'DeletionProtection', Kind, Namespace: 'ns', Name: 'n', UserAgent: 'me' });
    record(entry('CloneSet'));
    record(entry('Namespace'));
    record(entry('CustomResourceDefinition'));
    record(entry('Service'));
    record({ ...entry('Namespace'), UserAgent: 'you' });
    record({ ...entry('ReplicaSet'), Event: 'PodUnavailableBudget', Namespace: '' });
    const text = await registry.metrics();
    expect(text).toContain('pod_unavailable_budget{kind_namespace_name="ReplicaSet_default_n",username="me"} 1');
    expect(text).toContain('workload_deletion_protection{kind_namespace_name="CloneSet_ns_n",username="me"} 1');
    expect(text).toContain('namespace_deletion_protection{name="n",username="me"} 1');
    expect(text).toContain('namespace_deletion_protection{name="n",username="you"} 1');
    expect(text).toContain('crd_deletion_protection{name="n",username="me"} 1');
    expect(text).toContain('workload_deletion_protection{kind_namespace_name="Service_ns_n",username="me"} 1');
    expect(recorded).toHaveLength(6);
  });

  const counting = (): { registry: Registry; recorded: ProtectionRecord[]; deny: (over: Partial<ProtectionRecord>) => void } => {
    const registry = new Registry();
    const recorded: ProtectionRecord[] = [];
    const record = createProtectionRecorder(registry, { record: (entry) => recorded.push(entry) });
    const entry: ProtectionRecord = { Event: 'DeletionProtection', Kind: 'CloneSet', Namespace: 'ns', Name: 'n', UserAgent: 'me' };
    return { registry, recorded, deny: (over) => record({ ...entry, ...over }) };
  };
  const seriesOf = async (registry: Registry): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('of 51 names and more of a namespace are counted together, those of others by name, and all are logged', async () => {
    const { registry, recorded, deny } = counting();
    for (let index = 0; index < 80; index++) deny({ Name: `n${index}` });
    deny({ Namespace: 'quiet' });
    deny({ Name: 'n49' });
    const series = await seriesOf(registry);
    expect(series).toHaveLength(52);
    expect(series).toContain('workload_deletion_protection{kind_namespace_name="other",username="other"} 30');
    expect(series).toContain('workload_deletion_protection{kind_namespace_name="CloneSet_quiet_n",username="me"} 1');
    expect(series).toContain('workload_deletion_protection{kind_namespace_name="CloneSet_ns_n49",username="me"} 2');
    expect(recorded).toHaveLength(82);
  });

  it('have at most a thousand series, and one more for each metric', async () => {
    const { registry, deny } = counting();
    for (let index = 0; index < 3000; index++)
      deny({ Namespace: `ns${index % 100}`, Name: `n${index}`, Event: index % 2 === 0 ? 'DeletionProtection' : 'PodUnavailableBudget' });
    expect(await seriesOf(registry)).toHaveLength(1002);
  });

  it('are counted and logged under names that are not longer than 253 characters', async () => {
    const { registry, recorded, deny } = counting();
    const long = 'x'.repeat(1000);
    deny({ Kind: long, Namespace: long, Name: long, UserAgent: long });
    const cut = `${'x'.repeat(252)}…`;
    expect(recorded).toEqual([{ Event: 'DeletionProtection', Kind: cut, Namespace: cut, Name: cut, UserAgent: cut }]);
    expect(await seriesOf(registry)).toEqual([
      `workload_deletion_protection{kind_namespace_name="${cut}_${cut}_${cut}",username="${cut}"} 1`,
    ]);
  });
});
