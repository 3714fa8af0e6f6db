/** Which attacks of a hostile tenant there are, and which are submitted at the same time. */
import { clusterObjects, imageJobs, probesAndContainers, recreations } from './hostile-nodes.testing.ts';
import { type Attack, huge, isFull, products, references } from './hostile-objects.testing.ts';
import { chains, withPods, withTemplates } from './hostile-products.testing.ts';

/** Those at one place are submitted at the same time, each in a namespace of its own; in the full run each is submitted alone. */
const together: readonly (readonly Attack[])[] = [
  [...huge, ...references, recreations],
  [...products, clusterObjects],
  [...withPods.slice(0, 1), ...probesAndContainers],
  [...withPods.slice(1), ...withTemplates.slice(0, 1)],
  withTemplates.slice(1, 5),
  withTemplates.slice(5),
  imageJobs,
  chains,
];

/** In the order in which they are tried. */
export const attacks: readonly Attack[] = together.flat();

export interface AttackGroup {
  readonly name: string;
  readonly attacks: readonly Attack[];
}

export const attackGroups: readonly AttackGroup[] = (isFull ? attacks.map((attack) => [attack]) : together).map((group) => ({
  name: group.map(({ name }) => name).join('; and '),
  attacks: group,
}));
