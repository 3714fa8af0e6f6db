/**
 * Sums what a Pod requests of its node, by resource. Pure. @see
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
import { parseQuantity, type Container, type PodSpec } from '@kruise/objects';

/** In billionths of the unit. */
type Amounts = ReadonlyMap<string, bigint>;

/** Returns the amounts. A limit is a request too, unless there is one, as the API server completes the Pod. An invalid quantity requests nothing. */
const amountsOf = (list: Readonly<Record<string, unknown>>): Amounts =>
  new Map(
    Object.entries(list).flatMap(([name, text]) => {
      const quantity = parseQuantity(text);
      return quantity === undefined ? [] : [[name, quantity.nanos] as const];
    }),
  );
const ofContainer = ({ resources }: Container): Amounts => amountsOf({ ...resources?.limits, ...resources?.requests });

function combined(a: Amounts, b: Amounts, combine: (a: bigint, b: bigint) => bigint): Amounts {
  const all = new Map(a);
  for (const [name, amount] of b) all.set(name, combine(all.get(name) ?? 0n, amount));
  return all;
}
const sum = (a: Amounts, b: Amounts): Amounts => combined(a, b, (x, y) => x + y);
const most = (a: Amounts, b: Amounts): Amounts => combined(a, b, (x, y) => (x > y ? x : y));

const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/**
 * Returns the requests by resource name, in billionths of the unit. Containers and sidecars run at the same time. An init container runs beside the
 * sidecars before it. The greater of the two counts, and the overhead of the sandbox is added.
 */
export function podRequests({ containers, initContainers, overhead }: PodSpec): Amounts {
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of initContainers ?? []) {
    const own = ofContainer(container);
    if (isSidecar(container)) sidecars = sum(sidecars, own);
    starting = most(starting, isSidecar(container) ? sidecars : sum(sidecars, own));
  }
  const running = containers.map(ofContainer).reduce(sum, sidecars);
  return sum(most(running, starting), amountsOf(overhead ?? {}));
}
