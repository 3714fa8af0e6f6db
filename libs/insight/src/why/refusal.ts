/**
 * What a refusal of the API server means, and what to do about it. The order is that of the first sign that matches. Conditions and events of
 * workloads hold nothing of it but the message.
 */

/** A kind of refusal. */
export interface Refusal {
  readonly reason: string;
  /** Names in braces are groups of the pattern: what the message names. */
  readonly what: string;
  readonly next: string;
}

const refusals: readonly (readonly [RegExp, Refusal])[] = [
  [
    /\bexceeded quota: (?<name>[^\s,]+)/,
    {
      reason: 'QuotaExceeded',
      what: 'ResourceQuota {name} allows no more',
      next: 'Raise the ResourceQuota that the message names, or delete what is not needed in the namespace.',
    },
  ],
  [
    /\b(?:minimum|maximum) (?:cpu|memory|ephemeral-storage) usage per|\bmust specify (?:limits|requests)|\bfailed quota:/,
    {
      reason: 'LimitRangeRefuses',
      what: 'the resources of a container do not fit a LimitRange or ResourceQuota',
      next: 'Set requests and limits of the containers as the message says.',
    },
  ],
  [
    /\bviolates PodSecurity "(?<level>[^"]*)"/,
    {
      reason: 'PodSecurityRefuses',
      what: 'Pod Security {level} refuses the Pod',
      next: 'Change the securityContext as the message lists, or the label pod-security.kubernetes.io/enforce of the namespace.',
    },
  ],
  [
    /\bpodunavailablebudget\.policy\.kruise\.io "[^"]*" is forbidden:|\bviolate the pod's disruption budget/,
    {
      reason: 'BudgetRefuses',
      what: 'a budget allows no further Pod to become unavailable',
      next: 'Wait until more Pods are available, or raise the limit of the budget.',
    },
  ],
  [
    /\bValidatingAdmissionPolicy '(?<name>.+?)' with binding '.+?' denied request(?:: (?<rule>.+))?/s,
    {
      reason: 'PolicyRefuses',
      what: 'ValidatingAdmissionPolicy {name} refuses: {rule}',
      next: 'Change the template as the policy requires; the message names the policy.',
    },
  ],
  [
    /\bfailed calling webhook "(?<name>[^"]*)"/,
    {
      reason: 'WebhookFails',
      what: 'admission webhook {name} does not answer',
      next: 'Check the Service and Pods of the webhook that the message names, or its failurePolicy.',
    },
  ],
  [
    /\badmission webhook "(?<name>[^"]+)" denied the request(?:: (?<rule>.+))?/s,
    {
      reason: 'PolicyRefuses',
      what: 'admission webhook {name} refuses: {rule}',
      next: 'Change the template as the message requires; the webhook and its rule are named there.',
    },
  ],
  [
    /^.*\bserviceaccount "(?<name>[^"]*)" not found|\berror looking up service account/s,
    {
      reason: 'ServiceAccountMissing',
      what: 'ServiceAccount {name} of the Pods does not exist',
      next: 'Create the ServiceAccount, or correct spec.serviceAccountName of the template.',
    },
  ],
  [
    /\bno PriorityClass with name (?<name>\S*)/,
    {
      reason: 'PriorityClassMissing',
      what: 'PriorityClass {name} of the Pods does not exist',
      next: 'Create the PriorityClass, or correct spec.priorityClassName of the template.',
    },
  ],
  [
    /\balready exists\b|\bexists already\b|\bconflicts with existing pod/i,
    {
      reason: 'NameTaken',
      what: 'another object has the name',
      next: 'Delete or rename the object that has the name; it belongs to another owner.',
    },
  ],
  [
    /\bnamespace .* (?:is being terminated|because it is being terminated)/,
    {
      reason: 'NamespaceTerminating',
      what: 'the namespace is being deleted',
      next: 'Wait for the deletion, then create the object in another namespace.',
    },
  ],
  [
    /\bis forbidden: User "[^"]+" cannot\b/,
    {
      reason: 'ControllerLacksRight',
      what: 'the controller lacks a right',
      next: 'Grant the verb and resource that the message names to the service account of the controller.',
    },
  ],
  [
    /\bis invalid:|\bInvalid value:/,
    {
      reason: 'TemplateInvalid',
      what: 'the API server does not accept the Pod',
      next: 'Correct the fields of the template that the message names.',
    },
  ],
];

/** Returns the text with the groups filled in, without what a group that is absent would have said. */
const filled = (text: string, groups: Readonly<Record<string, string | undefined>>): string =>
  text.replaceAll(/:? \{(\w+)\}/g, (place, name: string) => {
    const value = groups[name] ?? '';
    return value === '' ? '' : place.replace(`{${name}}`, () => value);
  });

/** Returns the kind of a refusal, with what the message names; undefined for an unknown message. */
export function refusalOf(message: string): Refusal | undefined {
  for (const [pattern, refusal] of refusals) {
    const match = pattern.exec(message);
    if (match !== null) return { ...refusal, what: filled(refusal.what, match.groups ?? {}) };
  }
  return undefined;
}
