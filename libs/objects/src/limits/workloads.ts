/** Bounds of what a workload controller plans and reads. */
import type { Limits } from './limit.ts';

export const workloadLimits = {
  replicas: {
    value: 1_000_000,
    unit: 'objects',
    bounds: '`spec.replicas` of a CloneSet, StatefulSet or UnitedDeployment',
    beyond:
      'Admission warns. The controller sets the condition `Blocked` with reason `InvalidSpec` and does nothing else until `spec.replicas` is lowered.',
    enforcedBy: 'manager',
  },
  actionsOfPass: {
    value: 500,
    unit: 'actions',
    bounds: 'Objects that one pass of a workload controller creates, and those that one stage of it changes or deletes',
    beyond: 'The next pass does the rest.',
    enforcedBy: 'manager',
  },
  activeOfCron: {
    value: 1000,
    unit: 'objects',
    bounds: 'Jobs of one AdvancedCronJob that are active at a time',
    beyond:
      'The manager creates no further job until one of them ends, and the event `TooManyActiveJobs` reports this. Set `spec.concurrencyPolicy` to Forbid or Replace, or run less often.',
    enforcedBy: 'manager',
  },
  activeFleetsOfCron: {
    value: 100,
    unit: 'objects',
    bounds: 'BroadcastJobs or ImageListPullJobs of one AdvancedCronJob that are active at a time, because each uses many nodes',
    beyond:
      'The manager creates no further job until one of them ends, and the event `TooManyActiveJobs` reports this. Set `spec.concurrencyPolicy` to Forbid or Replace, or run less often.',
    enforcedBy: 'manager',
  },
  keptOfCron: {
    value: 5000,
    unit: 'objects',
    bounds: 'Complete and failed jobs of one AdvancedCronJob that are kept, each, whatever the limits in its `spec` are',
    beyond:
      'Admission warns, and the manager deletes the oldest ones. Set `successfulJobsHistoryLimit` and `failedJobsHistoryLimit` to at most this number.',
    enforcedBy: 'manager',
  },
  selectorRequirements: {
    value: 1000,
    unit: 'entries',
    bounds: 'Requirements of a label selector: `matchLabels` and `matchExpressions` together',
    beyond:
      'Admission refuses the object, unless the update leaves the selector as it is. A stored selector beyond it selects nothing, and the conditions of the object report this. Use fewer keys.',
    enforcedBy: 'validating webhook, manager',
  },
  selectorValues: {
    value: 10_000,
    unit: 'entries',
    bounds: 'Values of a label selector: `values` of all `matchExpressions` together',
    beyond:
      'Admission refuses the object, unless the update leaves the selector as it is. A stored selector beyond it selects nothing, and the conditions of the object report this. Label the objects with one key instead.',
    enforcedBy: 'validating webhook, manager',
  },
  nodeRequirements: {
    value: 100,
    unit: 'entries',
    bounds:
      'Requirements of the required node affinity in the template of a DaemonSet or BroadcastJob, in all terms together; a term of one requirement with `In` does not count',
    beyond:
      'Admission refuses the object, unless the update adds none. A stored DaemonSet gets the condition `Blocked` with reason `InvalidSpec`, a stored BroadcastJob the event `InvalidSpec`, and its Pods stay as they are. Label the nodes and require that label.',
    enforcedBy: 'validating webhook, manager',
  },
  subsetsOfUnited: {
    value: 1000,
    unit: 'entries',
    bounds: '`spec.topology.subsets` of a UnitedDeployment',
    beyond:
      'Admission refuses the object, unless the update adds no subset. The controller sets the condition `Blocked` with reason `InvalidSpec` and leaves the children of a stored one as they are. Use several UnitedDeployments.',
    enforcedBy: 'validating webhook, manager',
  },
  childBytesOfUnited: {
    value: 32 << 20,
    unit: 'bytes',
    bounds:
      'Subsets of a UnitedDeployment times the size of its template, with the requirements that each subset adds to every term of its node affinity',
    beyond:
      'Admission refuses the object, unless the update adds nothing. The controller sets the condition `Blocked` with reason `InvalidSpec` and leaves the children of a stored one as they are. Use fewer subsets, a smaller template, or several UnitedDeployments.',
    enforcedBy: 'validating webhook, manager',
  },
  subsetsOfSpread: {
    value: 500,
    unit: 'entries',
    bounds: '`spec.subsets` of a WorkloadSpread',
    beyond:
      'Admission refuses the object, unless the update leaves the subsets as they are. For a stored one, the controller reports this and distributes no Pods. Use fewer subsets.',
    enforcedBy: 'validating webhook, manager',
  },
  patchedBytesOfPass: {
    value: 32 << 20,
    unit: 'bytes',
    bounds:
      'Pods that one pass of a WorkloadSpread merges with patches of subsets to find the subset of Pods without one; a Pod counts 4 KiB at least',
    beyond: 'The controller chooses the subsets of the other Pods only by node and free places.',
    enforcedBy: 'manager',
  },
  orderTerms: {
    value: 100,
    unit: 'entries',
    bounds: 'Terms of `weightPriority`, `orderPriority` and `scatterStrategy`, in each list, by which the Pods of an update are compared',
    beyond:
      'Admission refuses the object, unless the update adds none. The controller orders Pods by the first terms of a stored list, those of `scatterStrategy` with the most Pods. Use fewer terms.',
    enforcedBy: 'validating webhook, manager',
  },
  comparisonsOfPass: {
    value: 200_000,
    unit: 'entries',
    bounds: 'Comparisons of Pods without a subset with the subsets, and with the terms that those prefer, in one pass of a WorkloadSpread',
    beyond: 'The controller assigns the other Pods to the first subset with free places.',
    enforcedBy: 'manager',
  },
  versionsOfSpread: {
    value: 100,
    unit: 'entries',
    bounds: 'Versions of the Pods of a workload that a WorkloadSpread counts separately',
    beyond:
      'The controller counts the version of new Pods and those with the most Pods. It does not change Pods of other versions until one of the counted versions has none.',
    enforcedBy: 'manager',
  },
  writtenBytesOfUnited: {
    value: 8 << 20,
    unit: 'bytes',
    bounds:
      'Children that one stage of a pass of a UnitedDeployment creates or changes, by the size of the largest, and besides the number of objects above; one in any case',
    beyond: 'The next pass does the rest.',
    enforcedBy: 'manager',
  },
  joinedRequirements: {
    value: 100_000,
    unit: 'entries',
    bounds:
      'Requirements that come of the required node affinity of a Pod or template when the requirements of a subset are added to each of its terms; no object that the API server stores has as many',
    beyond:
      'The Pod webhook refuses the Pod and names the WorkloadSpread. Admission refuses a UnitedDeployment, unless the update adds none. For a stored one, the controller does not write the child, and reports this in `Blocked`. Use fewer terms.',
    enforcedBy: 'Pod webhook, manager',
  },
  joinedBytes: {
    value: 4 << 20,
    unit: 'bytes',
    bounds: 'These requirements as JSON; no object that the API server stores is as large',
    beyond:
      'The Pod webhook refuses the Pod and names the WorkloadSpread. Admission refuses a UnitedDeployment, unless the update adds nothing. For a stored one, the controller does not write the child, and reports this in `Blocked`. Use fewer terms, or fewer values.',
    enforcedBy: 'Pod webhook, manager',
  },
  triedBytesOfUnited: {
    value: 8 << 20,
    unit: 'bytes',
    bounds:
      'Templates with the patches of subsets that the review of a UnitedDeployment merges to warn of useless patches; equal patches count once, and one is merged in any case',
    beyond:
      'A warning of admission gives the number of patches that it has not tried. The controller reports a patch that cannot be applied in `Blocked`.',
    enforcedBy: 'validating webhook',
  },
  judgedBytesOfSpread: {
    value: 2 << 20,
    unit: 'bytes',
    bounds:
      'Templates with the patches of subsets that the review of a WorkloadSpread judges; equal patches count once, and one is judged in any case',
    beyond:
      'Admission accepts the other patches without trying them on the template, with a warning. A patch that results in an invalid Pod is detected when its Pods are created.',
    enforcedBy: 'validating webhook',
  },
  namedConfigs: {
    value: 16,
    unit: 'entries',
    bounds: 'ConfigMaps and Secrets that the annotation `apps.kruise.io/config-rollout` of one workload names',
    beyond: 'The workload keeps its hash, and the condition `Blocked` with reason `ConfigUnavailable` reports this. Name fewer objects.',
    enforcedBy: 'manager',
  },
  watchedConfigsOfNamespace: {
    value: 100,
    unit: 'objects',
    bounds: 'ConfigMaps and Secrets that these annotations name in one namespace, for each kind of workload',
    beyond:
      'A workload that names one more keeps its hash, and the condition `Blocked` with reason `ConfigUnavailable` reports this. Share ConfigMaps between workloads.',
    enforcedBy: 'manager',
  },
  watchedConfigs: {
    value: 5000,
    unit: 'objects',
    bounds: 'ConfigMaps and Secrets that these annotations name in all namespaces, for each kind of workload: each is one watch',
    beyond:
      'The workload that names one more keeps the hash that it has, and the condition `Blocked` with reason `ConfigUnavailable` says so. Share ConfigMaps between workloads, or put several files into one.',
    enforcedBy: 'manager',
  },
  configRolloutWait: {
    value: 10_000,
    unit: 'milliseconds',
    bounds:
      'The shortest time between two hashes of the ConfigMaps and Secrets of one workload, and the time for which changed content waits',
    beyond: 'The manager uses the contents at the end of this time. A ConfigMap that changes continuously leads to 6 revisions a minute.',
    enforcedBy: 'manager',
  },
} as const satisfies Limits;
