/** What every Pod of a DaemonSet tolerates, so that it stays when others are evicted. @see spec/daemonset.md 5.3 */
import type { PodSpec } from '@kruise/objects';
import type { Toleration } from './tolerations.ts';

const exists = (condition: string, effect: 'NoExecute' | 'NoSchedule'): Toleration => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect,
});

const ofAll = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
];
/** Pods on the node's network need no other. */
const ofHostNetwork = [exists('network-unavailable', 'NoSchedule')];

const isSame = (a: Toleration, b: Toleration): boolean =>
  (['key', 'effect', 'operator', 'value'] as const).every((member) => (a[member] ?? '') === (b[member] ?? ''));

/** Returns the template's own tolerations, with equal ones replaced by ours, then the missing ones of ours. A template may have null for none. */
export function daemonTolerations({ tolerations: own, hostNetwork }: Pick<PodSpec, 'tolerations' | 'hostNetwork'>): readonly Toleration[] {
  const tolerations = own ?? [];
  const ours = hostNetwork === true ? [...ofAll, ...ofHostNetwork] : ofAll;
  // eslint-disable-next-line kruise/cross-product -- the program writes seven of them
  const missing = ours.filter((one) => !tolerations.some((held) => isSame(held, one)));
  // eslint-disable-next-line kruise/cross-product -- as above
  return [...tolerations.map((held) => ours.find((one) => isSame(held, one)) ?? held), ...missing];
}
