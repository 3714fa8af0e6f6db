/** Workloads of Kubernetes as the controllers of this process hold them: nobody here makes their Pods. */
import type { BuiltInWorkload } from './workload-types.ts';

/**
 * How many Pods there are to be, how they are found, named and updated, and how far that has come matters; the templates, the most of such an
 * object, do not. Such workloads are never written back.
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

const slimSpec = (spec: NonNullable<BuiltInWorkload['spec']>) =>
  pick(spec, ['replicas', 'selector', 'ordinals', 'updateStrategy', 'strategy']);
const slimStatus = (status: NonNullable<BuiltInWorkload['status']>) => pick(status, ['observedGeneration', 'replicas', 'readyReplicas']);
