/** Admission accepts the example on the page of this kind unchanged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { broadcastJobWarnings, defaultBroadcastJob, defaultGates, validateBroadcastJob, type BroadcastJob } from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { noneRefused } from '@kruise/workloads';
import { parse } from 'yaml';
import { plan } from '@kruise/kinds/broadcastjob';
import { aNode } from './cluster.testing.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/broadcast-job.md'), 'utf8');
const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const example = parse(text) as BroadcastJob & JsonObject;

describe('the example of the page', () => {
  const complete = defaultBroadcastJob(example, { oldObject: undefined, gates: defaultGates });

  it('is admitted without a warning', () => {
    expect(validateBroadcastJob(complete, { allowPrivileged: true, hostNetworkHostPorts: true })).toEqual([]);
    expect(broadcastJobWarnings(complete, { oldObject: undefined })).toEqual([]);
  });

  it('begins with a fifth of the nodes, tainted ones included', () => {
    const job = { ...complete, metadata: { ...example.metadata, uid: 'uid' } } as unknown as BroadcastJob;
    const taints = [{ key: 'team', value: 'blue', effect: 'NoSchedule' }];
    const nodes = Array.from({ length: 11 }, (_, index) =>
      aNode(`n${String(index).padStart(2, '0')}`, index === 0 ? { spec: { taints } } : {}),
    );
    const context = { now: 0 as never, placedByScheduler: true };
    const { create, status } = plan({ job, pods: [], nodes, takenNames: new Set(), refused: noneRefused }, context);
    expect([create.length, status?.desired]).toEqual([3, 11]);
  });
});
