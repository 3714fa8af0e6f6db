/** The quality-of-service class of a Pod, as the API server computes it from the spec. */
import { parseQuantity } from '../values/quantity.ts';
import type { Container, PodSpec, ResourceRequirements } from './pod.ts';

/** `Guaranteed`, `Burstable` or `BestEffort`, as in `status.qosClass`. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** Only these two matter. */
const computeResources = ['cpu', 'memory'] as const;

type Amounts = ReadonlyMap<string, bigint>;

/** Returns positive cpu and memory amounts. An invalid quantity counts as absent. */
function amountsOf(list: Readonly<Record<string, unknown>> | undefined): Amounts {
  const amounts = new Map<string, bigint>();
  for (const name of computeResources) {
    const value = list !== undefined && Object.hasOwn(list, name) ? parseQuantity(list[name]) : undefined;
    if (value !== undefined && value.nanos > 0n) amounts.set(name, value.nanos);
  }
  return amounts;
}

const sum = (total: Map<string, bigint>, amounts: Amounts): void => {
  for (const [name, value] of amounts) total.set(name, (total.get(name) ?? 0n) + value);
};

/**
 * Returns the class of a Pod. Guaranteed: every container (init containers too) limits cpu and memory, and the given requests equal the limits in
 * total. BestEffort: no container requests or limits cpu or memory. Otherwise Burstable. Resources of the Pod itself, when given, decide alone.
 *
 * @remarks Reads only the spec: a Pod whose requests have not been defaulted from its limits yet counts as if they had.
 */
export function qosClassOf(spec: PodSpec): QosClass {
  const ofPod = (spec as { readonly resources?: ResourceRequirements }).resources;
  if (ofPod !== undefined) return classify([ofPod]);
  const containers: readonly Container[] = [...(spec.initContainers ?? []), ...spec.containers];
  return classify(containers.map((container) => container.resources ?? {}));
}

function classify(all: readonly ResourceRequirements[]): QosClass {
  const requests = new Map<string, bigint>();
  const limits = new Map<string, bigint>();
  let everyoneLimited = true;
  for (const resources of all) {
    const limit = amountsOf(resources.limits);
    const request = amountsOf(resources.requests);
    everyoneLimited &&= limit.size === computeResources.length;
    sum(limits, limit);
    // A limit is a request too, unless there is one.
    sum(requests, new Map([...limit, ...request]));
  }
  if (requests.size === 0) return 'BestEffort';
  const equal = computeResources.every((name) => requests.get(name) === limits.get(name));
  return everyoneLimited && equal ? 'Guaranteed' : 'Burstable';
}
