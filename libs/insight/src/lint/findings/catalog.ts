/** Every finding of lint, as data: the docs page, the SARIF rules and the tests read it. */

/** `error`: the API server refuses the object. `warning`: it accepts what cannot work. `note`: a hint. */
export type Severity = 'error' | 'warning' | 'note';

/** One kind of finding. */
export interface LintRule {
  readonly severity: Severity;
  /** A short name of the fault. */
  readonly title: string;
  /** What happens in the cluster. */
  readonly explanation: string;
  /** What the user does, unless the finding itself says it better. */
  readonly next: string;
}

/** By id. KR0xx are verdicts of the API server and the webhooks, KR1xx is what is legal and never works, KR2xx are hints. */
export const lintRules = {
  KR001: {
    severity: 'error',
    title: 'Unknown kind or version',
    explanation:
      'The group of Kruise has no such kind, or does not serve it in this version, so the API server does not find the resource.',
    next: 'Correct apiVersion and kind.',
  },
  KR002: {
    severity: 'error',
    title: 'Invalid metadata',
    explanation: 'The API server refuses the name, the labels or the annotations.',
    next: 'Correct the field.',
  },
  KR003: {
    severity: 'error',
    title: 'Does not conform to the schema',
    explanation: 'The API server refuses a field with another type or value than the schema of the CustomResourceDefinition allows.',
    next: 'Correct the field; kubectl explain prints its description.',
  },
  KR004: {
    severity: 'error',
    title: 'Refused by the webhook',
    explanation: 'The validating webhook of the manager refuses the object.',
    next: 'Correct the field.',
  },
  KR005: {
    severity: 'error',
    title: 'Kind is disabled',
    explanation: 'The webhook refuses every object of the kind while a feature gate of the manager is off.',
    next: 'Enable the gate in the manager, and name it with --feature-gates.',
  },
  KR006: {
    severity: 'warning',
    title: 'Unknown field',
    explanation:
      'The API server removes fields that the schema does not define, so they have no effect. kubectl refuses the file unless it runs with --validate=warn.',
    next: 'Correct the name of the field, or remove it.',
  },
  KR007: {
    severity: 'warning',
    title: 'Controller does not act',
    explanation:
      'The object is accepted, and its controller reports it as Blocked and does not act on it. An example is a CloneSet with more than 1,000,000 replicas.',
    next: 'Correct the field.',
  },
  KR008: {
    severity: 'warning',
    title: 'Defined twice',
    explanation: 'Two documents define the same object. The later one replaces the earlier one.',
    next: 'Remove or rename one of them.',
  },
  KR101: {
    severity: 'warning',
    title: 'VerticalPodAutoscaler cannot find its target',
    explanation:
      'The autoscaler ignores apiVersion, looks up kinds called StatefulSet and DaemonSet in group apps, and reports that the target does not exist.',
    next: 'Remove the VerticalPodAutoscaler, or use a CloneSet.',
  },
  KR102: {
    severity: 'warning',
    title: 'Autoscaler has a wrong target',
    explanation: 'The autoscaler requests the scale subresource in the group and version of scaleTargetRef, and does not find it.',
    next: 'Use the apiVersion of the workload.',
  },
  KR103: {
    severity: 'warning',
    title: 'Kind cannot be scaled',
    explanation: 'The kind has no scale subresource, so that no autoscaler can set its replicas.',
    next: 'Remove the autoscaler, or use a kind with replicas.',
  },
  KR104: {
    severity: 'warning',
    title: 'Budget never allows a disruption',
    explanation: 'All Pods must stay available, so that no node can be drained and no Pod can be updated or deleted.',
    next: 'Raise maxUnavailable, or lower minAvailable.',
  },
  KR105: {
    severity: 'warning',
    title: 'Partition stops every update',
    explanation: 'All Pods keep the old revision, because the partition is as large as the workload.',
    next: 'Lower the partition to begin the rollout.',
  },
  KR106: {
    severity: 'warning',
    title: 'No Pod may be unavailable during an update',
    explanation: 'The update waits indefinitely, because maxUnavailable allows 0 Pods.',
    next: 'Raise maxUnavailable.',
  },
  KR107: {
    severity: 'warning',
    title: 'Selects no Pods',
    explanation: 'No Pod template in the files has labels that the selector matches.',
    next: 'Correct the selector or the labels of the template.',
  },
  KR108: {
    severity: 'warning',
    title: 'Target has another group',
    explanation: 'The files contain a workload of this kind and name, but in another API group. The reference finds nothing.',
    next: 'Use the apiVersion of the workload.',
  },
  KR109: {
    severity: 'warning',
    title: 'Probe of an unknown container',
    explanation: 'A Pod template that the selector matches lacks the container, so that the probe does not run in its Pods.',
    next: 'Use the name of a container of the template.',
  },
  KR110: {
    severity: 'warning',
    title: 'Container cannot be recreated',
    explanation: 'The Pod in the files lacks the container, so that the webhook refuses the request when the Pod runs.',
    next: 'Use the name of a container of the Pod.',
  },
  KR201: {
    severity: 'note',
    title: 'Warning of the webhook',
    explanation: 'The webhook accepts the object and warns the client.',
    next: 'Follow the message, if the effect is not intended.',
  },
  KR202: {
    severity: 'note',
    title: 'Older version',
    explanation: 'The kind is also served as v1beta1, which has fields instead of annotations and is the stored version.',
    next: 'Use v1beta1.',
  },
  KR203: {
    severity: 'note',
    title: 'Target is not in the files',
    explanation: 'The files contain workloads, but not the referenced one. It may be in the cluster.',
    next: 'Check apiVersion, kind and name of the reference.',
  },
  KR204: {
    severity: 'note',
    title: 'Pull secret is not in the files',
    explanation: 'The files contain Secrets, but not this one. Images that need it are not pulled if it is not in the namespace either.',
    next: 'Check the name of the Secret.',
  },
  KR205: {
    severity: 'note',
    title: 'Replicas of a scaled workload',
    explanation: 'An autoscaler sets the replicas, and every kubectl apply sets them back to the number in the file.',
    next: 'Remove spec.replicas from the file.',
  },
} as const satisfies Readonly<Record<string, LintRule>>;

/** The id of a finding. */
export type LintId = keyof typeof lintRules;

/** All ids, in the order of the table. */
export const lintIds = Object.keys(lintRules) as readonly LintId[];

/** Returns whether a text is the id of a finding. */
export const isLintId = (text: string): text is LintId => Object.hasOwn(lintRules, text);
