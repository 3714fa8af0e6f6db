/** Checks of `--pre`: what would prevent an installation. */
import { allKinds, crdName } from '@kruise/api';
import { counted, memberAt, objectsAt } from '@kruise/objects';
import { advice, check, fault, named, sound, type Check } from '../check.ts';
import { clusterChecks } from './cluster.ts';
import { storedVersions } from './definitions.ts';
import { areOutside, isScaledUp, nameOf, ownEntries } from '../installation.ts';
import { leftWebhooks } from '../left-webhooks.ts';

const mayInstall = check('own-rights', 'You may install the chart.', ['ownRights'], ({ ownRights }) => {
  const missing = ownRights.filter(({ allowed }) => !allowed);
  return missing.length === 0
    ? sound(counted(ownRights.length, 'right'))
    : fault(`You may not ${named(missing.map(({ right }) => right))}.`, 'Install as a cluster administrator.');
});

const noOtherManager = check('no-manager', 'No other installation runs.', ['managers'], ({ managers }, at) => {
  const elsewhere = managers.filter(({ metadata }) => metadata.namespace !== at.namespace).filter(isScaledUp);
  if (elsewhere.length > 0)
    return fault(`A manager runs already: ${named(elsewhere.map(nameOf))}.`, 'Upgrade that installation, or uninstall it first.');
  return managers.length === 0
    ? sound('none')
    : advice(`${named(managers.map(nameOf))} exists.`, 'helm upgrade replaces it without a restart of any Pod.');
});

const noLeftWebhooks = check(
  'no-left-webhooks',
  'No webhooks of a former installation are left.',
  ['managers', 'mutating', 'validating'],
  ({ managers, ...configurations }) => {
    const entries = ownEntries(configurations);
    const isInUse = managers.length > 0 || areOutside(entries);
    return leftWebhooks(entries, isInUse ? 'They belong to the manager that exists.' : undefined, ' of a former installation');
  },
);

const definitionsFree = check(
  'definitions-free',
  'No CRD is being deleted or belongs to another release.',
  ['definitions'],
  ({ definitions }) => {
    const all = allKinds.flatMap((kind) => definitions.get(crdName(kind)) ?? []);
    const deleted = all.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (deleted.length > 0)
      return fault(
        `CRDs are being deleted: ${named(deleted.map(({ metadata }) => metadata.name))}.`,
        'kubectl kruise check --uninstall shows which objects wait for a finalizer, and how to remove it.',
      );
    const foreign = all.filter(
      (one) => memberAt(one, 'spec', 'names', 'kind') === undefined || objectsAt(one, 'spec', 'versions').length === 0,
    );
    if (foreign.length > 0) return fault(`CRDs are damaged: ${named(foreign.map(nameOf))}.`, 'Apply the CRDs of the chart.');
    const owners = new Set(all.map(({ metadata }) => metadata.annotations?.['meta.helm.sh/release-name'] ?? ''));
    owners.delete('');
    return owners.size > 1
      ? fault(
          `The CRDs belong to several Helm releases: ${named([...owners])}.`,
          'Keep one release; see helm-chart.md of the documentation for adopting them.',
        )
      : sound(all.length === 0 ? 'none yet' : counted(all.length, 'definition'));
  },
);

export const preChecks: readonly Check[] = [
  ...clusterChecks.filter(({ name }) => ['server-version', 'pod-security', 'node-clocks', 'rollouts'].includes(name)),
  mayInstall,
  noOtherManager,
  noLeftWebhooks,
  definitionsFree,
  storedVersions,
];
