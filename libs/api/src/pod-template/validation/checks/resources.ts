/** Requests, limits and claims of containers. @see Kubernetes "Resource Management for Pods and Containers" */
import {
  checkQualifiedName,
  compareQuantities,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldRequired,
  fieldTypeInvalid,
  isUnset,
  objectAt,
  parseQuantity,
  textAt,
  type Quantity,
} from '@kruise/objects';
import { anyText, forEachObject, mapOf, objectOf, objectsOf, oneOf, required, uniqueIn, type Check, type Rule, type Run } from './check.ts';

const hugePages = 'hugepages-';
const standard: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isStandard = (name: string): boolean => standard.has(name) || name.startsWith(hugePages);
/** Kubernetes' own, `/` or not: any amount, and overcommit is allowed. */
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
/** Everything else is counted in whole devices and cannot be overcommitted. */
const isExtended = (name: string): boolean => !isStandard(name) && !isNative(name);

function nameFaults(name: string): readonly string[] {
  const faults = checkQualifiedName(name);
  if (faults.length > 0 || isStandard(name)) return faults;
  // Quotas name it with a prefix, and that must be a name, too.
  if (isExtended(name))
    return name.startsWith('requests.') || checkQualifiedName(`requests.${name}`).length > 0
      ? ["doesn't follow extended resource name standard"]
      : [];
  if (name.includes('/')) return [];
  return ['must be a standard resource type or fully qualified', 'must be a standard resource for containers'];
}

const nonNegative = 'must be greater than or equal to 0';
const notQuantity = 'must be a quantity, such as 100m, 1.5 or 2Gi';
const isWhole = ({ nanos }: Quantity): boolean => nanos % 1_000_000_000n === 0n;

/** Checks any amount that is not negative. */
export const quantity: Check = (value, path, run) => {
  checkAmount(value, path, run);
};

/** Checks an amount. @returns the amount, of any sign */
function checkAmount(value: unknown, path: string, { faults }: Run): Quantity | undefined {
  if (isUnset(value)) return undefined;
  const amount = parseQuantity(value);
  if (amount === undefined) faults.push(fieldTypeInvalid(path, value, notQuantity));
  else if (amount.nanos < 0n) faults.push(fieldInvalid(path, value, nonNegative));
  return amount;
}

/** Checks amounts by resource. */
export const resourceList = mapOf((name, value, { path, run }) => {
  const at = `${path}[${name}]`;
  for (const why of nameFaults(name)) run.faults.push(fieldInvalid(at, name, why));
  const amount = checkAmount(value, at, run);
  if (amount !== undefined && isExtended(name) && !isWhole(amount)) run.faults.push(fieldInvalid(at, value, 'must be an integer'));
});

/** Compares a request with its limit; extended resources and huge pages cannot be overcommitted. */
const requestsFitLimits: Rule = (resources, path, { faults }) => {
  const requests = objectAt(resources, 'requests') ?? {};
  const limits = objectAt(resources, 'limits') ?? {};
  for (const name of Object.keys(requests)) {
    const limit = Object.hasOwn(limits, name) ? parseQuantity(limits[name]) : undefined;
    const fixed = isExtended(name) || name.startsWith(hugePages);
    if (limit === undefined && !fixed) continue;
    const request = parseQuantity(requests[name]);
    if (request === undefined) continue;
    if (limit === undefined) {
      faults.push(fieldRequired(`${path}.limits`, 'Limit must be set for non overcommitable resources'));
      continue;
    }
    const wanted = wantedOrder(compareQuantities(request, limit), fixed);
    const detail = `must be ${String(wanted)} ${name} limit of ${String(limits[name])}`;
    if (wanted !== undefined) faults.push(fieldInvalid(`${path}.requests`, requests[name], detail));
  }
};

/** Returns what a request must be compared with its limit; undefined when it is. */
function wantedOrder(order: number, fixed: boolean): string | undefined {
  if (fixed) return order === 0 ? undefined : 'equal to';
  return order > 0 ? 'less than or equal to' : undefined;
}

const hugePagesNeedMore: Rule = (resources, path, { faults }) => {
  const lists = ['requests', 'limits'].map((list) => objectAt(resources, list) ?? {});
  const hasOther = lists.some((list) => Object.hasOwn(list, 'cpu') || Object.hasOwn(list, 'memory'));
  const alone = !hasOther && lists.some((list) => Object.keys(list).some((name) => name.startsWith(hugePages)));
  if (alone) faults.push(fieldForbidden(path, 'HugePages require cpu or memory'));
};

const claimsExist: Rule = (resources, path, { faults, pod }) => {
  const seen = new Set<string>();
  forEachObject(resources, 'claims', (claim, i) => {
    const name = textAt(claim, 'name');
    const id = JSON.stringify([name, textAt(claim, 'request')]);
    if (name !== '' && !pod.resourceClaims.has(name)) faults.push(fieldNotFound(`${path}.claims[${String(i)}].name`, name));
    else if (seen.has(id)) faults.push(fieldDuplicate(`${path}.claims[${String(i)}]`, name));
    seen.add(id);
  });
};

const claim = objectOf({ name: anyText, request: anyText }, required('name'));

export const resourceRequirements = objectOf(
  { limits: resourceList, requests: resourceList, claims: objectsOf(claim) },
  requestsFitLimits,
  hugePagesNeedMore,
  claimsExist,
);

const resizePolicy = objectOf(
  { resourceName: oneOf('cpu', 'memory'), restartPolicy: oneOf('NotRequired', 'RestartContainer') },
  required('resourceName', 'restartPolicy'),
);

export const resizePolicies = objectsOf(resizePolicy);
export const resizePoliciesAreUnique = uniqueIn('resizePolicy', 'resourceName');
