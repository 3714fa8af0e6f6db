/** Shared code of the tests of BroadcastJobs' admission. */
import { setIn, type JsonObject } from '@kruise/objects';
import { defaultGates, type Gates } from '../../gates/feature-gates.ts';
import { defaultBroadcastJob } from './defaults.ts';

/** A minimal job. */
export const bare: JsonObject = {
  metadata: { name: 'pull', namespace: 'default' },
  spec: { template: { spec: { containers: [{ name: 'main', image: 'busybox:1' }], restartPolicy: 'Never' } } },
};

/** Returns the object with a value. @param path with dots; numbers are indexes of lists */
export const having = (path: string, value: unknown, object: JsonObject = bare): JsonObject =>
  setIn<JsonObject>(
    object,
    path.split('.').map((part): string | number => (/^\d+$/.test(part) ? Number(part) : part)),
    value,
  );

export const filled = (object: JsonObject, oldObject?: JsonObject, gates: Partial<Gates> = {}): JsonObject =>
  defaultBroadcastJob(object, { oldObject, gates: { ...defaultGates, ...gates } });
