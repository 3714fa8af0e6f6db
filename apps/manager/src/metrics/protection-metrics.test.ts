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
});
