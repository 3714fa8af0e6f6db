/** Checks of `--uninstall`: what an uninstall would delete, and what a former one left. */
import { counted, stringAt } from '@kruise/objects';
import { allKinds } from '@kruise/api';
import { advice, check, fault, named, skipped, sound, type Check } from './check.ts';
import { heldFault, heldNames } from './held-deletions.ts';
import { areOutside, isScaledUp, nameOf, ownEntries } from './installation.ts';
import { leftWebhooks } from './left-webhooks.ts';

const countedKinds = (counts: readonly { readonly kind: string; readonly objects: number }[]): string =>
  named(counts.map(({ kind, objects }) => counted(objects, kind)));

const ruleOf = (plural: string): string | undefined => allKinds.find((kind) => kind.plural === plural)?.atUninstall?.kind;

const noWorkloads = check('no-workloads', 'No workload would be deleted with its CRD.', ['counts'], ({ counts }) => {
  const left = counts.filter(({ plural, objects }) => objects > 0 && ruleOf(plural) === 'Refuse');
  return left.length === 0
    ? sound('none')
    : fault(
        `Uninstalling would delete ${countedKinds(left)}, and their Pods.`,
        'Move the Pods to other workloads, or delete these objects first.',
      );
});

const noOthers = check('no-objects', 'No other object would be deleted with its CRD.', ['counts'], ({ counts }) => {
  const left = counts.filter(({ plural, objects }) => objects > 0 && ruleOf(plural) === 'Warn');
  return left.length === 0
    ? sound('none')
    : advice(`Uninstalling deletes ${countedKinds(left)}.`, 'Save them first: kubectl get -A -o yaml.');
});

const noneTerminating = check(
  'no-finalizers',
  'No object waits for a finalizer that only the manager removes.',
  ['terminating', 'managers', 'mutating', 'validating'],
  (seen) => {
    if (seen.terminating.length === 0) return sound('none');
    return heldFault(seen) ?? advice(`Deletions wait for the manager: ${heldNames(seen.terminating)}.`, 'Uninstall after they have ended.');
  },
);

const noWebhooksWithoutManager = check(
  'no-left-webhooks',
  'No webhook is left without a manager.',
  ['managers', 'mutating', 'validating'],
  ({ managers, ...configurations }) => {
    const entries = ownEntries(configurations);
    return leftWebhooks(entries, managers.some(isScaledUp) || areOutside(entries) ? 'The manager runs.' : undefined);
  },
);

const noConversionWithoutManager = check(
  'no-left-conversion',
  'No CRD uses a conversion webhook without a manager.',
  ['managers', 'definitions', 'mutating', 'validating'],
  ({ managers, definitions, ...configurations }) => {
    if (managers.some(isScaledUp) || areOutside(ownEntries(configurations))) return skipped('The manager runs.');
    const converting = [...definitions.values()].filter(
      (definition) => stringAt(definition, 'spec', 'conversion', 'strategy') === 'Webhook',
    );
    return converting.length === 0
      ? sound('none')
      : fault(
          `${counted(converting.length, 'CRD uses', 'CRDs use')} a conversion webhook that no manager answers: namespaces with their objects cannot be deleted.`,
          'Delete the CRDs, or install a manager again.',
        );
  },
);

const noDefinitions = check(
  'no-definitions',
  'No CRD is being deleted.',
  ['definitions', 'terminating', 'managers', 'mutating', 'validating'],
  ({ definitions, ...seen }) => {
    const deleted = [...definitions.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(nameOf);
    if (deleted.length === 0) return sound('none');
    const held = heldFault(seen);
    const next =
      held !== undefined && 'next' in held
        ? held.next
        : `If this does not end, other programs have finalizers on its objects: kubectl get ${deleted[0] ?? ''} -A -o yaml shows them.`;
    return fault(`CRDs are being deleted: ${named(deleted)}.`, next);
  },
);

export const uninstallChecks: readonly Check[] = [
  noWorkloads,
  noOthers,
  noneTerminating,
  noWebhooksWithoutManager,
  noConversionWithoutManager,
  noDefinitions,
];
