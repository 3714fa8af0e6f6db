/** Shared code of the tests of BroadcastJobs' admission. */
import { setIn } from '@kruise/objects';
import type { Members } from '../../conversion/converter.ts';
import { defaultGates, type Gates } from '../../gates/feature-gates.ts';
import { defaultBroadcastJob } from './defaults.ts';

/** A minimal job. */
export const bare: Members = {
  metadata: { name: 'pull', namespace: 'default' },
  spec: { template: { spec: { containers: [{ name: 'main', image: 'busybox:1' }], restartPolicy: 'Never' } } },
};

/** Returns the object with a value. @param path with dots; numbers are indexes of lists */
export const having = (path: string, value: unknown, object: Members = bare): Members =>
  setIn<Members>(
    object,
    path.split('.').map((part): string | number => (/^\d+$/.test(part) ? Number(part) : part)),
    value,
  );

export const filled = (object: Members, oldObject?: Members, gates: Partial<Gates> = {}): Members =>
  defaultBroadcastJob(object, { oldObject, gates: { ...defaultGates, ...gates } });
