/** References to workloads that the files do not contain. */
import type { KubeObject } from '@kruise/objects';
import { targetOf } from '@kruise/workloads';
import { finding } from '../findings/finding.ts';
import type { AcrossCheck, ChecksByKind } from './check.ts';

/** A target of another group is a fault; one that is absent may be in the cluster. */
const target: AcrossCheck = ({ object, namespace }, files) => {
  const wanted = targetOf(object as unknown as KubeObject);
  if (wanted === undefined || !files.hasWorkloads(namespace)) return [];
  const named = files.workloads(namespace, wanted.kind, wanted.name);
  if (named.some(({ group }) => group === wanted.group)) return [];
  const [other] = named;
  const what = `${wanted.kind} ${wanted.name}`;
  return other === undefined
    ? [finding('KR203', 'spec.targetRef', `${what} of ${wanted.group} is not in the files`)]
    : [
        finding(
          'KR108',
          'spec.targetRef.apiVersion',
          `${what} in the files has group ${other.group}, not ${wanted.group}`,
          `Use ${other.written.apiVersion}.`,
        ),
      ];
};

export const targetChecks: ChecksByKind = {
  'apps.kruise.io/PersistentPodState': [target],
  'apps.kruise.io/WorkloadSpread': [target],
  'policy.kruise.io/PodUnavailableBudget': [target],
};
