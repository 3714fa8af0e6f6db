/** Workloads of Kubernetes as the controllers of this process hold them, which do not create their Pods. */
import { canonicalJson, fnv1, fnv1a, isJsonObject } from '@kruise/objects';
import type { BuiltInWorkload, HeldTemplate } from '@kruise/workloads';

/**
 * Keeps the number of Pods, selector, name, update strategy and progress. Of the template, the largest part of such an
 * object, it keeps the labels and a hash for comparisons. Such workloads are never written back.
 */
export function slimWorkload({ apiVersion, kind, metadata, spec, status }: BuiltInWorkload): BuiltInWorkload {
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata,
    ...(spec === undefined ? {} : { spec: slimSpec(spec) }),
    ...(status === undefined ? {} : { status: slimStatus(status) }),
  };
}

const pick = <T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Pick<T, K>;

/** One that is slim already stays as it is. */
function slimTemplate(template: HeldTemplate): HeldTemplate {
  if (template.digest !== undefined) return template;
  const { labels, ...metadata } = template.metadata ?? {};
  const text = canonicalJson({ ...template, metadata });
  const digest = `${fnv1(text)}-${fnv1a(text)}-${text.length}`;
  return { ...(labels === undefined ? {} : { metadata: { labels } }), digest };
}

const slimSpec = (spec: NonNullable<BuiltInWorkload['spec']>) => ({
  ...pick(spec, ['replicas', 'selector', 'ordinals', 'updateStrategy', 'strategy']),
  ...(isJsonObject(spec.template) ? { template: slimTemplate(spec.template) } : {}),
});
/** Of the conditions that one which says that Pods cannot be made. */
function slimStatus(status: NonNullable<BuiltInWorkload['status']>) {
  const failures = (status.conditions ?? []).filter(({ type }) => type === 'ReplicaFailure');
  return {
    ...pick(status, ['observedGeneration', 'replicas', 'readyReplicas', 'desiredNumberScheduled']),
    ...(failures.length === 0 ? {} : { conditions: failures }),
  };
}
