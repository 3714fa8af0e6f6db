/** Checks of the CustomResourceDefinitions. */
import { allKinds, crdName, storedVersion } from '@kruise/api';
import { counted, isConditionTrue, memberAt, objectsAt, stringAt } from '@kruise/objects';
import { type Untyped } from '../../objects/untyped.ts';
import { advice, check, fault, named, skipped, sound, type Check } from '../check.ts';
import { inNamespace, imageOf, ownEntries, tagOf } from '../installation.ts';

const hasCondition = (definition: Untyped, type: string): boolean => isConditionTrue(objectsAt(definition, 'status', 'conditions'), type);

const definitionsExist = check(
  'definitions',
  'Every kind has its CustomResourceDefinition, and it is established.',
  ['definitions'],
  ({ definitions }) => {
    const absent = allKinds.map(crdName).filter((name) => !definitions.has(name));
    if (absent.length > 0)
      return fault(
        `CRDs do not exist: ${named(absent)}.`,
        'Apply the CRDs of the chart (crds.managed=true). The manager finds them without a restart.',
      );
    const all = [...definitions.values()];
    const deleted = all.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (deleted.length > 0)
      return fault(
        `CRDs are being deleted: ${named(deleted.map(({ metadata }) => metadata.name))}.`,
        'kubectl kruise check --uninstall shows what their deletion waits for. Then apply the CRDs again.',
      );
    const refused = all.filter((one) => !hasCondition(one, 'Established') || !hasCondition(one, 'NamesAccepted'));
    if (refused.length > 0)
      return fault(
        `The API server does not serve ${named(refused.map(({ metadata }) => metadata.name))}.`,
        'kubectl describe crd shows in the conditions which name conflicts with another CRD.',
      );
    return sound(counted(all.length, 'definition'));
  },
);

const versionsOf = (definition: Untyped): readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[] =>
  objectsAt(definition, 'spec', 'versions').map((version) => ({
    name: stringAt(version, 'name') ?? '',
    served: memberAt(version, 'served') === true,
    storage: memberAt(version, 'storage') === true,
  }));

/** Whether an image is of a release before 1.9, whose manager works with v1alpha1 alone. */
const isOlder = (tag: string): boolean => {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(tag) ?? [];
  return major !== undefined && (Number(major) < 1 || (Number(major) === 1 && Number(minor) < 9));
};

const definitionVersions = check(
  'definition-versions',
  'Every CRD has the version that the manager uses.',
  ['definitions', 'managers'],
  ({ definitions, managers }, at) => {
    const old = allKinds.filter((kind) => {
      const definition = definitions.get(crdName(kind));
      return definition !== undefined && !versionsOf(definition).some(({ name, served }) => served && name === storedVersion(kind));
    });
    if (old.length === 0) return sound(counted(definitions.size, 'definition'));
    const manager = inNamespace(managers, at.namespace);
    const what = `The CRDs of ${named(old.map(({ kind }) => kind))} lack a version that this release works with`;
    return manager !== undefined && isOlder(tagOf(imageOf(manager)))
      ? advice(`${what}; the manager is also older.`, 'Upgrade the chart together with its CRDs.')
      : fault(`${what}, so the manager does not handle these kinds.`, 'Apply the CRDs of the release of the manager.');
  },
);

export const storedVersions = check(
  'stored-versions',
  'Objects are stored in versions that are served.',
  ['definitions'],
  ({ definitions }) => {
    const all = [...definitions.values()].map((definition) => {
      const stored = memberAt(definition, 'status', 'storedVersions');
      const versions = versionsOf(definition);
      const names = Array.isArray(stored) ? (stored as unknown[]).filter((one) => typeof one === 'string') : [];
      return {
        name: definition.metadata.name,
        lost: names.filter((name) => !versions.some((version) => version.name === name && version.served)),
        older: names.filter((name) => versions.some((version) => version.name === name && !version.storage)),
      };
    });
    const lost = all.filter((one) => one.lost.length > 0);
    if (lost.length > 0)
      return fault(
        `Objects may be stored in versions that are not served: ${named(lost.map(({ name, lost: versions }) => `${name} ${versions.join(', ')}`))}.`,
        'Apply the CRDs of the former release, and upgrade with crds.migrateStorage.enabled=true.',
      );
    const older = all.filter((one) => one.older.length > 0);
    return older.length === 0
      ? sound('one version each')
      : advice(
          `Objects of ${counted(older.length, 'kind')} may still be stored in an older version.`,
          'Upgrade with crds.migrateStorage.enabled=true before a release that removes the version.',
        );
  },
);

const conversionOf = (
  definition: Untyped,
): { readonly strategy: string; readonly bundle: string; readonly namespace: string | undefined } => ({
  strategy: stringAt(definition, 'spec', 'conversion', 'strategy') ?? 'None',
  bundle: stringAt(definition, 'spec', 'conversion', 'webhook', 'clientConfig', 'caBundle') ?? '',
  namespace: stringAt(definition, 'spec', 'conversion', 'webhook', 'clientConfig', 'service', 'namespace'),
});

const conversion = check(
  'conversion',
  'CRDs with two versions convert with this installation.',
  ['definitions', 'mutating', 'validating'],
  ({ definitions, mutating, validating }, at) => {
    const converted = allKinds.flatMap((kind) => {
      const definition = definitions.get(crdName(kind));
      const served = definition === undefined ? [] : versionsOf(definition).filter((version) => version.served);
      return kind.conversion === 'Webhook' && definition !== undefined && served.length > 1
        ? [{ name: kind.kind, ...conversionOf(definition) }]
        : [];
    });
    if (converted.length === 0) return skipped('Every CRD has one version.');
    const none = converted.filter(({ strategy }) => strategy !== 'Webhook');
    if (none.length > 0)
      return fault(
        `The CRDs of ${named(none.map(({ name }) => name))} do not convert; fields of the other version are lost.`,
        'Apply the CRDs of the chart; the manager completes them.',
      );
    const elsewhere = converted.filter(({ namespace }) => namespace !== undefined && namespace !== at.namespace);
    if (elsewhere.length > 0)
      return fault(
        `${named(elsewhere.map(({ name, namespace }) => `${name} converts in namespace ${namespace ?? ''}`))}.`,
        `Apply the CRDs of the installation in ${at.namespace}.`,
      );
    const bundles = new Set(ownEntries({ mutating, validating }).map((entry) => stringAt(entry, 'clientConfig', 'caBundle') ?? ''));
    const differs = converted.filter(({ bundle }) => bundle === '' || (bundles.size > 0 && !bundles.has(bundle)));
    if (differs.length > 0)
      return fault(
        `The caBundle of the conversion of ${named(differs.map(({ name }) => name))} is not that of the webhooks.`,
        'The manager writes it; its log shows why the write is refused, for example because of another owner of the CRDs.',
      );
    return sound(counted(converted.length, 'kind'));
  },
);

export const definitionChecks: readonly Check[] = [definitionsExist, definitionVersions, storedVersions, conversion];
