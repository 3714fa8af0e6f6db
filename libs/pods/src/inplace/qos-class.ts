/** The quality-of-service class of a pod spec. */
import { type Container, type PodSpec, type Quantity, addQuantities, compareQuantities, parseQuantity } from '@kruise/objects';

/** The order in which Kubernetes evicts Pods under pressure. It is fixed when the Pod is created, so an in-place update must not change it. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

type Totals = ReadonlyMap<string, Quantity>;

const counted = ['cpu', 'memory'] as const;

function totals(containers: readonly Container[], list: 'limits' | 'requests'): Totals {
  const sums = new Map<string, Quantity>();
  for (const container of containers) {
    for (const name of counted) {
      const quantity = parseQuantity(container.resources?.[list]?.[name]);
      if (quantity === undefined || quantity.nanos <= 0n) continue;
      const sum = sums.get(name);
      sums.set(name, sum === undefined ? quantity : addQuantities(sum, quantity));
    }
  }
  return sums;
}

const hasBothLimits = (container: Container): boolean =>
  counted.every((name) => (parseQuantity(container.resources?.limits?.[name])?.nanos ?? 0n) > 0n);

function isWithinLimits(requests: Totals, limits: Totals): boolean {
  return [...requests].every(([name, request]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(limit, request) === 0;
  });
}

/**
 * Returns the class from cpu and memory of containers and init containers, as Kubernetes computes it. Requests that a template omits are not filled
 * in from limits, so compare results of this function only with each other.
 */
export function qosClassOf(spec: PodSpec | undefined): QosClass {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const requests = totals(containers, 'requests');
  const limits = totals(containers, 'limits');
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const guaranteed = containers.every(hasBothLimits) && requests.size === limits.size && isWithinLimits(requests, limits);
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
