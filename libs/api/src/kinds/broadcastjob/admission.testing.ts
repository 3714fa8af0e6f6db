/** Shared code of the tests of BroadcastJobs' admission. */
import type { JsonObject } from '@kruise/objects';
import { defaultGates, type Gates } from '../../gates/feature-gates.ts';
import { defaultBroadcastJob } from './defaults.ts';
import { havingIn } from '../../validation/changed-objects.testing.ts';

/** A minimal job. */
export const bare: JsonObject = {
  metadata: { name: 'pull', namespace: 'default' },
  spec: { template: { spec: { containers: [{ name: 'main', image: 'busybox:1' }], restartPolicy: 'Never' } } },
};

export const having = havingIn(bare);

export const filled = (object: JsonObject, oldObject?: JsonObject, gates: Partial<Gates> = {}): JsonObject =>
  defaultBroadcastJob(object, { oldObject, gates: { ...defaultGates, ...gates } });
