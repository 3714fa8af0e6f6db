/** Before the tests of `gates/`: the managers get the gates that are off by default and would change what other tests expect. */
import { withGates } from './manager-gates.ts';

const gates = [
  'CloneSetEventHandlerOptimization',
  'CloneSetPartitionRollback',
  'CloneSetShortHash',
  'DaemonSetPruneIneligibleNodes',
  'InPlaceWorkloadVerticalScaling',
  'PersistentPodStateAutoCleanup',
  'PreparingUpdateAsUpdate',
  'RecreatePodWhenChangeVCTInCloneSetGate',
  'RecreatePodWhenChangeVCTInStatefulSetGate',
  'ResourcesDeletionProtection',
];

/** Where the teardown finds what undoes it: Jest runs both in one process, each with modules of its own. */
export const restoreKey = Symbol.for('kruise.e2e.restoreGates');

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default async function turnOn(): Promise<void> {
  Reflect.set(globalThis, restoreKey, await withGates(Object.fromEntries(gates.map((gate) => [gate, true]))));
}
