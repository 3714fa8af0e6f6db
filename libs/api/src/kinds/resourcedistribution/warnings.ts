/** Warnings about a ResourceDistribution that is allowed but probably a mistake: shown to the user, never refused. */
import { isEmptyLabelSelector, isJsonObject, memberAt, type JsonObject } from '@kruise/objects';
import { systemNamespaces } from './names.ts';

const includedIn = (object: JsonObject): readonly string[] => {
  const items = memberAt(object, 'spec', 'targets', 'includedNamespaces', 'list');
  return Array.isArray(items) ? items.map((item) => memberAt(item, 'name')).filter((name) => typeof name === 'string') : [];
};

const hasSelector = (object: JsonObject): boolean => {
  const selector = memberAt(object, 'spec', 'targets', 'namespaceSelector');
  return isJsonObject(selector) && !isEmptyLabelSelector(selector);
};

function targetWarnings(object: JsonObject): readonly string[] {
  const included = includedIn(object);
  const isAll = memberAt(object, 'spec', 'targets', 'allNamespaces') === true;
  const isNarrowed = included.length > 0 || hasSelector(object);
  const system = included.filter((name) => systemNamespaces.includes(name));
  return [
    ...(isAll && isNarrowed ? ['spec.targets: with allNamespaces, includedNamespaces and namespaceSelector have no effect'] : []),
    ...(!isAll && !isNarrowed ? ['spec.targets: selects no namespace; name some, select some by labels, or set allNamespaces'] : []),
    ...system.map((name) => `spec.targets.includedNamespaces: ${name} never gets anything`),
  ];
}

/** Returns the warnings. @param object in v1beta1, of any shape */
export function resourceDistributionWarnings(object: JsonObject): readonly string[] {
  const namespace = memberAt(object, 'spec', 'resource', 'metadata', 'namespace');
  const isGiven = typeof namespace === 'string' && namespace !== '';
  const isToken = memberAt(object, 'spec', 'resource', 'type') === 'kubernetes.io/service-account-token';
  return [
    ...(isGiven ? ['spec.resource.metadata.namespace: has no effect; spec.targets says where copies go'] : []),
    ...(isToken ? ['spec.resource.type: Kubernetes creates a separate token for each copy if the service account exists'] : []),
    ...targetWarnings(object),
  ];
}
